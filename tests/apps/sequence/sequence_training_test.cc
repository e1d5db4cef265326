// SPDX-License-Identifier: BSD-3-Clause
//
// What several ranks make of their sequences before they train.
#include <slackline/apps/sequence/sequence_training.h>

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/run/fingerprint.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/dealt.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Sequences of up to five tokens with attributes of different sizes and labels of chunks.
std::string ChunkText(Index sequences) {
  Random random(23);
  std::string text;
  for (Index m = 0; m < sequences; ++m) {
    std::string before = "O";
    for (std::uint64_t t = 0; t <= random.Below(5); ++t) {
      const bool inside = before != "O" && random.Below(2) == 0;
      const std::string label = inside ? "I-X" : random.Below(2) == 0 ? "B-X" : "O";
      text += label + "\tw" + std::to_string(random.Below(9)) +
              "\tsize:" + std::to_string(1000 * random.Uniform()) +
              "\tshare:" + std::to_string(0.01 * random.Uniform()) + "\n";
      before = label;
    }
    text += "\n";
  }
  return text;
}

SequenceInput ReadAttributeText(const std::string& text) {
  const TemporaryFolder folder;
  SequenceReadOptions options;
  options.format = SequenceFormat::kAttributes;
  options.features.min_count = 1;
  SequenceInput input = ReadTrainingSequences(folder.Write("data.txt", text), options);
  input.data.source = "data.txt";
  return input;
}

/// The sequences of this rank, with the labels and features of all.
SequenceInput OwnSequences(const SequenceInput& input, const Ranks& ranks) {
  SequenceInput part = input;
  SequenceData& data = part.data;
  const SequenceData& all = input.data;
  auto rows = std::make_shared<FeatureRows>();
  data.begin = {0};
  data.labels.clear();
  data.lines.clear();
  part.sequences.clear();
  for (const Index m : NumbersOf(ranks, all.num_sequences())) {
    for (Offset t = all.begin[m]; t < all.begin[m + 1]; ++t) {
      const FeatureRow row = all.rows->row(static_cast<Index>(t));
      rows->AddSparse(std::span(row.columns, row.count), std::span(row.values, row.count));
      data.labels.push_back(all.labels[t]);
    }
    data.begin.push_back(data.num_tokens());
    part.sequences.push_back(data.num_sequences());
    data.lines.push_back(all.lines[m]);
  }
  data.rows = rows;
  return part;
}

struct PreparedSequences {
  std::vector<double> divisor;
  std::string line;
  double lambda = 0;
  std::string reason;
  TrainingRecord record;
  Fingerprint fingerprint;
  SequenceTotals totals;
};

PreparedSequences PrepareSequences(SequenceInput input, const TrainOptions& options,
                                   LabelConstraints constraints = LabelConstraints::kBio) {
  SequenceTrainingOptions how;
  how.constraints = constraints;
  how.ranks = ExactRanks(options);
  SequenceTask task = MakeSequenceTask(std::move(input), how);
  SequenceTraining training(&task, {{}, "mean", {}});
  PreparedSequences made;
  made.divisor = task.model.scaling().divisor();
  made.line = task.scaled.line;
  made.lambda = ChooseLambda(options, 0, training);
  const Problem problem = training.problem().WithLambda(made.lambda);
  const LearnerChoice choice = ChooseLearner(problem, options);
  made.reason = choice.reason;
  made.totals = training.totals();
  training.Begin(problem.lambda(), choice.options);
  made.record = *training.record();
  made.fingerprint = MakeFingerprint(problem, choice.options);
  return made;
}

std::string ErrorOf(int size, const SequenceInput& input) {
  return ErrorOnRanks(size, [&](ThreadRanks& ranks) {
    TrainOptions options;
    options.ranks = &ranks;
    PrepareSequences(OwnSequences(input, ranks), options);
  });
}

}  // namespace

TEST_CASE("ranks prepare the training that one process with shards prepares") {
  const SequenceInput input = ReadAttributeText(ChunkText(41));
  TrainOptions sharded;
  sharded.shards = 5;
  for (const LabelConstraints constraints : {LabelConstraints::kAny, LabelConstraints::kBio}) {
    const PreparedSequences alone = PrepareSequences(input, sharded, constraints);
    CHECK(alone.record.num_examples == 41);
    CHECK(alone.line.find("scaling: max-abs") == 0);
    CHECK(PrepareSequences(input, {}, constraints).lambda == alone.lambda);
    for (const int size : {1, 2, 3, 5}) {
      for (const PreparedSequences& made : OnEachRank(size, [&](ThreadRanks& ranks) {
             TrainOptions options = sharded;
             options.ranks = &ranks;
             return PrepareSequences(OwnSequences(input, ranks), options, constraints);
           })) {
        CHECK(made.divisor == alone.divisor);
        CHECK(made.line == alone.line);
        CHECK(made.lambda == alone.lambda);
        CHECK(made.reason == alone.reason);
        CHECK(made.totals.sequences == 41);
        CHECK(made.totals.tokens == input.num_tokens());
        CHECK(made.totals.unlabelled_tokens == alone.totals.unlabelled_tokens);
        CHECK(made.record.num_examples == 41);
        CHECK(made.record.cost_per_variable == alone.record.cost_per_variable);
        CHECK(made.record.options == alone.record.options);
        CHECK(Difference(alone.fingerprint, made.fingerprint) == "");
      }
    }
  }
}

TEST_CASE("a sequence of one rank that violates the constraints is an error on all") {
  const SequenceInput input =
      ReadAttributeText("B-X\ta\nI-X\tb\n\nO\ta\n\nB-X\ta\nO\tb\nI-X\ta\n\nI-X\ta\n");
  CHECK(ErrorOf(4, input) == "data.txt:8: constraints bio do not allow 'I-X' after 'O'");
}

TEST_CASE("ranks refuse sequences without a known label") {
  const SequenceInput input = ReadAttributeText("B-X\ta\n\nO\ta\n\n?\tb\n?\ta\n\nB-X\tb\n");
  CHECK(ErrorOf(2, input) ==
        "data.txt: 1 sequence without a known label: remove them, since several processes that "
        "train together cannot leave them out");
  CHECK(ErrorOf(2, ReadAttributeText("B-X\ta\n")) == "accepted");  // a rank may have no sequence
}
