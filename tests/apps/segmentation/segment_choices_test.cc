// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_choices.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>

using namespace slackline::internal;

TEST_CASE("the choices by default are two layers with tables, and with potentials Potts links") {
  SegmentChoices choices;
  choices.Check();
  CHECK(choices.ReadLayers() == SegmentLayers::kTwo);
  CHECK(choices.ReadPairwise() == SegmentPairwise::kTable);
  CHECK(choices.ReadLoss() == SegmentLoss::kPixels);
  choices.potentials = "scores.tsv";
  CHECK(choices.ReadPairwise() == SegmentPairwise::kPotts);
  choices.pairwise = "table";
  CHECK(choices.ReadPairwise() == SegmentPairwise::kTable);
}

TEST_CASE("unknown choices are refused with the names that exist") {
  const auto message = [](std::string SegmentChoices::*member, const char* text) {
    SegmentChoices choices;
    choices.*member = text;
    try {
      choices.Check();
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message(&SegmentChoices::layers, "three").find("--layers") != std::string::npos);
  CHECK(message(&SegmentChoices::layers, "three").find("neighbours") != std::string::npos);
  CHECK(message(&SegmentChoices::pairwise, "all").find("potts") != std::string::npos);
  CHECK(message(&SegmentChoices::loss, "hinge").find("balanced") != std::string::npos);
  CHECK(message(&SegmentChoices::regions, "own,mine").find("'mine'") != std::string::npos);
  CHECK(message(&SegmentChoices::regions, "own,image").empty());
}

TEST_CASE("records name the choices, and the links that they lead to") {
  SegmentChoices choices;
  choices.loss = "balanced";
  choices.regions = "own";
  const SegmentModel model({"a", "b"}, 3, {{0, 3}}, SegmentLayers::kTwo, SegmentPairwise::kTable);
  const RecordTexts texts = TextsOf(choices, "auto", model);
  CHECK(texts.loss == "balanced");
  CHECK(texts.data.empty());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"layers", "two"},  {"pairwise", "table"}, {"loss", "balanced"},
      {"regions", "own"}, {"potentials", ""},    {"scale", "auto"}};
  CHECK(texts.options == expected);
}
