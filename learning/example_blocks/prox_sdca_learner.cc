// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/prox_sdca_learner.h>

#include <string>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/example_blocks/point_block_learner.h>
#include <slackline/learning/make_in_shards.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal {
namespace {

class ProxSdcaLearner : public PointBlockLearner, public CheckListener, public ScaleSource {
 public:
  ProxSdcaLearner(const Problem& problem, const TrainOptions& options)
      : PointBlockLearner(problem, options, TermsOf(problem, options)),
        own_(options.own<ProxSdcaOptions>()),
        draw_(static_cast<std::uint64_t>(options.seed) + 0x9e3779b97f4a7c15ULL),
        next_restart_(problem.size()) {
    traits_.listener = this;
    traits_.scales = this;
  }

  void RunPass(const StopControl& stop) override {
    VisitAll(stop, [&] {
      if (own_.random_output) DrawOutput();
    });
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = PointBlockLearner::Evaluate(threads);
    if (!drawn_.empty()) {
      TakeOutput(
          drawn_, [&](std::span<const double> weights) { return Primal(weights, threads); },
          &evaluation);
    }
    return evaluation;
  }

  std::string Adapt(const Evaluation& /*evaluation*/) override {
    if (note_made_) return {};
    note_made_ = true;
    return ProxObjectiveNote(options_);
  }

  ObjectiveScales Scales() const override {
    ObjectiveScales scales = ScalesOf(problem_);
    if (options_.smoothing == 0) return scales;
    scales.primal_at_zero += 0.5 * options_.smoothing * SmoothingRange(problem_) / problem_.size();
    return scales;
  }

  bool DualPointIsBest() const override { return true; }

  void Archive(StateArchive* archive) override {
    archive->Tag("prox-sdca");
    ArchiveRandom(&visits_.random(), archive);
    ArchiveRandom(&draw_, archive);
    visits_.examples().Archive(archive);
    blocks_.ArchiveWeights(archive);
    bool drawn = !drawn_.empty();
    archive->Flag(&drawn);
    drawn_.resize(drawn ? Size(problem_.num_weights()) : 0);
    if (drawn) archive->FiniteReals(drawn_);
    ArchiveCommon(archive);
    archive->Count(&outputs_);
    archive->Integer(&next_restart_, 1, StateReader::kMostCount);
    archive->Flag(&note_made_);
  }

  void ChangeLambda(const Problem& problem) override {
    PointBlockLearner::ChangeLambda(problem);
    drawn_.clear();
    outputs_ = 0;
    next_restart_ = problem.size();
  }

 private:
  /// Draws one iterate among those since the last power of two (times M steps), each with the same
  /// probability.
  void DrawOutput() {
    if (outputs_ >= next_restart_) {
      outputs_ = 0;
      next_restart_ *= 2;
    }
    ++outputs_;
    if (draw_.Below(static_cast<std::uint64_t>(outputs_)) == 0)
      drawn_.assign(blocks_.w().begin(), blocks_.w().end());
  }

  ProxSdcaOptions own_;
  Random draw_;  // for the random output alone
  std::vector<double> drawn_;
  std::int64_t outputs_ = 0;  // iterates among which drawn_ was drawn
  std::int64_t next_restart_;
  bool note_made_ = false;
};

}  // namespace

PointBlocks::Terms TermsOf(const Problem& problem, const TrainOptions& options) {
  return {.l1 = options.l1,
          .smoothing = options.smoothing,
          .step = options.own<ProxSdcaOptions>().sdca_step,
          .slack = RescalesSlack(options),
          .signs = SignsOf(problem, options)};
}

double SmoothingRange(const Problem& problem) {
  double sum = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    for (const Index k : problem.data().example(m).graph().cardinalities()) sum += 1 - 1.0 / k;
  }
  return sum;
}

