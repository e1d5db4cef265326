// SPDX-License-Identifier: BSD-3-Clause
//
// Progress of `segment prepare` on a terminal. Skipped on machines without pseudo-terminals.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

struct EightImages {
  TemporaryFolder folder;
  std::string out = folder.Path("d");

  EightImages() {
    Succeed({"segment", "draw", "--out", out, "--images", "8", "--size", "48x36", "-q"});
  }
  Arguments Prepare(const Arguments& more) const {
    return Arguments{"segment",       "prepare",
                     "--images",      out + "/images",
                     "--labels",      out + "/labels",
                     "--classes",     out + "/classes.txt",
                     "--train",       out + "/train.txt",
                     "--out",         folder.Path("f.fea"),
                     "--superpixels", "20",
                     "--coarse",      "4",
                     "--features",    "small"} +
           more;
  }
};

/// The standard error of a run that has a terminal for it; nothing where the machine has none.
std::optional<std::string> OnTerminal(const Arguments& arguments) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  const bool opened = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0;
  const std::string name = opened ? ptsname(terminal) : "";
  // Held open until the run has ended.
  const int kept = opened ? open(name.c_str(), O_RDWR | O_NOCTTY) : -1;
  if (kept < 0) {
    // tests/CMakeLists.txt looks for this text.
    MESSAGE("skipped: there is no pseudo-terminal (" << std::string(std::strerror(errno)) << ")");
    return std::nullopt;
  }
  std::string text;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t n = 0; (n = read(terminal, bytes, sizeof bytes)) > 0;) text.append(bytes, n);
  });
  const Outcome outcome = RunProgram(arguments, "/dev/null", "", [&name] {
    const int side = open(name.c_str(), O_RDWR | O_NOCTTY);
    if (side < 0 || dup2(side, STDERR_FILENO) < 0) _exit(125);
  });
  close(kept);
  reader.join();
  close(terminal);
  CHECK(outcome.code == 0);
  return text;
}

}  // namespace

TEST_CASE("on a terminal every stage shows its progress, and the line is removed") {
  const EightImages drawn;
  const auto text = OnTerminal(drawn.Prepare({}));
  if (!text) return;
  for (const char* part :
       {"\rchecking: image 1 of ", "\rlearning words: image 1 of ", "\rlearning components: image ",
        "\rlearning words: clustering", "\rfeatures: image 1 of "})
    CHECK_MESSAGE(Contains(*text, part), part);
  CHECK(text->rfind("\r\x1b[K") > text->rfind("features: image"));
}

TEST_CASE("nothing is shown with --quiet") {
  const EightImages drawn;
  if (const auto text = OnTerminal(drawn.Prepare({"--quiet"}))) CHECK(text->empty());
}
