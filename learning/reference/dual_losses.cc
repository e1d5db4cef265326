// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `dlpw` and `smooth-dlpw`: dual losses, primal weights. The relaxed problem G is
// minimised over w and δ at once, by gradient steps on w and block minimisation over δ.
//
// Sources: Meshi, Sontag, Jaakkola, Globerson, "Learning efficiently with approximate inference via
// dual losses", ICML 2010; smooth: Hazan, Urtasun, "A primal-dual message-passing algorithm for
// approximated large scale structured prediction", NIPS 2010. The learners follow the comparison in
// the AISTATS 2015 paper (section 6): stochastic gradient steps of length η/t, with the best of
// several η.
// Axes: blocks = the messages of one variable (star updates, inference/star_updates.h) · oracle =
// max-marginals of factors · step on w = subgradient · order = example or uniform.
//
//   symbol   here                      shape
//   w        scale_ · direction_       num_weights
//   δ        messages_                 graph.total_messages() per example
//   μ̄        averages_                 graph.total_states() per example
//   η        --step-size, or the best of a grid; step k has length η/(M + k), at most 1/λ
//   ε        temperature               --smoothing (smooth-dlpw) of the soft maxima; 0: dlpw
//
// Step k here is step t = M + k of the paper, because steps of length η/t with t ≤ M would be far
// too long for one example. Without --step-size, η is chosen by trials of 20 passes over at most
// 100 examples, with λη = 16, 8, 4, 2, 1; the η with the best objective is used, and a note reports
// it. Without --smoothing, ε is such that B_ε − B ≤ ε Σ_a log K_a is at most a hundredth of P(0),
// on average over the examples.
//
// Certificate. Upper bound: g(w, δ) with the exact maximum, after two sweeps on copies of δ, at the
// newest w. smooth-dlpw uses the same bound although it minimises another function, so that its gap
// does not close below the bias of ε. Lower bound: the parts' maximisers (soft maximisers),
// averaged with growing weights over the visits and repaired into the local polytope; the best
// mixtures over the checks are kept (dual_mixture.h). Block minimisation of the exact maximum may
// halt at messages that are not optimal, so that the gap of dlpw need not close.
//
// Cost of a visit: two sweeps over every factor's table for each of its variables, the score
// tables, one read and one write of the example's weights.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/star_updates.h>
#include <slackline/learning/factor_blocks/table_ops.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

constexpr int kDualLossChunks = 16;
constexpr std::size_t kTrialExamples = 100;
constexpr int kTrialPasses = 20;
/// Values of λη that are tried. The influence of the start decays as t^(−λη). Smaller values look
/// good only in short trials (on Yeast they won the trials, and were far behind after 100 passes).
constexpr double kTrialSteps[] = {16, 8, 4, 2, 1};
constexpr double kBias = 0.01;
/// Sweeps on a copy of an example's messages before its bound is computed, because the messages
/// belong to older weights.
constexpr int kBoundSweeps = 2;
/// Relative rounding error of the messages in a bound.
constexpr double kDescentRounding = 8 * std::numeric_limits<double>::epsilon();
/// Below this scale_, the scale is multiplied into direction_.
constexpr double kSmallestScale = 1e-6;

/// p_i = mean of μ_i and all A_ci μ_c, for marginals that are flat over the states of all parts.
std::vector<double> MeanMarginals(const FactorGraph& graph, std::span<const double> marginals) {
  std::vector<double> p(marginals.begin(), marginals.begin() + graph.variable_states());
  std::vector<double> axis;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    Index stride = graph.factor_states(c);
    for (const Index i : graph.scope(c)) {
      stride /= graph.cardinality(i);
      axis.resize(graph.cardinality(i));
      AxisMarginal(marginals.data() + graph.factor_offset(c), graph.factor_states(c),
                   graph.cardinality(i), stride, axis.data());
      for (std::size_t s = 0; s < axis.size(); ++s) p[graph.state_offset(i) + s] += axis[s];
    }
  }
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const std::span<double> own = std::span(p).subspan(graph.state_offset(i), graph.cardinality(i));
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    for (double& entry : own) entry /= sum;
  }
  return p;
}

