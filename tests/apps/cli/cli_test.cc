// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions with the built program: its outputs and exit codes.
#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Data of 80 examples, 6 features and 4 labels, and a model of them.
struct Session {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(80, 6, 4, 1));
  std::string model = folder.Path("m.slk");

  std::vector<std::string> Train() const {
    return {"multilabel", "train", data, "--num-labels", "4", "--model", model};
  }
};

/// All lines of a log; each must be JSON.
std::vector<Json> Log(const std::string& path) {
  std::vector<Json> lines;
  for (const std::string& line : Lines(ReadBytes(path))) lines.push_back(Json::parse(line));
  return lines;
}

void CheckRecord(const Json& record) {
  for (const char* name : {"pass", "seconds", "check_seconds", "cpu_seconds", "primal", "dual",
                           "gap", "relative_gap", "check_primal", "soft_primal", "soft_dual",
                           "soft_gap", "violation", "rho", "tau", "oracle_calls", "block_steps"}) {
    REQUIRE_MESSAGE(record.contains(name), name);
    CHECK((record[name].is_number() || record[name].is_null()));
  }
  CHECK((record["problem"] == "relaxed" || record["problem"] == "exact"));
  CHECK(record["dual"].get<double>() <= record["primal"].get<double>());
  CHECK(record["gap"].get<double>() ==
        record["primal"].get<double>() - record["dual"].get<double>());
}

}  // namespace

TEST_CASE("every command has help with examples, and the program a version") {
  const std::vector<std::vector<std::string>> commands = {{},
                                                          {"multilabel"},
                                                          {"multilabel", "train"},
                                                          {"multilabel", "predict"},
                                                          {"multilabel", "evaluate"},
                                                          {"info"}};
  for (const auto& command : commands) {
    const Outcome outcome = Succeed(command + Arguments{"--help"});
    CHECK(outcome.err.empty());
    CHECK(Contains(outcome.out, "Usage: slackline"));
    CHECK(Contains(outcome.out, "Examples:\n  slackline "));
  }
  const Outcome version = Succeed({"--version"});
  CHECK(version.out.starts_with("slackline 0."));
}

TEST_CASE("train, predict, evaluate and info work on each other's files") {
  const Session s;
  const Outcome train = Succeed(s.Train());
  CHECK(train.out.empty());
  CHECK(Contains(train.err, "data: 80 examples, 6 features and a constant, 4 labels"));
  CHECK(Contains(train.err, "graph full (6 pairs)"));
  CHECK(Contains(train.err, "converged: certified relative gap"));
  CHECK(Contains(train.err, "model written to " + s.model));
  CHECK_FALSE(Contains(train.err, "\r"));  // no progress in pipes

  const Outcome predict = Succeed({"multilabel", "predict", s.data, "--model", s.model});
  CHECK(Lines(predict.out).size() == 80);
  CHECK(Contains(predict.err, "80 examples; decoded by: exact (branch and bound)"));
  const std::string out = s.folder.Path("out.txt");
  const Outcome to_file =
      Succeed({"multilabel", "predict", s.data, "--model", s.model, "--out", out, "--quiet"});
  CHECK(to_file.out.empty());
  CHECK(to_file.err.empty());
  CHECK(ReadBytes(out) == predict.out);

  const Outcome table = Succeed({"multilabel", "evaluate", s.data, "--model", s.model});
  CHECK(Contains(table.out, "decoded by: exact (branch and bound)"));
  CHECK(Contains(table.out, "Hamming loss"));
  const Json json = JsonOf({"multilabel", "evaluate", s.data, "--model", s.model, "--json"});
  CHECK(json["examples"] == 80);
  CHECK(json["hamming_loss"].get<double>() < 0.25);
  for (const char* name : {"subset_accuracy", "micro_f1", "macro_f1", "example_f1", "jaccard"}) {
    CHECK_MESSAGE(json[name].get<double>() > 0.4, name);
  }
  CHECK(json.contains("fractional"));
  CHECK(json["decoder"] == "exact (branch and bound)");
  REQUIRE(json["labels"].size() == 4);
  CHECK(json["labels"][3]["name"] == "3");
  for (const char* name : {"precision", "recall", "f1", "support"})
    CHECK(json["labels"][0].contains(name));

  const Outcome info = Succeed({"info", s.model});
  CHECK(Contains(info.out, "labels      4: 0, 1, 2, 3"));
  CHECK(Contains(info.out, "the optimum of the LP-relaxed problem lies between"));
  const Json model = JsonOf({"info", s.model, "--json"});
  CHECK(model["task"] == "multilabel");
  CHECK(model["examples"] == 80);
  // λ = n R² / (4 M) with n = 4 labels, M = 80 examples, and R² the mean squared norm of the inputs
  // including the constant.
  const MultiLabelData data = ReadMultiLabelData(s.data, LibsvmOptions(4));
  double squared_norm = 0;
  for (Index m = 0; m < 80; ++m) squared_norm += data.rows->row(m).squared_norm / 80;
  const double lambda = model["lambda"].get<double>();
  CHECK(std::abs(lambda - squared_norm / 80) <= 0.005 * lambda);
  CHECK(std::abs(model["cost_per_variable"].get<double>() * lambda * 80 / 4 - 1) < 1e-9);
  CHECK(model["pairs"].size() == 6);
  CHECK(model["relative_gap"].get<double>() <= 1e-3);
  CHECK(model["options"]["learner"] == "bcfw");  // the learner that auto chooses for binary pairs
  CHECK(model["options"]["step"] == "pairwise");
}

