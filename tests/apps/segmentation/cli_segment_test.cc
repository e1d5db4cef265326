// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline segment, from drawn images to predictions.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <span>
#include <sstream>

#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/core/model_file.h>
#include <slackline/vision/feature_file.h>
#include <slackline/vision/image.h>
#include <slackline/vision/pictures.h>
#include <tests/apps/drawn_images.h>
#include <tests/core/pipe.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Adds rows of features of a file as rows of the model.
void AddRows(const SegmentModel& model, const std::vector<double>& features, FeatureRows* rows) {
  const std::size_t length = model.file_dimension();
  std::vector<double> row(model.num_columns());
  for (std::size_t begin = 0; begin < features.size(); begin += length) {
    model.SelectFeatures(std::span(features).subspan(begin, length), row);
    rows->AddDense(row);
  }
}

/// The last kClasses cells of every line but the first, one line after the other.
std::vector<std::string> LastCells(const std::string& csv) {
  std::vector<std::string> all;
  for (const std::string& line : Lines(csv)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    all.insert(all.end(), cells.end() - kClasses, cells.end());
  }
  all.erase(all.begin(), all.begin() + kClasses);
  return all;
}

/// The scores in the format of predict.
std::vector<std::string> Printed(const std::vector<double>& scores) {
  std::vector<std::string> printed;
  for (const double score : scores) {
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), "%.9g", score);
    printed.emplace_back(text.data());
  }
  return printed;
}

}  // namespace

TEST_CASE("draw writes images, labels and lists, by seed") {
  const TemporaryFolder folder;
  const auto draw = [&](const std::string& out, const Arguments& more) {
    return RunProgram(Arguments{"segment", "draw", "--out", folder.Path(out), "--size", "20x16"} +
                      more);
  };
  const Outcome outcome = Succeed(draw("deep/a", {"--images", "5", "--classes", "3"}));
  CHECK(Contains(outcome.err, "5 images of 20 x 16 pixels and 3 classes"));
  CHECK(ReadBytes(folder.Path("deep/a/classes.txt")) == "sky\ngrass\nwater\n");
  CHECK(ReadBytes(folder.Path("deep/a/train.txt")) ==
        "drawn-0001\ndrawn-0002\ndrawn-0003\ndrawn-0004\n");
  CHECK(ReadBytes(folder.Path("deep/a/test.txt")) == "drawn-0005\n");
  const Image image = ReadImage(folder.Path("deep/a/images/drawn-0005.png"));
  const LabelImage labels = ReadLabelImage(folder.Path("deep/a/labels/drawn-0005.png"), 3);
  CHECK(image.width == 20);
  CHECK(image.height == 16);
  CHECK(labels.width == 20);
  CHECK(Contents(folder.Path("deep/a")).size() == 2 + 10 + 3);

  Succeed(draw("b", {"--images", "5", "--classes", "3", "-q"}));
  Succeed(draw("c", {"--images", "5", "--classes", "3", "--seed", "2"}));
  const auto picture = [&](const std::string& name) {
    return ReadBytes(folder.Path(name + "/images/drawn-0001.png"));
  };
  CHECK(picture("deep/a") == picture("b"));
  CHECK(picture("c") != picture("b"));

  const std::size_t before = folder.NumFiles();
  const auto refuse = [&](const Arguments& options) {
    CheckRefused(draw("none", options), options[0] + ": '" + options[1] + "'");
    CHECK(folder.NumFiles() == before);
  };
  refuse({"--images", "1"});
  refuse({"--images", "10001"});
  refuse({"--classes", "1"});
  refuse({"--classes", "9"});
  refuse({"--seed", "x"});
  CHECK(Contains(draw("none", {"--size", "20"}).err, "given twice"));
  for (const char* size : {"20", "20x", "x20", "0x20", "20x10001", "20x20x20", "20*20"}) {
    CheckRefused({"segment", "draw", "--out", folder.Path("none"), "--size", size},
                 "--size: '" + std::string(size) + "'");
  }
  const auto drawn = Contents(folder.Path("b"));
  CheckRefused(draw("b", {"--seed", "3"}), "exists and is not empty");
  CHECK(Contents(folder.Path("b")) == drawn);
  const std::string file = folder.Write("file", "");
  CheckRefused({"segment", "draw", "--out", file}, "--out: cannot make the folder");
}

