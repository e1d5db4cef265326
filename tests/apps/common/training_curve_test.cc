// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/training_curve.h>

#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include <slackline/apps/common/training_record.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<CurvePoint> CurveOf(Index checks) {
  TrainingCurve curve;
  for (Index pass = 1; pass <= checks; ++pass) {
    ProgressRecord record;
    record.pass = pass;
    record.seconds = pass;
    record.check_seconds = 0.5;
    record.primal = 1.0 / pass;
    curve.Add(record);
  }
  return curve.points();
}

/// Saves a record, with an additional entry "curve" or "cv_best" that `change` writes, and loads
/// it.
TrainingRecord Reloaded(const TrainingRecord& record,
                        const std::function<void(ModelWriter*)>& change = nullptr) {
  const TemporaryFolder folder;
  ModelWriter writer;
  writer.Add("task", std::string("test"));
  if (change) change(&writer);
  SaveRecord(record, &writer);
  writer.Save(folder.Path("m.slk"));
  return LoadRecord(ModelEntries(ModelReader(folder.Path("m.slk")), "test"));
}

}  // namespace

TEST_CASE("short curves are kept as they are") {
  CHECK(CurveOf(0).empty());
  const std::vector<CurvePoint> points = CurveOf(200);
  REQUIRE(points.size() == 200);
  CHECK(points[9].pass == 10);
  CHECK(points[9].seconds == 10.5);
  CHECK(points[9].primal == 0.1);
  CHECK(std::isnan(points[9].dual));
}

TEST_CASE("long curves are thinned evenly, with both ends") {
  for (const Index checks : {201, 202, 399, 400, 401, 402, 1000, 123457}) {
    const std::vector<CurvePoint> points = CurveOf(checks);
    CHECK(points.size() <= 201);
    CHECK(points.size() >= 100);
    CHECK(points.front().pass == 1);
    CHECK(points.back().pass == checks);
    const Index stride = points[1].pass - points[0].pass;
    for (std::size_t k = 1; k + 1 < points.size(); ++k)
      CHECK(points[k].pass - points[k - 1].pass == stride);
    CHECK(points.back().pass - points[points.size() - 2].pass <= stride);
  }
}

TEST_CASE("records keep their curve and the chosen trial, and load without them") {
  TrainingRecord record;
  record.loss = "mean";
  CHECK(Reloaded(record).curve.empty());
  CHECK(Reloaded(record).cross_validation.best == kAbsent);
  record.curve = CurveOf(7);
  record.cross_validation = {"micro_f1", 3, {{"full", 0.1, 0.5, 0.1}, {"tree", 0.2, 0.6, 0.2}}, 1};
  const TrainingRecord loaded = Reloaded(record);
  REQUIRE(loaded.curve.size() == 7);
  CHECK(loaded.curve[6].pass == 7);
  CHECK(loaded.curve[6].seconds == 7.5);
  CHECK(loaded.curve[6].primal == record.curve[6].primal);
  CHECK(std::isnan(loaded.curve[6].dual));
  CHECK(loaded.cross_validation.best == 1);
  record.cross_validation.best = kAbsent;
  CHECK(Reloaded(record).cross_validation.best == kAbsent);
}

TEST_CASE("impossible curves and choices are refused") {
  const TrainingRecord record;
  const auto with = [&](const std::vector<double>& curve) {
    return [curve](ModelWriter* writer) { writer->Add("curve", curve); };
  };
  CHECK(Reloaded(record, with({1, 2, 3, 4})).curve.size() == 1);
  CHECK_THROWS_AS(Reloaded(record, with({1, 2, 3})), DataError);
  CHECK_THROWS_AS(Reloaded(record, with({-1, 2, 3, 4})), DataError);
  CHECK_THROWS_AS(Reloaded(record, with({0.5, 2, 3, 4})), DataError);
  CHECK_THROWS_AS(Reloaded(record, with({1e30, 2, 3, 4})), DataError);
  CHECK_THROWS_AS(Reloaded(record, with({1, std::numeric_limits<double>::infinity(), 3, 4})),
                  DataError);
  CHECK_THROWS_AS(Reloaded(record, with({2, 1, 1, 1, 1, 2, 1, 1})), DataError);
  TrainingRecord chosen;
  chosen.cross_validation = {"f1", 2, {{"", 0.1, 0.5, 0.1}}, kAbsent};
  const auto best = [](std::int64_t k) {
    return [k](ModelWriter* writer) { writer->Add("cv_best", std::vector<std::int64_t>{k}); };
  };
  CHECK(Reloaded(chosen, best(0)).cross_validation.best == 0);
  CHECK_THROWS_AS(Reloaded(chosen, best(1)), DataError);
  CHECK_THROWS_AS(Reloaded(chosen, best(-1)), DataError);
}
