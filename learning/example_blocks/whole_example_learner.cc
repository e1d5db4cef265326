// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/whole_example_learner.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/random.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

/// Steps on the active set after a call of the oracle, and sweeps over all active sets after a pass
/// of calls.
constexpr int kSteps = 8;
constexpr int kSweeps = 8;
/// Passes without a share after which an output leaves the active set.
constexpr Index kPlanePatience = 20;

double Inner(std::span<const double> weights, const SparsePoint& point) {
  double sum = 0;
  for (std::size_t k = 0; k < point.at.size(); ++k) sum += weights[point.at[k]] * point.values[k];
  return sum;
}

double SquaredNorm(const SparsePoint& point) {
  double sum = 0;
  for (const double value : point.values) sum += value * value;
  return sum;
}

double Inner(const SparsePoint& a, const SparsePoint& b) {
  double sum = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    while (j < b.at.size() && b.at[j] < a.at[i]) ++j;
    if (j < b.at.size() && b.at[j] == a.at[i]) sum += a.values[i] * b.values[j];
  }
  return sum;
}

void AddTo(const SparsePoint& point, double scale, std::span<double> weights) {
  for (std::size_t k = 0; k < point.at.size(); ++k) weights[point.at[k]] += scale * point.values[k];
}

/// Rounding errors of the value of an output, relative to the sum of its terms.
constexpr double kRounding = 1e-9;

double SizeOfTerms(std::span<const double> weights, const SparsePoint& point, double loss) {
  double size = 1 + std::abs(loss);
  for (std::size_t k = 0; k < point.at.size(); ++k)
    size += std::abs(weights[point.at[k]] * point.values[k]);
  return size;
}

std::string AnswerFor(Index example) {
  return "the oracle's answer for example " + std::to_string(example);
}

/// Throws std::invalid_argument when the answer is invalid.
void CheckAnswer(Index m, std::span<const double> weights, const WholeExampleAnswer& answer) {
  const std::string subject = AnswerFor(m);
  const SparsePoint& point = answer.point;
  SLACKLINE_CHECK(point.at.size() == point.values.size(), subject + " has no whole feature vector");
  for (std::size_t k = 0; k < point.at.size(); ++k) {
    SLACKLINE_CHECK(point.at[k] >= 0 && point.at[k] < static_cast<Offset>(weights.size()) &&
                        (k == 0 || point.at[k - 1] < point.at[k]),
                    subject + " has features of weights that do not exist");
    SLACKLINE_CHECK(std::isfinite(point.values[k]), subject + " has a feature that is not finite");
  }
  CheckAnswerBound(m, answer.loss, answer.loss + Inner(weights, point), answer.bound,
                   kRounding * SizeOfTerms(weights, point, answer.loss));
}

struct Atom {
  SparsePoint point;
  double squared_norm = 0;
  double loss = 0;
  double share = 0;
  Index idle = 0;  // passes without a share
};

/// The ground truth comes first and never leaves.
using ActiveOutputs = std::vector<Atom>;

class WholeExampleLearner final : public Learner, public CheckAdvisor {
 public:
  WholeExampleLearner(WholeExampleOracle* oracle, Index num_examples, Offset num_weights,
                      double lambda, std::int64_t seed)
      : oracle_(oracle),
        lambda_(lambda),
        random_(static_cast<std::uint64_t>(seed)),
        order_(num_examples),
        weights_(num_weights, 0.0),
        active_(num_examples),
        gaps_(num_examples, kNone) {
    traits_.advisor = this;
    for (ActiveOutputs& outputs : active_) {
      outputs.resize(1);
      outputs[0].share = 1;
    }
  }

  void RunPass(const StopControl& stop) override {
    for (const Index m : order_.Next(&random_)) {
      Visit(m);
      if (stop.ShouldStop()) return;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (const Index m : order_.Next(&random_)) {
        PairwiseStep(&active_[m]);
        if (stop.ShouldStop()) return;
      }
    }
    for (ActiveOutputs& outputs : active_) Forget(&outputs);
    weights_ = WeightsOfShares();
  }