/// q += scale · the coordinates of φ at the marginals of all parts.
void AddCoordinates(const ExampleView& view, std::span<const double> marginals, double scale,
                    std::span<double> q) {
  const FactorGraph& graph = view.graph();
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddMarginalFeatures(view, a, marginals.subspan(graph.state_offset(a), graph.num_states(a)),
                        scale, q);
  }
}

/// The descent on the weights and the messages of some examples as if the problem had no others.
/// Starts at w = 0, δ = 0 and μ̄ = the ground truth. The problem must outlive the object.
class DualLossDescent {
 public:
  DualLossDescent(const Problem& problem, std::vector<Index> examples, double temperature)
      : problem_(problem),
        examples_(std::move(examples)),
        temperature_(temperature),
        visits_(examples_.size(), 0),
        direction_(problem.num_weights(), 0.0) {
    for (Index k = 0; k < size(); ++k) {
      StopRelay::Preparation::Poll();
      const ExampleView view = example(k);
      const FactorGraph& graph = view.graph();
      messages_.emplace_back(graph.total_messages(), 0.0);
      std::vector<double>& average = averages_.emplace_back(graph.total_states(), 0.0);
      for (Index i = 0; i < graph.num_variables(); ++i)
        average[graph.state_offset(i) + view.labels()[i]] = 1;
      for (Index c = 0; c < graph.num_factors(); ++c)
        average[graph.factor_offset(c) + JointState(graph, c, view.labels())] = 1;
    }
  }

  Index size() const { return static_cast<Index>(examples_.size()); }

  /// A star sweep on δ of example number k < size() at the current w gives beliefs b; then
  /// μ̄ += 2/(j+1) (b − μ̄) in the j-th visit of the example, and w −= η_t (λw − Σ_a ψ_a·b_a).
  void Visit(Index k, double eta) {
    const FactorGraph& graph = example(k).graph();
    Tables tables = TablesAt(k, direction_, scale_);
    std::vector<double> work;
    Reparametrise(graph, messages_[k], tables.scores);
    StarSweep(graph, temperature_, tables.scores, messages_[k], &work);
    std::vector<double> beliefs(tables.scores.size());
    PartBeliefs(graph, temperature_, tables.scores, beliefs);
    const double share = 2 / (static_cast<double>(++visits_[k]) + 1);
    for (std::size_t s = 0; s < beliefs.size(); ++s)
      averages_[k][s] += share * (beliefs[s] - averages_[k][s]);
    std::vector<double> psi = std::move(tables.truth);
    AddCoordinates(example(k), beliefs, -1, psi);
    StepWeights(k, eta, psi);
  }

  std::vector<double> Weights() const {
    std::vector<double> weights = direction_;
    for (double& w : weights) w *= scale_;
    return weights;
  }

  /// Upper bound on max H over the local polytope for example k at these weights, from a copy of
  /// the example's messages. Safe to call from several threads.
  double Bound(Index k, std::span<const double> weights) const {
    const FactorGraph& graph = example(k).graph();
    Tables tables = TablesAt(k, weights, 1);
    std::vector<double> messages = messages_[k];
    std::vector<double> work;
    // Messages may still be as large as those of earlier, larger weights. They cancel in the sums,
    // but their rounding errors are relative to their size, so that the bound is raised by that
    // much.
    const auto add_size = [](double sum, double message) { return sum + std::abs(message); };
    double size = std::accumulate(messages.begin(), messages.end(), 0.0, add_size);
    Reparametrise(graph, messages, tables.scores);
    for (int sweep = 0; sweep < kBoundSweeps; ++sweep)
      StarSweep(graph, 0, tables.scores, messages, &work);
    size = std::accumulate(messages.begin(), messages.end(), size, add_size);
    double bound = SumOfMaxima(graph, 0, tables.scores) + kDescentRounding * size;
    for (std::size_t c = 0; c < tables.u.size(); ++c) bound -= tables.u[c] * tables.truth[c];
    return bound;
  }

  /// λ/2 ‖w‖² + the mean of all bounds, at the current w.
  double Objective() const {
    const std::vector<double> weights = Weights();
    double sum = 0;
    for (Index k = 0; k < size(); ++k) sum += Bound(k, weights);
    return Regulariser(problem_.lambda(), weights) + sum / size();
  }

