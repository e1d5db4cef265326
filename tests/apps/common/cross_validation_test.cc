// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation, on trials with known figures; and the checks of folds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/core/check.h>
#include <slackline/learning/default_lambda.h>

#include "tests/support/thread_ranks.h"

using namespace slackline::internal;

namespace {

using Figure = std::function<double(std::size_t candidate, std::size_t fold, double lambda)>;

/// A trial with drawn figures. Checks that its values of λ fall.
class DrawnTrial : public FoldTrial {
 public:
  DrawnTrial(const Figure& figure, std::size_t candidate, std::size_t fold, Termination termination)
      : figure_(figure), candidate_(candidate), fold_(fold), termination_(termination) {}

  TrialResult Run(double lambda, const std::atomic<int>*) override {
    CHECK((last_ == 0 || lambda < last_));
    last_ = lambda;
    TrialResult result{{0, figure_(candidate_, fold_, lambda)}, {}, termination_};
    result.last.pass = 10;
    result.last.relative_gap = 0.25;
    return result;
  }

 private:
  const Figure& figure_;
  std::size_t candidate_;
  std::size_t fold_;
  Termination termination_;
  double last_ = 0;
};

/// 30 examples, which all have a known label unless `known` says otherwise.
class DrawnCv : public CvApplication {
 public:
  explicit DrawnCv(const Figure& figure) : figure_(figure) {}

  std::string source() const override { return "drawn"; }
  Index num_examples() const override { return 30; }
  bool HasKnownLabel(Index example) const override { return !known || known(example); }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                       const TrainOptions& options) const override {
    const std::size_t number = Number(fold);
    const std::lock_guard lock(mutex_);
    threads.insert(options.threads);
    return std::make_unique<DrawnTrial>(
        figure_, candidate, number,
        number == cut ? Termination::kMaxPasses : Termination::kConverged);
  }

  std::function<bool(Index)> known;
  std::size_t cut = 99;                    // the fold whose trainings do not converge
  mutable std::set<std::int64_t> threads;  // of trainings

 private:
  static std::size_t Number(const Fold& fold) { return std::stoi(fold.name().substr(5)) - 1; }

  const Figure& figure_;
  mutable std::mutex mutex_;
};

CvPlan PlanOf(std::vector<double> lambdas) {
  CvPlan plan;
  plan.lambdas = std::move(lambdas);
  plan.folds = MakeFolds(30, 3, 1);
  plan.candidates.resize(1);
  plan.metric = 1;
  return plan;
}

/// A figure that is best at λ = 10^peak.
Figure Peak(double peak) {
  return [peak](std::size_t, std::size_t, double lambda) {
    return -std::abs(std::log10(lambda) - peak);
  };
}

}  // namespace

