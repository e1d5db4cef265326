// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/joint_kernel_learner.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/example_blocks/whole_example_learner.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

constexpr int kStepsPerCall = 8;
/// Relative error of sums of kernel values that answers may have.
constexpr double kGapRounding = 1e-9;

/// A pair of an example and a labelling.
struct JointAtom {
  Index example = 0;
  JointLabelling labelling;
  double loss = 0;
  double coefficient = 0;  // c
};

/// The active set of an example; the ground truth comes first.
struct JointActiveSet {
  std::vector<std::size_t> atoms;
  std::vector<double> shares;  // α
  double gap = kNone;          // when last visited
  Index size() const { return static_cast<Index>(atoms.size()); }
};

class JointBcfw final : public JointKernelLearner, public CheckAdvisor {
 public:
  JointBcfw(JointProblem* problem, Index num_examples, double lambda,
            const JointLearnerOptions& options)
      : problem_(*problem),
        lambda_(lambda),
        options_(options),
        random_(static_cast<std::uint64_t>(options.seed)),
        order_(num_examples),
        sets_(Size(num_examples)) {
    traits_.advisor = this;
    evaluated_ = {1.0};
    for (Index i = 0; i < num_examples; ++i) {
      AtomOf(i, problem_.GroundTruth(i), 0);
      sets_[Size(i)].shares[0] = 1;
    }
  }

  void RunPass(const StopControl& stop) override {
    const std::span<const Index> order = order_.Next(&random_);  // of both orders, as in bcfw
    for (Index k = 0; k < size(); ++k) {
      Visit(options_.uniform ? static_cast<Index>(random_.Below(static_cast<std::uint64_t>(size())))
                             : order[Size(k)]);
      if (stop.ShouldStop()) return;
    }
  }

  Evaluation Evaluate(int /*threads*/) override {
    const double regulariser = lambda_ / 2 * SquaredNorm();
    double hinges = 0;
    for (Index i = 0; i < size(); ++i) hinges += std::max(0.0, Ask(i).bound);
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    evaluation.primal = hinges / size() + regulariser;
    evaluation.dual = TotalLoss() / size() - regulariser;
    if (best_primal_ <= evaluation.primal) return evaluation;
    best_primal_ = evaluation.primal;
    best_weights_.clear();
    for (const JointAtom& atom : atoms_) {
      if (atom.coefficient != 0)
        best_weights_.push_back({atom.example, atom.labelling, atom.coefficient});
    }
    return evaluation;
  }

  WorkCounts work() const override { return {oracle_calls_, steps_}; }

  double GapEstimate() const override {
    double sum = 0;
    for (const JointActiveSet& set : sets_) sum += set.gap;
    return sum / size();
  }

  const JointExpansion& best_weights() const override { return best_weights_; }

  std::int64_t NumSupportVectors() const override {
    std::int64_t count = 0;
    for (const JointActiveSet& set : sets_)
      count += std::count_if(set.shares.begin() + 1, set.shares.end(),
                             [](double share) { return share > 0; });
    return count;
  }
  double SquaredRadius() const override { return squared_radius_; }

 private:
  Index size() const { return static_cast<Index>(sets_.size()); }
  double lambda_n() const { return lambda_ * size(); }

  double Kernel(Index example, std::span<const std::int32_t> labelling, const JointAtom& b) const {
    const double value = problem_.Kernel(example, labelling, b.example, b.labelling);
    SLACKLINE_CHECK(std::isfinite(value), "the kernel of examples " + std::to_string(example) +
                                              " and " + std::to_string(b.example) +
                                              " is not a finite number");
    return value;
  }
  double KernelOf(std::size_t a, std::size_t b) const {
    if (a < b) std::swap(a, b);
    return a < rows_.size() ? rows_[a][b]
                            : Kernel(atoms_[a].example, atoms_[a].labelling, atoms_[b]);
  }
  /// Keeps the kernel values of a new atom, if it is one of the first.
  void KeepRow() {
    if (std::cmp_greater(atoms_.size(), kMostCachedAtoms)) return;
    std::vector<double> row;
    const JointAtom& last = atoms_.back();
    for (const JointAtom& atom : atoms_) row.push_back(Kernel(last.example, last.labelling, atom));
    SLACKLINE_CHECK(row.back() >= 0, "the kernel of example " + std::to_string(last.example) +
                                         " with itself is negative");
    rows_.push_back(std::move(row));
  }

