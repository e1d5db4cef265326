// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_graph.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Pairs = std::vector<LabelPair>;

const std::vector<std::string> kWeatherNames = {"sun", "rain", "snow fall", "C#", "1", "a \"b\""};

std::string FileError(const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("g.txt", content);
  const std::string message = MessageOf<DataError>([&] { ReadLabelGraph(path, kWeatherNames); });
  return message.starts_with(folder.Path("")) ? message.substr(folder.Path("").size()) : message;
}

Pairs ReadText(const std::string& content) {
  const TemporaryFolder folder;
  return ReadLabelGraph(folder.Write("g.txt", content), kWeatherNames);
}

MultiLabelData UnnamedData(Index num_labels, std::vector<std::int8_t> labels) {
  MultiLabelData data;
  data.source = "data";
  for (Index i = 0; i < num_labels; ++i) data.label_names.push_back("L" + std::to_string(i));
  data.lines.resize(labels.size() / num_labels);
  data.labels = std::move(labels);
  return data;
}

}  // namespace

TEST_CASE("a graph file gives pairs by name and by number, in order") {
  CHECK(ReadText("rain sun\n") == Pairs{{0, 1}});
  CHECK(ReadText("# pairs\n\n  \"snow fall\"\tsun # the two\n3 0\nC# rain\r\n") ==
        Pairs{{0, 2}, {0, 3}, {1, 3}});
  CHECK(ReadText("\"a \"\"b\"\"\" sun") == Pairs{{0, 5}});
}

TEST_CASE("the name of a label takes precedence over a number") {
  CHECK(ReadText("1 sun") == Pairs{{0, 4}});  // the label "1", not label number 1
  CHECK(ReadText("2 sun") == Pairs{{0, 2}});
}

TEST_CASE("bad graph files are refused with line and token") {
  CHECK(FileError("sun rain\nsun hail\n").starts_with("g.txt:2: unknown label 'hail'"));
  CHECK(FileError("sun 6\n").starts_with("g.txt:1: unknown label '6'"));
  CHECK(FileError("sun -1\n").starts_with("g.txt:1: unknown label '-1'"));
  CHECK(FileError("sun \"2\"\n").starts_with("g.txt:1: unknown label '2'"));
  CHECK(FileError("\nrain rain\n") ==
        "g.txt:2: label joined with itself (a self-loop): 'rain' 'rain'");
  CHECK(FileError("rain sun\n3 0\n0 rain\n") ==
        "g.txt:3: the pair '0' 'rain' was given before, on line 1");
  CHECK(FileError("sun\n").starts_with("g.txt:1: expected two labels, found 1"));
  CHECK(Contains(FileError("sun rain C#\n"), "found 3, the last is 'C#'"));
  CHECK(FileError("sun \"snow fall\n")
            .starts_with("g.txt:1: the closing quote is missing: '\"snow fall'"));
  CHECK(FileError("\"sun\"rain\n").starts_with("g.txt:1: text follows the closing quote"));
  CHECK(FileError("# nothing\n").starts_with("g.txt: no pairs of labels"));
}

TEST_CASE("the names full and none are graphs, and other names are refused") {
  const MultiLabelData data = UnnamedData(3, {0, 0, 0});
  CHECK(MakeLabelGraph("none", data).empty());
  CHECK(MakeLabelGraph("full", data) == Pairs{{0, 1}, {0, 2}, {1, 2}});
  CHECK(MakeLabelGraph("full", UnnamedData(1, {0})).empty());
  CHECK(MakeLabelGraph("tree", UnnamedData(1, {0})).empty());
  CHECK(Contains(MessageOf<DataError>([&] { MakeLabelGraph("fully", data); }),
                 "'fully' is neither full, none nor tree"));
}

TEST_CASE("given pairs are put in order, and wrong ones are refused") {
  const MultiLabelData data = UnnamedData(3, {0, 0, 0});
  const auto make = [&](Pairs pairs) { return MakeLabelGraph({"given", std::move(pairs)}, data); };
  CHECK(make({{2, 1}, {1, 0}}) == Pairs{{0, 1}, {1, 2}});
  CHECK(make({}).empty());
  const auto message = [&](Pairs pairs) {
    return MessageOf<DataError>([&] { make(std::move(pairs)); });
  };
  CHECK(message({{0, 3}}) == "--graph: the pair (0, 3) is not one of 3 labels, which count from 0");
  CHECK(message({{-1, 0}}) ==
        "--graph: the pair (-1, 0) is not one of 3 labels, which count from 0");
  CHECK(message({{1, 1}}) == "--graph: the pair (1, 1) joins a label with itself");
  CHECK(message({{0, 1}, {1, 0}}) == "--graph: the pair (0, 1) occurs twice");
}

TEST_CASE("too many labels for all pairs are refused") {
  const MultiLabelData data = UnnamedData(20000, {});
  CHECK(Contains(MessageOf<DataError>([&] { MakeLabelGraph("full", data); }),
                 "20000 labels have 199990000 pairs"));
  CHECK(Contains(MessageOf<DataError>([&] { MakeLabelGraph("tree", data); }),
                 "20000 labels have 199990000 pairs"));
}

TEST_CASE("mutual information is right on small tables") {
  const auto information = [](std::array<std::int64_t, 4> counts) {
    return MutualInformation(counts);
  };
  CHECK(Near(information({5, 0, 0, 5}), std::log(2.0), kExact));
  CHECK(Near(information({0, 5, 5, 0}), std::log(2.0), kExact));
  CHECK(information({4, 4, 4, 4}) == 0);
  CHECK(information({7, 0, 0, 0}) == 0);
  CHECK(information({0, 0, 0, 0}) == 0);
  const double expected = 0.5 * std::log(0.5 / (0.75 * 0.5)) +
                          0.25 * std::log(0.25 / (0.75 * 0.5)) +
                          0.25 * std::log(0.25 / (0.25 * 0.5));
  CHECK(Near(information({2, 1, 0, 1}), expected, kExact));
}

TEST_CASE("the tree spans all labels by their largest mutual information") {
  // L2 copies L0; L1 is the opposite of L3; L4 is always off and has no information.
  MultiLabelData data = UnnamedData(5, {0, 0, 0, 1, 0,  //
                                        1, 0, 1, 1, 0,  //
                                        0, 1, 0, 0, 0,  //
                                        1, 1, 1, 0, 0,  //
                                        1, 1, 1, 0, 0});
  const Pairs tree = MakeLabelGraph("tree", data);
  REQUIRE(tree.size() == 4);
  CHECK(std::count(tree.begin(), tree.end(), LabelPair{0, 2}) == 1);
  CHECK(std::count(tree.begin(), tree.end(), LabelPair{1, 3}) == 1);
  CHECK(std::is_sorted(tree.begin(), tree.end()));
}

TEST_CASE("unknown labels are left out pair by pair") {
  // Where both are known, L0 equals L1; counting the unknown entries would hide this. L2 agrees
  // with L0 less often.
  const MultiLabelData data = UnnamedData(3, {1, 1, 1,   //
                                              0, 0, 0,   //
                                              1, -1, 0,  //
                                              0, -1, 0,  //
                                              -1, 0, 1,  //
                                              1, 1, 1});
  CHECK(MakeLabelGraph("tree", data) == Pairs{{0, 1}, {0, 2}});
}