TEST_CASE("commands lead from images to figures") {
  const Drawn& drawn = Shared();
  const Scratch scratch("way");
  const Json images = EvaluationOf(drawn.Evaluate(
      {"--sheets", scratch.Path("sheets/deep"), "--confusion", scratch.Path("confusion.png")}));
  CHECK(images["images"] == 3);
  CHECK(images["certified"] == 3);
  CHECK(Contents(scratch.Path("sheets/deep")).size() == 3);
  CHECK(ReadImage(scratch.Path("sheets/deep/drawn-0010.png")).width > 3 * 72);
  CHECK(ReadImage(scratch.Path("confusion.png")).width > 0);

  const Json prepared = EvaluationOf(drawn.EvaluatePrepared(drawn.model));
  CHECK(prepared["pixels"] == images["pixels"]);

  std::int64_t most = 0;
  for (const Json& of_class : images["classes"])
    most = std::max(most, of_class["pixels"].get<std::int64_t>());
  const double share = static_cast<double>(most) / images["pixels"].get<double>();
  CAPTURE(share);
  CHECK(images["pixel_accuracy"].get<double>() > 0.9);
  CHECK(images["pixel_accuracy"].get<double>() > share + 0.2);

  const std::string info = OutputOf({"info", drawn.model});
  for (const char* part : {"segmentation", "sky, ", "layers two, links table", "relative gap"})
    CHECK_MESSAGE(Contains(info, part), part);
  CHECK(EvaluationOf({"info", drawn.model, "--json"})["task"] == "segmentation");

  const std::string table = OutputOf(drawn.Evaluate());
  for (const char* part :
       {"3 images, ", "pixel accuracy", "class average", "mean IoU", "sky", "stone"})
    CHECK_MESSAGE(Contains(table, part), part);
}

TEST_CASE("a feature file and the image give the same labels and the same scores") {
  const Drawn& drawn = Shared();
  const Scratch scratch("exact");
  Succeed(
      drawn.Predict({drawn.Image(10), drawn.Image(11), drawn.Image(12)}, "exact", {"--scores"}));
  const SegmentModel model = SegmentModel::Load(drawn.model);
  const FeatureExtractor extractor = FeatureExtractor::Load(model.extractor);
  const FeatureFile file(drawn.features);
  for (Index i = 9; i < 12; ++i) {
    const PreparedImage image = file.image(i);
    const std::string name(image.name);
    const ImageFeatures features =
        extractor.Extract(ReadImage(drawn.In("images/" + name + ".png")));
    auto of_file = std::make_shared<FeatureRows>();
    auto of_image = std::make_shared<FeatureRows>();
    for (const auto& [halves, floats] : {std::pair{image.fine_features, &features.fine_rows},
                                         std::pair{image.coarse_features, &features.coarse_rows}}) {
      std::vector<double> decoded(halves.size());
      DecodeHalf(halves, decoded);
      AddRows(model, decoded, of_file.get());
      AddRows(model, {floats->begin(), floats->end()}, of_image.get());
    }
    const std::vector<double> scores = ClassScores(model, true, *of_file, 0, image.num_fine);
    CHECK(ClassScores(model, true, *of_image, 0, features.fine.count) == scores);

    SegmentExample example;
    example.graph.num_fine = image.num_fine;
    example.graph.num_coarse = image.num_coarse;
    example.graph.parent.assign(image.parent.begin(), image.parent.end());
    const DecodeKind decode = DecodeKind::kAuto;
    const SegmentPrediction prediction = PredictSegments(model, example, of_file, decode);
    CHECK(PredictSegments(model, example, of_image, decode).fine == prediction.fine);
    const LabelImage written = ReadLabelImage(scratch.Path(name + ".png"), kClasses);
    for (std::size_t p = 0; p < written.labels.size(); ++p)
      REQUIRE(written.labels[p] == prediction.fine[features.fine.of_pixel[p]]);
    CHECK(LastCells(ReadBytes(scratch.Path(name + "-scores.csv"))) == Printed(scores));
  }
  CHECK(EvaluationOf(drawn.EvaluatePrepared(drawn.model))["confusion"] ==
        EvaluationOf(drawn.Evaluate())["confusion"]);
}

