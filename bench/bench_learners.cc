// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_learners.h"

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>

#include "bench/list_entries.h"

namespace slackline::internal::bench {
namespace {

/// Names for settings that papers and pages compare.
constexpr NamedEntry kAliases[] = {
    {"bcfw", "bcfw:step=fw"},
    {"bcfw-fixed", "bcfw:step=fw,fixed-step=on"},
    {"bcfw-lp", "bcfw:step=fw,oracle=lp"},
    {"bcfw-lp-polytope", "bcfw:step=fw,oracle=lp-polytope"},
    {"bcfw-pairwise", "bcfw:step=pairwise"},
    {"bcfw-away", "bcfw:step=away"},
};

/// Options that the comparison sets; a learner in a list cannot set them.
constexpr std::string_view kOptionsOfComparison[] = {"learner", "lambda", "seed", "time-limit"};

const OptionRecord& OptionOfLearners(const std::string& name) {
  if (std::find(std::begin(kOptionsOfComparison), std::end(kOptionsOfComparison), name) !=
      std::end(kOptionsOfComparison)) {
    throw DataError("option " + Quoted(name) + " belongs to the comparison, not to a learner");
  }
  if (const OptionRecord* record = FindOption(name)) return *record;
  std::vector<std::string_view> names;
  for (const OptionRecord& record : OptionRecords()) names.push_back(record.name);
  throw DataError("unknown option " + Quoted(name) + DidYouMean(name, names) +
                  " (see slackline options)");
}

TrainOptions ReadOptions(const ListEntry& entry, const TrainOptions& base) {
  TrainOptions options = base;
  try {
    SetOption(OptionNamed("learner"), entry.name, &options);
  } catch (const DataError&) {
    throw DataError("unknown learner " + Quoted(entry.name) + "; choose from " +
                    BenchLearnerNames() + ", or a name of --learner");
  }
  std::vector<std::string_view> given;
  for (const auto& [name, value] : entry.options) {
    SetOption(OptionOfLearners(name), value, &options);
    given.emplace_back(name);
  }
  CheckOptions(options, given);
  return options;
}

}  // namespace

std::string BenchLearnerNames() {
  std::string names;
  for (const NamedEntry& alias : kAliases)
    names.append(names.empty() ? "" : ", ").append(alias.name);
  return names;
}

std::vector<BenchLearner> ParseBenchLearners(std::string_view list, const TrainOptions& base) {
  std::vector<BenchLearner> learners;
  for (const ListEntry& entry : SplitEntries(list)) {
    try {
      learners.push_back({entry.text(), ReadOptions(WithoutName(entry, kAliases), base)});
    } catch (const DataError& error) {
      throw DataError(Quoted(entry.text()) + ": " + error.what());
    }
  }
  return learners;
}

}  // namespace slackline::internal::bench
