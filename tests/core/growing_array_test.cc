// SPDX-License-Identifier: BSD-3-Clause
//
// Growing arrays in a file and in memory, which differ only in the memory that they take.
#include <slackline/core/growing_array.h>

#include <signal.h>
#include <sys/resource.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using slackline::internal::test::Contains;
using slackline::internal::test::MessageOf;
using slackline::internal::test::TemporaryFolder;

namespace {

using NumberArray = GrowingArray<std::int64_t>;

/// Appends 0, 1, …, count − 1 in pieces of different lengths.
void AppendMany(NumberArray* array, std::int64_t count) {
  Random random(3);
  std::vector<std::int64_t> piece;
  for (std::int64_t from = 0; from < count; from += static_cast<std::int64_t>(piece.size())) {
    const auto length = static_cast<std::int64_t>(random.Below(5000));
    piece.resize(std::min(length, count - from));
    std::iota(piece.begin(), piece.end(), from);
    array->Append(piece);
  }
}

bool Counts(const NumberArray& array, std::int64_t count) {
  if (static_cast<std::int64_t>(array.size()) != count) return false;
  for (std::int64_t k = 0; k < count; ++k)
    if (array[k] != k) return false;
  return true;
}

/// Limits the size of this process's files, as if the disk were full.
class LargestFile {
 public:
  explicit LargestFile(std::size_t bytes) : action_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LargestFile() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, action_);
  }
  LargestFile(const LargestFile&) = delete;
  LargestFile& operator=(const LargestFile&) = delete;

 private:
  rlimit before_{};
  void (*action_)(int);
};

}  // namespace

TEST_CASE("elements do not change while an array grows, in memory and in a file") {
  const TemporaryFolder folder;
  const std::int64_t count = 1'000'000;  // 8 MB: the file grows four times
  NumberArray memory;
  NumberArray file(folder.Path(""));
  AppendMany(&memory, count);
  AppendMany(&file, count);
  CHECK(Counts(memory, count));
  CHECK(Counts(file, count));
  memory.ShrinkToFit();
  file.ShrinkToFit();
  CHECK(Counts(memory, count));
  CHECK(Counts(file, count));
}

TEST_CASE("an array without elements is empty") {
  const TemporaryFolder folder;
  NumberArray array(folder.Path(""));
  array.Append(std::span<const std::int64_t>());
  CHECK(array.size() == 0);
  CHECK(array.begin() == array.end());
  array.ShrinkToFit();
  CHECK(array.size() == 0);
}

TEST_CASE("elements do not move while an array fills its reserved room") {
  const TemporaryFolder folder;
  for (const std::string& place : {std::string(), folder.Path("")}) {
    NumberArray array(place);
    array.Append(7);
    array.Reserve(1000);
    CHECK(array.size() == 1);
    CHECK(array[0] == 7);
    const std::int64_t* const first = array.data();
    for (int k = 1; k < 1000; ++k) array.Append(k);
    CHECK(array.data() == first);
    array.Reserve(10);
    CHECK(array.size() == 1000);
    CHECK(array[999] == 999);
  }
}

TEST_CASE("the file has no name: the folder stays empty") {
  const TemporaryFolder folder;
  NumberArray array(folder.Path(""));
  AppendMany(&array, 1000);
  CHECK(folder.NumFiles() == 0);
}

TEST_CASE("copies are independent, and moved arrays keep their elements") {
  const TemporaryFolder folder;
  NumberArray array(folder.Path(""));
  AppendMany(&array, 1000);
  NumberArray copy = array;
  copy.Append(7);
  CHECK(copy.size() == 1001);
  CHECK(copy[1000] == 7);
  CHECK(Counts(array, 1000));

  NumberArray moved = std::move(array);
  CHECK(Counts(moved, 1000));
  moved.Append(1000);
  CHECK(Counts(moved, 1001));
  copy = std::move(moved);
  CHECK(Counts(copy, 1001));
}

TEST_CASE("a view shows the elements of its owner, and releases the owner with the array") {
  auto owner = std::make_shared<std::vector<std::int64_t>>(1000);
  std::iota(owner->begin(), owner->end(), 0);
  const std::int64_t* const first = owner->data();
  const std::weak_ptr<std::vector<std::int64_t>> alive = owner;
  NumberArray view(*owner, owner);
  owner.reset();
  CHECK(view.is_view());
  CHECK(view.data() == first);
  CHECK(Counts(view, 1000));
  view.ShrinkToFit();
  view.Reserve(1000);
  CHECK(view.data() == first);

  const NumberArray copy = view;
  CHECK_FALSE(copy.is_view());
  CHECK(copy.data() != first);
  CHECK(Counts(copy, 1000));

  NumberArray moved = std::move(view);
  CHECK(moved.data() == first);
  CHECK_FALSE(alive.expired());
  moved = NumberArray();
  CHECK(alive.expired());
}

TEST_CASE("appending to a view copies its elements first, and leaves those of the owner alone") {
  std::vector<std::int64_t> elements(1000);
  std::iota(elements.begin(), elements.end(), 0);
  const std::vector<std::int64_t> before = elements;
  for (const bool reserve : {false, true}) {
    NumberArray view(elements, nullptr);
    view.Append(std::span<const std::int64_t>());
    CHECK(view.is_view());
    if (reserve) view.Reserve(1001);
    CHECK(view.is_view() != reserve);
    view.Append(1000);
    CHECK_FALSE(view.is_view());
    CHECK(Counts(view, 1001));
    CHECK(elements == before);
  }
  NumberArray empty(std::span<const std::int64_t>(), nullptr);
  AppendMany(&empty, 100);
  CHECK(Counts(empty, 100));
}

TEST_CASE("a folder in which no file can be created is named") {
  const TemporaryFolder folder;
  const std::string missing = folder.Path("missing");
  const std::string message = MessageOf<DataError>([&] { NumberArray array(missing); });
  CHECK(message == missing + ": cannot make a file in this folder: No such file or directory");
}

TEST_CASE("a full disk throws an exception, and the existing elements are kept") {
  const TemporaryFolder folder;
  NumberArray array(folder.Path(""));
  AppendMany(&array, 1000);
  const std::vector<std::int64_t> much(std::size_t{1} << 20, 1);  // 8 MB
  {
    const LargestFile limit(std::size_t{4} << 20);
    const std::string message = MessageOf<DataError>([&] { array.Append(much); });
    CHECK(Contains(message, "cannot make a file in this folder larger: File too large"));
    CHECK(Counts(array, 1000));
  }
  array.Append(much);
  CHECK(array.size() == 1000 + much.size());
}