TEST_CASE("the label images that predict writes have the confusion matrix of evaluate") {
  const Drawn& drawn = Shared();
  const Scratch scratch("predicted");
  Succeed(drawn.Predict({drawn.Image(10), drawn.Image(11), drawn.Image(12)}, "predicted/labels",
                        {"--overlay", "--scores"}));
  Json confusion = Json::array();
  for (Index a = 0; a < kClasses; ++a) confusion.push_back(std::vector<int>(kClasses, 0));
  for (const std::string name : {"drawn-0010", "drawn-0011", "drawn-0012"}) {
    const std::string base = scratch.Path("labels/" + name);
    const LabelImage truth = ReadLabelImage(drawn.In("labels/" + name + ".png"), kClasses);
    const LabelImage predicted = ReadLabelImage(base + ".png", kClasses);
    REQUIRE(truth.labels.size() == predicted.labels.size());
    for (std::size_t p = 0; p < truth.labels.size(); ++p) {
      REQUIRE(predicted.labels[p] != kVoid);
      if (truth.labels[p] == kVoid) continue;
      Json& count = confusion[truth.labels[p]][predicted.labels[p]];
      count = count.get<int>() + 1;
    }
    const Image overlay = ReadImage(base + "-overlay.png");
    CHECK(overlay.width >= truth.width);
    CHECK(overlay.height > truth.height);
    const std::vector<std::string> lines = Lines(ReadBytes(base + "-scores.csv"));
    CHECK(lines[0] == "superpixel,class,sky,grass,water,stone");
    CHECK(lines.size() > 10);
    CHECK(lines[1].starts_with("0,"));
    CHECK(ReadImage(base + "-superpixels.png").width == truth.width);
  }
  CHECK(Contents(scratch.Path("labels")).size() == 12);
  CHECK(EvaluationOf(drawn.Evaluate())["confusion"] == confusion);
}

TEST_CASE("threads do not matter") {
  const Drawn& drawn = Shared();
  const Scratch scratch("threads");
  Json evaluations[2];
  std::vector<std::string> bytes[2];
  for (const int k : {0, 1}) {
    const std::string threads = k == 0 ? "1" : "3";
    const std::string out = "threads/" + threads;
    Succeed(drawn.Predict({drawn.Image(1), drawn.Image(2), drawn.Image(3), drawn.Image(4)}, out,
                          {"--overlay", "--scores", "--threads", threads}));
    evaluations[k] = WithoutTimes(EvaluationOf(
        drawn.Evaluate({"--threads", threads, "--sheets", scratch.Path(threads + "/sheets"),
                        "--confusion", scratch.Path(threads + "/confusion.png")})));
    const std::string model = scratch.Path("m" + threads + ".slk");
    Succeed(drawn.Train({"--threads", threads, "--lambda", "30", "--verify", "--model", model}));
    CHECK(SegmentModel::Load(model).weights() == SegmentModel::Load(drawn.model).weights());
    for (const auto& [name, content] : Contents(scratch.Path(threads))) bytes[k].push_back(content);
  }
  CHECK(evaluations[0] == evaluations[1]);
  CHECK(bytes[0].size() == 16 + 4 + 1);
  CHECK(bytes[0] == bytes[1]);
}

TEST_CASE("a resumed run ends as an uninterrupted one") {
  const Drawn& drawn = Shared();
  const Scratch scratch("resume");
  const Arguments base = {"--gap-tolerance", "0", "--lambda", "30"};
  Succeed(
      drawn.Train(base + Arguments{"--max-passes", "12", "--model", scratch.Path("whole.slk")}));
  Succeed(drawn.Train(base + Arguments{"--max-passes", "5", "--model", scratch.Path("half.slk"),
                                       "--checkpoint", scratch.Path("run.ckpt")}));
  Succeed(drawn.Train(base + Arguments{"--max-passes", "12", "--model", scratch.Path("resumed.slk"),
                                       "--resume", scratch.Path("run.ckpt")}));
  const SegmentModel whole = SegmentModel::Load(scratch.Path("whole.slk"));
  const SegmentModel resumed = SegmentModel::Load(scratch.Path("resumed.slk"));
  CHECK(whole.record.passes == 12);
  CHECK(resumed.record.passes == 12);
  CHECK(whole.weights() == resumed.weights());
  CHECK(whole.record.dual == resumed.record.dual);
  CHECK(SegmentModel::Load(scratch.Path("half.slk")).weights() != whole.weights());
  CheckRefused(drawn,
               drawn.Train(Arguments{"--layers", "fine", "--model", scratch.Path("x.slk"),
                                     "--resume", scratch.Path("run.ckpt")}),
               {"run.ckpt"});
  CheckRefused(drawn, drawn.Train(Arguments{"--kernel", "rbf", "--model", scratch.Path("x.slk")}),
               {"models of images cannot store support vectors"});
}

