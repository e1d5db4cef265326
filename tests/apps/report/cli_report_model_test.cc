// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline report on models and on logs of training.
#include <filesystem>

#include <doctest/doctest.h>

#include <slackline/apps/multiclass/multiclass_model.h>
#include <tests/apps/program.h>
#include <tests/apps/report_page.h>
#include <tests/apps/trained.h>

using namespace slackline::internal::test;

namespace {

constexpr const char* kStart =
    R"({"event":"start","program":"p","data":"d","examples":3,"lambda":0.5,)"
    R"("choice":"","options":{"seed":"7"}})"
    "\n";

std::string CheckLine(int pass) {
  return R"({"event":"check","pass":)" + std::to_string(pass) +
         R"(,"seconds":1,"check_seconds":0,"cpu_seconds":1,"problem":"exact",)"
         R"("primal":2,"dual":1,"gap":1,"relative_gap":0.5,"soft_primal":null,)"
         R"("soft_dual":null,"oracle_calls":9,"block_steps":9})"
         "\n";
}

}  // namespace

TEST_CASE("models of classes are shown by info and report") {
  const TemporaryFolder folder;
  slackline::internal::MulticlassModel model({"ant", "bee"}, 2, true);
  model.set_feature_names({"wings", "legs"});
  model.set_weights({-1, 1, 0, 0.5, 0.25, -0.25});
  model.record.loss = "0/1";
  model.Save(folder.Path("m.slk"));
  const Outcome info = Succeed({"info", folder.Path("m.slk")});
  CHECK(Contains(info.out, "task        multiclass\n"));
  CHECK(Contains(info.out, "classes     2: ant, bee\n"));
  CHECK(Contains(info.out, "features    2 and a constant, with names\n"));
  const Json json = JsonOf({"info", folder.Path("m.slk"), "--json"});
  CHECK(json["classes"] == Json::array({"ant", "bee"}));
  CHECK(json["constant"] == true);
  CHECK(json["weights"] == 6);
  CHECK(Contains(RunProgram({"info", folder.Path("m.slk"), "--weights"}).out, "wings"));
  CHECK(Contains(PageOf({folder.Path("m.slk")}), "wings"));
  CheckRefused({"multilabel", "predict", folder.Write("x.arff", ArffText(2, 2, 2, 1)), "--model",
                folder.Path("m.slk")},
               "a model of another task: 'multiclass', not 'multilabel'");
}

TEST_CASE("the page of a model has its properties, weights, pairs and training curve") {
  const Trained trained;
  const std::string page = PageOf({trained.model});
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(Contains(page, "<h1>Model m.slk</h1>"));
  CHECK(CountOf(page, "<script") == 6);
  CHECK(CountOf(page, "</script>") == 6);
  for (const char* request :
       {" src=", "href=\"", "<link", "@import", "fetch(", "XMLHttpRequest", "url("})
    CHECK_MESSAGE(!Contains(page, request), request);
  const Json model = DataOf(page)["model"];
  CHECK(model["task"] == "multilabel");
  CHECK(model["facts"][0] == Json({"task", "multilabel"}));
  const Json& curve = model["curve"];
  CHECK(curve["pass"].size() >= 2);
  CHECK(curve["pass"].back() == JsonOf({"info", trained.model, "--json"})["passes"]);
  CHECK(curve["primal"].back() == model["certificate"]["primal"]);
  CHECK(curve["dual"].back() == model["certificate"]["dual"]);
  CHECK(model["cross_validation"].is_null());
  CHECK(model["strongest"]["labels"].size() == 4);
  const Json& matrix = model["strongest"]["pairs"][0]["matrix"];
  CHECK(matrix["labels"].size() == 4);
  CHECK(matrix["rows"][0][0].is_null());
  CHECK(matrix["rows"][0][1] == matrix["rows"][1][0]);
  CHECK(matrix["left_out"] == 0);
  CHECK(Contains(PageOf({trained.model, "--title", "a < b"}), "<h1>a &lt; b</h1>"));
}

TEST_CASE("a heat map of many labels leaves some out, and counts them") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.svm", LibsvmText(40, 5, 60, 3));
  const std::string model = folder.Path("m.slk");
  Succeed({"multilabel", "train", data, "--num-labels", "60", "--graph", "tree", "--model", model,
           "--max-passes", "3", "-q"});
  const Json page = DataOf(PageOf({model}))["model"];
  const Json& matrix = page["strongest"]["pairs"][0]["matrix"];
  CHECK(matrix["labels"].size() <= 40);
  CHECK(matrix["labels"].size() + matrix["left_out"].get<std::size_t>() == 60);
  CHECK(matrix["rows"].size() == matrix["labels"].size());
  CHECK(page["strongest"]["labels"].size() == 60);
}

TEST_CASE("the log of a training is drawn with the curve that the model keeps") {
  const Trained trained;
  const Json data = DataOf(PageOf({trained.log}));
  CHECK(data["logs"] == true);
  REQUIRE(data["problems"].size() == 1);
  REQUIRE(data["problems"][0]["learners"].size() == 1);
  const Json& row = data["problems"][0]["learners"][0];
  CHECK(row["learner"] == "run.jsonl");
  CHECK(row["examples"] == 60);
  const Json& run = row["runs"][0];
  CHECK(run["termination"] == "converged");
  CHECK(run["curve"]["primal"] == DataOf(PageOf({trained.model}))["model"]["curve"]["primal"]);
  CHECK(!run["curve"].contains("soft_primal"));
}

