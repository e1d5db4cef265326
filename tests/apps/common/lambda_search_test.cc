// SPDX-License-Identifier: BSD-3-Clause
//
// The search of cross-validation, on trials whose figures are known.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>

#include <slackline/apps/common/lambda_search.h>
#include <slackline/learning/default_lambda.h>

using namespace slackline::internal;

namespace {

using Figure = std::function<double(std::size_t candidate, std::size_t fold, double lambda)>;

/// Remembers the values of λ that it was asked for.
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

LambdaSearchTask TaskOf(const Figure& figure, std::vector<double> lambdas) {
  LambdaSearchTask task;
  task.lambdas = std::move(lambdas);
  task.num_folds = 3;
  task.metric = 1;
  task.make = [&figure](std::size_t candidate, std::size_t fold) {
    return std::make_unique<DrawnTrial>(figure, candidate, fold, Termination::kConverged);
  };
  return task;
}

/// Best at λ = 10^peak.
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
  // What has no three digits to keep stays as it is.
  CHECK(RoundedLambda(0) == 0);
  CHECK(RoundedLambda(1e-310) == 1e-310);
  CHECK(RoundedLambda(1e308) == 1e308);
  CHECK(RoundedLambda(std::numeric_limits<double>::infinity()) ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isnan(RoundedLambda(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("the best mean is chosen, the first of equal ones, in both directions") {
  const Figure figure = [](std::size_t, std::size_t fold, double lambda) {
    return lambda == 4 ? 1.0 : 0.5 + 0.1 * static_cast<double>(fold);  // 0.6 in the mean
  };
  LambdaSearchTask task = TaskOf(figure, {8, 4, 2});
  LambdaSearchResult result = SearchLambda(task, nullptr);
  CHECK(result.entries[result.best].lambda == 4);
  CHECK(result.edge == SearchEdge::kInside);
  task.smaller_is_better = true;
  result = SearchLambda(task, nullptr);
  CHECK(result.entries[result.best].lambda == 8);
  CHECK(result.edge == SearchEdge::kLargest);
  CHECK(result.entries.size() == 3);
}

TEST_CASE("values are added while the best one lies at an end, and no further") {
  for (const double peak : {2.6, -3.1}) {
    const Figure figure = Peak(peak);
    LambdaSearchTask task = TaskOf(figure, LambdasAround(1));
    task.extend = true;
    const LambdaSearchResult result = SearchLambda(task, nullptr);
    CHECK(result.edge == SearchEdge::kInside);
    CHECK(std::abs(std::log10(result.entries[result.best].lambda) - peak) < 0.26);
    // Five values within ±1, then one after the other to the first that is worse.
    CHECK(result.entries.size() == (peak > 0 ? 9 : 10));
    for (std::size_t k = 1; k < result.entries.size(); ++k)
      CHECK(result.entries[k].lambda < result.entries[k - 1].lambda);
  }
}

TEST_CASE("the search ends where the best always lies at the end") {
  const Figure figure = Peak(100);
  LambdaSearchTask task = TaskOf(figure, LambdasAround(1));
  task.extend = true;
  const LambdaSearchResult result = SearchLambda(task, nullptr);
  CHECK(result.edge == SearchEdge::kLargest);
  CHECK(result.entries.size() == 11);
  CHECK(result.entries.front().lambda > 9000);
}

TEST_CASE("equal figures are no reason to add larger values") {
  const Figure figure = [](std::size_t, std::size_t, double) { return 0.7; };
  LambdaSearchTask task = TaskOf(figure, LambdasAround(1));
  task.extend = true;
  const LambdaSearchResult result = SearchLambda(task, nullptr);
  CHECK(result.best == 0);
  CHECK(result.entries.size() == 5);
}

TEST_CASE("candidates: the better one, extended on its own, whatever the number of threads") {
  const Figure figure = [](std::size_t candidate, std::size_t fold, double lambda) {
    const double peak = candidate == 1 ? -1.9 : 0.0;
    return static_cast<double>(candidate == 1) + 0.01 * static_cast<double>(fold) -
           std::abs(std::log10(lambda) - peak);
  };
  std::vector<std::vector<double>> seen;
  for (const int threads : {1, 4}) {
    LambdaSearchTask task = TaskOf(figure, LambdasAround(1));
    task.num_candidates = 2;
    task.extend = true;
    task.threads = threads;
    Index calls = 0;
    SearchProgress last;
    task.observer = [&](const SearchProgress& progress) {
      ++calls;
      CHECK(progress.done == calls);
      CHECK(progress.done <= progress.total);
      CHECK(progress.seconds_left >= 0);
      last = progress;
    };
    const LambdaSearchResult result = SearchLambda(task, nullptr);
    CHECK(result.entries[result.best].candidate == 1);
    CHECK(last.done == last.total);
    CHECK(last.total == 3 * static_cast<Index>(result.entries.size()));
    std::vector<double> flat;
    for (const SearchEntry& entry : result.entries) {
      flat.push_back(static_cast<double>(entry.candidate));
      flat.push_back(entry.lambda);
      const auto figures = entry.figures(1);
      flat.insert(flat.end(), figures.begin(), figures.end());
    }
    seen.push_back(flat);
  }
  CHECK(seen[0] == seen[1]);
}

TEST_CASE("totals, and the widest gap of trainings that did not converge") {
  const Figure figure = Peak(0);
  LambdaSearchTask task = TaskOf(figure, {1});
  const LambdaSearchResult good = SearchLambda(task, nullptr);
  CHECK(good.edge == SearchEdge::kOnly);
  CHECK(good.entries[0].totals().passes == 30);
  CHECK(good.entries[0].totals().converged == 3);
  CHECK(good.entries[0].widest_gap() == 0);
  task.make = [&figure](std::size_t candidate, std::size_t fold) {
    return std::make_unique<DrawnTrial>(
        figure, candidate, fold, fold == 1 ? Termination::kMaxPasses : Termination::kConverged);
  };
  const LambdaSearchResult cut = SearchLambda(task, nullptr);
  CHECK(cut.entries[0].totals().converged == 2);
  CHECK(cut.entries[0].widest_gap() == 0.25);
}

TEST_CASE("an interrupt leaves no choice, and what a trial throws arrives") {
  const Figure figure = Peak(0);
  LambdaSearchTask task = TaskOf(figure, LambdasAround(1));
  const std::atomic<int> interrupt{2};
  CHECK(SearchLambda(task, &interrupt).interrupted);
  task.make = [](std::size_t, std::size_t fold) -> std::unique_ptr<FoldTrial> {
    if (fold == 1) throw std::runtime_error("fold 2 is empty");
    throw std::logic_error("another");
  };
  task.num_folds = 2;
  CHECK_THROWS_AS(SearchLambda(task, nullptr), std::logic_error);
  task.lambdas = {1, 2};
  CHECK_THROWS_AS(SearchLambda(task, nullptr), std::invalid_argument);
}
