// SPDX-License-Identifier: BSD-3-Clause
//
// The commands slackline multiclass train, evaluate, predict and cv.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr const char* kNames[] = {"low", "mid", "top"};

/// Two features around a centre of each class: x is 0, 1 or 2, y is noise.
std::string ClassText(int examples, std::uint64_t seed, bool table) {
  Random random(seed);
  std::ostringstream text;
  if (table) text << "x,y,kind\n";
  for (int m = 0; m < examples; ++m) {
    const std::uint64_t k = random.Below(3);
    const double x = static_cast<double>(k) + 0.35 * random.Normal();
    const double y = random.Normal();
    if (table) {
      text << x << "," << y << "," << kNames[k] << "\n";
    } else {
      text << kNames[k] << " 1:" << x << " 2:" << y << "\n";
    }
  }
  return text.str();
}

struct ClassFiles {
  TemporaryFolder folder;
  std::string train = folder.WriteGzip("train.svm.gz", ClassText(120, 1, false));
  std::string test = folder.Write("test.svm", ClassText(60, 2, false));
  std::string model = folder.Path("m.slk");
  std::string costs =
      folder.Write("costs.csv", "true\\predicted,top,low,mid\nlow,9,0,9\nmid,1,1,0\ntop,0,1,1\n");

  Arguments Train(const Arguments& more = {}) const {
    return Arguments{"multiclass", "train", train, "--lambda", "0.01", "--model", model} + more;
  }
  Json Evaluate(const Arguments& more = {}) const {
    const Outcome outcome =
        Succeed(Arguments{"multiclass", "evaluate", test, "--model", model, "--json"} + more);
    return Json::parse(outcome.out);
  }
  double Objective(const Arguments& more) const {
    const Outcome outcome = Succeed(Train(more + Arguments{"--gap-tolerance", "1e-4", "--verify"}));
    CHECK(Contains(outcome.err, "the certificate holds"));
    return JsonOf({"info", model, "--json"})["primal"].get<double>();
  }
};

}  // namespace

TEST_CASE("train, evaluate and predict work on each other's files") {
  const ClassFiles files;
  const Outcome trained = Succeed(files.Train({"--verify"}));
  CHECK(Contains(trained.err, "data: 120 examples, 2 features and a constant, 3 classes\n"));
  CHECK(Contains(trained.err, "loss 0/1"));
  CHECK(Contains(trained.err, "the certificate holds"));

  const Json metrics = files.Evaluate();
  CHECK(metrics["examples"] == 60);
  CHECK(metrics["error_rate"] < 0.25);
  CHECK(metrics["mean_cost"].is_null());
  CHECK(metrics["unknown_classes"] == 0);
  CHECK(metrics["classes"][2]["name"] == "top");
  int off = 0, all = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      all += metrics["confusion"][a][b].get<int>();
      if (a != b) off += metrics["confusion"][a][b].get<int>();
    }
  }
  CHECK(all == 60);
  CHECK(metrics["error_rate"].get<double>() == doctest::Approx(off / 60.0));

  const std::string confusion = files.folder.Path("confusion.csv");
  const Outcome table = Succeed(
      {"multiclass", "evaluate", files.test, "--model", files.model, "--confusion", confusion});
  CHECK(Contains(table.out, "60 examples, 3 classes\n\nerror rate"));
  CHECK(Contains(table.out, "confusions: rows are true classes"));
  CHECK(Lines(ReadBytes(confusion)).size() == 4);
  CHECK(Lines(ReadBytes(confusion))[0] == "true\\predicted,low,mid,top");

  const auto predicted =
      Lines(OutputOf({"multiclass", "predict", files.test, "--model", files.model}));
  REQUIRE(predicted.size() == 60);
  const auto truth = Lines(ReadBytes(files.test));
  int wrong = 0;
  for (std::size_t m = 0; m < 60; ++m) wrong += truth[m].starts_with(predicted[m] + " ") ? 0 : 1;
  CHECK(wrong == off);

  const auto scores = Lines(OutputOf(
      {"multiclass", "predict", files.test, "--model", files.model, "--output", "scores"}));
  REQUIRE(scores.size() == 61);
  CHECK(scores[0] == "low,mid,top");
  // From the standard input, one example after the other, without classes.
  const Outcome stream = RunProgram(
      {"multiclass", "predict", "-", "--model", files.model, "--output", "scores"}, files.test);
  CHECK(Lines(stream.out) == scores);
  CHECK(OutputOf({"multiclass", "predict", files.test, "--model", files.model, "--threads", "2"}) ==
        OutputOf({"multiclass", "predict", files.test, "--model", files.model, "--stream"}));

  CHECK(Contains(OutputOf({"info", files.model}), "3: low, mid, top"));
  CHECK(Contains(OutputOf({"info", files.model, "--weights"}), "top"));
  Succeed({"report", files.model, "-o", files.folder.Path("m.html")});
}

