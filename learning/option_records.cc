// SPDX-License-Identifier: BSD-3-Clause
//
// The records of all options (options.h), one list per family of options.
#include <limits>
#include <vector>

#include <slackline/learning/options.h>

namespace slackline::internal {
namespace {

using O = TrainOptions;
using Records = std::vector<OptionRecord>;

constexpr auto kMaxIndex = static_cast<double>(std::numeric_limits<Index>::max());
/// Of ρ and of smoothing: their squares, and products with data, are numbers.
constexpr double kSmallestStrength = 1e-50;
constexpr double kLargestStrength = 1e50;
constexpr auto kMaxSeed = 9007199254740992.0;

/// What is trained, and by which steps.
Records GeneralRecords() {
  return {
      {"learner", "NAME",
       "auto: the fastest for the structure. bcfw: one block per example, with an oracle. al: "
       "augmented Lagrangian, solves the LP-relaxed problem by factor blocks. soft: factor blocks "
       "with a penalty instead of constraints. For comparison (docs/learners.md): fw, kernel-fw, "
       "kernel-bcfw, ssg, cutting-plane-1, cutting-plane-n, bmrm, eg, excessive-gap, "
       "extragradient, dlpw, smooth-dlpw, prox-sdca, multi-sample",
       "auto", &O::learner},
      {"lambda", "L", "weight of the regulariser, objective λ/2 ‖w‖² + mean hinge",
       "by the data, so that C·R² = 4", &O::lambda, kSmallestLambda, kInfinity, true},
      {"step", "auto|pairwise|away|fw",
       "direction of a step: pairwise, away (bcfw) or Frank-Wolfe; bcfw keeps active sets for the "
       "first two",
       "soft, al: pairwise; bcfw: fw", &O::step, 0, kInfinity, false, false, kForBcfw, "away"},
      {"order", "auto|example|uniform|gap",
       "all examples in random order, blocks drawn with replacement, or (bcfw with active sets) "
       "the examples with a gap",
       "example; gap with active sets", &O::order, 0, kInfinity, false, false, kForBcfw, "gap"},
      {"average", "auto|none|uniform|weighted|suffix",
       "bcfw, fw, ssg, prox-sdca, multi-sample: also evaluate this average of all iterates, and "
       "keep the better weights",
       "none", &O::average, 0, kInfinity, false, false,
       kForBcfw |
           For(LearnerKind::kFrankWolfe, LearnerKind::kSubgradient, LearnerKind::kProxSdca,
               LearnerKind::kMultiSample) |
           kForKernels,
       "uniform weighted suffix"},
      {"proximal", "auto|off",
       "al, and bcfw with active sets: let passes work on proximal problems, which helps when λ is "
       "small",
       "auto", &O::proximal, 0, kInfinity, false, false, kForAl | kForBcfw, "off"},
      {"planes", "auto|on|off",
       "bcfw with active sets: let cutting planes of all examples, or factor blocks, take over "
       "where they are faster; auto: where --learner is auto",
       "auto", &O::planes, 0, kInfinity, false, false, kForBcfw, "on"},
      {"fixed-step", "",
       "fw, bcfw with fw steps: steps of length 2/(k+2), or 2M/(k+2M), instead of a line search",
       "off", &O::fixed_step, 0, kInfinity, false, false,
       kForBcfw | For(LearnerKind::kFrankWolfe) | kForKernels, "on"},
      {"projection", "", "ssg: project iterates onto the ball that the optimum lies in", "off",
       &O::projection, 0, kInfinity, false, false, For(LearnerKind::kSubgradient), "on"},
      {"shrinking", "auto|off",
       "al: let most passes leave out pairs of labels that are off and stay so", "auto",
       &O::shrinking, 0, kInfinity, false, false, kForAl, "off"},
  };
}

/// Of learners on planes.
Records PlaneRecords() {
  return {
      {"rescaling", "margin|slack",
       "cutting-plane-1, cutting-plane-n: hinge of a labelling, loss − margin or loss · (1 − "
       "margin); slack needs label spaces that can be enumerated",
       "margin", &O::rescaling, 0, kInfinity, false, false, kForCuttingPlanes, "slack"},
      {"constraint-cache", "auto|off",
       "cutting-plane-1: add planes of kept labellings while they are violated enough, before the "
       "oracle is asked",
       "auto", &O::constraint_cache, 0, kInfinity, false, false, For(LearnerKind::kCuttingPlane1),
       "off"},
      {"line-search", "auto|off",
       "bmrm: take planes near the best point of a line, not at the newest weights", "auto",
       &O::line_search, 0, kInfinity, false, false, For(LearnerKind::kBundle), "off"},
      {"prune-after", "N",
       "cutting planes, bmrm: drop planes that had no weight in N rounds; 0 = keep all", "50",
       &O::prune_after, 0, kMaxIndex, false, false, kForCuttingPlanes | For(LearnerKind::kBundle)},
  };
}

/// Of factor blocks and dual losses.
Records FactorRecords() {
  return {
      {"rho", "R", "strength of the soft penalty: small = strict", "soft: 1; al: from the data",
       &O::rho, kSmallestStrength, kLargestStrength, true, false, kForAl | kForSoft},
      {"rho-scale",
       "example|paper",
       "scale of ρ: per example, or ρ/M as the paper's equation (5) is written",
       "example",
       &O::rho_scale,
       0,
       kInfinity,
       false,
       false,
       kForAl | kForSoft,
       {},
       "rho",
       kForAl},
      {"rho-final", "R", "soft: let ρ fall to this value", "stays", &O::rho_final,
       kSmallestStrength, kLargestStrength, true, false, kForSoft},
      {"rho-passes",
       "N",
       "soft: passes over which ρ falls",
       "100",
       &O::rho_passes,
       1,
       kMaxIndex,
       true,
       false,
       kForSoft,
       {},
       "rho-final"},
      {"tau", "T", "al: length of a multiplier step", "1", &O::tau, 0, 1, true, false, kForAl},
      {"step-size", "E", "dlpw, smooth-dlpw: steps on the weights have length E/t",
       "found by short trials", &O::step_size, 0, kInfinity, true, false,
       For(LearnerKind::kDlpw, LearnerKind::kSmoothDlpw)},
      {"smoothing", "G",
       "soft, prox-sdca: weight of a quadratic that smooths the maxima; smooth-dlpw: temperature "
       "of its soft maxima",
       "none; smooth-dlpw: from the losses", &O::smoothing, kSmallestStrength, kLargestStrength,
       true, false, kForSoft | For(LearnerKind::kSmoothDlpw, LearnerKind::kProxSdca)},
  };
}

/// Of proximal SDCA, and of multi-sample.
Records SdcaRecords() {
  return {
      {"sdca-step", "1..5",
       "prox-sdca: step option of the paper. 1: several steps on the example, 2: line search, 3: a "
       "bound on the curvature of the example, 4: of all examples, 5: smoothed losses only",
       "2", &O::sdca_step, 1, 5, true, false, For(LearnerKind::kProxSdca)},
      {"l1", "S", "prox-sdca: adds S ‖w‖₁ to the objective, so that weights become zero", "none",
       &O::l1, 0, kInfinity, true, false, For(LearnerKind::kProxSdca)},
      {"random-output", "", "prox-sdca: also evaluate the iterate after a random step", "off",
       &O::random_output, 0, kInfinity, false, false, For(LearnerKind::kProxSdca), "on"},
      {"samples", "K", "multi-sample: labellings in each update of an example", "10", &O::samples,
       1, 10000, true, false, For(LearnerKind::kMultiSample)},
      {"revisit", "",
       "multi-sample: later visits of an example go on from its dual variables, instead of "
       "counting it as a new example",
       "off", &O::revisit, 0, kInfinity, false, false, For(LearnerKind::kMultiSample), "on"},
  };
}

/// Of kernels and oracles.
Records KernelRecords() {
  return {
      {"kernel", "auto|linear|polynomial|rbf",
       "kernel on input vectors: kernel-bcfw and kernel-fw keep kernel values as far as --cache-mb "
       "goes, other learners work on a factor of the kernel matrix of all inputs",
       "kernel-bcfw, kernel-fw: linear; else none", &O::kernel},
      {"kernel-gamma",
       "G",
       "γ of the kernels (γ⟨x,x'⟩ + c)^p and exp(−γ‖x − x'‖²)",
       "1 / number of features",
       &O::kernel_gamma,
       0,
       kInfinity,
       true,
       false,
       kForAll,
       {},
       "kernel"},
      {"kernel-degree",
       "P",
       "p of the polynomial kernel",
       "3",
       &O::kernel_degree,
       1,
       64,
       true,
       false,
       kForAll,
       {},
       "kernel"},
      {"kernel-offset",
       "C",
       "c of the polynomial kernel",
       "1",
       &O::kernel_offset,
       0,
       kInfinity,
       false,
       false,
       kForAll,
       {},
       "kernel"},
      {"cache-mb", "N",
       "kernel-bcfw, kernel-fw: megabytes for kernel values. Results do not depend on it", "256",
       &O::cache_mb, 1, kMaxIndex, true, true, kForKernels},
      {"oracle",
       "auto|roof|messages|messages-branch-and-bound|lp|lp-polytope|tree|brute-force|"
       "branch-and-bound|global",
       "bcfw and others that ask an oracle: how an example is maximised", "auto", &O::oracle, 0,
       kInfinity, false, false, kForOracles},
      {"lp-tolerance", "T",
       "bcfw with fw steps and oracle lp: tolerance of GLPK's simplex method in passes; checks "
       "keep 1e-9",
       "1e-9", &O::lp_tolerance, 1e-9, 0.1, true, false, kForBcfw},
  };
}

/// When to look and to stop, and what the machine does.
Records OuterRecords() {
  return {
      {"gap-tolerance", "G", "stop at this relative duality gap; 0 = do not", "1e-3",
       &O::gap_tolerance, 0, kInfinity, false, true},
      {"absolute-gap", "G", "stop at this absolute duality gap; 0 = do not", "0", &O::absolute_gap,
       0, kInfinity, false, true},
      {"max-passes", "N", "stop after N passes over the examples", "100000", &O::max_passes, 1,
       kMaxIndex, true, true},
      {"time-limit", "SECONDS", "stop after this time, keeping the best model; 0 = no limit", "0",
       &O::time_limit_seconds, 0, kInfinity, false, true},
      {"check-every", "PASSES",
       "passes between two certificates; 0 = often at first, then less, and when the gap seems "
       "small",
       "0", &O::check_every, 0, kMaxIndex},
      {"seed", "S", "seed of the random order", "1", &O::seed, 0, kMaxSeed},
      {"threads", "N",
       "threads, for certificates and large examples; 0 = all. Results do not depend on it", "1",
       &O::threads, 0, 1024, false, true},
  };
}

}  // namespace

std::span<const OptionRecord> OptionRecords() {
  static const Records records = [] {
    Records all;
    for (const Records& family : {GeneralRecords(), PlaneRecords(), FactorRecords(), SdcaRecords(),
                                  KernelRecords(), OuterRecords()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return records;
}

}  // namespace slackline::internal