TEST_CASE("a path over lambda writes a model for each value") {
  const Drawn& drawn = Shared();
  const Scratch scratch("path");
  Succeed(drawn.Train(
      {"--lambda-path", "100,10", "--model", scratch.Path("m.slk"), "--log", scratch.Path("log")}));
  CHECK(Contents(scratch.path).size() == 3);
  CHECK(SegmentModel::Load(scratch.Path("m-100.slk")).record.lambda == 100);
  CHECK(SegmentModel::Load(scratch.Path("m-10.slk")).record.lambda == 10);
  const Json first = Json::parse(Lines(ReadBytes(scratch.Path("log")))[0]);
  CHECK(first["classes"] == kClasses);
}

TEST_CASE("cross-validation chooses and trains") {
  const Drawn& drawn = Shared();
  const Scratch scratch("cv");
  const Arguments cv = {"segment", "cv", drawn.features, "--lambda-path", "1000000,30",
                        "--folds", "3"};
  const std::string model = scratch.Path("cv.slk");
  const std::vector<std::string> lines = Lines(OutputOf(cv + Arguments{"--model", model, "-q"}));
  REQUIRE(lines.size() == 3);
  CHECK(Contains(lines[0], "pixel accuracy"));
  CHECK(!lines[1].ends_with("best"));
  CHECK(lines[2].ends_with("best"));
  CHECK(Contains(lines[2], "3/3"));
  CHECK(SegmentModel::Load(model).record.lambda == 30);
  CHECK(EvaluationOf(drawn.EvaluatePrepared(model))["pixel_accuracy"].get<double>() > 0.8);

  const Json both =
      JsonOf(cv + Arguments{"--no-refit", "--loss", "both", "--metric", "class", "--json", "-q"});
  REQUIRE(both["path"].size() == 4);
  CHECK(both["path"][0]["loss"] == "pixels");
  CHECK(both["path"][3]["loss"] == "balanced");
  CHECK(both["path"][1]["class"]["folds"].size() == 3);
  CHECK(both["best"]["lambda"] == 30);
  CHECK(!both.contains("refit"));

  CheckRefused(drawn, cv, {"--model"});
  CheckRefused(drawn, cv + Arguments{"--no-refit", "--metric", "f1"}, {"--metric", "'f1'"});
  CheckRefused(drawn, cv + Arguments{"--no-refit", "--loss", "none"}, {"--loss", "'none'"});
  CheckRefused(drawn, cv + Arguments{"--no-refit", "--lambda", "1"}, {"--lambda", "--lambda-path"});
  CheckRefused(drawn, cv + Arguments{"--model", drawn.features}, {"--model", "overwritten"});
  CheckRefused(
      drawn, {"segment", "cv", drawn.features, "--lambda-path", "1", "--folds", "10", "--no-refit"},
      {"--folds: '10'", "9 training images"});
}

TEST_CASE("all kinds of models train and evaluate") {
  const Drawn& drawn = Shared();
  const Scratch scratch("kinds");
  for (const Arguments& kind :
       {Arguments{"--layers", "fine"}, Arguments{"--layers", "neighbours"},
        Arguments{"--pairwise", "potts"}, Arguments{"--loss", "balanced"},
        Arguments{"--pairwise", "agreement"},
        Arguments{"--layers", "neighbours", "--pairwise", "agreement", "--associative"},
        Arguments{"--regions", "own"}, Arguments{"--regions", "own,image"}}) {
    INFO(kind[0] << " " << kind[1]);
    const std::string model = scratch.Path("m.slk");
    Succeed(drawn.Train(kind +
                        Arguments{"--model", model, "--lambda", "30", "--gap-tolerance", "0.05"}));
    CHECK(EvaluationOf(drawn.EvaluatePrepared(model))["pixel_accuracy"].get<double>() > 0.7);
    const Json images =
        EvaluationOf({"segment", "evaluate", "--images", drawn.In("images"), "--labels",
                      drawn.In("labels"), "--list", drawn.In("test.txt"), "--model", model, "-q"});
    CHECK(images["pixel_accuracy"].get<double>() > 0.7);
  }
}

