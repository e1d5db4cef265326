// SPDX-License-Identifier: BSD-3-Clause
//
// Data sets from streams, with rows in files.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include <slackline/core/random.h>
#include <slackline/slackline.h>
#include <tests/core/temporary_folder.h>

namespace slackline {
namespace {

using internal::test::Contains;
using internal::test::MessageOf;
using internal::test::TemporaryFolder;

constexpr int kChainStates = 3, kChainLength = 4;

/// Chains whose neighbours tend to have different states.
struct ChainModel {
  explicit ChainModel(int features)
      : look(model.AddWeights("look", kChainStates, features)),
        change(model.AddWeights("change")) {}

  Graph MakeGraph() const {
    GraphBuilder builder(model);
    const VariableRange v = builder.AddVariables(kChainLength, kChainStates);
    for (int t = 0; t < kChainLength; ++t) builder.AddInput(v[t], look, t);
    for (int t = 1; t < kChainLength; ++t)
      builder.AddFactor({v[t - 1], v[t]}, Potts(kChainStates), change);
    return builder.Build();
  }

  Model model;
  WeightBlock look;
  WeightBlock change;
};

/// A stream of chains, which makes each example when it is read.
class Chains {
 public:
  Chains(const ChainModel& model, int count, int features, bool sparse)
      : graph_(model.MakeGraph()), count_(count), features_(features), sparse_(sparse) {}

  std::optional<GraphExample> Next() {
    if (made_ == count_) return std::nullopt;
    ++made_;
    Example example;
    for (int t = 0; t < kChainLength; ++t) {
      std::vector<double> x(features_);
      for (double& value : x) value = random_.Normal();
      const auto label = static_cast<int>(random_.Below(kChainStates));
      x[label] += 1;
      example.labels.push_back(label);
      if (sparse_) {
        SparseRow row;
        for (int f = t; f < features_; f += 2) {
          row.columns.push_back(f);
          row.values.push_back(x[f]);
        }
        example.inputs.Add(row);
      } else {
        example.inputs.Add(x);
      }
    }
    return GraphExample{graph_, std::move(example)};
  }

 private:
  Graph graph_;
  int count_;
  int features_;
  bool sparse_;
  int made_ = 0;
  internal::Random random_{5};
};

/// The bytes of this process's memory that do not belong to a file.
double AnonymousMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return 1024 * std::stod(line.substr(8));
  throw std::runtime_error("no RssAnon in /proc/self/status");
}

}  // namespace

TEST_CASE("rows in files train and predict like rows in memory, bit for bit") {
  for (const bool sparse : {false, true}) {
    const TemporaryFolder folder;
    const ChainModel model(6);
    Dataset memory(model.model);
    Dataset files(model.model, {.rows_folder = folder.Path("")});
    Chains first(model, 40, 6, sparse);
    Chains second(model, 40, 6, sparse);
    CHECK(memory.AddAll([&] { return first.Next(); }) == 40);
    CHECK(files.AddAll([&] { return second.Next(); }) == 40);
    CHECK(folder.NumFiles() == 0);
    for (const char* learner : {"auto", "bcfw", "al"}) {
      const TrainOptions options = {.lambda = 0.01, .max_passes = 20, .learner = learner};
      const TrainResult a = Train(memory, options);
      const TrainResult b = Train(files, options);
      CHECK(std::ranges::equal(a.weights.values(), b.weights.values()));
      CHECK(a.primal == b.primal);
      CHECK(a.dual == b.dual);
      CHECK(a.gap >= 0);
    }
  }
}

TEST_CASE("rows in files take no anonymous memory") {
  // 64 MB of rows of random numbers.
  const TemporaryFolder folder;
  const int features = 1024;
  const ChainModel model(features);
  const auto growth = [&](const DatasetOptions& options) {
    Dataset data(model.model, options);
    Chains chains(model, 64 * 1024 * 1024 / (8 * features * kChainLength), features, false);
    const double before = AnonymousMemory();
    data.AddAll([&] { return chains.Next(); });
    return AnonymousMemory() - before;
  };
  const double memory = growth({});
  const double files = growth({.rows_folder = folder.Path("")});
  CHECK(files < memory - 56e6);
}

TEST_CASE("a stream that fails leaves the examples before the failure") {
  const ChainModel model(6);
  Dataset data(model.model);
  Chains chains(model, 10, 6, false);
  int asked = 0;
  const auto message = MessageOf<std::runtime_error>([&] {
    data.AddAll([&] {
      if (++asked == 4) throw std::runtime_error("the stream broke");
      return chains.Next();
    });
  });
  CHECK(message == "the stream broke");
  CHECK(data.size() == 3);

  const auto unfit = MessageOf<std::invalid_argument>([&] {
    data.AddAll([&]() -> std::optional<GraphExample> {
      std::optional<GraphExample> given = chains.Next();
      if (data.size() == 5) given->example.labels.pop_back();
      return given;
    });
  });
  CHECK(Contains(unfit, "an example needs one label per variable (4), not 3"));
  CHECK(data.size() == 5);
  CHECK(Train(data, {.lambda = 0.1, .max_passes = 3}).passes == 3);
}

TEST_CASE("a folder in which no file can be created is named") {
  const TemporaryFolder folder;
  const std::string missing = folder.Path("missing");
  const ChainModel model(6);
  const auto message = MessageOf<std::runtime_error>(
      [&] { const Dataset data(model.model, {.rows_folder = missing}); });
  CHECK(Contains(message, missing + ": cannot make a file in this folder: "));
}

}  // namespace slackline