TEST_CASE("tables give the model of the same LIBSVM data") {
  const ClassFiles files;
  Succeed(files.Train());
  const MulticlassModel first = MulticlassModel::Load(files.model);
  const std::string table = files.folder.Write("train.csv", ClassText(120, 1, true));
  Succeed({"multiclass", "train", table, "--label-column", "kind", "--lambda", "0.01", "--model",
           files.model});
  const MulticlassModel second = MulticlassModel::Load(files.model);
  REQUIRE(first.weights().size() == second.weights().size());
  for (std::size_t k = 0; k < first.weights().size(); ++k)
    CHECK(first.weights()[k] == doctest::Approx(second.weights()[k]).epsilon(0.02));
  CHECK(second.feature_names() == Arguments{"x", "y"});
  CHECK(second.class_column() == "kind");

  // Columns are found by name; classes need not be there, or may be in a column of another name.
  const std::string other = files.folder.Write("other.tsv", "sort\ty\tx\nlow\t0\t-1\ntop\t0\t3\n");
  CHECK(OutputOf({"multiclass", "predict", other, "--model", files.model}) == "low\ntop\n");
  const auto evaluated =
      RunProgram({"multiclass", "evaluate", other, "--model", files.model, "--quiet"});
  CHECK(evaluated.code == 2);
  CHECK(Contains(evaluated.err, "no class is known"));
  const Outcome named = Succeed({"multiclass", "evaluate", other, "--model", files.model,
                                 "--label-column", "sort", "--json"});
  CHECK(Json::parse(named.out)["error_rate"] == 0);
}

TEST_CASE("costs shape predictions and the mean cost") {
  const ClassFiles files;
  Succeed(files.Train());
  const Json plain = files.Evaluate({"--costs", files.costs});
  const Outcome trained = Succeed(files.Train({"--costs", files.costs, "--verify"}));
  CHECK(Contains(trained.err, "costs of " + files.costs));
  const Json costly = files.Evaluate();  // by the costs in training
  CHECK(costly["mean_cost"] == files.Evaluate({"--costs", files.costs})["mean_cost"]);
  // Missing class low costs 9: it is predicted more often, and the mean cost falls.
  CHECK(costly["classes"][0]["predicted"] > plain["classes"][0]["predicted"]);
  CHECK(costly["mean_cost"] < plain["mean_cost"]);
  CHECK(Contains(OutputOf({"multiclass", "evaluate", files.test, "--model", files.model}),
                 "by the costs of the training"));
  CHECK(MulticlassModel::Load(files.model).costs()[1] == 9);
}