  /// A point of the local polytope for example k: p_i = the mean of μ̄_i and all A_ci μ̄_c, with
  /// the factors repaired to the marginals p. *coordinates: those of φ at that point. Returns the
  /// loss of the point.
  double FeasibleCoordinates(Index k, std::vector<double>* coordinates) const {
    const ExampleView view = example(k);
    std::vector<double> point = averages_[k];
    RepairToLocalPolytope(view.graph(), MeanMarginals(view.graph(), point), point);
    coordinates->assign(view.structure().num_coordinates(), 0.0);
    AddCoordinates(view, point, 1, *coordinates);
    const std::span<const double> loss = problem_.loss(examples_[k]);
    return std::inner_product(loss.begin(), loss.end(), point.begin(), 0.0);
  }

 private:
  struct Tables {
    std::vector<double> scores;  ///< Δ_a + w·φ_a of all parts
    std::vector<double> u;       ///< scores of the coordinates
    std::vector<double> truth;   ///< coordinates of the ground truth
  };

  ExampleView example(Index k) const { return problem_.data().example(examples_[k]); }

  /// The tables of example k at w = scale · weights.
  Tables TablesAt(Index k, std::span<const double> weights, double scale) const {
    const ExampleView view = example(k);
    const std::size_t coordinates = view.structure().num_coordinates();
    Tables tables = {std::vector<double>(view.graph().total_states()),
                     std::vector<double>(coordinates), std::vector<double>(coordinates)};
    CoordinateScores(view, weights, tables.u);
    for (double& u : tables.u) u *= scale;
    const std::span<const double> loss = problem_.loss(examples_[k]);
    std::copy(loss.begin(), loss.end(), tables.scores.begin());
    AddScores(view, tables.u, tables.scores);
    AddLabellingFeatures(view, view.labels(), 1, tables.truth);
    return tables;
  }

  /// w −= η_t (λw − Σ_a ψ_a·b_a), where psi has the coordinates of the sum.
  void StepWeights(Index k, double eta, std::span<const double> psi) {
    const double lambda = problem_.lambda();
    const double length =
        std::min(eta / (static_cast<double>(size()) + static_cast<double>(steps_++)), 1 / lambda);
    scale_ *= std::max(0.0, 1 - length * lambda);
    if (scale_ < kSmallestScale) {
      for (double& w : direction_) w *= scale_;
      scale_ = 1;
    }
    ScatterFeatures(example(k), psi, length / scale_, direction_);
  }

  const Problem& problem_;
  std::vector<Index> examples_;
  double temperature_;
  std::vector<std::vector<double>> messages_, averages_;
  std::vector<Offset> visits_;  // per example
  std::vector<double> direction_;
  double scale_ = 1;
  std::int64_t steps_ = 0;
};

/// --smoothing, or such that ε Σ_a log K_a = kBias · P(0), on average over the examples.
double TemperatureFor(const Problem& problem, const TrainOptions& options) {
  if (options.learner != LearnerKind::kSmoothDlpw) return 0;
  if (options.smoothing > 0) return options.smoothing;
  double logs = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const FactorGraph& graph = problem.data().example(m).graph();
    for (Index a = 0; a < graph.num_parts(); ++a)
      logs += std::log(static_cast<double>(graph.num_states(a)));
  }
  const double at_zero = PrimalAtZeroWeights(problem);
  return logs > 0 && at_zero > 0 ? kBias * at_zero * problem.size() / logs : 1;
}

