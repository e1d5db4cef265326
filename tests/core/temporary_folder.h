// SPDX-License-Identifier: BSD-3-Clause
//
// A fresh folder for the files of one test, removed when the test ends.
#pragma once

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tests/core/messages.h>

namespace slackline::internal::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "slackline-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file and returns its path.
  std::string Write(const std::string& name, std::string_view content) const {
    std::ofstream file(path_ / name, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
    return Path(name);
  }
  std::string WriteGzip(const std::string& name, std::string_view content) const {
    gzFile file = gzopen(Path(name).c_str(), "wb");
    const bool good =
        file != nullptr && gzwrite(file, content.data(), static_cast<unsigned>(content.size())) ==
                               static_cast<int>(content.size());
    if (gzclose(file) != Z_OK || !good) throw std::runtime_error("cannot write " + name);
    return Path(name);
  }

  std::size_t NumFiles() const {
    const std::filesystem::directory_iterator begin(path_);
    return std::distance(begin, std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

inline std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace slackline::internal::test
