// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/options.h>

#include <string>

#include <doctest/doctest.h>

#include "tests/core/messages.h"
#include "tests/support/option_text.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::string ValueRefusal(std::string_view name, std::string_view value) {
  TrainOptions options;
  return MessageOf<DataError>([&] { SetOption(OptionNamed(name), value, &options); });
}

std::string CheckRefusal(const TrainOptions& options) {
  return MessageOf<DataError>([&] { CheckOptions(options); });
}

}  // namespace

TEST_CASE("the text of every option is read back as the same value") {
  const TrainOptions defaults;
  for (const OptionRecord& record : OptionRecords()) {
    const std::string text = OptionText(record, defaults);
    if (record.positive && text == "0") continue;  // "not given"
    TrainOptions options;
    SetOption(record, text, &options);
    CHECK_MESSAGE(OptionText(record, options) == text, record.name);
  }
  CHECK_NOTHROW(CheckOptions(defaults));
}

TEST_CASE("refusals name option, value and range") {
  CHECK(ValueRefusal("lambda", "0") ==
        "--lambda: '0' is not allowed; it must be a number > 0, at least 1e-30");
  CHECK(ValueRefusal("lambda", "1e-310") != "accepted");
  CHECK(ValueRefusal("lambda", "-1").find("> 0") != std::string::npos);
  CHECK(ValueRefusal("rho", "0").find("--rho: '0'") == 0);
  CHECK(ValueRefusal("tau", "1.5") ==
        "--tau: '1.5' is not allowed; it must be a number > 0 and ≤ 1");
  CHECK(ValueRefusal("max-passes", "0") != "accepted");
  CHECK(ValueRefusal("max-passes", "1.5") != "accepted");
  CHECK(ValueRefusal("max-passes", "99999999999") != "accepted");
  CHECK(
      ValueRefusal("learner", "svm")
          .starts_with("--learner: 'svm' is not allowed; it must be one of auto al soft bcfw fw "));
  CHECK(ValueRefusal("lambda", "nan") != "accepted");
  CHECK(ValueRefusal("lambda", "inf") != "accepted");
  CHECK(ValueRefusal("lambda", "0.1x") != "accepted");
  CHECK(ValueRefusal("lambda", "") != "accepted");
  CHECK(ValueRefusal("gap-tolerance", "-1e-3") != "accepted");
  CHECK(ValueRefusal("threads", "-1") != "accepted");
  CHECK(ValueRefusal("oracle", "simplex") != "accepted");
}

TEST_CASE("valid values are accepted") {
  TrainOptions options;
  SetOption(OptionNamed("learner"), "soft", &options);
  SetOption(OptionNamed("rho"), "2.5", &options);
  SetOption(OptionNamed("seed"), "12345678901", &options);
  SetOption(OptionNamed("check-every"), "3", &options);
  CHECK(options.learner == LearnerKind::kSoft);
  CHECK(options.own<PenaltyOptions>().rho == 2.5);
  CHECK(options.seed == 12345678901);
  CHECK(options.check_every == 3);
}

TEST_CASE("contradicting options are refused") {
  const auto refusal = [](const std::string& text) { return CheckRefusal(Given(text)); };
  CHECK(refusal("--rho-final 0.1") == "--rho-final applies to --learner soft only");
  CHECK(refusal("--learner soft --rho-final 0.1") == "accepted");
  CHECK(refusal("--learner soft --rho-final 2").starts_with("--rho-final must not be larger"));
  CHECK(refusal("--learner bcfw --rho 1") == "--rho applies to --learner al or soft only");
  CHECK(refusal("--oracle lp") == "accepted");
  CHECK(refusal("--oracle lp --rho 1")
            .starts_with("--rho applies to --learner al or soft, but --oracle to --learner bcfw or "
                         "fw or "));
  CHECK(refusal("--oracle lp --learner al")
            .starts_with("--oracle applies to --learner bcfw or fw or "));
  CHECK(refusal("--learner bcfw --order gap").starts_with("--order gap needs"));
  CHECK(refusal("--learner bcfw --order gap --step pairwise") == "accepted");
  CHECK(refusal("--learner soft --tau 0.5") == "--tau applies to --learner al only");
  CHECK(CheckRefusal({.lambda = -1}).starts_with("--lambda"));
}

