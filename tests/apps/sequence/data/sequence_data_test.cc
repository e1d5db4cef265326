// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_data.h>

#include <doctest/doctest.h>

#include <stdexcept>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceData WithFolds(std::vector<Index> folds) {
  SequenceData data;
  data.source = "words.data";
  data.folds = std::move(folds);
  return data;
}

using Flags = std::vector<bool>;

const SequenceData& Words() {
  static const SequenceData data = WithFolds({0, 1, 2, 5, 1, 12});
  return data;
}

std::string FoldError(const std::string& selection) {
  return MessageOf<DataError>([&] { SelectFolds(selection, Words()); });
}

}  // namespace

TEST_CASE("folds are selected by numbers and ranges") {
  CHECK(SelectFolds("0", Words()) == Flags{1, 0, 0, 0, 0, 0});
  CHECK(SelectFolds("1", Words()) == Flags{0, 1, 0, 0, 1, 0});
  CHECK(SelectFolds("1-5", Words()) == Flags{0, 1, 1, 1, 1, 0});
  CHECK(SelectFolds("0,2-2,6-20", Words()) == Flags{1, 0, 1, 0, 0, 1});
}

TEST_CASE("a bad selection of folds is quoted") {
  CHECK(FoldError("1,x") == "folds '1,x': 'x' is neither a number nor a range such as 1-9");
  for (const char* bad : {"", "1,", ",1", "-1", "1-", "5-1", "1-2-3", "1.5", "0 ", "99999999999"}) {
    CAPTURE(bad);
    CHECK(Contains(FoldError(bad), "is neither a number nor a range such as 1-9"));
  }
  CHECK(FoldError("0,3-4") == "words.data: no sequence belongs to fold '3-4'");
  CHECK(FoldError("7") == "words.data: no sequence belongs to fold '7'");
  CHECK(MessageOf<DataError>([] { SelectFolds("0", WithFolds({})); }) ==
        "words.data: the data have no folds");
}

TEST_CASE("in training labels are sorted by bytes") {
  LabelNumbering labels({});
  SequenceData data;
  for (const char* label : {"b", "?", "a", "\xC3\xA4", "b", "Z"})
    data.labels.push_back(labels.Number(label));
  labels.Finish(&data);
  CHECK(data.label_names == std::vector<std::string>{"Z", "a", "b", "\xC3\xA4"});
  CHECK(data.num_model_labels == 4);
  CHECK(data.labels == std::vector<Index>{2, kUnlabelled, 1, 3, 2, 0});
}

TEST_CASE("in prediction the labels of the model come first, in its order") {
  const std::vector<std::string> model = {"b", "a"};
  LabelNumbering labels(model);
  SequenceData data;
  for (const char* label : {"z", "a", "c", "b", "z"}) data.labels.push_back(labels.Number(label));
  labels.Finish(&data);
  CHECK(data.label_names == std::vector<std::string>{"b", "a", "z", "c"});
  CHECK(data.num_model_labels == 2);
  CHECK(data.labels == std::vector<Index>{2, 1, 3, 0, 2});
  const std::vector<std::string> twice = {"a", "a"};
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { LabelNumbering bad(twice); }),
                 "a model has a label twice"));
}
