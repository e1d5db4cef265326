// SPDX-License-Identifier: BSD-3-Clause
//
// The option --void: label images in which values other than 255 mean "no label".
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/core/model_file.h>
#include <slackline/vision/feature_file.h>
#include <slackline/vision/pictures.h>
#include <tests/apps/drawn_images.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Four images with labels in the given coding, in train.txt and (the last one) test.txt.
struct CodedImages {
  explicit CodedImages(const LabelCoding& coding) {
    std::filesystem::create_directory(folder.Path("pictures"));
    std::filesystem::create_directory(folder.Path("truth"));
    for (const char* name : {"a", "b", "c", "d"}) {
      SyntheticImage drawn = DrawSynthetic(40, 30, kClasses, static_cast<std::uint64_t>(name[0]));
      drawn.labels.labels[7] = kVoid;
      WritePng(folder.Path(std::string("pictures/") + name + ".png"), drawn.image);
      for (std::uint8_t& label : drawn.labels.labels) label = coding.ValueOf(label);
      WriteLabelPng(folder.Path(std::string("truth/") + name + ".png"), drawn.labels,
                    ClassPalette());
    }
    std::string names;
    for (const std::string& name : SyntheticClasses(kClasses)) names += name + "\n";
    folder.Write("classes.txt", names);
    folder.Write("train.txt", "a\nb\nc\n");
    folder.Write("test.txt", "d\n");
  }

  Outcome Prepare(const Arguments& more) const {
    return RunProgram(Arguments{"segment",
                                "prepare",
                                "--images",
                                folder.Path("pictures"),
                                "--labels",
                                folder.Path("truth"),
                                "--classes",
                                folder.Path("classes.txt"),
                                "--train",
                                folder.Path("train.txt"),
                                "--test",
                                folder.Path("test.txt"),
                                "--out",
                                folder.Path("f.fea"),
                                "--superpixels",
                                "20",
                                "--coarse",
                                "4",
                                "--features",
                                "small",
                                "-q"} +
                      more);
  }
  void Train() const {
    Succeed({"segment", "train", folder.Path("f.fea"), "--model", folder.Path("m.slk"), "-q"});
  }
  Outcome Evaluate(const Arguments& more) const {
    return RunProgram(Arguments{"segment", "evaluate", "--images", folder.Path("pictures"),
                                "--labels", folder.Path("truth"), "--list", folder.Path("test.txt"),
                                "--model", folder.Path("m.slk"), "--json"} +
                      more);
  }
  std::vector<std::uint8_t> Predicted(const LabelCoding& coding) const {
    Succeed({"segment", "predict", folder.Path("pictures/d.png"), "--model", folder.Path("m.slk"),
             "--out", folder.Path("out"), "-q"});
    return ReadLabelImage(folder.Path("out/d.png"), kClasses, kMostPixels, coding).labels;
  }

  TemporaryFolder folder;
};

Json FiguresOf(const Outcome& outcome) { return WithoutTimes(Json::parse(Succeed(outcome).out)); }

}  // namespace

TEST_CASE("classes are the values that are not void, in their order") {
  const LabelCoding plain;
  CHECK(plain.plain());
  CHECK(plain.ClassOf(0) == 0);
  CHECK(plain.ClassOf(255) == kVoid);
  const LabelCoding msrc({0});
  CHECK(msrc.ClassOf(0) == kVoid);
  CHECK(msrc.ClassOf(1) == 0);
  CHECK(msrc.ClassOf(255) == 254);
  CHECK(msrc.ValueOf(20) == 21);
  CHECK(msrc.ValueOf(kVoid) == 0);
  const LabelCoding several({0, 3, 255});
  CHECK(several.most_classes() == 253);
  CHECK(several.ClassOf(2) == 1);
  CHECK(several.ClassOf(4) == 2);
  CHECK(several.VoidText() == "0, 3 or 255");
  for (int label = 0; label < 253; ++label)
    CHECK(several.ClassOf(several.ValueOf(static_cast<std::uint8_t>(label))) == label);
  CHECK_THROWS_AS(LabelCoding(std::vector<std::uint8_t>{}), std::invalid_argument);
  CHECK_THROWS_AS(LabelCoding(std::vector<std::uint8_t>{3, 3}), std::invalid_argument);
}

TEST_CASE("other values of the same labels give the same model, figures and predictions") {
  const CodedImages plain{LabelCoding()};
  Succeed(plain.Prepare({}));
  plain.Train();
  const Json figures = FiguresOf(plain.Evaluate({}));
  // Without --void, files have version 1, and models have no entry for it.
  CHECK(ReadBytes(plain.folder.Path("f.fea"))[8] == 1);
  CHECK_FALSE(ModelReader(plain.folder.Path("m.slk")).Has("void_values"));

  for (const auto& [values, text] : {std::pair<std::vector<std::uint8_t>, std::string>{{0}, "0"},
                                     {{0, 255}, "255,0"},
                                     {{1, 2, 200}, "1,2,200"}}) {
    const LabelCoding coding(values);
    const CodedImages other(coding);
    Succeed(other.Prepare({"--void", text}));
    CHECK(FeatureFile(other.folder.Path("f.fea")).coding().void_values() == values);
    other.Train();
    CHECK(ModelWeights(other.folder.Path("m.slk")) == ModelWeights(plain.folder.Path("m.slk")));
    CHECK(FiguresOf(other.Evaluate({})) == figures);
    CHECK(other.Predicted(coding) == plain.Predicted(LabelCoding()));
  }
  // --void of evaluate: label images with another coding than those of training.
  const CodedImages other(LabelCoding({0}));
  std::filesystem::copy_file(plain.folder.Path("m.slk"), other.folder.Path("m.slk"));
  CHECK(FiguresOf(other.Evaluate({"--void", "0"})) == figures);
}

TEST_CASE("bad input of --void ends with code 2 and one line") {
  const CodedImages collection{LabelCoding()};
  const auto refuse = [](const Outcome& outcome, const std::string& part) {
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(Lines(outcome.err).size() == 1);
    CHECK_MESSAGE(Contains(outcome.err, part), part);
  };
  refuse(collection.Prepare({"--void", "256"}),
         "--void: '256' is not allowed; it must be a whole number from 0");
  refuse(collection.Prepare({"--void", "0,x"}), "--void: 'x' is not allowed");
  refuse(collection.Prepare({"--void", "7,7"}), "--void: '7' is given twice");
  // 255 is no class when 0 is void.
  refuse(collection.Prepare({"--void", "0"}),
         "value 255 at column 7, row 0 (from 0) is neither a class, of which there are 4 (values 1 "
         "to 4), nor 0 (no label)");
  CHECK_FALSE(std::filesystem::exists(collection.folder.Path("f.fea")));
  std::string names;
  for (int k = 0; k < 255; ++k) names += "class" + std::to_string(k) + "\n";
  collection.folder.Write("classes.txt", names);
  refuse(collection.Prepare({"--void", "0,255"}),
         "--void: 2 void values and 255 classes are more than the 256 values of a pixel");
}

TEST_CASE("model files with impossible void values are refused") {
  const TemporaryFolder folder;
  SegmentModel model({"a", "b"}, 1, {{0, 1}}, SegmentLayers::kFine, SegmentPairwise::kTable);
  CHECK_THROWS_AS(model.set_void_values({}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_void_values({3, 3}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_void_values({256}), std::invalid_argument);
  model.record.loss = "pixels";
  model.set_void_values({0, 9});
  model.Save(folder.Path("m.slk"));
  CHECK(SegmentModel::Load(folder.Path("m.slk")).void_values() == std::vector<std::int64_t>{0, 9});
}