std::vector<Index> AllExamples(const Problem& problem) {
  std::vector<Index> all(problem.size());
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

class DualLossLearner : public Learner, public DualPointSource, public CheckListener {
 public:
  DualLossLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        eta_(options.own<DualLossOptions>().step_size),
        temperature_(TemperatureFor(problem, options)),
        visits_(options, problem.data()),
        descent_(problem_, AllExamples(problem), temperature_),
        mixture_(problem.lambda()) {
    traits_ = {.dual_point = this, .listener = this};
  }

  void RunPass(const StopControl& stop) override {
    if (eta_ == 0) ChooseStep(stop);
    if (eta_ == 0) return;
    visits_.Pass(stop, [&](Index m) {
      descent_.Visit(m, eta_);
      block_steps_ += NumParts(m);
    });
  }

  Evaluation Evaluate(int threads) override {
    AddDualPoint();
    evaluated_ = descent_.Weights();
    std::vector<double> bounds(kDualLossChunks, 0.0);
    ParallelChunks(problem_.size(), kDualLossChunks, threads, [&](const Chunk& chunk) {
      for (Index m = chunk.begin; m < chunk.end; ++m)
        bounds[chunk.chunk] += descent_.Bound(m, evaluated_);
    });
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kRelaxed;
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) +
                        std::accumulate(bounds.begin(), bounds.end(), 0.0) / problem_.size();
    evaluation.dual = mixture_.value();
    return evaluation;
  }

  std::string Adapt(const Evaluation& /*evaluation*/) override { return std::exchange(note_, {}); }

  WorkCounts work() const override { return {0, block_steps_}; }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = descent_.FeasibleCoordinates(m, coordinates);
    return true;
  }

 private:
  Index NumParts(Index m) const { return problem_.data().example(m).graph().num_parts(); }

  /// Runs the trials, and sets η to the best one; not if `stop` ends them.
  void ChooseStep(const StopControl& stop) {
    std::vector<Index> some = AllExamples(problem_);
    Random random(static_cast<std::uint64_t>(options_.seed));
    random.Shuffle(std::span<Index>(some));
    some.resize(std::min(some.size(), kTrialExamples));
    double chosen = 1 / problem_.lambda();
    double best = kInfinity;
    for (const double step : kTrialSteps) {
      const double eta = step / problem_.lambda();
      DualLossDescent trial(problem_, some, temperature_);
      for (int pass = 0; pass < kTrialPasses; ++pass) {
        for (Index k = 0; k < trial.size(); ++k) {
          trial.Visit(k, eta);
          block_steps_ += NumParts(some[k]);
          if (stop.ShouldStop()) return;
        }
      }
      const double objective = trial.Objective();
      if (objective >= best) continue;
      best = objective;
      chosen = eta;
    }
    eta_ = chosen;
    note_ = "steps of length η/t with η = " + NumberText(eta_, 3) + ", the best of " +
            std::to_string(std::size(kTrialSteps)) + " in " + std::to_string(kTrialPasses) +
            " passes over " + Count(static_cast<Offset>(some.size()), "example");
    if (temperature_ > 0 && options_.smoothing <= 0)
      note_ += "; temperature " + NumberText(temperature_, 3) + ", from the losses";
  }

  void AddDualPoint() {
    DualPoints points(problem_);
    std::vector<double> coordinates;
    for (Index m = 0; m < problem_.size(); ++m) {
      const double loss = descent_.FeasibleCoordinates(m, &coordinates);
      points.SetFeatures(problem_.data().example(m), m, coordinates, loss);
    }
    std::vector<double> weights;
    points.Weights(problem_, &weights);
    mixture_.Add(std::move(weights), points.MeanLoss());
  }

  Problem problem_;
  TrainOptions options_;
  double eta_;  // 0: to be chosen by trials
  double temperature_;
  ExampleVisits visits_;
  DualLossDescent descent_;
  DualMixture mixture_;
  std::string note_;
  std::int64_t block_steps_ = 0;
};

constexpr OptionRecord kDualLossOptions[] = {
    {.name = "step-size",
     .placeholder = "E",
     .text = "dlpw, smooth-dlpw: steps on the weights have length E/t",
     .default_text = "found by short trials",
     .field = Field<&DualLossOptions::step_size>,
     .positive = true}};
constexpr std::span<const OptionRecord> kDualLossOptionLists[] = {kDualLossOptions};
constexpr LearnerVariant kDualLossVariants[] = {{.needs = kNeedsFactors | NeedsAll(Need::kTables)}};

constexpr LearnerRecord DualLossRecord(std::string_view name, std::string_view summary,
                                       std::string_view reads) {
  return {.name = name,
          .summary = summary,
          .section = "Dual losses: `dlpw` and `smooth-dlpw`",
          .make = MakeReference<DualLossLearner>,
          .variants = kDualLossVariants,
          .reads = reads,
          .options = kDualLossOptionLists,
          .own_steps = "takes gradient steps only",
          .keeps_state = false};
}

}  // namespace

constinit const LearnerRecord kDlpwLearner = DualLossRecord(
    "dlpw", "dual losses: subgradients on the weights, block minimisation over messages", "");
constinit const LearnerRecord kSmoothDlpwLearner =
    DualLossRecord("smooth-dlpw", "the same with soft maxima", "smoothing");

}  // namespace slackline::internal