TEST_CASE("quiet training prints nothing") {
  const Session s;
  const Outcome outcome = Succeed(s.Train() + Arguments{"--quiet"});
  CHECK(outcome.out.empty());
  CHECK(outcome.err.empty());
}

TEST_CASE("the log of every learner has JSON lines with dual ≤ primal") {
  const Session s;
  const std::string log = s.folder.Path("run.jsonl");
  for (const std::string& learner : {std::string("al"), std::string("soft"), std::string("bcfw")}) {
    std::vector<std::string> options = {"--learner", learner, "--log", log, "--max-passes", "60"};
    if (learner == "bcfw") options = options + Arguments{"--oracle", "search"};
    Succeed(s.Train() + options);
    const std::vector<Json> lines = Log(log);
    REQUIRE(lines.size() >= 3);
    CHECK(lines.front()["event"] == "start");
    CHECK(lines.front()["examples"] == 80);
    CHECK(lines.front()["options"]["learner"] == learner);
    for (std::size_t k = 1; k < lines.size(); ++k) CheckRecord(lines[k]);
    CHECK(lines[1]["event"] == "check");
    const Json& end = lines.back();
    CHECK(end["event"] == "end");
    CHECK((end["termination"] == "converged" || end["termination"] == "max-passes"));
    CHECK(end["primal"] == lines[lines.size() - 2]["primal"]);
    CHECK(end["problem"] == (learner == "bcfw" ? "exact" : "relaxed"));
    CHECK(end["soft_gap"].is_null() == (learner == "bcfw"));
  }
}

TEST_CASE("the number of threads does not change results") {
  const Session s;
  const std::string other = s.folder.Path("3.slk");
  Succeed(s.Train());
  const auto model = [](const std::string& path) {
    Json json = JsonOf({"info", path, "--json"});
    for (const char* name : {"seconds", "check_seconds", "options"}) json.erase(name);
    return json;
  };
  Succeed({"multilabel", "train", s.data, "--num-labels", "4", "--model", other, "--threads", "3"});
  CHECK(model(s.model) == model(other));
  const std::vector<std::vector<std::string>> commands = {
      {"multilabel", "predict"},
      {"multilabel", "predict", "--output", "scores"},
      {"multilabel", "evaluate", "--json"}};
  for (const auto& command : commands) {
    const Outcome one = RunProgram(command + Arguments{s.data, "--model", s.model});
    const Outcome three =
        RunProgram(command + Arguments{s.data, "--model", other, "--threads", "3"});
    CHECK(one.code == 0);
    CHECK(one.out == three.out);
    CHECK_FALSE(one.out.empty());
  }
}

TEST_CASE("scores are positive where labels are predicted") {
  const Session s;
  Succeed(s.Train());
  const std::vector<std::string> predict = {"multilabel", "predict", s.data, "--model", s.model};
  const auto labels = Lines(RunProgram(predict).out);
  const auto scores = Lines(RunProgram(predict + Arguments{"--output", "scores"}).out);
  REQUIRE(scores.size() == labels.size() + 1);
  CHECK(scores[0] == "0,1,2,3");
  for (std::size_t m = 0; m < labels.size(); ++m) {
    std::string expected;
    std::string cells = scores[m + 1] + ",";
    for (int i = 0; i < 4; ++i) {
      const std::size_t comma = cells.find(',');
      if (std::stod(cells.substr(0, comma)) > 0)
        expected += (expected.empty() ? "" : ",") + std::to_string(i);
      cells.erase(0, comma + 1);
    }
    CHECK(labels[m] == expected);
  }
}

TEST_CASE("gzip, standard input and ARFF give the same models") {
  const Session s;
  Succeed(s.Train());
  const auto primal = [](const std::string& path) {
    return JsonOf({"info", path, "--json"})["primal"].get<double>();
  };
  const double expected = primal(s.model);
  const std::string other = s.folder.Path("other.slk");
  const std::string gz = s.folder.WriteGzip("d.svm.gz", LibsvmText(80, 6, 4, 1));
  const std::string arff = s.folder.WriteGzip("d.arff.gz", ArffText(80, 6, 4, 1));
  const std::string xml = s.folder.Write("d.xml", XmlText(4));
  Succeed({"multilabel", "train", gz, "--num-labels", "4", "--model", other});
  CHECK(primal(other) == expected);
  Succeed({"multilabel", "train", "-", "--num-labels", "4", "--model", other}, s.data);
  CHECK(primal(other) == expected);
  Succeed({"multilabel", "train", arff, "--labels", xml, "--model", other});
  CHECK(primal(other) == doctest::Approx(expected).epsilon(1e-9));
  const Outcome named = Succeed({"multilabel", "predict", "-", "--model", other}, arff);
  const Outcome numbered = RunProgram({"multilabel", "predict", s.data, "--model", s.model});
  CHECK(Lines(named.out).size() == 80);
  CHECK(std::count(named.out.begin(), named.out.end(), 'L') > 0);
  std::string without_prefix = named.out;
  std::erase(without_prefix, 'L');
  CHECK(without_prefix == numbered.out);
}

