// SPDX-License-Identifier: BSD-3-Clause
//
// Which temporary files of killed and of living writers remain. model_file_test has the other tests
// of AtomicFile.
#include <slackline/core/atomic_file.h>

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A process that has begun to write a file, and that continues when it is told to.
class Writer {
 public:
  explicit Writer(const std::string& path) {
    std::array<int, 2> ready{};
    std::array<int, 2> go{};
    if (pipe(ready.data()) != 0 || pipe(go.data()) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      close(go[1]);
      AtomicFile file(path);
      file.Write("by the other process");
      char byte = 0;
      if (write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1) _exit(1);
      file.Commit();
      _exit(0);
    }
    close(ready[1]);
    close(go[0]);
    go_ = go[1];
    char byte = 0;
    if (read(ready[0], &byte, 1) != 1) throw std::runtime_error("the writer did not begin");
    close(ready[0]);
  }
  ~Writer() { Kill(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Kill() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    Wait();
  }
  /// Lets the process replace the target by its file; returns the exit code of the process.
  int Finish() {
    if (write(go_, "g", 1) != 1) return -1;
    return Wait();
  }

 private:
  int Wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    close(go_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t process_ = -1;
  int go_ = -1;
};

}  // namespace

TEST_CASE("the temporary file of a killed process is removed by the next write of its target") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("m.slk", "old");
  Writer writer(path);
  CHECK(folder.NumFiles() == 2);
  writer.Kill();
  CHECK(folder.NumFiles() == 2);
  CHECK(ReadBytes(path) == "old");
  WriteFileAtomically(path, "new");
  CHECK(folder.NumFiles() == 1);
  CHECK(ReadBytes(path) == "new");
}

TEST_CASE("the check whether a file can be written also removes temporary files") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  Writer(path).Kill();
  CHECK(folder.NumFiles() == 1);
  CheckWritable(path);
  CHECK(folder.NumFiles() == 0);
}

TEST_CASE("the temporary file of a living process is kept, and replaces the target in the end") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  Writer writer(path);
  WriteFileAtomically(path, "by this process");
  CheckWritable(path);
  CHECK(ReadBytes(path) == "by this process");
  CHECK(folder.NumFiles() == 2);
  CHECK(writer.Finish() == 0);
  CHECK(ReadBytes(path) == "by the other process");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("the temporary files of several killed processes are all removed") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  {
    Writer first(path);
    Writer second(path);
    Writer third(path);
    CHECK(folder.NumFiles() == 3);
    first.Kill();
    WriteFileAtomically(path, "one");
    CHECK(folder.NumFiles() == 3);  // the target, and the files of two living processes
  }
  WriteFileAtomically(path, "two");
  CHECK(ReadBytes(path) == "two");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("files with other names are not taken for temporary files") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  folder.Write("m.slk.tmp", "mine");
  folder.Write("m.slk.slackline-tmp-1.txt", "mine");
  folder.Write("n.slk.slackline-tmp-1", "mine");
  std::filesystem::create_directory(folder.Path("m.slk.slackline-tmp-1"));
  std::filesystem::create_symlink("n.slk.slackline-tmp-1", folder.Path("m.slk.slackline-tmp-2"));
  WriteFileAtomically(path, "new");
  CHECK(folder.NumFiles() == 6);
  CHECK(ReadBytes(folder.Path("n.slk.slackline-tmp-1")) == "mine");
}

TEST_CASE("two writers in one process do not disturb each other") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  AtomicFile first(path);
  AtomicFile second(path);
  first.Write("first");
  second.Write("second");
  second.Commit();
  CHECK(ReadBytes(path) == "second");
  first.Commit();
  CHECK(ReadBytes(path) == "first");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("a folder appears with all of its files, or not at all") {
  const TemporaryFolder around;
  const std::string path = around.Path("folder");
  {
    const AtomicFolder folder(path);
    WriteFileAtomically(folder.temporary() + "/a", "1");
  }
  CHECK(around.NumFiles() == 0);
  {
    AtomicFolder folder(path + "/");
    WriteFileAtomically(folder.temporary() + "/a", "1");
    AtomicFolder other(path);  // of a living writer, whose folder is left alone
    CHECK(other.temporary() != folder.temporary());
    CHECK(!std::filesystem::exists(path));
    folder.Commit();
    CHECK(ReadBytes(path + "/a") == "1");
    WriteFileAtomically(other.temporary() + "/a", "2");
    CHECK(Contains(MessageOf<DataError>([&] { other.Commit(); }), path + ": cannot write here: "));
  }
  CHECK(ReadBytes(path + "/a") == "1");
  CHECK(around.NumFiles() == 1);
  CHECK(MessageOf<DataError>([&] { AtomicFolder folder(path); }) ==
        path + ": is there already: give a new folder, or an empty one");
  CHECK(Contains(MessageOf<DataError>([&] { AtomicFolder folder(around.Path("none/folder")); }),
                 "there is no folder '" + around.Path("none") + "'"));
  std::filesystem::remove(path + "/a");
  AtomicFolder(path).Commit();  // replaces an empty folder
  CHECK(std::filesystem::is_empty(path));
}

TEST_CASE("the temporary folder of a killed process is removed by the next writer") {
  const TemporaryFolder around;
  const std::string path = around.Path("folder");
  std::filesystem::create_directory(path + ".slackline-tmp-1");  // locked by nobody
  WriteFileAtomically(path + ".slackline-tmp-1/a", "1");
  AtomicFolder(path).Commit();
  CHECK(std::filesystem::is_empty(path));
  CHECK(around.NumFiles() == 1);
}
