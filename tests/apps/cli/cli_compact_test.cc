// SPDX-License-Identifier: BSD-3-Clause
//
// The option --compact: models in single precision.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/training_record.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

const std::string kData = std::string(SLACKLINE_SOURCE_DIR) + "/data/";

struct Task {
  std::string name;
  std::string data;
  Arguments more;
};

const std::vector<Task>& Tasks() {
  static const std::vector<Task> tasks = {
      {"multilabel", kData + "yeast/yeast-train.arff.gz", {"--labels", kData + "yeast/yeast.xml"}},
      {"sequence", kData + "letters/letter-fold0.data.gz", {}},
  };
  return tasks;
}

Outcome Checked(const Arguments& arguments) {
  Outcome outcome = RunProgram(arguments);
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome;
}

Json Info(const std::string& model) { return Json::parse(Checked({"info", model, "--json"}).out); }

}  // namespace

TEST_CASE("compact models are half the size and predict the same") {
  const TemporaryFolder folder;
  for (const Task& task : Tasks()) {
    CAPTURE(task.name);
    const std::string full = folder.Path("full.slk");
    const std::string compact = folder.Path("compact.slk");
    const Arguments train =
        Arguments{task.name, "train", task.data, "--gap-tolerance", "0.01"} + task.more;
    Checked(train + Arguments{"--model", full});
    Checked(train + Arguments{"--model", compact, "--compact", "--verify"});
    CHECK_FALSE(Info(full)["single_precision"].get<bool>());
    CHECK(Info(compact)["single_precision"].get<bool>());
    CHECK(Checked({"info", compact}).out.find(", in single precision\n") != std::string::npos);
    CHECK(static_cast<double>(std::filesystem::file_size(compact)) <
          0.7 * static_cast<double>(std::filesystem::file_size(full)));
    const std::vector<double> a = ModelWeights(full);
    const std::vector<double> b = ModelWeights(compact);
    REQUIRE(a.size() == b.size());
    bool near = true;
    for (std::size_t k = 0; k < a.size(); ++k)
      near = near && std::abs(a[k] - b[k]) <= 6e-8 * std::abs(a[k]);
    CHECK(near);
    const auto predicted = [&](const std::string& model) {
      return Checked({task.name, "predict", task.data, "--model", model}).out;
    };
    CHECK(predicted(full) == predicted(compact));
  }
}

TEST_CASE("the model at the end of cv can be compact") {
  const TemporaryFolder folder;
  const std::string model = folder.Path("m.slk");
  const Task& task = Tasks()[0];
  Checked(Arguments{"multilabel", "cv", task.data, "--lambda-path", "0.1", "--folds", "2",
                    "--model", model, "--compact", "--graph", "none"} +
          task.more);
  CHECK(Info(model)["single_precision"].get<bool>());
}