TEST_CASE("several logs, and several values of lambda in one, have a curve each") {
  const Trained trained;
  const std::string path = trained.folder.Path("path.jsonl");
  Succeed({"multilabel", "train", trained.data, "--labels", trained.folder.Path("labels.xml"),
           "--model", trained.folder.Path("p.slk"), "--lambda-path", "1,0.1", "--log", path, "-q"});
  const Json data = DataOf(PageOf({trained.log, path}));
  const Json& rows = data["problems"][0]["learners"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["learner"] == "run.jsonl");
  CHECK(rows[1]["learner"] == "path.jsonl, lambda 1");
  CHECK(rows[2]["learner"] == "path.jsonl, lambda 0.1");
  CHECK(rows[1]["objective"] != rows[2]["objective"]);
  CHECK(data["files"].size() == 2);
}

TEST_CASE("the log of a run that was cut off is drawn as far as it goes") {
  const TemporaryFolder folder;
  const std::string log =
      folder.Write("a.jsonl", kStart + CheckLine(1) + CheckLine(2) + "\n" + kStart);
  const Json data = DataOf(PageOf({log}));
  const Json& row = data["problems"][0]["learners"][0];
  CHECK(data["problems"][0]["learners"].size() == 1);
  CHECK(row["runs"][0]["termination"] == "cut off");
  CHECK(row["runs"][0]["curve"]["pass"] == Json({1, 2}));
  CHECK(row["runs"][0]["seed"] == "7");
}

TEST_CASE("long logs are thinned") {
  const TemporaryFolder folder;
  std::string text = kStart;
  for (int pass = 1; pass <= 3000; ++pass) text += CheckLine(pass);
  const Json data = DataOf(PageOf({folder.Write("a.jsonl", text)}));
  CHECK(data["problems"][0]["thinned"] == true);
  const Json& curve = data["problems"][0]["learners"][0]["runs"][0]["curve"];
  CHECK(curve["pass"].size() < 1000);
  CHECK(curve["pass"].size() > 300);
  CHECK(curve["pass"][99] == 100);
  CHECK(curve["pass"].back() == 3000);
  CHECK(curve["primal"].size() == curve["pass"].size());
}

TEST_CASE("bad logs are refused with file and line") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    CheckNoPage(folder, {folder.Write("bad.jsonl", text)}, message);
  };
  const std::string start = kStart;
  refused(start + "{\"event\": oh}\n", "bad.jsonl:2: is not JSON");
  refused(start + CheckLine(1).substr(0, 40) + "\n", "bad.jsonl:2: is not JSON");
  refused(start, "bad.jsonl: the log has no checks");
  refused(CheckLine(1), "bad.jsonl:1: not a log of training: there is no start");
  refused(start + "{\"event\":\"tea\"}\n",
          "bad.jsonl:2: not a log of training: the event 'tea' is not known");
  refused(start + "{\"pass\":1}\n", "has no 'event'");
  refused(start + "3\n", "is not an object");
  refused(start + "{\"event\":\"check\",\"pass\":1}\n", "has no 'seconds'");
  refused(start + CheckLine(1) + "{\"event\":\"end\"}\n",
          "bad.jsonl:3: not a log of training: the end has no 'termination'");
  refused("{\"event\":\"start\"}\n", "the start has no 'lambda'");
  std::string nested = start + "{\"event\":\"check\",\"a\":";
  nested += std::string(100000, '[') + std::string(100000, ']') + "}\n";
  refused(nested, "bad.jsonl:2: more than 64 nested brackets");
  std::string text = CheckLine(1);
  text.replace(text.find("\"primal\":2"), 10, "\"primal\":\"<b>\"");
  refused(start + text,
          "bad.jsonl:2: not a log of training: 'primal' of the check is not a number");
  refused(
      "{\"event\":\"start\",\"program\":\"p\",\"data\":\"d\",\"examples\":0,\"lambda\":1,"
      "\"options\":{}}\n",
      "no examples");
}

TEST_CASE("files of several kinds, several models and damaged files are refused") {
  const Trained trained;
  CheckNoPage(trained.folder, {trained.model, trained.log}, "run.jsonl: a page shows one model");
  CheckNoPage(trained.folder, {trained.log, trained.model}, "m.slk: is a model, but ");
  CheckNoPage(trained.folder, {trained.model, trained.model}, "a page shows one model");
  std::string bytes = ReadBytes(trained.model);
  bytes[bytes.size() / 2] ^= 1;
  CheckNoPage(trained.folder, {trained.folder.Write("damaged.slk", bytes)}, "damaged.slk: ");
  CheckNoPage(trained.folder, {trained.folder.Write("short.slk", bytes.substr(0, 9))},
              "short.slk: ");
  // A page must not replace one of its inputs.
  const Outcome outcome = RunProgram({"report", trained.model, "--out", trained.model});
  CHECK(outcome.code == 2);
  Succeed({"info", trained.model});
}