TEST_CASE("train: bad input") {
  const Drawn& drawn = Shared();
  const std::string out = drawn.folder.Path("none.slk");
  const auto refuse = [&](const Arguments& options, const Arguments& parts) {
    CheckRefused(drawn, drawn.Train(options + Arguments{"--model", out}), parts);
  };
  refuse({"--layers", "three"}, {"--layers: 'three'", "two fine neighbours"});
  refuse({"--pairwise", "x"}, {"--pairwise: 'x'", "potts table agreement"});
  refuse({"--loss", "x"}, {"--loss: 'x'", "pixels balanced"});
  refuse({"--regions", "own,,image"}, {"--regions"});
  refuse({"--regions", "sky"}, {"--regions: 'sky'", "own neighbours image"});
  CheckRefused(drawn, drawn.Train({"--model", drawn.features}),
               {"--model", "tests.fea", "overwritten"});
  const auto train = [&](const std::string& features) {
    return Arguments{"segment", "train", features, "--model", out, "-q"};
  };
  CheckRefused(drawn, train(drawn.folder.Path("none.fea")), {"none.fea"});
  CheckRefused(drawn, train(drawn.model), {"model.slk"});
  CheckRefused(drawn, train(drawn.In("images")), {"images"});
  CheckRefused(drawn, train(drawn.In("train.txt")), {"train.txt"});
}

TEST_CASE("evaluate: bad input") {
  const Drawn& drawn = Shared();
  const Scratch scratch("evaluate");
  CheckRefused(drawn, {"segment", "evaluate", "--model", drawn.model}, {"--images", "--features"});
  CheckRefused(drawn,
               {"segment", "evaluate", "--model", drawn.model, "--images", drawn.In("images")},
               {"--labels"});
  CheckRefused(drawn, drawn.EvaluatePrepared(drawn.features), {"tests.fea"});
  CheckRefused(drawn, drawn.EvaluatePrepared(drawn.folder.Path("none.slk")), {"none.slk"});
  CheckRefused(drawn, drawn.Evaluate({"--decode", "x"}), {"--decode", "x"});

  const auto list = [&](const std::string& text) {
    std::ofstream(scratch.Path("list.txt")) << text;
    return drawn.EvaluateList(scratch.Path("list.txt"), {"--sheets", scratch.Path("sheets")});
  };
  CheckRefused(drawn, list("\n\n"), {"list.txt: no images"});
  CheckRefused(drawn, list("drawn-0001\nnone\n"), {"list.txt:2", "'none'", "none.jpg"});
  CheckRefused(drawn, list("drawn-0001\ndrawn-0001\n"), {"list.txt:2", "line 1"});
  CheckRefused(drawn, drawn.EvaluateList(scratch.Path("no-list")), {"no-list"});

  CheckRefused(drawn, drawn.Evaluate({"--sheets", drawn.In("images")}),
               {"--sheets", "drawn-0010.png", "replace"});
  CheckRefused(drawn, drawn.Evaluate({"--sheets", drawn.In("labels")}),
               {"--sheets", "drawn-0010.png", "replace"});
  CheckRefused(drawn, drawn.Evaluate({"--sheets", drawn.model}),
               {"--sheets", "cannot make the folder"});
  CheckRefused(drawn, drawn.Evaluate({"--confusion", drawn.model}), {"--confusion", "model.slk"});
  CheckRefused(drawn, drawn.Evaluate({"--confusion", drawn.Image(11)}),
               {"--confusion", "drawn-0011.png"});
  CheckRefused(drawn, drawn.Evaluate({"--confusion", scratch.Path("none/c.png")}),
               {"--confusion", "no folder"});

  // Bad label images beside good ones.
  fs::create_directory(scratch.Path("labels"));
  for (const char* name : {"drawn-0010.png", "drawn-0011.png", "drawn-0012.png"})
    fs::copy_file(drawn.In(std::string("labels/") + name),
                  scratch.Path(std::string("labels/") + name));
  Arguments arguments = drawn.Evaluate({"--sheets", scratch.Path("sheets"), "--threads", "2"});
  std::replace(arguments.begin(), arguments.end(), drawn.In("labels"), scratch.Path("labels"));
  WriteLabelPng(scratch.Path("labels/drawn-0012.png"), {2, 1, {0, 1}}, ClassPalette());
  CheckRefused(drawn, arguments, {"labels/drawn-0012.png", "2 × 1", "72 × 54"});
  WriteLabelPng(scratch.Path("labels/drawn-0012.png"),
                {72, 54, std::vector<std::uint8_t>(72 * 54, kClasses)}, ClassPalette());
  CheckRefused(drawn, arguments, {"labels/drawn-0012.png", "4"});
  for (const char* name : {"drawn-0010.png", "drawn-0011.png", "drawn-0012.png"})
    WriteLabelPng(scratch.Path(std::string("labels/") + name),
                  {72, 54, std::vector<std::uint8_t>(72 * 54, kVoid)}, ClassPalette());
  CheckRefused(arguments, "no labelled pixels");
}

