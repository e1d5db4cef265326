// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/joint_kernel_learner.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
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
  double share = 0;        // α
  double coefficient = 0;  // c
  double average = 0;      // of the coefficients of the iterates
};

class Bcfw final : public JointKernelLearner, public CheckAdvisor {
 public:
  Bcfw(JointProblem* problem, Index num_examples, double lambda, const JointLearnerOptions& options)
      : problem_(*problem),
        lambda_(lambda),
        options_(options),
        random_(static_cast<std::uint64_t>(options.seed)),
        order_(num_examples),
        active_(Size(num_examples)),
        gaps_(Size(num_examples), kNone) {
    traits_.advisor = this;
    for (Index i = 0; i < num_examples; ++i) {
      const std::size_t truth = AtomOf(i, problem_.GroundTruth(i), 0);
      atoms_[truth].share = 1;
    }
  }

  void RunPass(const StopControl& stop) override {
    const std::span<const Index> order = order_.Next(&random_);  // of both orders, as in bcfw
    for (Index k = 0; k < size(); ++k) {
      Visit(options_.uniform ? static_cast<Index>(random_.Below(static_cast<std::uint64_t>(size())))
                             : order[Size(k)]);
      if (options_.average) UpdateAverage();
      if (stop.ShouldStop()) return;
    }
  }

  Evaluation Evaluate(int /*threads*/) override {
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    std::vector<double> coefficients;
    double losses = 0;
    for (const JointAtom& atom : atoms_) {
      coefficients.push_back(atom.coefficient);
      losses += atom.share * atom.loss;
    }
    const double regulariser = lambda_ / 2 * SquaredNorm(coefficients);
    evaluation.dual = losses / size() - regulariser;
    Consider(coefficients, regulariser, &evaluation);
    if (options_.average && visits_ > 0) {
      for (std::size_t a = 0; a < atoms_.size(); ++a) coefficients[a] = atoms_[a].average;
      Consider(coefficients, lambda_ / 2 * SquaredNorm(coefficients), &evaluation);
    }
    return evaluation;
  }

  WorkCounts work() const override { return {oracle_calls_, steps_}; }

  double GapEstimate() const override {
    double sum = 0;
    for (const double gap : gaps_) sum += gap;
    return sum / size();
  }

  JointExpansion WeightsOf(std::span<const double> summary_weights) const override {
    const bool zero = summary_weights.empty() || summary_weights[0] == 0;
    return zero ? JointExpansion() : best_weights_;
  }