TEST_CASE("an option without effect on the learner is refused") {
  const auto refusal = [](LearnerKind learner, std::string_view name, std::string_view value) {
    TrainOptions options{.learner = learner};
    SetOption(OptionNamed(name), value, &options);
    return MessageOf<DataError>([&] { CheckOptions(options, std::span(&name, 1)); });
  };
  constexpr auto kAuto = LearnerKind::kAuto, kAl = LearnerKind::kAugmentedLagrangian;
  constexpr auto kSoft = LearnerKind::kSoft, kBcfw = LearnerKind::kBcfw;
  // Also with the default value.
  CHECK(refusal(kBcfw, "tau", "1") == "--tau applies to --learner al only");
  CHECK(refusal(kSoft, "tau", "1") == "--tau applies to --learner al only");
  CHECK(refusal(kAl, "tau", "1") == "accepted");
  CHECK(refusal(kAuto, "tau", "1") == "accepted");
  CHECK(refusal(kBcfw, "rho-passes", "100") == "--rho-passes applies to --learner soft only");
  CHECK(refusal(kAuto, "rho-passes", "50") == "--rho-passes applies to --learner soft only");
  CHECK(refusal(kSoft, "rho-passes", "50") == "--rho-passes has no effect without --rho-final");
  CHECK(refusal(kBcfw, "rho-scale", "paper") == "--rho-scale applies to --learner al or soft only");
  CHECK(refusal(kAl, "rho-scale", "paper") == "--rho-scale has no effect without --rho");
  CHECK(refusal(kAuto, "rho-scale", "example") == "--rho-scale has no effect without --rho");
  CHECK(refusal(kSoft, "rho-scale", "paper") == "accepted");
  CHECK(refusal(kAl, "step", "away") == "--step away applies to --learner bcfw only");
  CHECK(refusal(kAl, "step", "fw") == "accepted");
  CHECK(refusal(kSoft, "order", "gap") == "--order gap applies to --learner bcfw only");
  CHECK(refusal(kSoft, "order", "uniform") == "accepted");
  CHECK(refusal(kAl, "average", "suffix")
            .starts_with("--average suffix applies to --learner bcfw or ssg"));
  CHECK(refusal(kAl, "average", "none") == "accepted");
  CHECK(refusal(kAl, "oracle", "roof").starts_with("--oracle applies to --learner bcfw or fw"));
  CHECK(refusal(kAl, "oracle", "auto") == "accepted");
  CHECK(refusal(kAuto, "oracle", "roof") == "accepted");
  CHECK(refusal(kAl, "seed", "1") == "accepted");
  CHECK(refusal(kAl, "smoothing", "1")
            .starts_with("--smoothing applies to --learner soft or smooth-dlpw"));
  CHECK(refusal(kSoft, "smoothing", "1") == "accepted");
  for (const LearnerKind kind : {kAuto, kAl, kSoft})
    CHECK(refusal(kind, "proximal", "on") == "accepted");
  CHECK(refusal(kBcfw, "proximal", "on") ==
        "--proximal on needs --step pairwise or away: plain bcfw has no centre");
  CHECK(refusal(LearnerKind::kFrankWolfe, "proximal", "on") ==
        "--proximal on applies to --learner al or soft or bcfw only");
  CHECK(refusal(LearnerKind::kFrankWolfe, "shrinking", "on") ==
        "--shrinking on applies to --learner al only");
  CHECK(refusal(kSoft, "step-size", "1")
            .starts_with("--step-size applies to --learner dlpw or smooth-dlpw"));
  CHECK(refusal(LearnerKind::kDlpw, "step-size", "1") == "accepted");
  CHECK(refusal(LearnerKind::kDlpw, "step", "auto") == "accepted");
  CHECK(refusal(LearnerKind::kDlpw, "step", "pairwise") ==
        "--step pairwise: learner dlpw takes gradient steps only; --step applies to --learner al "
        "or soft or bcfw");
  CHECK(refusal(LearnerKind::kBundle, "order", "uniform")
            .starts_with("--order uniform: learner bmrm takes all examples at once; --order "
                         "applies to --learner al or soft or bcfw or kernel-bcfw or ssg"));
}

