// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/class_potentials.h>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include <slackline/core/check.h>

#include "tests/core/temporary_folder.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

const std::vector<std::string> kPotentialClasses = {"grass", "blue sky"};

struct File {
  explicit File(const std::string& text) : path(folder.Path("p.tsv")) {
    std::ofstream(path) << text;
  }
  TemporaryFolder folder;
  std::string path;
};

const std::string kHead = "image\tlayer\tsuperpixel\tgrass\tblue sky\n";

/// The message of reading the text and asking for two fine superpixels of image "a".
std::string ComplaintOf(const std::string& text) {
  const File file(text);
  return MessageOf<DataError>(
      [&] { ClassPotentials(file.path, kPotentialClasses).Layer("a", true, 2); });
}

void CheckComplaint(const std::string& text, const std::vector<std::string>& parts) {
  const std::string complaint = ComplaintOf(text);
  for (const std::string& part : parts) {
    INFO(complaint);
    CHECK_MESSAGE(complaint.find(part) != std::string::npos, part);
  }
}

}  // namespace

TEST_CASE("written potentials are read back, with superpixels in any order") {
  ClassPotentialsText text(kPotentialClasses);
  text.Add("a b", true, std::vector<double>{1, -2.5, 1.0 / 3, 0});
  text.Add("a b", false, std::vector<double>{4, 1e-30});
  const File file(text.text());
  const ClassPotentials potentials(file.path, kPotentialClasses);
  CHECK(potentials.Layer("a b", true, 2) == std::vector<double>{1, -2.5, 0.3333333, 0});
  CHECK(potentials.Layer("a b", false, 1) == std::vector<double>{4, 1e-30});
  CHECK(potentials.Layer("c", true, 0).empty());

  const File mixed(kHead + "a\tfine\t1\t3\t4\r\n\n" + "b\tfine\t0\t9\t9\n" + "a\tfine\t0\t1\t2");
  CHECK(ClassPotentials(mixed.path, kPotentialClasses).Layer("a", true, 2) ==
        std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("bad files are refused with line and token") {
  CheckComplaint("", {"p.tsv", "empty"});
  CheckComplaint("a\tfine\t0\t1\t2\n", {"p.tsv:1", "'image'", "not 'a'"});
  CheckComplaint("image\tlayer\tsuperpixel\tgrass\n", {"p.tsv:1", "'blue sky'"});
  CheckComplaint("image\tlayer\tsuperpixel\tgrass\tsky\n",
                 {"p.tsv:1", "'blue sky'", "not 'sky'", "cell 5"});
  CheckComplaint("image\tlayer\tsuperpixel\tgrass\tblue sky\tx\n", {"p.tsv:1", "'x'"});
  CheckComplaint(kHead + "a\tfine\t0\t1\n", {"p.tsv:2", "4 cells instead of 5"});
  CheckComplaint(kHead + "a\tmiddle\t0\t1\t2\n", {"p.tsv:2", "'middle'"});
  CheckComplaint(kHead + "a\tfine\t-1\t1\t2\n", {"p.tsv:2", "'-1'"});
  CheckComplaint(kHead + "a\tfine\t0\t1\tnan\n", {"p.tsv:2", "'nan'"});
  CheckComplaint(kHead + "a\tfine\t0\t1\t1e300\n", {"p.tsv:2", "'1e300'"});
  CheckComplaint(kHead + "a\tfine\t0\t1\t2\na\tfine\t0\t1\t2\n",
                 {"p.tsv:3", "superpixel 0", "twice"});
  CheckComplaint(kHead + "a\tfine\t0\t1\t2\na\tfine\t2\t1\t2\n",
                 {"p.tsv:3", "2 fine superpixels", "no 2"});
  CheckComplaint(kHead + "a\tfine\t1\t1\t2\na\tcoarse\t0\t1\t2\n",
                 {"p.tsv", "'a'", "superpixel 0"});
  CHECK_THROWS_AS(ClassPotentials("no-such-file", kPotentialClasses), DataError);
}