TEST_CASE("evaluate: features that do not fit the model") {
  const Drawn& drawn = Shared();
  const Scratch scratch("fit");
  const auto evaluate = [&](const std::string& features) {
    return Arguments{"segment", "evaluate", "--features", features, "--model", drawn.model};
  };
  Succeed(drawn.Prepare("fit/seed.fea", {"--seed", "2"}));
  CheckRefused(drawn, evaluate(scratch.Path("seed.fea")), {"seed.fea", "other features"});

  std::ofstream(scratch.Path("classes.txt")) << "a\nb\nc\nd\n";
  Arguments prepare = drawn.Prepare("fit/classes.fea", {});
  std::replace(prepare.begin(), prepare.end(), drawn.In("classes.txt"),
               scratch.Path("classes.txt"));
  Succeed(prepare);
  CheckRefused(drawn, evaluate(scratch.Path("classes.fea")), {"classes.fea", "other classes"});

  prepare = drawn.Prepare("fit/train.fea", {});
  const auto test = std::find(prepare.begin(), prepare.end(), "--test");
  prepare.erase(test, test + 2);
  Succeed(prepare);
  CheckRefused(drawn, evaluate(scratch.Path("train.fea")), {"train.fea", "no test images"});
  CheckRefused(drawn, evaluate(drawn.model), {"model.slk"});
}

TEST_CASE("images of more pixels than wanted are refused by every command that reads them") {
  const Drawn& drawn = Shared();
  const Scratch scratch("pixels");
  const std::string most = std::to_string(72 * 54);
  const std::string less = std::to_string(72 * 54 - 1);
  const Arguments message = {"72 x 54 pixels is too large; at most " + less + " pixels",
                             "--max-pixels"};
  CheckRefused(drawn, drawn.Predict({drawn.Image(1)}, "pixels/out", {"--max-pixels", less}),
               message);
  CheckRefused(drawn, drawn.Evaluate({"--max-pixels", less}), message);
  CheckRefused(drawn, drawn.Prepare("pixels/new.fea", {"--max-pixels", less}), message);
  Succeed(drawn.Predict({drawn.Image(1)}, "pixels/out", {"--max-pixels", most}));
  for (const char* bad : {"0", "-1", "x", "500000001"}) {
    CheckRefused(drawn, drawn.Predict({drawn.Image(1)}, "pixels/out", {"--max-pixels", bad}),
                 {"--max-pixels: '" + std::string(bad) + "' is not allowed"});
  }
}

TEST_CASE("an image may be read from a pipe") {
  const Drawn& drawn = Shared();
  const Scratch scratch("pipe");
  const Pipe pipe(scratch.Path("drawn-0001.pipe"), ReadBytes(drawn.Image(1)));
  Succeed(drawn.Predict({pipe.path()}, "pipe/piped"));
  Succeed(drawn.Predict({drawn.Image(1)}, "pipe/plain"));
  CHECK(ReadBytes(scratch.Path("piped/drawn-0001.png")) ==
        ReadBytes(scratch.Path("plain/drawn-0001.png")));
}