TEST_CASE("learners with fixed steps and orders refuse these options") {
  const auto refusal = [](LearnerKind learner, StepKind step, OrderKind order) {
    const TrainOptions options{.learner = learner, .step = step, .order = order};
    return CheckRefusal(options);
  };
  using L = LearnerKind;
  // Also by learners whose only step is the one requested: there is nothing to choose.
  for (const L learner :
       {L::kFrankWolfe, L::kKernelFrankWolfe, L::kKernelBcfw, L::kSubgradient, L::kCuttingPlane1,
        L::kCuttingPlaneN, L::kBundle, L::kExponentiatedGradient, L::kExcessiveGap,
        L::kExtragradient, L::kDlpw, L::kSmoothDlpw, L::kProxSdca, L::kMultiSample}) {
    CAPTURE(Name(learner));
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      const std::string begin =
          "--step " + std::string(Name(step)) + ": learner " + std::string(Name(learner)) + " ";
      CHECK(refusal(learner, step, OrderKind::kAuto).starts_with(begin));
    }
    CHECK(refusal(learner, StepKind::kAway, OrderKind::kAuto) ==
          "--step away applies to --learner bcfw only");
    CHECK(refusal(learner, StepKind::kAuto, OrderKind::kAuto) == "accepted");
  }
  for (const L learner : {L::kAuto, L::kAugmentedLagrangian, L::kSoft, L::kBcfw}) {
    CAPTURE(Name(learner));
    for (const StepKind step : {StepKind::kAuto, StepKind::kPairwise, StepKind::kFrankWolfe})
      for (const OrderKind order : {OrderKind::kAuto, OrderKind::kExample, OrderKind::kUniform})
        CHECK(refusal(learner, step, order) == "accepted");
  }
  CHECK(refusal(L::kExponentiatedGradient, StepKind::kFrankWolfe, OrderKind::kAuto) ==
        "--step fw: learner eg takes exponentiated gradient steps only");
  CHECK(refusal(L::kProxSdca, StepKind::kPairwise, OrderKind::kAuto) ==
        "--step pairwise: learner prox-sdca has its own steps, which --sdca-step chooses");

  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    for (const L learner : {L::kFrankWolfe, L::kKernelFrankWolfe, L::kCuttingPlane1, L::kBundle,
                            L::kExcessiveGap, L::kExtragradient}) {
      CHECK(refusal(learner, StepKind::kAuto, order) ==
            "--order " + std::string(Name(order)) + ": learner " + std::string(Name(learner)) +
                " takes all examples at once");
    }
    CHECK(refusal(L::kCuttingPlaneN, StepKind::kAuto, order).ends_with("in a fresh random order"));
    for (const L learner : {L::kKernelBcfw, L::kSubgradient, L::kExponentiatedGradient, L::kDlpw,
                            L::kSmoothDlpw, L::kProxSdca, L::kMultiSample})
      CHECK(refusal(learner, StepKind::kAuto, order) == "accepted");
  }
}

TEST_CASE("the l1 term with a kernel is refused") {
  CHECK(CheckRefusal(Given("--learner prox-sdca --l1 0.1")) == "accepted");
  CHECK(CheckRefusal(Given("--learner prox-sdca --kernel rbf")) == "accepted");
  CHECK(CheckRefusal(Given("--learner prox-sdca --l1 0.1 --kernel rbf"))
            .starts_with("--l1 cannot be combined with --kernel"));
}