TEST_CASE("all learners reach one optimum, with costs") {
  const ClassFiles files;
  const Arguments costs = {"--costs", files.costs};
  const double automatic = files.Objective(costs);
  for (const Arguments& learner :
       {Arguments{"--learner", "bcfw", "--step", "fw"}, Arguments{"--learner", "cutting-plane-1"},
        Arguments{"--learner", "multi-sample", "--samples", "3", "--gap-tolerance", "1e-2",
                  "--average", "weighted", "--max-passes", "3000"},
        Arguments{"--learner", "multi-sample", "--revisit"}}) {
    CAPTURE(learner[1]);
    const bool online = learner.size() > 4;
    Succeed(files.Train(costs + learner +
                        (online ? Arguments{} : Arguments{"--gap-tolerance", "1e-4"}) +
                        Arguments{"--verify"}));
    const double reached = JsonOf({"info", files.model, "--json"})["primal"].get<double>();
    CHECK(reached == doctest::Approx(automatic).epsilon(online ? 1e-2 : 1e-3));
  }
}

TEST_CASE("runs resume, and shards, threads and kernels train") {
  const ClassFiles files;
  const std::string checkpoint = files.folder.Path("run.chk");
  const Arguments precise = {"--gap-tolerance", "1e-5"};
  Succeed(files.Train(precise));
  const auto weights = MulticlassModel::Load(files.model).weights();
  Succeed(files.Train(precise + Arguments{"--max-passes", "2", "--checkpoint", checkpoint}));
  Succeed(files.Train(precise + Arguments{"--resume", checkpoint}));
  CHECK(MulticlassModel::Load(files.model).weights() == weights);
  Succeed(files.Train(precise + Arguments{"--threads", "2"}));
  CHECK(MulticlassModel::Load(files.model).weights() == weights);
  Succeed(files.Train({"--shards", "3", "--costs", files.costs}));
  const Outcome other =
      RunProgram(files.Train(precise + Arguments{"--costs", files.costs, "--resume", checkpoint}));
  CHECK(other.code == 2);

  Succeed(files.Train({"--kernel", "rbf", "--kernel-gamma", "1"}));
  CHECK(files.Evaluate()["error_rate"] < 0.3);
  Succeed({"multiclass", "train", files.train, "--lambda-path", "0.1,0.01", "--model", files.model,
           "--bias", "0", "--scale", "standard"});
  CHECK_FALSE(MulticlassModel::Load(files.folder.Path("m-0.01.slk")).has_constant());
}

TEST_CASE("examples of unknown classes are left out of training, and count as errors in tests") {
  const ClassFiles files;
  const std::string some =
      files.folder.Write("some.svm", ClassText(30, 1, false) + "? 1:1\n1:2 2:1\n");
  const Outcome trained = Succeed({"multiclass", "train", some, "--model", files.model});
  CHECK(Contains(trained.err, "data: 30 examples"));
  CHECK(Contains(trained.err, "2 examples without a known class left out"));
  const std::string strange = files.folder.Write("strange.svm", "low 1:-1\nnew 1:1\n? 1:1\n");
  const Outcome evaluated = Succeed({"multiclass", "evaluate", strange, "--model", files.model});
  CHECK(Contains(evaluated.err,
                 "note: 1 example has a class unknown to the model (first 'new' on "
                 "line 2)"));
  CHECK(Contains(evaluated.out, "2 examples, 4 classes, 1 of them unknown to the model"));
  CHECK(Contains(evaluated.out, "error rate    0.5000"));
  CheckRefused({"multiclass", "evaluate", strange, "--model", files.model, "--strict"},
               "strange.svm:2: the class 'new' is unknown to the model");
}

