// SPDX-License-Identifier: BSD-3-Clause
//
// Runs one training command with every learner and every option that changes its objective, steps
// or oracle. Each run must end with a certificate that --verify confirms and that agrees with all
// other runs, or be refused with exit code 2 and a message that names an alternative.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <slackline/learning/learner_registry.h>
#include <slackline/learning/options.h>
#include <tests/apps/program.h>
#include <tests/support/labelling_program.h>
#include <tests/support/learner_ways.h>
#include <tests/support/tolerances.h>

namespace slackline::internal::test {

using Words = std::vector<std::string>;

/// Options for training, and the objective that they belong to.
struct CommandWay {
  Words words;
  ReferenceObjective objective;
  std::optional<Kernel> kernel;
};

/// Every learner with its kinds of steps and objectives; every oracle with bcfw.
inline std::vector<CommandWay> CommandWays() {
  std::vector<CommandWay> ways;
  const auto add = [&ways](Words words, ReferenceObjective objective = {}) {
    ways.push_back({std::move(words), objective, {}});
  };
  for (const LearnerKind kind : AllLearners()) {
    const std::string name(Name(kind));
    add({"--learner", name});
    if (kind == LearnerKind::kCuttingPlane1 || kind == LearnerKind::kCuttingPlaneN)
      add({"--learner", name, "--rescaling", "slack"}, {.slack = true});
  }
  for (const char* step : {"pairwise", "away"}) add({"--learner", "bcfw", "--step", step});
  for (const char* oracle : {"roof", "messages", "lp", "lp-polytope", "tree", "brute-force",
                             "branch-and-bound", "global"}) {
    add({"--learner", "bcfw", "--step", "pairwise", "--oracle", oracle});
    add({"--learner", "cutting-plane-1", "--oracle", oracle});
  }
  for (const char* step : {"1", "2", "3", "4", "5"}) {
    add({"--learner", "prox-sdca", "--sdca-step", step});
    for (const double smoothing : {1e-6, 0.1}) {
      const std::string text = smoothing < 0.01 ? "1e-6" : "0.1";
      add({"--learner", "prox-sdca", "--sdca-step", step, "--smoothing", text},
          {.smoothing = smoothing});
      add({"--learner", "prox-sdca", "--sdca-step", step, "--smoothing", text, "--l1", "0.01"},
          {.l1 = 0.01, .smoothing = smoothing});
    }
  }
  add({"--learner", "prox-sdca", "--l1", "0.01"}, {.l1 = 0.01});
  add({"--learner", "soft", "--smoothing", "0.01"});
  add({"--learner", "multi-sample", "--revisit"});
  for (const char* learner :
       {"auto", "bcfw", "al", "cutting-plane-1", "kernel-bcfw", "kernel-fw"}) {
    add({"--learner", learner, "--kernel", "polynomial", "--kernel-gamma", "1"});
    ways.back().kernel = Kernel{KernelKind::kPolynomial, 1, 3, 1};
    add({"--learner", learner, "--kernel", "rbf", "--kernel-gamma", "1"});
    ways.back().kernel = Kernel{KernelKind::kRbf, 1, 3, 1};
  }
  return ways;
}

struct WalkCounts {
  int trained = 0;
  int refused = 0;
};

/// train: the command up to its options, with λ. training: the problem that the command solves, or
/// null where the test does not rebuild it. kernelized: the problem of runs with a kernel, or null.
/// lambda: the λ of the command.
inline WalkCounts WalkCommand(const Words& train, double lambda, const TrainingSet* training,
                              const TrainingSet* kernelized) {
  const TemporaryFolder folder;
  WalkCounts counts;
  struct Bracket {
    double lower = 0;
    double upper = std::numeric_limits<double>::infinity();
  };
  std::map<std::string, Bracket> exact, relaxed;  // by objective
  for (const CommandWay& way : CommandWays()) {
    std::string text;
    for (const std::string& word : way.words) text += " " + word;
    CAPTURE(text);
    const std::string log = folder.Path("run.jsonl");
    const Outcome outcome =
        RunProgram(train + way.words +
                   Words{"--max-passes", "60", "--gap-tolerance", "1e-6", "--verify", "--quiet",
                         "--log", log, "--model", folder.Path("m.slk")});
    CAPTURE(outcome.err);
    if (outcome.code == 2) {
      ++counts.refused;
      CHECK((outcome.err.find("use ") != std::string::npos ||
             outcome.err.find(" only") != std::string::npos ||
             outcome.err.find(" needs ") != std::string::npos ||
             outcome.err.find("are for ") != std::string::npos));
      continue;
    }
    REQUIRE(outcome.code == 0);
    ++counts.trained;
    const Words lines = Lines(ReadBytes(log));
    const nlohmann::json end = nlohmann::json::parse(lines.back());
    CHECK(end["verified"] == true);
    const double lower = end["dual"];
    const double upper = end["primal"];
    CHECK(lower <= upper);
    const double room = kSolver * std::max(1.0, upper);
    ReferenceObjective objective = way.objective;
    if (way.kernel) objective.kernel = &*way.kernel;
    const TrainingSet* reference = way.kernel ? kernelized : training;
    if (reference != nullptr) {
      const ReferenceBracket optimum = BracketOptimum(*reference, lambda, objective);
      CAPTURE(optimum.lower);
      CAPTURE(optimum.upper);
      CHECK(upper >= optimum.lower - room);
      if (end["problem"] == "exact") CHECK(lower <= optimum.upper + room);
    }
    const std::string key = std::to_string(objective.slack) + std::to_string(objective.l1) + " " +
                            std::to_string(objective.smoothing) +
                            (way.kernel ? way.kernel->description() : std::string());
    Bracket& own = (end["problem"] == "exact" ? exact : relaxed)[key];
    own.lower = std::max(own.lower, lower);
    own.upper = std::min(own.upper, upper);
    CHECK(own.lower <= own.upper + room);
    // The relaxation has more points: its optimum is at least the exact one.
    CHECK(exact[key].lower <= relaxed[key].upper + room);
  }
  return counts;
}

}  // namespace slackline::internal::test