TEST_CASE("predict: bad input") {
  const Drawn& drawn = Shared();
  const Scratch scratch("bad");
  const std::string good = drawn.Image(1);
  CheckRefused(drawn, drawn.Predict({good, drawn.Image(99)}, "bad/out"), {"drawn-0099.png"});
  CheckRefused(drawn, drawn.Predict({good, drawn.In("classes.txt")}, "bad/out"), {"classes.txt"});
  CheckRefused(drawn, drawn.Predict({good, drawn.In("images")}, "bad/out"), {"drawn/images"});
  // Of two bad images the first is named, for any number of threads.
  for (const char* threads : {"1", "2", "4"}) {
    const Arguments two = {good, drawn.Image(2), drawn.In("classes.txt"), drawn.Image(3),
                           drawn.Image(99)};
    CheckRefused(drawn, drawn.Predict(two, "bad/out", {"--threads", threads}),
                 {"classes.txt: is neither"});
    CheckRefused(drawn,
                 drawn.Predict({drawn.Image(99), good, drawn.In("classes.txt")}, "bad/out",
                               {"--threads", threads}),
                 {"drawn-0099.png"});
  }
  fs::copy_file(good, scratch.Path("drawn-0001.png"));
  CheckRefused(drawn, drawn.Predict({good, scratch.Path("drawn-0001.png")}, "bad/out"),
               {"images/drawn-0001.png", "bad/drawn-0001.png", "same name"});
  CheckRefused(drawn, drawn.Predict({good, good}, "bad/out"), {"drawn-0001.png", "same name"});
  CheckRefused(drawn, drawn.Predict({good}, "drawn/images"),
               {"--out", "drawn-0001.png", "replace"});
  fs::create_directory_symlink(drawn.In("images"), scratch.Path("link"));
  CheckRefused(drawn, drawn.Predict({good}, "bad/link"), {"--out", "drawn-0001.png", "replace"});
  fs::copy_file(good, scratch.Path("drawn-0001-overlay.png"));
  const Arguments pair = {good, scratch.Path("drawn-0001-overlay.png")};
  CheckRefused(drawn, drawn.Predict(pair, "bad/out", {"--overlay"}),
               {"--out", "drawn-0001-overlay.png", "two"});
  CheckRefused(drawn, drawn.Predict({good}, "tests.fea"), {"--out", "cannot make the folder"});
  CheckRefused(drawn, drawn.Predict({good, drawn.Image(2)}, "tests.fea/below"),
               {"--out", "cannot make the folder", "Not a directory"});
  CheckRefused(drawn, drawn.Predict({good}, "bad/out", {"--threads", "x"}), {"--threads", "'x'"});
  CheckRefused(
      drawn, {"segment", "predict", good, "--model", drawn.features, "--out", scratch.Path("out")},
      {"tests.fea"});
  CheckRefused(drawn, {"segment", "predict", "--model", drawn.model, "--out", scratch.Path("out")},
               {"IMAGES"});
}

TEST_CASE("--quiet prints nothing, and without it there is a summary") {
  const Drawn& drawn = Shared();
  const Scratch scratch("quiet");
  const auto both = [&](Arguments arguments, const Arguments& parts) {
    CHECK(Succeed(arguments).err.empty());
    arguments.erase(std::find(arguments.begin(), arguments.end(), "-q"));
    const std::string text = Succeed(arguments).err;
    INFO(text);
    for (const std::string& part : parts) CHECK_MESSAGE(Contains(text, part), part);
  };
  both(drawn.Train({"--model", scratch.Path("m.slk"), "--lambda", "30"}),
       {"data: 9 images", "4 classes", "training: ", "converged", "model written to"});
  both(drawn.Predict({drawn.Image(1)}, "quiet/out"),
       {"1 label image written to", "proven optimal"});
  both(drawn.Evaluate(), {});
  both({"segment", "cv", drawn.features, "--lambda-path", "100", "--folds", "2", "--model",
        scratch.Path("cv.slk"), "-q"},
       {"data: 9 images", "2 folds",
        "training on all training images with loss pixels and lambda 100"});
}