TEST_CASE("values around a lambda fall by factors of the root of ten, to three digits") {
  const std::vector<double> lambdas = LambdasAround(0.02);
  CHECK(lambdas == std::vector<double>{0.2, 0.0632, 0.02, 0.00632, 0.002});
  CHECK(LambdasAround(4700)[2] == 4700);
  CHECK(RoundedLambda(0.0046666) == 0.00467);
  CHECK(RoundedLambda(1.2345e-7) == 1.23e-7);
  CHECK(RoundedLambda(98765) == 98800);
  // Numbers that cannot be rounded to three digits stay unchanged.
  CHECK(RoundedLambda(0) == 0);
  CHECK(RoundedLambda(1e-310) == 1e-310);
  CHECK(RoundedLambda(1e308) == 1e308);
  CHECK(RoundedLambda(std::numeric_limits<double>::infinity()) ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isnan(RoundedLambda(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("the best mean is chosen, the first among ties, in both directions") {
  const Figure figure = [](std::size_t, std::size_t fold, double lambda) {
    return lambda == 4 ? 1.0 : 0.5 + 0.1 * static_cast<double>(fold);  // 0.6 in the mean
  };
  const DrawnCv drawn(figure);
  CvPlan plan = PlanOf({8, 4, 2});
  CvResult result = CrossValidate(drawn, plan, nullptr);
  CHECK(result.entries[result.best].lambda == 4);
  CHECK(result.edge == PathEdge::kInside);
  plan.smaller_is_better = true;
  result = CrossValidate(drawn, plan, nullptr);
  CHECK(result.entries[result.best].lambda == 8);
  CHECK(result.edge == PathEdge::kLargest);
  CHECK(result.entries.size() == 3);
}

TEST_CASE("values are added only while the best one is at an end") {
  for (const double peak : {2.6, -3.1}) {
    const Figure figure = Peak(peak);
    const DrawnCv drawn(figure);
    CvPlan plan = PlanOf(LambdasAround(1));
    plan.extend = true;
    const CvResult result = CrossValidate(drawn, plan, nullptr);
    CHECK(result.edge == PathEdge::kInside);
    CHECK(std::abs(std::log10(result.entries[result.best].lambda) - peak) < 0.26);
    // Five values within a factor of ten of the start, then one value at a time up to the first
    // that is worse.
    CHECK(result.entries.size() == (peak > 0 ? 9 : 10));
    for (std::size_t k = 1; k < result.entries.size(); ++k)
      CHECK(result.entries[k].lambda < result.entries[k - 1].lambda);
  }
}

TEST_CASE("the search ends even where the best is always at the end") {
  const Figure figure = Peak(100);
  const DrawnCv drawn(figure);
  CvPlan plan = PlanOf(LambdasAround(1));
  plan.extend = true;
  const CvResult result = CrossValidate(drawn, plan, nullptr);
  CHECK(result.edge == PathEdge::kLargest);
  CHECK(result.entries.size() == 11);
  CHECK(result.entries.front().lambda > 9000);
}

TEST_CASE("equal figures are no reason to add larger values") {
  const Figure figure = [](std::size_t, std::size_t, double) { return 0.7; };
  const DrawnCv drawn(figure);
  CvPlan plan = PlanOf(LambdasAround(1));
  plan.extend = true;
  const CvResult result = CrossValidate(drawn, plan, nullptr);
  CHECK(result.best == 0);
  CHECK(result.entries.size() == 5);
}

TEST_CASE("the better candidate is chosen and extended, for any number of threads") {
  const Figure figure = [](std::size_t candidate, std::size_t fold, double lambda) {
    const double peak = candidate == 1 ? -1.9 : 0.0;
    return static_cast<double>(candidate == 1) + 0.01 * static_cast<double>(fold) -
           std::abs(std::log10(lambda) - peak);
  };
  std::vector<std::vector<double>> seen;
  for (const int threads : {1, 4}) {
    const DrawnCv drawn(figure);
    CvPlan plan = PlanOf(LambdasAround(1));
    plan.candidates.resize(2);
    plan.extend = true;
    plan.threads = threads;
    Index calls = 0;
    CvProgress last;
    plan.observer = [&](const CvProgress& progress) {
      ++calls;
      CHECK(progress.done == calls);
      CHECK(progress.done <= progress.total);
      CHECK(progress.seconds_left >= 0);
      last = progress;
    };
    const CvResult result = CrossValidate(drawn, plan, nullptr);
    CHECK(result.entries[result.best].candidate == 1);
    CHECK(last.done == last.total);
    CHECK(last.total == 3 * static_cast<Index>(result.entries.size()));
    std::vector<double> flat;
    for (const CvEntry& entry : result.entries) {
      flat.push_back(static_cast<double>(entry.candidate));
      flat.push_back(entry.lambda);
      const auto figures = entry.figures(1);
      flat.insert(flat.end(), figures.begin(), figures.end());
    }
    seen.push_back(flat);
  }
  CHECK(seen[0] == seen[1]);
}

TEST_CASE("totals and the widest gap count trainings that did not converge") {
  const Figure figure = Peak(0);
  DrawnCv drawn(figure);
  const CvPlan plan = PlanOf({1});
  const CvResult good = CrossValidate(drawn, plan, nullptr);
  CHECK(good.edge == PathEdge::kOnly);
  CHECK(good.entries[0].totals().passes == 30);
  CHECK(good.entries[0].totals().converged == 3);
  CHECK(good.entries[0].widest_gap() == 0);
  drawn.cut = 1;
  const CvResult cut = CrossValidate(drawn, plan, nullptr);
  CHECK(cut.entries[0].totals().converged == 2);
  CHECK(cut.entries[0].widest_gap() == 0.25);
}

TEST_CASE("an interrupt leaves no result, and exceptions of trials reach the caller") {
  const Figure figure = Peak(0);
  const DrawnCv drawn(figure);
  CvPlan plan = PlanOf(LambdasAround(1));
  const std::atomic<int> interrupt{2};
  CHECK(CrossValidate(drawn, plan, &interrupt).interrupted);
  const Figure broken = [](std::size_t, std::size_t fold, double) -> double {
    if (fold == 1) throw std::runtime_error("fold 2 is empty");
    throw std::logic_error("another");
  };
  plan.folds = MakeFolds(30, 2, 1);
  CHECK_THROWS_AS(CrossValidate(DrawnCv(broken), plan, nullptr), std::logic_error);
  plan.lambdas = {1, 2};
  CHECK_THROWS_AS(CrossValidate(drawn, plan, nullptr), std::invalid_argument);
}

TEST_CASE("ranks share the trainings, and have the results of one process") {
  const Figure figure = [](std::size_t candidate, std::size_t fold, double lambda) {
    return (candidate == 1 ? 1.0 : 0.5) + 0.01 * static_cast<double>(fold) -
           std::abs(std::log10(lambda) + 1.9);
  };
  const auto flat = [](const CvResult& result) {
    std::vector<double> numbers = {static_cast<double>(result.best),
                                   static_cast<double>(result.progress.done),
                                   static_cast<double>(result.progress.total)};
    for (const CvEntry& entry : result.entries) {
      numbers.insert(numbers.end(), {static_cast<double>(entry.candidate), entry.lambda,
                                     static_cast<double>(entry.totals().passes)});
      for (const double number : entry.figures(1)) numbers.push_back(number);
    }
    return numbers;
  };
  CvPlan plan = PlanOf(LambdasAround(1));
  plan.candidates.resize(2);
  plan.extend = true;
  const std::vector<double> alone = flat(CrossValidate(DrawnCv(figure), plan, nullptr));
  for (const int size : {1, 2, 4, 9}) {  // six trainings for each λ, then three
    std::atomic<std::size_t> trainings{0};
    test::OnThreadRanks(size, [&](test::ThreadRanks& ranks) {
      CvPlan own = plan;
      own.ranks = &ranks;
      own.observer = [&](const CvProgress&) { ++trainings; };
      CHECK(flat(CrossValidate(DrawnCv(figure), own, nullptr)) == alone);
      own.observer = nullptr;
      // An interrupt of one rank ends all; an error of one rank is thrown by all.
      const std::atomic<int> interrupt{ranks.rank() == 0 ? 2 : 0};
      CHECK(CrossValidate(DrawnCv(figure), own, &interrupt).interrupted);
      const Figure broken = [](std::size_t, std::size_t fold, double) -> double {
        if (fold == 1) throw DataError("fold 2 is bad");
        return 0;
      };
      CHECK_THROWS_WITH_AS(CrossValidate(DrawnCv(broken), own, nullptr), "fold 2 is bad",
                           DataError);
    });
    CHECK(static_cast<double>(trainings) == alone[1]);  // by one rank each
  }
}

TEST_CASE("threads are divided among trials, at least one for each") {
  const Figure figure = Peak(0);
  for (const auto& [threads, each] : {std::pair{13, 4}, std::pair{3, 1}, std::pair{2, 1}}) {
    const DrawnCv drawn(figure);
    CvPlan plan = PlanOf({1});
    plan.threads = threads;
    CrossValidate(drawn, plan, nullptr);
    CHECK(drawn.threads == std::set<std::int64_t>{each});
  }
}

TEST_CASE("a fold without known labels, or with all of them, is refused") {
  const Figure figure = Peak(0);
  DrawnCv drawn(figure);
  const CvPlan plan = PlanOf({1});
  const auto refusal = [&] {
    try {
      CrossValidate(drawn, plan, nullptr);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto in = [&](std::size_t f, Index example) {
    return std::ranges::binary_search(plan.folds[f], example);
  };
  CHECK(refusal().empty());
  drawn.known = [&](Index example) { return !in(1, example); };
  CHECK(refusal() == "drawn: fold 2 of 3 has no known label to compare predictions with");
  // One known label outside the fold is enough for training, one inside it for testing.
  drawn.known = [&](Index example) {
    return example == plan.folds[0][3] || example == plan.folds[1][2] ||
           example == plan.folds[2][9];
  };
  CHECK(refusal().empty());
  drawn.known = [&](Index example) { return in(0, example); };
  CHECK(refusal() ==
        "drawn: fold 1 of 3 has all labels that are known: nothing is left to train on");
}

TEST_CASE("the message says whether a fold lacks labels to train or to test on") {
  const Figure figure = Peak(0);
  DrawnCv drawn(figure);
  drawn.known = [](Index example) { return example == 0; };
  CHECK_THROWS_WITH_AS(
      CheckFolds(drawn, {{0, 1}, {2}}),
      "drawn: fold 1 of 2 has all labels that are known: nothing is left to train on", DataError);
  CHECK_THROWS_WITH_AS(CheckFolds(drawn, {{2}, {0, 1}}),
                       "drawn: fold 1 of 2 has no known label to compare predictions with",
                       DataError);
}
