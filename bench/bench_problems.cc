// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_problems.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>
#include <slackline/core/random.h>
#include <slackline/learning/default_lambda.h>

#include "bench/bench_sources.h"
#include "bench/list_entries.h"

namespace slackline::internal::bench {
namespace {

/// Names for problems of papers and pages.
constexpr NamedEntry kNamed[] = {
    {"yeast-0.01", "yeast:bias=off,lambda=0.01"},
    {"yeast-0.001", "yeast:bias=off,lambda=0.001"},
    {"reuters-0.001", "reuters:bias=off,lambda=0.001"},
    {"reuters-0.0001", "reuters:bias=off,lambda=0.0001"},
    {"rcv1-0.001", "rcv1:bias=off,lambda=0.001"},
    {"rcv1-0.0001", "rcv1:bias=off,lambda=0.0001"},
    {"letters-0.01", "letters:lambda=0.01"},
    {"letters-0.001", "letters:lambda=0.001"},
    {"conll-0.01", "conll:lambda=0.01"},
    {"conll-0.001", "conll:lambda=0.001"},
    {"msrc-0.0003", "msrc:lambda=0.0003"},
    {"matching-0.01", "matching:lambda=0.01"},
    {"matching-0.001", "matching:lambda=0.001"},
    {"grids-small", "grids:examples=10,rows=8,cols=8,states=4,features=5,lambda=0.1"},
    {"toy", "labels:examples=60,labels=6,features=8,lambda=0.01"},
};

std::vector<std::string_view> AllNames() {
  std::vector<std::string_view> names;
  for (const BenchSource& source : BenchSources()) names.push_back(source.name);
  for (const NamedEntry& named : kNamed) names.push_back(named.name);
  return names;
}

const BenchSource& FindSource(std::string_view name) {
  for (const BenchSource& source : BenchSources()) {
    if (source.name == name) return source;
  }
  throw DataError("unknown problem " + Quoted(name) + "; choose from " + BenchProblemNames() +
                  DidYouMean(name, AllNames()));
}

/// Reads "@EXAMPLES[.SEED]" behind the name of an entry, if it is there.
void ReadSample(const std::string& name, BenchProblem* problem) {
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return;
  const std::string_view numbers = std::string_view(name).substr(at + 1);
  const std::size_t dot = numbers.find('.');
  const auto read = [&](std::string_view text, auto* value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error != std::errc() || end != text.data() + text.size() || *value < 1)
      throw DataError(Quoted(name) +
                      " is not of the form problem@examples or problem@examples.seed");
  };
  read(numbers.substr(0, dot), &problem->examples);
  if (dot != std::string_view::npos) read(numbers.substr(dot + 1), &problem->seed);
}

BenchProblem ReadProblem(ListEntry entry) {
  BenchProblem problem;
  ReadSample(entry.name, &problem);
  entry.name = entry.name.substr(0, entry.name.find('@'));
  problem.of = entry.text();
  problem.name = problem.of;
  if (problem.examples > 0) {
    problem.name.insert(entry.name.size(), "@" + std::to_string(problem.examples) + "." +
                                               std::to_string(problem.seed));
  }
  entry = WithoutName(std::move(entry), kNamed);
  const BenchSource& source = FindSource(entry.name);
  problem.text = source.text;
  for (const auto& [name, value] : entry.options) problem.text += ", " + name + " " + value;
  EntryOptions options(entry);
  problem.lambda = source.lambda;
  options.Read("lambda", &problem.lambda);
  options.Read("times", &problem.times);
  if (problem.lambda < 0 || problem.times < 0)
    throw DataError(Quoted(problem.of) + ": lambda and times must be positive");
  BenchRecipe recipe = source.recipe(source, &options);
  options.RequireAllRead();
  problem.files = std::move(recipe.files);
  problem.make = std::move(recipe.make);
  return problem;
}

Problem WithLambda(const Problem& made, const BenchProblem& problem) {
  if (problem.times > 0)
    return made.WithLambda(problem.times * ScalesOf(made, TrainOptions()).DefaultLambda());
  return made.WithLambda(problem.lambda > 0 ? problem.lambda : 1.0 / made.size());
}

}  // namespace

std::string BenchProblemNames() {
  std::string names;
  for (const std::string_view name : AllNames())
    names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

std::vector<BenchProblem> ParseBenchProblems(std::string_view list) {
  std::vector<BenchProblem> problems;
  for (ListEntry& entry : SplitEntries(list)) problems.push_back(ReadProblem(std::move(entry)));
  return problems;
}

void CheckBenchData(const BenchProblem& problem, const std::string& folder, bool with_test) {
  BenchFiles files = problem.files(folder);
  if (files.train.empty()) return;
  if (folder.empty())
    throw DataError(Quoted(problem.name) + " needs files: give the folder that contains them");
  if (with_test && !files.test.empty()) files.train.push_back(files.test);
  for (const std::string& file : files.train) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      throw DataError(
          file, 0,
          "there is no such file, with or without .gz; " + Quoted(problem.name) + " needs it");
    }
  }
}

BenchTask BenchTasks::Make(const BenchProblem& problem) {
  CheckBenchData(problem, folder_, with_test_);
  if (of_ != problem.of || !whole_) {
    whole_.reset();  // before other data are read
    of_ = problem.of;
    whole_ = problem.make(problem.files(folder_), with_test_);
    whole_->problem = WithLambda(whole_->problem, problem);
  }
  const BenchTask& whole = *whole_;
  if (problem.examples == 0) return whole;
  if (problem.examples > whole.problem.size()) {
    throw DataError("--problems: " + Quoted(problem.name) + " needs more examples than the " +
                    std::to_string(whole.problem.size()) + " available");
  }
  return {Problem(SubsetOfExamples(whole.problem.training(), problem.examples, problem.seed),
                  whole.problem.lambda()),
          whole.test};
}

TrainingSet SubsetOfExamples(const TrainingSet& training, Index count, std::uint64_t seed) {
  const Dataset& data = training.data;
  SLACKLINE_CHECK(count >= 1 && count <= data.size(), "a subset has between one and all examples");
  std::vector<Index> chosen(data.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  Random(seed).Shuffle(std::span<Index>(chosen));
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  TrainingSet subset{Dataset(data.shared_layout(), data.rows()), {}, {0}, 0, 0, training.form};
  for (const Index m : chosen) {
    const ExampleView example = data.example(m);
    subset.data.Add(data.structures()[data.structure_of(m)], example.labels(), data.first_input(m),
                    example.potentials());
    const std::span<const double> loss = training.loss(m);
    subset.losses.insert(subset.losses.end(), loss.begin(), loss.end());
    subset.loss_begin.push_back(static_cast<Offset>(subset.losses.size()));
  }
  return subset;
}

}  // namespace slackline::internal::bench