std::string ProxObjectiveNote(const TrainOptions& options) {
  if (options.l1 == 0 && options.smoothing == 0) return {};
  std::string note = "objective and bounds are those of the ";
  if (options.smoothing > 0) note += "smoothed ";
  note += "problem";
  if (options.l1 > 0) note += std::string(options.smoothing > 0 ? "," : "") + " with the l1 term";
  return note + " (docs/reference/learners.md)";
}

std::unique_ptr<Learner> MakeProxSdcaLearner(const Problem& problem, const TrainOptions& options) {
  if (options.shards > 1) return MakeInShards(problem, options);
  return std::make_unique<ProxSdcaLearner>(problem, options);
}

namespace {

constexpr OptionRecord kProxSdcaOptions[] = {
    {.name = "sdca-step",
     .placeholder = "1..5",
     .text = "prox-sdca: step option of the paper. 1: several steps on the example, 2: line "
             "search, 3: a bound on the curvature of the example, 4: a bound for all examples, 5: "
             "for smoothed losses only",
     .default_text = "2",
     .field = Field<&ProxSdcaOptions::sdca_step>,
     .minimum = 1,
     .maximum = 5,
     .positive = true},
    {.name = "random-output",
     .text = "prox-sdca: also evaluate an iterate drawn at random",
     .default_text = "off",
     .field = Field<&ProxSdcaOptions::random_output>,
     .special_values = "on"}};
constexpr std::span<const OptionRecord> kProxSdcaOptionLists[] = {kProxSdcaOptions};
constexpr NeedSet kProxSdcaNeeds = kNeedsOracle | NeedsAll(Need::kSumLoss);
bool HasFifthStep(const TrainOptions& options) {
  return options.own<ProxSdcaOptions>().sdca_step == 5;
}
constexpr LearnerVariant kProxSdcaVariants[] = {
    {.options = "--associative --sdca-step 5 --smoothing",
     .applies =
         [](const TrainOptions& options) {
           return IsAssociative(options) && HasFifthStep(options);
         },
     .needs = kAssociativeVariant.needs | kProxSdcaNeeds | NeedsAll(Need::kFreeVariables)},
    {.options = kAssociativeVariant.options,
     .applies = IsAssociative,
     .needs = kAssociativeVariant.needs | kProxSdcaNeeds},
    {.options = kSlackVariant.options,
     .applies = RescalesSlack,
     .needs = kSlackVariant.needs | NeedsAll(Need::kSumLoss)},
    {.options = "--sdca-step 5 --smoothing",
     .applies = HasFifthStep,
     .needs = kProxSdcaNeeds | NeedsAll(Need::kFreeVariables)},
    {.options = "--smoothing",
     .applies = [](const TrainOptions& options) { return options.smoothing > 0; },
     .needs = kProxSdcaNeeds},
    {.needs = kProxSdcaNeeds}};

void CheckProxSdca(const TrainOptions& options) {
  const auto& own = options.own<ProxSdcaOptions>();
  if (own.sdca_step == 5 && options.smoothing <= 0)
    throw DataError("--sdca-step 5 needs --smoothing: it is for smooth losses");
  if (options.smoothing > 0 && RescalesSlack(options) && options.learner == LearnerKind::kProxSdca)
    throw DataError(
        "--smoothing cannot be combined with --rescaling slack: a smoothed maximum is one over "
        "marginals, of which losses times scores are no function");
}

}  // namespace

constinit const LearnerRecord kProxSdcaLearner = {
    .name = "prox-sdca",
    .summary = "proximal dual ascent, with an l1 term or smoothed hinges",
    .section = "prox-sdca",
    .make = MakeProxSdcaLearner,
    .variants = kProxSdcaVariants,
    .reads = "average keep-newest l1 smoothing shards rescaling associative oracle",
    .options = kProxSdcaOptionLists,
    .own_steps = "has its own steps, which --sdca-step chooses",
    .check = CheckProxSdca};

}  // namespace slackline::internal
