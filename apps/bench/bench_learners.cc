// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_learners.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

struct Named {
  std::string_view name;
  LearnerKind learner;
  StepKind step = StepKind::kAuto;
  SolverKind oracle = SolverKind::kAuto;
  bool fixed_step = false;
};

constexpr Named kLearners[] = {
    {"auto", LearnerKind::kAuto},
    {"al", LearnerKind::kAugmentedLagrangian},
    {"soft", LearnerKind::kSoft},
    {"bcfw", LearnerKind::kBcfw, StepKind::kFrankWolfe},
    {"bcfw-fixed", LearnerKind::kBcfw, StepKind::kFrankWolfe, SolverKind::kAuto, true},
    {"bcfw-lp", LearnerKind::kBcfw, StepKind::kFrankWolfe, SolverKind::kLp},
    {"bcfw-lp-polytope", LearnerKind::kBcfw, StepKind::kFrankWolfe, SolverKind::kLpPolytope},
    {"bcfw-pairwise", LearnerKind::kBcfw, StepKind::kPairwise},
    {"bcfw-away", LearnerKind::kBcfw, StepKind::kAway},
};

/// Options that the comparison sets; a learner in a list cannot set them.
constexpr std::string_view kOptionsOfComparison[] = {"learner", "lambda", "seed", "time-limit"};

constexpr double kSmallestGap = 1e-4;

/// A learner outside the table above, by its name in --learner.
BenchLearner FindByKind(const std::string& name) {
  BenchLearner learner{name, {}};
  try {
    SetOption(OptionRecords().front(), name, &learner.options);
  } catch (const DataError&) {
    throw DataError("unknown learner " + Quoted(name) + "; choose from " + BenchLearnerNames() +
                    ", or a name of --learner");
  }
  learner.options.gap_tolerance = kSmallestGap;
  learner.options.check_every = 1;
  return learner;
}

BenchLearner FindBenchLearner(const std::string& name) {
  for (const Named& named : kLearners) {
    if (named.name != name) continue;
    BenchLearner learner{name, {}};
    learner.options.learner = named.learner;
    learner.options.step = named.step;
    learner.options.oracle = named.oracle;
    learner.options.fixed_step = named.fixed_step;
    learner.options.gap_tolerance = kSmallestGap;
    learner.options.check_every = 1;
    return learner;
  }
  return FindByKind(name);
}

void SetByName(const std::string& piece, BenchLearner* learner) {
  const std::size_t equals = piece.find('=');
  const std::string name = piece.substr(0, equals);
  if (equals == std::string::npos)
    throw DataError(Quoted(piece) + " is not of the form option=value");
  if (std::find(std::begin(kOptionsOfComparison), std::end(kOptionsOfComparison), name) !=
      std::end(kOptionsOfComparison)) {
    throw DataError("option " + Quoted(name) + " belongs to the comparison, not to a learner");
  }
  for (const OptionRecord& record : OptionRecords()) {
    if (record.name == name) return SetOption(record, piece.substr(equals + 1), &learner->options);
  }
  std::vector<std::string_view> names;
  for (const OptionRecord& record : OptionRecords()) names.push_back(record.name);
  throw DataError("unknown option " + Quoted(name) + DidYouMean(name, names) +
                  " (see slackline multilabel train --help)");
}

/// Splits the list into groups: a learner, followed by the options that belong to it.
std::vector<std::vector<std::string>> GroupPieces(std::string_view list) {
  std::vector<std::vector<std::string>> groups;
  for (const std::string& piece : SplitList(list)) {
    const std::size_t colon = piece.find(':');
    if (colon != std::string::npos) {
      groups.push_back({piece.substr(0, colon), piece.substr(colon + 1)});
    } else if (piece.find('=') != std::string::npos && !groups.empty()) {
      groups.back().push_back(piece);
    } else {
      groups.push_back({piece});
    }
  }
  return groups;
}

/// A learner with its options.
BenchLearner ReadGroup(const std::vector<std::string>& group) {
  std::string name = group.front();
  BenchLearner learner = FindBenchLearner(name);
  for (std::size_t k = 1; k < group.size(); ++k) name += (k == 1 ? ":" : ",") + group[k];
  try {
    std::vector<std::string_view> given;
    for (std::size_t k = 1; k < group.size(); ++k) {
      SetByName(group[k], &learner);
      given.push_back(std::string_view(group[k]).substr(0, group[k].find('=')));
    }
    CheckOptions(learner.options, given);
  } catch (const DataError& error) {
    throw DataError("learner '" + name + "': " + error.what());
  }
  learner.name = name;
  return learner;
}

}  // namespace

std::string BenchLearnerNames() {
  std::string names;
  for (const Named& named : kLearners) names.append(names.empty() ? "" : ", ").append(named.name);
  return names;
}

std::vector<BenchLearner> ParseBenchLearners(std::string_view list,
                                             std::vector<std::string>* left_out) {
  std::vector<BenchLearner> learners;
  for (const std::vector<std::string>& group : GroupPieces(list)) {
    try {
      BenchLearner learner = ReadGroup(group);
      const auto same = [&](const BenchLearner& other) { return other.name == learner.name; };
      if (std::none_of(learners.begin(), learners.end(), same))
        learners.push_back(std::move(learner));
    } catch (const DataError& error) {
      if (left_out == nullptr) throw;
      left_out->emplace_back(error.what());
    }
  }
  return learners;
}

std::vector<std::string> SplitList(std::string_view list) {
  std::vector<std::string> pieces = Split(list, ',');
  for (std::string& piece : pieces) {
    piece.erase(0, piece.find_first_not_of(' '));
    piece.erase(piece.find_last_not_of(' ') + 1);
  }
  return pieces;
}

}  // namespace slackline::internal