  /// The place of the labelling in the active set of example i, to which it is added if it is new.
  std::size_t AtomOf(Index i, JointLabelling labelling, double loss) {
    JointActiveSet& set = sets_[Size(i)];
    const auto same = [&](std::size_t a) { return atoms_[a].labelling == labelling; };
    const auto found = std::find_if(set.atoms.begin(), set.atoms.end(), same);
    if (found != set.atoms.end()) return static_cast<std::size_t>(found - set.atoms.begin());
    set.atoms.push_back(atoms_.size());
    set.shares.push_back(0);
    atoms_.push_back({i, std::move(labelling), loss});
    KeepRow();
    return set.atoms.size() - 1;
  }

  /// w·φ of an atom.
  double ScoreOfAtom(std::size_t a) const {
    double sum = 0;
    for (std::size_t b = 0; b < atoms_.size(); ++b) {
      if (atoms_[b].coefficient != 0) sum += atoms_[b].coefficient * KernelOf(a, b);
    }
    return sum;
  }

  /// ‖w‖².
  double SquaredNorm() const {
    double sum = 0;
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      const double own = atoms_[a].coefficient;
      if (own == 0) continue;
      double row = 0;
      for (std::size_t b = 0; b < a; ++b) {
        if (atoms_[b].coefficient != 0) row += atoms_[b].coefficient * KernelOf(a, b);
      }
      sum += own * (2 * row + own * KernelOf(a, a));
    }
    return std::max(0.0, sum);
  }
  double SquaredDistance(std::size_t a, std::size_t b) const {
    return std::max(0.0, KernelOf(a, a) + KernelOf(b, b) - 2 * KernelOf(a, b));
  }

  /// Σ_i Σ_y α_i(y) Δ_i(y), in the order of the atoms.
  double TotalLoss() const {
    std::vector<double> terms(atoms_.size());
    for (const JointActiveSet& set : sets_) {
      for (std::size_t k = 0; k < set.atoms.size(); ++k)
        terms[set.atoms[k]] = set.shares[k] * atoms_[set.atoms[k]].loss;
    }
    return std::accumulate(terms.begin(), terms.end(), 0.0);
  }

  /// Asks the oracle about example i. The answer has a bound.
  JointAnswer Ask(Index i) {
    double size_of_terms = 0;
    const JointScore score = [&](std::span<const std::int32_t> labelling) {
      double sum = 0;
      for (const JointAtom& atom : atoms_) {
        if (atom.coefficient == 0) continue;
        const double term = atom.coefficient * Kernel(i, labelling, atom);
        sum += term;
        size_of_terms = std::max(size_of_terms, std::abs(term));
      }
      return sum;
    };
    JointAnswer answer;
    problem_.Maximise(i, score, &answer);
    const JointLabelling& truth = atoms_[sets_[Size(i)].atoms[0]].labelling;
    const bool is_truth = answer.labelling == truth;
    const double value = is_truth ? 0 : answer.loss + score(answer.labelling) - score(truth);
    if (std::isnan(answer.bound)) answer.bound = std::max(0.0, value);
    const double rounding =
        kGapRounding * (1 + answer.loss + size_of_terms * static_cast<double>(atoms_.size()));
    CheckAnswerBound(i, answer.loss, value, answer.bound, rounding);
    const std::string subject = "the oracle's answer for example " + std::to_string(i);
    SLACKLINE_CHECK(!is_truth || answer.loss == 0, subject + " has a loss of the ground truth");
    SLACKLINE_CHECK(value >= -rounding || answer.bound > 0,
                    subject + " is worth " + std::to_string(value) +
                        ", less than 0, which the ground truth reaches");
    return answer;
  }

  void Visit(Index i) {
    const JointAnswer answer = Ask(i);
    ++oracle_calls_;
    const std::size_t to = AtomOf(i, answer.labelling, answer.loss);
    JointActiveSet& set = sets_[Size(i)];
    squared_radius_ = std::max(squared_radius_, SquaredDistance(set.atoms[to], set.atoms[0]));
    Score(set);
    const double mean =
        std::inner_product(set.shares.begin(), set.shares.end(), values_.begin(), 0.0);
    set.gap = std::max(0.0, answer.bound - (mean - values_[0]));
    if (options_.step == StepKind::kFrankWolfe) return StepTowards(to, &set);
    for (int k = 0; k < kStepsPerCall && PairwiseStep(&set); ++k) Score(set);
  }

  /// values_[k] = Δ + w·φ of the atoms: H up to a number that is the same for all.
  void Score(const JointActiveSet& set) {
    values_.clear();
    for (const std::size_t a : set.atoms) values_.push_back(atoms_[a].loss + ScoreOfAtom(a));
  }

  /// Algorithm B.1 on the active set.
  void StepTowards(std::size_t to, JointActiveSet* set) {
    std::vector<double> direction;
    double gap = 0, q = 0;
    for (std::size_t k = 0; k < set->atoms.size(); ++k) {
      direction.push_back((k == to ? 1.0 : 0.0) - set->shares[k]);
      gap += direction[k] * values_[k];
      for (std::size_t l = 0; l < k; ++l)
        q += 2 * direction[k] * direction[l] * KernelOf(set->atoms[k], set->atoms[l]);
      q += direction[k] * direction[k] * KernelOf(set->atoms[k], set->atoms[k]);
    }
    const double step = LineSearch(gap, q / lambda_n(), 1);
    if (step == 0) return;
    ++steps_;
    for (std::size_t k = 0; k < direction.size(); ++k) {
      double& share = set->shares[k];
      share = step == 1 ? (k == to ? 1 : 0) : share + step * direction[k];
    }
    SetCoefficients(*set);
  }

  /// One pairwise step; false when no step raises the dual.
  bool PairwiseStep(JointActiveSet* set) {
    const Direction direction =
        ChooseDirection(StepKind::kPairwise, values_.data(), set->shares.data(), set->size());
    const double q =
        SquaredDistance(set->atoms[Size(direction.s)], set->atoms[Size(direction.v)]) / lambda_n();
    const double step = LineSearch(direction.gap, q, direction.limit);
    if (!(step > 0)) return false;
    ++steps_;
    MoveAlong(direction, step, set->size(), set->shares.data());
    SetCoefficients(*set);
    return true;
  }

  void SetCoefficients(const JointActiveSet& set) {
    double others = 0;
    for (std::size_t k = 1; k < set.atoms.size(); ++k) {
      others += set.shares[k];
      atoms_[set.atoms[k]].coefficient = -set.shares[k] / lambda_n();
    }
    atoms_[set.atoms[0]].coefficient = others / lambda_n();
  }

  JointProblem& problem_;
  const double lambda_;
  const JointLearnerOptions options_;
  Random random_;
  ExampleOrder order_;
  std::vector<JointAtom> atoms_;
  std::vector<std::vector<double>> rows_;  // row a has the kernel values of atoms 0 … a
  std::vector<JointActiveSet> sets_;       // of each example
  std::vector<double> values_;
  double squared_radius_ = 0;
  double best_primal_ = kNone;
  JointExpansion best_weights_;
  std::int64_t oracle_calls_ = 0, steps_ = 0;
};

}  // namespace

double SupportVectorBound(double squared_radius, double lambda, Index num_examples,
                          double first_error, double gap) {
  const double n = num_examples;
  const double curvature = 4 * squared_radius / (lambda * n);
  const double phase = std::log(2 * first_error / curvature) / -std::log1p(-1 / n);
  const double k0 = n > 1 ? std::max(0.0, std::ceil(phase)) : 0;
  return std::max(5 * k0, 24 * squared_radius / (lambda * gap));
}

std::unique_ptr<JointKernelLearner> MakeJointKernelLearner(JointProblem* problem,
                                                           Index num_examples, double lambda,
                                                           const JointLearnerOptions& options) {
  SLACKLINE_CHECK(problem != nullptr && num_examples >= 1, "there is no example to train on");
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  return std::make_unique<JointBcfw>(problem, num_examples, lambda, options);
}

}  // namespace slackline::internal
