// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/fingerprint.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <numeric>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/learning/learner_registry.h>

namespace slackline::internal {

void DataHash::Add(std::span<const double> values) {
  Add(values.size());
  for (const double value : values) Add(std::bit_cast<std::uint64_t>(value));
}

void DataHash::Add(std::span<const Index> values) {
  Add(values.size());
  for (const Index value : values) Add(static_cast<std::uint64_t>(value));
}

void DataHash::Add(std::string_view text) {
  Add(text.size());
  for (const char c : text) Add(static_cast<unsigned char>(c));
}

std::string DataHash::Text() const {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
  return text;
}

namespace {

/// The examples of one rank among those of all ranks.
struct Place {
  Ranks& ranks;
  std::int64_t first;  ///< number of the first example among all
  std::int64_t count;  ///< number of all examples
};

Place PlaceOf(Index examples, Ranks& ranks) {
  Place place{ranks, 0, 0};
  const std::vector<std::int64_t> counts = ranks.Gather(std::int64_t{examples});
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (std::cmp_less(r, ranks.rank())) place.first += counts[r];
    place.count += counts[r];
  }
  return place;
}

/// A bijection that makes all bits depend on all bits: the finaliser of splitmix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t Mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

/// A hash of all examples of all ranks: a sum modulo 2^64. Each term depends on one example and its
/// number, so it does not matter which rank has the example. add(m, &hash) adds example m of this
/// rank to the example's hash.
template <class Add>
std::uint64_t HashExamples(const Dataset& data, const Place& place, const Add& add) {
  std::uint64_t sum = 0;
  for (Index m = 0; m < data.size(); ++m) {
    DataHash hash;
    hash.Add(static_cast<std::uint64_t>(place.first + m));
    add(m, &hash);
    sum += Mixed(hash.word());
  }
  const std::vector<std::uint64_t> sums = place.ranks.Gather(sum);
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

/// The hash as a text.
std::string TextOf(std::uint64_t word) {
  DataHash hash;
  hash.Add(word);
  return hash.Text();
}

std::string HashFeatures(const Dataset& data, const Place& place) {
  return TextOf(HashExamples(data, place, [&data](Index m, DataHash* hash) {
    data.PrefetchSweep(0, m, data.size());
    const ExampleView example = data.example(m);
    for (Index k = 0; k < example.structure().num_inputs(); ++k) {
      const FeatureRow row = example.input(k);
      const std::size_t count = row.count;
      hash->Add(std::span<const double>(row.values, count));
      if (!row.dense()) hash->Add(std::span<const Index>(row.columns, count));
    }
    hash->Add(example.potentials());
  }));
}

std::string HashLabels(const Dataset& data, const Place& place) {
  return TextOf(HashExamples(
      data, place, [&data](Index m, DataHash* hash) { hash->Add(data.example(m).labels()); }));
}

void AddTerm(const Structure& structure, const FeatureTerm& term, DataHash* hash) {
  const Index numbers[] = {static_cast<Index>(term.kind), term.block, term.source, term.base,
                           term.coordinate};
  hash->Add(std::span<const Index>(numbers));
  hash->Add(std::span<const Index>(structure.map(term.map).rows));
  hash->Add(std::span<const double>(structure.map(term.map).values));
}

/// Hashes the place, scope and name of a global factor, and the features of some of its states.
void AddGlobalPart(const Structure& structure, Index g, DataHash* hash) {
  constexpr Index kProbes = 8;
  const GlobalPart& part = structure.globals()[g];
  const Index numbers[] = {part.block, part.base, part.coordinate, part.factor->num_weights()};
  hash->Add(std::span<const Index>(numbers));
  hash->Add(structure.graph().global_scope(g));
  hash->Add(part.factor->name());
  std::vector<double> features;
  for (const std::vector<Index>& states : ProbeStates(*part.factor, kProbes)) {
    features.assign(part.factor->num_weights(), 0.0);
    part.factor->AddFeatures(states, 1.0, features);
    hash->Add(std::span<const Index>(states));
    hash->Add(std::span<const double>(features));
  }
}

std::uint64_t HashOf(const Structure& structure) {
  DataHash hash;
  const FactorGraph& graph = structure.graph();
  hash.Add(graph.cardinalities());
  for (Index c = 0; c < graph.num_factors(); ++c) hash.Add(graph.scope(c));
  for (Index a = 0; a < graph.num_parts(); ++a) {
    for (const FeatureTerm& term : structure.terms(a)) AddTerm(structure, term, &hash);
    if (structure.has_forbidden_states()) hash.Add(structure.forbidden_states(a));
  }
  for (Index g = 0; g < graph.num_global_factors(); ++g) AddGlobalPart(structure, g, &hash);
  for (const Slot& slot : structure.slots()) hash.Add(static_cast<std::uint64_t>(slot.input));
  return hash.word();
}

/// The number of a structure depends on the rank; its hash does not.
std::string HashStructures(const Dataset& data, const Place& place) {
  DataHash hash;
  for (const WeightBlock& block : data.layout().blocks()) {
    const Index sizes[] = {block.rows, block.cols};
    hash.Add(std::span<const Index>(sizes));
  }
  std::vector<std::uint64_t> hashes;
  for (const auto& structure : data.structures()) hashes.push_back(HashOf(*structure));
  hash.Add(HashExamples(data, place, [&](Index m, DataHash* example) {
    example->Add(hashes[Size(data.structure_of(m))]);
  }));
  return hash.Text();
}

std::string HashLosses(const TrainingSet& training, const Place& place) {
  DataHash hash;
  hash.Add(HashExamples(training.data, place,
                        [&](Index m, DataHash* example) { example->Add(training.loss(m)); }));
  if (training.form == LossForm::kF1) hash.Add(std::string_view("f1"));
  return hash.Text();
}

/// The names of the solvers that `auto` chooses, where the build decides; else empty.
std::string OracleOfTheBuild(const Problem& problem, const TrainOptions& options) {
  if (!UsesOracle(options.learner) || options.oracle != SolverKind::kAuto) return {};
  std::string names;
  for (const SolverKind kind : {SolverKind::kLp, SolverKind::kMessages}) {
    const auto& structures = problem.data().structures();
    const bool mine = std::any_of(structures.begin(), structures.end(), [&](const auto& structure) {
      return AutomaticSolver(structure->graph()) == kind;
    });
    if (!RanksOf(options).Any(mine)) continue;
    names.append(names.empty() ? "" : ", ").append(SolverKindName(kind));
  }
  return names;
}

constexpr std::string_view kOracle = "--oracle";

/// The value as messages show it. Names of oracles in fingerprints never change, but the names that
/// users know may.
std::string Shown(const std::string& name, const std::string& value) {
  if (name != kOracle) return value;
  try {
    return std::string(SolverKindName(ParseSolverKind(value)));
  } catch (const DataError&) {
    return value;  // from a version with more oracles
  }
}

}  // namespace

Fingerprint MakeFingerprint(const Problem& problem, const TrainOptions& options) {
  const Place place = PlaceOf(problem.size(), RanksOf(options));
  Fingerprint fingerprint = {{"number of examples", std::to_string(place.count)},
                             {"number of weights", std::to_string(problem.num_weights())},
                             {"features of the data", HashFeatures(problem.data(), place)},
                             {"labels of the data", HashLabels(problem.data(), place)},
                             {"graphs", HashStructures(problem.data(), place)},
                             {"losses", HashLosses(problem.training(), place)}};
  TrainOptions given = options;
  given.lambda = problem.lambda();
  AddOptions(given, &fingerprint);
  const std::string oracle = OracleOfTheBuild(problem, options);
  if (!oracle.empty()) fingerprint.emplace_back("--oracle auto", oracle);
  return fingerprint;
}

void AddOptions(const TrainOptions& options, Fingerprint* fingerprint) {
  for (const OptionRecord& record : OptionRecords()) {
    if (record.outer) continue;
    const std::string name = "--" + std::string(record.name);
    fingerprint->emplace_back(name, name == kOracle
                                        ? std::string(SolverKindNameInFiles(options.oracle))
                                        : OptionText(record, options));
  }
}

std::string Difference(const Fingerprint& saved, const Fingerprint& now) {
  std::string text;
  const auto add = [&](const std::string& difference) {
    text += (text.empty() ? "" : ", ") + difference;
  };
  for (const auto& entry : now) {
    const auto& [name, value] = entry;
    const auto found = std::find_if(saved.begin(), saved.end(),
                                    [&](const auto& other) { return other.first == entry.first; });
    if (found == saved.end()) {
      add(name + " is unknown to the checkpoint");
    } else if (found->second != value) {
      const bool shown = name.starts_with("--") || name.starts_with("number");
      add(shown ? name + " was " + Shown(name, found->second) + " and is " + Shown(name, value) +
                      " now"
                : name + " differ");
    }
  }
  for (const auto& entry : saved) {
    const bool known = std::any_of(now.begin(), now.end(),
                                   [&](const auto& other) { return other.first == entry.first; });
    if (!known) add(entry.first + " is unknown to this run");
  }
  return text;
}

}  // namespace slackline::internal
