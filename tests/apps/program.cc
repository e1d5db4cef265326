// SPDX-License-Identifier: BSD-3-Clause
#include <tests/apps/program.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

namespace slackline::internal::test {
namespace {

void Redirect(const char* path, int flags, int target) {
  const int descriptor = open(path, flags, 0666);
  if (descriptor < 0 || dup2(descriptor, target) < 0) _exit(126);
  close(descriptor);
}

}  // namespace

Process::Process(const Arguments& arguments, const std::string& input, const std::string& output,
                 const std::function<void()>& prepare) {
  const bool bench = !arguments.empty() && arguments.front() == kBenchProgram;
  program_ = bench ? SLACKLINE_BENCH_PROGRAM : SLACKLINE_PROGRAM;
  std::vector<char*> argv = {program_.data()};
  for (std::size_t k = bench ? 1 : 0; k < arguments.size(); ++k)
    argv.push_back(const_cast<char*>(arguments[k].c_str()));
  argv.push_back(nullptr);
  const std::string out = output.empty() ? folder_.Path("out") : output;
  const std::string err = folder_.Path("err");
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ == 0) {
    Redirect(input.c_str(), O_RDONLY, STDIN_FILENO);
    Redirect(out.c_str(), O_WRONLY | O_CREAT, STDOUT_FILENO);
    Redirect(err.c_str(), O_WRONLY | O_CREAT, STDERR_FILENO);
    if (prepare) prepare();
    execv(argv.front(), argv.data());
    _exit(127);
  }
}

Process::~Process() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void Process::Signal(int number) const { kill(child_, number); }

bool Process::Catches(int number) const {
  const std::string proc = "/proc/" + std::to_string(child_);
  const auto program = std::filesystem::path(program_).filename();
  for (int k = 0; k < 6000; ++k) {
    // In this order: until exec the handlers in the status are those of the test.
    std::error_code ended;
    const auto running = std::filesystem::read_symlink(proc + "/exe", ended).filename();
    const std::string status = ReadBytes(proc + "/status");
    const std::size_t at = status.find("SigCgt:");
    if (ended || at == std::string::npos) return false;
    const bool caught = (std::stoull(status.substr(at + 7), nullptr, 16) >> (number - 1) & 1) != 0;
    if (caught && running == program) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool Process::Works(int number, double cpu_seconds) const {
  if (!Catches(number)) return false;
  const std::string stat = "/proc/" + std::to_string(child_) + "/stat";
  for (int k = 0; k < 6000; ++k) {
    // The name of the program, in parentheses, may contain spaces. Times are the 12th and 13th
    // number behind it.
    const std::string text = ReadBytes(stat);
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string skipped;
    for (int field = 0; field < 12; ++field) fields >> skipped;
    double user = 0, system = 0;
    if (!(std::istringstream(skipped) >> user) || !(fields >> system)) return false;
    if ((user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)) >= cpu_seconds) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

Outcome Process::Wait() {
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  const std::string out = folder_.Path("out");
  return {code, std::filesystem::exists(out) ? ReadBytes(out) : "", ReadBytes(folder_.Path("err"))};
}

Outcome RunProgram(const Arguments& arguments, const std::string& input, const std::string& output,
                   const std::function<void()>& prepare) {
  return Process(arguments, input, output, prepare).Wait();
}

Outcome Succeed(Outcome outcome) {
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome;
}

Outcome Succeed(const Arguments& arguments, const std::string& input, const std::string& output,
                const std::function<void()>& prepare) {
  return Succeed(RunProgram(arguments, input, output, prepare));
}

std::string OutputOf(const Arguments& arguments, const std::string& input) {
  return Succeed(arguments, input).out;
}

Json JsonOf(const Arguments& arguments) { return Json::parse(OutputOf(arguments)); }

void CheckStopped(const Outcome& outcome, const Arguments& parts) {
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  REQUIRE(!outcome.err.empty());
  const std::string message =
      outcome.err.substr(outcome.err.rfind('\n', outcome.err.size() - 2) + 1);
  CHECK(message.starts_with("slackline: "));
  for (const std::string& part : parts) CHECK_MESSAGE(Contains(message, part), part);
}

void CheckRefusal(const Outcome& outcome, const Arguments& parts) {
  CheckStopped(outcome, parts);
  CHECK(outcome.out.empty());
  CHECK(Lines(outcome.err).size() == 1);
}

Outcome RunInLeastMemory(const Arguments& arguments, long step_kb) {
  for (long kb = 14000;; kb += step_kb) {
    const auto bytes = static_cast<rlim_t>(kb) * 1024;
    Outcome outcome = RunProgram(arguments, "/dev/null", "", [bytes] {
      const rlimit limit{bytes, bytes};
      if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(125);
    });
    if (outcome.code == 0 || kb > 1000000) return outcome;
    // Exit code 127: the loader failed before the program began.
    const auto says = [&](const char* text) { return outcome.err.find(text) != std::string::npos; };
    const bool said = says("memory") || says("error while loading shared libraries") ||
                      (outcome.code == 127 && says("cannot allocate TLS data structures"));
    if (said && (outcome.code == 1 || outcome.code == 2 || outcome.code == 127)) continue;
    outcome.err += "(" + std::to_string(kb) + " kB)";
    return outcome;
  }
}

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string LibsvmText(int examples, int features, int labels, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int m = 0; m < examples; ++m) {
    std::string row;
    std::string given;
    for (int f = 0; f < features; ++f) {
      const double value = random.Normal();
      row += " " + std::to_string(f + 1) + ":" + std::to_string(value);
      if (f < labels && value + 0.5 * random.Normal() > 0.3) {
        given += (given.empty() ? "" : ",") + std::to_string(f);
      }
    }
    text += given + row + "\n";
  }
  return text;
}

std::string ArffText(int examples, int features, int labels, std::uint64_t seed) {
  Random random(seed);
  std::string text = "@relation small\n";
  for (int f = 0; f < features; ++f) text += "@attribute f" + std::to_string(f) + " numeric\n";
  for (int i = 0; i < labels; ++i) text += "@attribute L" + std::to_string(i) + " {0,1}\n";
  text += "@data\n";
  for (int m = 0; m < examples; ++m) {
    std::string given;
    for (int f = 0; f < features; ++f) {
      const double value = random.Normal();
      text += std::to_string(value) + ",";
      if (f < labels) given += value + 0.5 * random.Normal() > 0.3 ? ",1" : ",0";
    }
    text += given.substr(1) + "\n";
  }
  return text;
}

std::string XmlText(int labels) {
  std::string text = "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n";
  for (int i = 0; i < labels; ++i) text += "<label name=\"L" + std::to_string(i) + "\"></label>\n";
  return text + "</labels>\n";
}

}  // namespace slackline::internal::test
