// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment convert, and the commands on what it writes.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <tests/apps/drawn_images.h>
#include <tests/apps/model_entries.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Arguments Convert(const std::string& out, const Arguments& more = {}) {
  return Arguments{"segment", "convert", Shared().features, "--out", out} + more;
}

}  // namespace

TEST_CASE("training on converted images gives the model of prepared ones") {
  const Scratch scratch("convert");
  const std::string file = scratch.Path("file");
  const std::string parts = scratch.Path("parts");
  const std::string name = scratch.Path("data");
  const struct {
    Arguments convert, prepared, converted;
  } ways[] = {
      {{}, {"--lambda", "30"}, {"--lambda", "30"}},
      {{},
       {"--layers", "neighbours", "--max-passes", "3", "--shards", "2"},
       {"--layers", "neighbours", "--max-passes", "3", "--shards", "2"}},
      {{"--layers", "fine", "--regions", "own", "--scale", "max-abs"},
       {"--layers", "fine", "--regions", "own", "--scale", "max-abs", "--loss", "balanced"},
       {"--layers", "fine", "--loss", "balanced"}},
  };
  for (const auto& way : ways) {
    fs::remove_all(parts);
    const Outcome converted = Succeed(Convert(file, way.convert));
    CHECK(Contains(converted.err, "file: 9 images, "));
    CHECK(Contains(converted.err, " features and a constant, 4 classes; "));
    Succeed(Convert(parts, way.convert + Arguments{"--parts", "2", "-q"}));
    const std::vector<std::string> expected =
        TrainedEntries("segment", Shared().features, name, way.prepared);
    CHECK(TrainedEntries("segment", file, name, way.converted) == expected);
    CHECK(TrainedEntries("segment", parts, name, way.converted) == expected);
  }
}

TEST_CASE("cross-validation and checkpoints on converted images") {
  const Scratch scratch("convert-cv");
  const std::string file = scratch.Path("file");
  Succeed(Convert(file, {"-q", "--window", "1"}));
  const auto cv = [&](const std::string& data) {
    Json json = JsonOf({"segment", "cv", data, "--lambda-path", "30,3", "--folds", "3",
                        "--no-refit", "--json", "-q"});
    return json;
  };
  CHECK(cv(file)["results"] == cv(Shared().features)["results"]);
  const std::string saved = scratch.Path("run.ckpt");
  const Arguments train = {"segment", "train", file, "-q", "--gap-tolerance", "1e-9"};
  const std::string whole = scratch.Path("whole.slk");
  const std::string resumed = scratch.Path("resumed.slk");
  Succeed(train + Arguments{"--max-passes", "6", "--model", whole});
  Succeed(train + Arguments{"--max-passes", "3", "--model", resumed, "--checkpoint", saved});
  Succeed(train + Arguments{"--max-passes", "6", "--model", resumed, "--resume", saved});
  CHECK(ModelEntriesOf(whole) == ModelEntriesOf(resumed));
}

TEST_CASE("wrong uses of converted images are named, and nothing is written") {
  const Drawn& drawn = Shared();
  const Scratch scratch("convert-errors");
  const std::string file = scratch.Path("file");
  Succeed(Convert(file, {"-q", "--regions", "own"}));
  const std::string model = scratch.Path("m.slk");
  const auto train = [&](const Arguments& more) {
    return Arguments{"segment", "train", file, "--model", model} + more;
  };
  CheckRefused(drawn, train({"--regions", "own,image"}),
               {file, "was converted with --regions own: convert the images again"});
  CheckRefused(drawn, train({"--layers", "fine"}), {"with coarse superpixels"});
  CheckRefused(drawn, train({"--scale", "norm"}), {"convert the data again, with --scale norm"});
  CheckRefused(drawn, Arguments{"segment", "evaluate", "--features", file, "--model", drawn.model},
               {file, "pass the file of prepared images"});
  CheckRefused(drawn, {"multilabel", "train", file, "--model", model}, {file, "another task"});
  CheckRefused(drawn, {"segment", "convert", file, "--out", scratch.Path("new")},
               {file, "not a Slackline feature file"});
  CheckRefused(drawn, {"segment", "convert", drawn.features, "--out", drawn.features}, {"--out"});
  CheckRefused(drawn, Convert(scratch.Path("new"), {"--regions", "sky"}), {"--regions", "sky"});
  CheckRefused(drawn, Convert(scratch.Path("new"), {"--layers", "one"}), {"--layers", "one"});
  CheckRefused(drawn, Convert(scratch.Path("new"), {"--for", drawn.model}), {"--for"});
}