  Evaluation Evaluate(int /*threads*/) override {
    evaluated_ = WeightsOfShares();
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    double losses = 0;
    double hinges = 0;
    std::vector<WholeExampleAnswer> answers;
    for (Index first = 0; first < size(); first += kWholeExampleBatch) {
      answers.assign(Size(std::min(kWholeExampleBatch, size() - first)), {});
      oracle_->MaximiseBatch(first, evaluated_, answers);
      for (Index m = first; m < first + static_cast<Index>(answers.size()); ++m) {
        for (const Atom& atom : active_[m]) losses += atom.share * atom.loss;
        CheckAnswer(m, evaluated_, answers[Size(m - first)]);
        CheckAgainstEarlier(m, evaluated_, &answers[Size(m - first)]);
        hinges += std::max(0.0, answers[Size(m - first)].bound);
      }
    }
    const double regulariser = Regulariser(lambda_, evaluated_);
    evaluation.dual = losses / size() - regulariser;
    evaluation.primal = hinges / size() + regulariser;
    return evaluation;
  }

  WorkCounts work() const override { return {oracle_calls_, steps_}; }

  double GapEstimate() const override {
    double sum = 0;
    for (const double gap : gaps_) sum += gap;
    return sum / size();
  }

 private:
  Index size() const { return static_cast<Index>(active_.size()); }
  double lambda_m() const { return lambda_ * size(); }
  double Hinge(const Atom& atom) const { return atom.loss + Inner(weights_, atom.point); }

  /// The outputs of the active set are lower bounds on the maximum.
  void CheckAgainstEarlier(Index m, std::span<const double> weights, WholeExampleAnswer* answer) {
    const Atom* best = nullptr;
    double most = answer->bound;
    for (const Atom& atom : active_[m]) {
      const double value = atom.loss + Inner(weights, atom.point);
      if (value <= most) continue;
      most = value;
      best = &atom;
    }
    if (best == nullptr ||
        most - answer->bound <= kRounding * SizeOfTerms(weights, best->point, best->loss))
      return;
    oracle_->OnContradiction({m, answer->bound, most, best->loss});
    answer->bound = most;
  }

  /// Algorithm 4, lines 4 to 9, with pairwise steps.
  void Visit(Index m) {
    ActiveOutputs* outputs = &active_[m];
    answer_ = {};
    oracle_->Maximise(m, weights_, &answer_);
    CheckAnswer(m, weights_, answer_);
    CheckAgainstEarlier(m, weights_, &answer_);
    const WholeExampleAnswer& answer = answer_;
    ++oracle_calls_;
    double own = 0;
    for (const Atom& atom : *outputs) own += atom.share > 0 ? atom.share * Hinge(atom) : 0;
    gaps_[m] = std::max(0.0, answer.bound - own);
    const bool known = std::any_of(outputs->begin(), outputs->end(), [&](const Atom& atom) {
      return atom.loss == answer.loss && atom.point.at == answer.point.at &&
             atom.point.values == answer.point.values;
    });
    if (!known) outputs->push_back({answer.point, SquaredNorm(answer.point), answer.loss, 0, 0});
    for (int k = 0; k < kSteps; ++k) {
      if (!PairwiseStep(outputs)) break;
    }
  }

  /// One pairwise step on the active set; false when no step raises the dual.
  bool PairwiseStep(ActiveOutputs* outputs) {
    std::size_t best = 0;
    std::size_t worst = outputs->size();
    hinges_.resize(outputs->size());
    for (std::size_t k = 0; k < outputs->size(); ++k) {
      hinges_[k] = Hinge((*outputs)[k]);
      if (hinges_[k] > hinges_[best]) best = k;
      const bool has_share = (*outputs)[k].share > 0;
      if (has_share && (worst == outputs->size() || hinges_[k] < hinges_[worst])) worst = k;
    }
    if (worst == best || worst == outputs->size()) return false;
    Atom& to = (*outputs)[best];
    Atom& from = (*outputs)[worst];
    const double q =
        (to.squared_norm + from.squared_norm - 2 * Inner(to.point, from.point)) / lambda_m();
    const double step = LineSearch(hinges_[best] - hinges_[worst], q, from.share);
    if (!(step > 0)) return false;
    to.share += step;
    from.share = step == from.share ? 0 : from.share - step;
    AddTo(to.point, -step / lambda_m(), weights_);
    AddTo(from.point, step / lambda_m(), weights_);
    ++steps_;
    return true;
  }

  void Forget(ActiveOutputs* outputs) {
    for (Atom& atom : *outputs) atom.idle = atom.share > 0 ? 0 : atom.idle + 1;
    outputs->erase(std::remove_if(outputs->begin() + 1, outputs->end(),
                                  [](const Atom& atom) { return atom.idle > kPlanePatience; }),
                   outputs->end());
  }

