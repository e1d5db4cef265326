// SPDX-License-Identifier: BSD-3-Clause
//
// The same text as a file, a gzip file, and a folder of parts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tests/core/temporary_folder.h>

namespace slackline::internal::test {

/// Writes the pieces as part-0, part-1, … of a folder, every second one as gzip. Returns its path.
inline std::string WriteParts(const TemporaryFolder& folder, const std::string& name,
                              const std::vector<std::string>& pieces) {
  std::filesystem::create_directory(folder.Path(name));
  for (const char* other : {"_SUCCESS", "part-0~", "part-0.bak", "part-1.gz.tmp"})
    folder.Write(name + "/" + other, "not a part");
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::string part = name + "/part-" + std::to_string(k);
    k % 2 == 0 ? folder.Write(part, pieces[k]) : folder.WriteGzip(part + ".gz", pieces[k]);
  }
  return folder.Path(name);
}

/// The numbers of processes and of shards of a test: (R, P).
struct Deal {
  int ranks;
  int shards;
};
inline const std::vector<Deal>& Deals() {
  static const std::vector<Deal> deals = {{1, 1}, {2, 2}, {3, 3}, {5, 5},
                                          {1, 7}, {2, 7}, {3, 7}, {5, 7}};
  return deals;
}

}  // namespace slackline::internal::test
