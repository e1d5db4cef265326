// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel evaluate --compare.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

constexpr const char* kFigures[] = {"hamming_loss", "subset_accuracy", "micro_f1",
                                    "macro_f1",     "example_f1",      "jaccard"};

struct ComparisonFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.arff", ArffText(60, 6, 4, 2));
  std::string xml = folder.Write("d.xml", XmlText(4));
  std::string test = folder.Write("t.arff", ArffText(40, 6, 4, 3));
  std::string model = folder.Path("m.slk");

  void Train(const std::string& file, const Arguments& more) const {
    Succeed(Arguments{"multilabel", "train", data, "--labels", xml, "--model", file} + more);
  }
  Arguments Evaluate(const std::string& file, const Arguments& more) const {
    return Arguments{"multilabel", "evaluate", test, "--model", file} + more;
  }
};

}  // namespace

TEST_CASE("the baseline is the model of train --graph none, for every kind of model") {
  for (const Arguments& more :
       {Arguments{}, Arguments{"--loss", "count", "--bias", "0"}, Arguments{"--scale", "standard"},
        Arguments{"--kernel", "rbf", "--kernel-gamma", "0.3"}, Arguments{"--graph", "tree"}}) {
    const ComparisonFiles files;
    files.Train(files.model, more + Arguments{"--lambda", "0.02"});
    const std::string plain = files.folder.Path("plain.slk");
    Arguments none = more;
    if (!none.empty() && none[0] == "--graph") none.clear();
    files.Train(plain, none + Arguments{"--graph", "none"});
    const Outcome outcome =
        Succeed(files.Evaluate(files.model, {"--json", "--compare", files.data}));
    const Json json = Json::parse(outcome.out);
    const Json expected = JsonOf(files.Evaluate(plain, {"--json"}));
    const Json info = JsonOf({"info", plain, "--json"});
    CHECK(json["independent"]["lambda"] == info["lambda"]);
    CHECK(json["independent"]["termination"] == "converged");
    for (const char* key : kFigures) {
      CHECK(json["independent"][key] == expected[key]);
      CHECK(json["difference"][key].get<double>() ==
            json[key].get<double>() - expected[key].get<double>());
    }
  }
}

TEST_CASE(
    "the table has both columns, without --compare nothing changes, and threads do not matter") {
  const ComparisonFiles files;
  files.Train(files.model, {});
  const Outcome plain = RunProgram(files.Evaluate(files.model, {}));
  CHECK_FALSE(Contains(plain.out, "independent"));
  const Outcome outcome = Succeed(files.Evaluate(files.model, {"--compare", files.data}));
  CHECK(outcome.out.substr(0, plain.out.size()) == plain.out);
  CHECK(Contains(outcome.out, "What the 6 pairs of labels are worth"));
  CHECK(Contains(outcome.out, "difference"));
  CHECK(outcome.err.empty());
  const Outcome threads =
      RunProgram(files.Evaluate(files.model, {"--compare", files.data, "--threads", "3"}));
  CHECK(threads.out == outcome.out);
}

TEST_CASE("bad input of --compare ends with code 2 and one line") {
  const ComparisonFiles files;
  files.Train(files.model, {});
  const auto refuse = [&](const std::string& file, const std::string& part) {
    CheckRefused(files.Evaluate(files.model, {"--compare", file}), part);
  };
  refuse(files.folder.Path("none"), "cannot open the file");
  const std::string other = files.folder.Write("o.arff", ArffText(10, 5, 4, 2));
  refuse(other, other);
  std::string unknown = ArffText(0, 6, 4, 2);
  unknown += "1,2,3,4,5,6,?,?,?,?\n";
  const std::string nothing = files.folder.Write("u.arff", unknown);
  refuse(nothing, nothing + ": no example has a known label");
}
