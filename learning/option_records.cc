// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/option_records.h>

#include <algorithm>
#include <limits>

namespace slackline::internal {
namespace {

using O = TrainOptions;

constexpr auto kMaxIndex = static_cast<double>(std::numeric_limits<Index>::max());
constexpr auto kMaxSeed = 9007199254740992.0;
constexpr double kMostShards = 512;

constexpr Exclusion kExcludedByShards[] = {
    {.other = "fixed-step", .reason = "a line search combines the shards"},
    {.other = "average"},
    {.other = "keep-newest"},
    {.other = "order",
     .other_values = "cyclic",
     .reason = "a shard may wait for others before its last examples, which must not be the same "
               "ones in every pass"},
    {.other = "associative"},
    {.other = "planes", .other_values = "on"},
    {.other = "batch-start"},
    {.other = "random-output"}};
constexpr Exclusion kExcludedByAssociative[] = {
    {.other = "kernel", .reason = "its weights are those of inputs"},
    {.other = "rescaling", .other_values = "slack"},
    {.other = "planes", .other_values = "on"}};
constexpr Exclusion kExcludedByL1[] = {
    {.other = "kernel", .reason = "kernel models weight support vectors, not features"}};

constexpr OptionRecord kShared[] = {
    {.name = "learner",
     .placeholder = "NAME",
     .text = "the algorithm, one of `slackline options`",
     .default_text = "auto: the fastest",
     .field = Field<&O::learner>},
    {.name = "lambda",
     .placeholder = "L",
     .text = "weight λ of the regulariser in the objective λ/2 ‖w‖² + mean hinge",
     .default_text = "from the data",
     .field = Field<&O::lambda>,
     .minimum = kSmallestLambda,
     .positive = true,
     .basic = true},
    {.name = "step",
     .placeholder = "auto|pairwise|away|fw",
     .text = "direction of a step: pairwise, away (bcfw only) or Frank-Wolfe. For pairwise and "
             "away steps, bcfw keeps active sets",
     .default_text = "soft, al: pairwise; bcfw: fw",
     .field = Field<&O::step>,
     .by_learner = true,
     .special_values = "away"},
    {.name = "order",
     .placeholder = "auto|example|uniform|cyclic|gap",
     .text = "order of the steps. example: all examples in a fresh random order. uniform: blocks "
             "drawn with replacement. cyclic: all examples in the order of the data. gap (bcfw "
             "with active sets): the examples that have a gap",
     .default_text = "example; gap with active sets",
     .field = Field<&O::order>,
     .by_learner = true,
     .special_values = "gap"},
    {.name = "average",
     .placeholder = "auto|none|uniform|weighted|suffix",
     .text = "learners with iterates: also evaluate this average of the iterates, and keep the "
             "better weights",
     .default_text = "none",
     .field = Field<&O::average>,
     .by_learner = true,
     .special_values = "uniform weighted suffix",
     .neutral_values = "none"},
    {.name = "suffix-share",
     .placeholder = "F",
     .text = "--average suffix: the largest share of all iterates that the average has. It begins "
             "anew whenever their number has grown by a factor of 1/(1 − F); 0.5: at the powers of "
             "two",
     .default_text = "0.5",
     .field = Field<&O::suffix_share>,
     .minimum = 0.001,
     .maximum = 0.999,
     .positive = true,
     .needs = "average"},
    {.name = "keep-newest",
     .text = "learners with iterates: keep the weights of the last check, with --average their "
             "average, even where earlier or other weights have a smaller objective",
     .default_text = "off",
     .field = Field<&O::keep_newest>,
     .by_learner = true,
     .special_values = "on"},
    {.name = "proximal",
     .placeholder = "auto|on|off",
     .text = "al, soft, and bcfw with active sets: let passes work on proximal problems, which "
             "helps when λ is small",
     .default_text = "auto: on, but for soft off",
     .field = Field<&O::proximal>,
     .by_learner = true,
     .special_values = "on off"},
    {.name = "fixed-step",
     .text = "fw, bcfw with fw steps: steps of length 2/(k+2), or 2M/(k+2M), instead of a line "
             "search",
     .default_text = "off",
     .field = Field<&O::fixed_step>,
     .by_learner = true,
     .special_values = "on"},
    {.name = "rescaling",
     .placeholder = "margin|slack",
     .text = "learners with an oracle: hinge of a labelling. margin: loss − margin. slack: loss · "
             "(1 − margin)",
     .default_text = "margin",
     .field = Field<&O::rescaling>,
     .by_learner = true,
     .special_values = "slack"},
    {.name = "certify",
     .placeholder = "auto|exact|relaxed|tightened",
     .text = "with --learner auto on graphs with cycles: train and certify the exact problem, its "
             "LP relaxation, or the relaxation with larger factors around short cycles; auto: the "
             "exact problem while that is cheap",
     .default_text = "auto",
     .field = Field<&O::certify>},
    {.name = "tighten",
     .text = "tighten the LP relaxation: pairs along cycles of three or four variables, and across "
             "them, become one factor; --certify tightened does so with the learner that suits it",
     .default_text = "off",
     .field = Field<&O::tighten>,
     .special_values = "on"},
    {.name = "associative",
     .text = "bcfw, prox-sdca: constrain the signs of weights of pairs, so that pairs reward "
             "agreement (associative models); graph cuts then find labellings (--oracle expansion)",
     .default_text = "off",
     .field = Field<&O::associative>,
     .by_learner = true,
     .special_values = "on",
     .excludes = kExcludedByAssociative},
    {.name = "smoothing",
     .placeholder = "G",
     .text = "soft, prox-sdca: weight of a quadratic that smooths the maxima; smooth-dlpw: "
             "temperature of its soft maxima",
     .default_text = "none; smooth-dlpw: from the losses",
     .field = Field<&O::smoothing>,
     .minimum = kSmallestStrength,
     .maximum = kLargestStrength,
     .positive = true,
     .by_learner = true},
    {.name = "l1",
     .placeholder = "S",
     .text = "prox-sdca: add S ‖w‖₁ to the objective, which makes many weights zero",
     .default_text = "none",
     .field = Field<&O::l1>,
     .positive = true,
     .by_learner = true,
     .excludes = kExcludedByL1},
    {.name = "shards",
     .placeholder = "P",
     .text =
         "bcfw, prox-sdca, soft and al: deal the examples into P shards, which are trained "
         "side by side (--threads) and combined in rounds. The result depends on P and not on the "
         "threads; 0 = as many as threads where that pays (bcfw with active sets), with several "
         "processes as many as these",
     .default_text = "1; train with --threads above 1: 0",
     .field = Field<&O::shards>,
     .minimum = 0,
     .maximum = kMostShards,
     .by_learner = true,
     .neutral_values = "0",
     .excludes = kExcludedByShards},
    {.name = "kernel",
     .placeholder = "auto|linear|polynomial|rbf",
     .text = "kernel on input vectors. kernel-bcfw and kernel-fw cache kernel values (--cache-mb); "
             "other learners work on a factor of the kernel matrix of all inputs",
     .default_text = "kernel-bcfw, kernel-fw: linear; else none",
     .field = Field<&O::kernel>},
    {.name = "kernel-gamma",
     .placeholder = "G",
     .text = "γ of the kernels (γ⟨x,x'⟩ + c)^p and exp(−γ‖x − x'‖²)",
     .default_text = "1 / number of features",
     .field = Field<&O::kernel_gamma>,
     .positive = true,
     .needs = "kernel"},
    {.name = "kernel-degree",
     .placeholder = "P",
     .text = "p of the polynomial kernel",
     .default_text = "3",
     .field = Field<&O::kernel_degree>,
     .minimum = 1,
     .maximum = 64,
     .positive = true,
     .needs = "kernel"},
    {.name = "kernel-offset",
     .placeholder = "C",
     .text = "c of the polynomial kernel",
     .default_text = "1",
     .field = Field<&O::kernel_offset>,
     .needs = "kernel"},
    {.name = "oracle",
     .placeholder = "auto|roof|messages|messages-branch-and-bound|lp|lp-polytope|tree|brute-force|"
                    "branch-and-bound|expansion|global",
     .text = "bcfw and other learners with an oracle: the solver that finds the labelling of an "
             "example with the largest score plus loss. With --rescaling slack, auto maximises "
             "loss times score exactly where it can, brute-force enumerates, and a solver gives "
             "bounds",
     .default_text = "auto",
     .field = Field<&O::oracle>,
     .by_learner = true},
};

constexpr OptionRecord kRunOptions[] = {
    {.name = "gap-tolerance",
     .placeholder = "G",
     .text = "stop at this relative duality gap; 0 = never",
     .default_text = "1e-3",
     .field = Field<&O::gap_tolerance>,
     .basic = true,
     .outer = true},
    {.name = "absolute-gap",
     .placeholder = "G",
     .text = "stop at this absolute duality gap; 0 = never",
     .default_text = "0",
     .field = Field<&O::absolute_gap>,
     .outer = true},
    {.name = "max-passes",
     .placeholder = "N",
     .text = "stop after N passes over the examples",
     .default_text = "100000",
     .field = Field<&O::max_passes>,
     .minimum = 1,
     .maximum = kMaxIndex,
     .positive = true,
     .outer = true},
    {.name = "time-limit",
     .placeholder = "SECONDS",
     .text = "stop after this time, and keep the best model",
     .default_text = "0: no limit",
     .field = Field<&O::time_limit_seconds>,
     .basic = true,
     .outer = true},
    {.name = "check-every",
     .placeholder = "PASSES",
     .text = "passes between two certificates; 0 = often at first, then less often, and when the "
             "gap seems small",
     .default_text = "0",
     .field = Field<&O::check_every>,
     .maximum = kMaxIndex},
    {.name = "seed",
     .placeholder = "S",
     .text = "seed of the random order",
     .default_text = "1",
     .field = Field<&O::seed>,
     .maximum = kMaxSeed,
     .basic = true},
    {.name = "threads",
     .placeholder = "N",
     .text = "threads; 0 = all cores. Results depend on --shards, not on threads",
     .default_text = "1",
     .field = Field<&O::threads>,
     .maximum = 1024,
     .basic = true,
     .outer = true},
};

}  // namespace

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (words.substr(0, blank) == word) return true;
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
  return false;
}

std::span<const OptionRecord> SharedOptionRecords() { return kShared; }
std::span<const OptionRecord> RunOptionRecords() { return kRunOptions; }

}  // namespace slackline::internal