TEST_CASE("cross-validation chooses lambda, and trains on all examples") {
  const ClassFiles files;
  const Arguments cv = {"multiclass", "cv", files.train, "--lambda-path", "1,0.01", "--folds", "3"};
  const Outcome table = Succeed(cv + Arguments{"--model", files.model});
  CHECK(Contains(Lines(table.out)[0], "mean cost"));
  CHECK(Contains(Lines(table.out)[0], "macro F1"));
  const Outcome again = Succeed(cv + Arguments{"--no-refit", "--json", "--metric", "macro-f1"});
  const Json result = Json::parse(again.out);
  CHECK(result["examples"] == 120);
  // Without costs, the mean cost is the error rate.
  for (const Json& entry : result["path"]) CHECK(entry["mean_cost"] == entry["error_rate"]);
  const double lambda = result["best"]["lambda"];
  CHECK(MulticlassModel::Load(files.model).record.cross_validation.metric == "mean_cost");
  CHECK(MulticlassModel::Load(files.model).record.lambda == doctest::Approx(lambda));
  const std::string doubled =
      files.folder.Write("doubled.csv", "-,low,mid,top\nlow,0,2,2\nmid,2,0,2\ntop,2,2,0\n");
  const Json costly =
      JsonOf(cv + Arguments{"--no-refit", "--json", "--costs", doubled, "--kernel", "rbf"});
  const Json& entry = costly["path"][0];
  CHECK(entry["mean_cost"]["mean"].get<double>() ==
        doctest::Approx(2 * entry["error_rate"]["mean"].get<double>()));
}

TEST_CASE("a fold's figures are those of a model of the other examples") {
  const ClassFiles files;
  std::string held_out, others;
  const auto lines = Lines(ClassText(40, 3, false));
  const Folds folds = MakeFolds(40, 2, 0);
  std::vector<bool> held(40, false);
  for (const Index m : folds[0]) held[Size(m)] = true;
  for (std::size_t m = 0; m < 40; ++m) (held[m] ? held_out : others) += lines[m] + "\n";
  const std::string all = files.folder.Write("all.svm", ClassText(40, 3, false));
  const Json result =
      JsonOf({"multiclass", "cv", all, "--lambda-path", "0.01", "--folds", "2", "--scale", "none",
              "--seed", "0", "--no-refit", "--json", "--gap-tolerance", "1e-5"});
  Succeed({"multiclass", "train", files.folder.Write("others.svm", others), "--lambda", "0.01",
           "--scale", "none", "--gap-tolerance", "1e-5", "--model", files.model});
  const Json metrics = JsonOf({"multiclass", "evaluate", files.folder.Write("held.svm", held_out),
                               "--model", files.model, "--json"});
  CHECK(result["path"][0]["error_rate"]["folds"][0] == metrics["error_rate"]);
  CHECK(result["path"][0]["macro_f1"]["folds"][0] == metrics["macro_f1"]);
}

TEST_CASE("bad input is refused, and nothing is overwritten") {
  const ClassFiles files;
  const auto refused = [&](const Arguments& arguments, const std::string& what) {
    CheckRefused(arguments, what);
  };
  const std::string bad = files.folder.Write("bad.csv", "x,low,mid,top\nlow,0,-1,1\n");
  refused(files.Train({"--costs", bad}),
          "bad.csv:2: the cost of true class 'low', predicted class 'mid', is '-1'");
  refused(files.Train({"--label-column", "3"}), "--label-column: '3' is out of range");
  refused(files.Train({"--bias", "2"}), "--bias");
  refused(files.Train({"--format", "arff"}), "--format");
  refused({"multiclass", "train", files.train, "--model", files.train}, "train.svm.gz");
  refused({"multiclass", "train", files.train, "--costs", files.costs, "--model", files.costs},
          "costs.csv");
  refused({"multiclass", "cv", files.train, "--metric", "f1", "--no-refit"}, "--metric");
  Succeed(files.Train());
  refused({"multiclass", "evaluate", files.test, "--model", files.model, "--confusion", files.test},
          "--confusion");
  refused({"multiclass", "evaluate", files.test, "--model", files.model, "--label-column", "x"},
          "was not trained on a table");
  refused({"multiclass", "predict", files.test, "--model", files.model, "--output", "labels"},
          "--output");
  refused({"multilabel", "predict", files.test, "--model", files.model}, "multiclass");
  CHECK(Lines(ReadBytes(files.test)).size() == 60);
}