TEST_CASE("graph, bias, loss and C are recorded in the model") {
  const Session s;
  const std::string graph = s.folder.Write("g.txt", "0 3\n");
  const auto train = [&](const Arguments& options) {
    Succeed(s.Train() + options);
    return JsonOf({"info", s.model, "--json"});
  };
  CHECK(train({"--graph", "none"})["pairs"].empty());
  CHECK(train({"--graph", "tree"})["pairs"].size() == 3);
  CHECK(train({"--graph", graph})["pairs"] == Json::parse("[[0,3]]"));
  CHECK(train({"--bias", "0"})["weights"] == 4 * 6 + 6);
  CHECK(train({"--bias", "1"})["weights"] == 4 * 7 + 6);
  CHECK(train({"--loss", "count"})["loss"] == "count");
  CHECK(train({"--C", "0.5"})["lambda"] == 2.0 / 80);
  CHECK(train({"--lambda", "0.25"})["lambda"] == 0.25);
}

TEST_CASE("label names with commas and quotes are quoted") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.svm", "0,1 1:1\n 1:-1\n0,1 1:2\n 1:-2\n");
  const std::string xml =
      folder.Write("n.xml", "<labels><label name='a, b'/><label name='say \"x\"'/></labels>");
  const std::string model = folder.Path("m.slk");
  Succeed({"multilabel", "train", data, "--labels", xml, "--model", model});
  const Outcome outcome = RunProgram({"multilabel", "predict", data, "--model", model});
  const std::string both = "\"a, b\",\"say \"\"x\"\"\"";
  CHECK(Lines(outcome.out) == std::vector<std::string>{both, "", both, ""});
}

TEST_CASE("unknown labels are left out of training and evaluation, and reported") {
  const TemporaryFolder folder;
  const std::string xml = folder.Write("n.xml", XmlText(2));
  const std::string head =
      "@relation r\n@attribute f numeric\n@attribute L0 {0,1}\n@attribute L1 {0,1}\n@data\n";
  const std::string data = folder.Write("d.arff", head + "1,1,?\n-1,0,0\n2,?,?\n-2,?,0\n1,1,1\n");
  const std::string model = folder.Path("m.slk");
  const Outcome train = Succeed({"multilabel", "train", data, "--labels", xml, "--model", model});
  CHECK(Contains(train.err, "4 unknown label entries, 1 example without any known label left out"));
  const Json json = JsonOf({"multilabel", "evaluate", data, "--model", model, "--json"});
  CHECK(json["examples"] == 4);
  CHECK(json["hamming_loss"] == 0);
  const Outcome predict = RunProgram({"multilabel", "predict", data, "--model", model});
  CHECK(Lines(predict.out).size() == 5);
}

TEST_CASE("labels of the shipped Yeast data have the order of the columns") {
  const TemporaryFolder folder;
  const std::string model = folder.Path("y.slk");
  const std::vector<std::string> train = {"multilabel",
                                          "train",
                                          kYeast + "yeast-train.arff.gz",
                                          "--labels",
                                          kYeast + "yeast.xml",
                                          "--model",
                                          model,
                                          "--loss",
                                          "count",
                                          "--bias",
                                          "0"};
  Succeed(train + Arguments{"--lambda", "0.01", "--gap-tolerance", "0.05"});
  const Json info = JsonOf({"info", model, "--json"});
  CHECK(info["relative_gap"].get<double>() <= 0.05);
  CHECK(info["labels"][3] == "Class4");  // in the order of the columns, not of the XML
}

TEST_CASE("labels of ARFF data are numbered by their columns, also in a graph file") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.arff", ArffText(30, 4, 3, 9));
  const std::string xml = folder.Write(
      "l.xml", "<labels><label name='L2'/><label name='L0'/><label name='L1'/></labels>");
  const std::string model = folder.Path("m.slk");
  for (const char* pair : {"0 2\n", "L2 L0\n"}) {
    Succeed({"multilabel", "train", data, "--labels", xml, "--graph", folder.Write("g.txt", pair),
             "--model", model});
    const auto info = nlohmann::json::parse(RunProgram({"info", model, "--json"}).out);
    CHECK(info["labels"] == nlohmann::json({"L0", "L1", "L2"}));
    CHECK(info["pairs"] == nlohmann::json::array({{0, 2}}));
    CHECK(info["feature_names"] == true);
  }
}