  std::vector<double> WeightsOfShares() const {
    std::vector<double> weights(weights_.size(), 0.0);
    for (const ActiveOutputs& outputs : active_) {
      for (const Atom& atom : outputs) {
        if (atom.share > 0) AddTo(atom.point, -atom.share / lambda_m(), weights);
      }
    }
    return weights;
  }

  WholeExampleOracle* oracle_;
  double lambda_;
  Random random_;
  ExampleOrder order_;
  std::vector<double> weights_;
  std::vector<ActiveOutputs> active_;
  std::vector<double> gaps_;  // of each example when last visited
  std::vector<double> hinges_;
  WholeExampleAnswer answer_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

void CheckAnswerBound(Index example, double loss, double value, double bound, double room) {
  SLACKLINE_CHECK(std::isfinite(loss) && loss >= 0,
                  AnswerFor(example) + " has a loss that is negative or no number");
  SLACKLINE_CHECK(bound >= std::max(0.0, value) - room && bound < kInfinity,
                  AnswerFor(example) + " has a bound of " + std::to_string(bound) +
                      ", below its own value " + std::to_string(value) +
                      " or below 0, which the ground truth reaches");
}

std::string OracleContradiction::Text() const {
  return AnswerFor(example) + " has a bound of " + NumberText(bound) +
         ", but an output that it returned before, with loss " + NumberText(earlier_loss) +
         ", is worth " + NumberText(earlier) +
         " at the same weights: the answer is not the output with the largest loss + w·φ";
}

void WholeExampleOracle::OnContradiction(const OracleContradiction& contradiction) {
  throw std::invalid_argument(contradiction.Text() +
                              "; an answer that is not the best output needs a bound");
}

std::vector<std::string> CheckWholeExampleOracle(WholeExampleOracle* oracle, Index num_examples,
                                                 Offset num_weights) {
  constexpr int kDraws = 4;  // one at w = 0, the others at random weights of growing size
  std::vector<std::string> faults;
  Random random(1);
  const Index examples = std::min(num_examples, kCheckedExamples);
  std::vector<std::vector<double>> weights;
  std::vector<std::vector<WholeExampleAnswer>> answers(Size(examples));  // per example and draw
  for (int draw = 0; draw < kDraws; ++draw) {
    weights.emplace_back(num_weights, 0.0);
    for (double& weight : weights.back()) weight = draw == 0 ? 0 : random.Normal() * (1 << draw);
    for (Index m = 0; m < examples; ++m) {
      WholeExampleAnswer answer;
      try {
        oracle->Maximise(m, weights.back(), &answer);
        CheckAnswer(m, weights.back(), answer);
      } catch (const std::invalid_argument& error) {
        faults.emplace_back(error.what());
        continue;
      }
      answers[Size(m)].push_back(std::move(answer));
    }
  }
  bool any_loss = false;
  for (Index m = 0; m < examples; ++m) {
    const std::vector<WholeExampleAnswer>& own = answers[Size(m)];
    if (own.size() < static_cast<std::size_t>(kDraws)) continue;
    for (int draw = 0; draw < kDraws; ++draw) {
      any_loss = any_loss || own[draw].loss > 0;
      for (const WholeExampleAnswer& other : own) {
        const double value = other.loss + Inner(weights[draw], other.point);
        const double room = kRounding * SizeOfTerms(weights[draw], other.point, other.loss);
        if (value <= own[draw].bound + room) continue;
        faults.push_back(OracleContradiction{m, own[draw].bound, value, other.loss}.Text());
        break;
      }
    }
  }
  if (faults.empty() && !any_loss)
    faults.emplace_back(
        "all answers of the oracle have loss 0, at any weights: does it return the "
        "ground truth instead of maximising loss + w·φ?");
  return faults;
}

std::unique_ptr<Learner> MakeWholeExampleLearner(WholeExampleOracle* oracle, Index num_examples,
                                                 Offset num_weights, double lambda,
                                                 std::int64_t seed) {
  SLACKLINE_CHECK(oracle != nullptr && num_examples >= 1, "there is no example to train on");
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  return std::make_unique<WholeExampleLearner>(oracle, num_examples, num_weights, lambda, seed);
}

}  // namespace slackline::internal