  std::int64_t NumSupportVectors() const override {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      for (std::size_t k = 1; k < active_[i].size(); ++k) {
        if (atoms_[active_[i][k]].share > 0) ++count;
      }
    }
    return count;
  }
  double SquaredRadius() const override { return squared_radius_; }

 private:
  Index size() const { return static_cast<Index>(active_.size()); }
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

  /// The number of the atom, which is appended if it is new.
  std::size_t AtomOf(Index i, JointLabelling labelling, double loss) {
    for (const std::size_t a : active_[Size(i)]) {
      if (atoms_[a].labelling == labelling) return a;
    }
    atoms_.push_back({i, std::move(labelling), loss});
    active_[Size(i)].push_back(atoms_.size() - 1);
    KeepRow();
    return atoms_.size() - 1;
  }

  /// w·φ of an atom.
  double ScoreOfAtom(std::size_t a) const {
    double sum = 0;
    for (std::size_t b = 0; b < atoms_.size(); ++b) {
      if (atoms_[b].coefficient != 0) sum += atoms_[b].coefficient * KernelOf(a, b);
    }
    return sum;
  }

  double SquaredNorm(std::span<const double> coefficients) const {
    double sum = 0;
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      if (coefficients[a] == 0) continue;
      double row = 0;
      for (std::size_t b = 0; b < a; ++b) {
        if (coefficients[b] != 0) row += coefficients[b] * KernelOf(a, b);
      }
      sum += coefficients[a] * (2 * row + coefficients[a] * KernelOf(a, a));
    }
    return std::max(0.0, sum);
  }

  /// Asks the oracle about example i at weights with these coefficients of the atoms. The answer
  /// has a bound.
  JointAnswer Ask(Index i, std::span<const double> coefficients) {
    double size_of_terms = 0;
    const JointScore score = [&](std::span<const std::int32_t> labelling) {
      double sum = 0;
      for (std::size_t b = 0; b < atoms_.size(); ++b) {
        if (coefficients[b] == 0) continue;
        const double term = coefficients[b] * Kernel(i, labelling, atoms_[b]);
        sum += term;
        size_of_terms = std::max(size_of_terms, std::abs(term));
      }
      return sum;
    };
    JointAnswer answer;
    problem_.Maximise(i, score, &answer);
    const std::string subject = "the oracle's answer for example " + std::to_string(i);
    SLACKLINE_CHECK(std::isfinite(answer.loss) && answer.loss >= 0,
                    subject + " has a loss that is negative or no number");
    const JointAtom& truth = atoms_[active_[Size(i)][0]];
    const bool is_truth = answer.labelling == truth.labelling;
    SLACKLINE_CHECK(!is_truth || answer.loss == 0, subject + " has a loss of the ground truth");
    const double value =
        is_truth ? 0 : answer.loss + score(answer.labelling) - score(truth.labelling);
    if (std::isnan(answer.bound)) answer.bound = std::max(0.0, value);
    const double rounding =
        kGapRounding * (1 + answer.loss + size_of_terms * static_cast<double>(atoms_.size()));
    SLACKLINE_CHECK(value >= -rounding || answer.bound > 0,
                    subject + " is worth " + std::to_string(value) +
                        ", less than 0, which the ground truth reaches");
    SLACKLINE_CHECK(answer.bound >= std::max(0.0, value) - rounding && answer.bound < kInfinity,
                    subject + " has a bound of " + std::to_string(answer.bound) +
                        ", below its own value " + std::to_string(value) +
                        " or below 0, which the ground truth reaches");
    return answer;
  }

  void Visit(Index i) {
    coefficients_.clear();
    for (const JointAtom& atom : atoms_) coefficients_.push_back(atom.coefficient);
    const JointAnswer answer = Ask(i, coefficients_);
    ++oracle_calls_;
    ++visits_;
    const std::size_t to = AtomOf(i, answer.labelling, answer.loss);
    const std::vector<std::size_t>& own = active_[Size(i)];
    squared_radius_ = std::max(squared_radius_, SquaredDistance(to, own[0]));
    Score(own);
    double mean = 0;
    for (std::size_t k = 0; k < own.size(); ++k) mean += atoms_[own[k]].share * values_[k];
    gaps_[Size(i)] = std::max(0.0, answer.bound - (mean - values_[0]));
    if (options_.step == JointStep::kFrankWolfe) return StepTowards(own, to);
    for (int k = 0; k < kStepsPerCall && PairwiseStep(own); ++k) Score(own);
  }

  /// values_[k] = Δ + w·φ of the atoms: H up to a number that is the same for all.
  void Score(const std::vector<std::size_t>& own) {
    values_.clear();
    for (const std::size_t a : own) values_.push_back(atoms_[a].loss + ScoreOfAtom(a));
  }

  double SquaredDistance(std::size_t a, std::size_t b) const {
    return std::max(0.0, KernelOf(a, a) + KernelOf(b, b) - 2 * KernelOf(a, b));
  }

  /// Algorithm B.1 on the active set `own`.
  void StepTowards(const std::vector<std::size_t>& own, std::size_t to) {
    std::vector<double> direction;
    double gap = 0, q = 0;
    for (std::size_t k = 0; k < own.size(); ++k) {
      direction.push_back((own[k] == to ? 1.0 : 0.0) - atoms_[own[k]].share);
      gap += direction[k] * values_[k];
      for (std::size_t l = 0; l < k; ++l)
        q += 2 * direction[k] * direction[l] * KernelOf(own[k], own[l]);
      q += direction[k] * direction[k] * KernelOf(own[k], own[k]);
    }
    const double step = LineSearch(gap, q / lambda_n(), 1);
    if (step == 0) return;
    ++steps_;
    for (std::size_t k = 0; k < own.size(); ++k) {
      double& share = atoms_[own[k]].share;
      share = step == 1 ? (own[k] == to ? 1 : 0) : share + step * direction[k];
    }
    SetCoefficients(own);
  }

  /// One pairwise step; false when no step raises the dual.
  bool PairwiseStep(const std::vector<std::size_t>& own) {
    std::size_t best = 0, worst = own.size();
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (values_[k] > values_[best]) best = k;
      if (atoms_[own[k]].share > 0 && (worst == own.size() || values_[k] < values_[worst]))
        worst = k;
    }
    if (worst == best || worst == own.size()) return false;
    JointAtom& to = atoms_[own[best]];
    JointAtom& from = atoms_[own[worst]];
    const double q = SquaredDistance(own[best], own[worst]) / lambda_n();
    const double step = LineSearch(values_[best] - values_[worst], q, from.share);
    if (!(step > 0)) return false;
    ++steps_;
    to.share += step;
    from.share = step == from.share ? 0 : from.share - step;
    SetCoefficients(own);
    return true;
  }

  void SetCoefficients(const std::vector<std::size_t>& own) {
    double others = 0;
    for (std::size_t k = 1; k < own.size(); ++k) {
      others += atoms_[own[k]].share;
      atoms_[own[k]].coefficient = -atoms_[own[k]].share / lambda_n();
    }
    atoms_[own[0]].coefficient = others / lambda_n();
  }

  /// ᾱ ← k/(k + 2) ᾱ + 2/(k + 2) α, k = visits before this one.
  void UpdateAverage() {
    const double share = 2.0 / static_cast<double>(visits_ + 1);
    for (JointAtom& atom : atoms_) atom.average += share * (atom.coefficient - atom.average);
  }

  /// Evaluates weights, and keeps them if they are the best so far.
  void Consider(std::span<const double> coefficients, double regulariser, Evaluation* evaluation) {
    ++evaluations_;
    double hinges = 0;
    for (Index i = 0; i < size(); ++i) hinges += std::max(0.0, Ask(i, coefficients).bound);
    const double primal = hinges / size() + regulariser;
    if (evaluation->primal <= primal) return;
    evaluation->primal = primal;
    evaluated_ = {static_cast<double>(evaluations_)};
    if (best_primal_ <= primal) return;
    best_primal_ = primal;
    best_weights_.clear();
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      if (coefficients[a] != 0)
        best_weights_.push_back({atoms_[a].example, atoms_[a].labelling, coefficients[a]});
    }
  }

  JointProblem& problem_;
  const double lambda_;
  const JointLearnerOptions options_;
  Random random_;
  ExampleOrder order_;
  std::vector<JointAtom> atoms_;
  std::vector<std::vector<double>> rows_;         // row a has the kernel values of atoms 0 … a
  std::vector<std::vector<std::size_t>> active_;  // of each example; the ground truth comes first
  std::vector<double> gaps_;                      // of each example when last visited
  std::vector<double> values_;
  std::vector<double> coefficients_;
  double squared_radius_ = 0;
  double best_primal_ = kNone;
  JointExpansion best_weights_;
  std::int64_t evaluations_ = 0, oracle_calls_ = 0, visits_ = 0, steps_ = 0;
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

double ScoreOf(const JointProblem& problem, const JointExpansion& weights, Index example,
               std::span<const std::int32_t> labelling) {
  double sum = 0;
  for (const JointTerm& term : weights)
    sum += term.coefficient * problem.Kernel(example, labelling, term.example, term.labelling);
  return sum;
}

std::unique_ptr<JointKernelLearner> MakeJointKernelLearner(JointProblem* problem,
                                                           Index num_examples, double lambda,
                                                           const JointLearnerOptions& options) {
  SLACKLINE_CHECK(problem != nullptr && num_examples >= 1, "there is no example to train on");
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  return std::make_unique<Bcfw>(problem, num_examples, lambda, options);
}

}  // namespace slackline::internal
