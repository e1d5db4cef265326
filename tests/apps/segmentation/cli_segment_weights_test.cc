// SPDX-License-Identifier: BSD-3-Clause
//
// The commands slackline info --weights and slackline report on a segmentation model.
#include <doctest/doctest.h>

#include <tests/apps/drawn_images.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("features have the names of the extractor's blocks") {
  const Drawn& drawn = Shared();
  const Scratch scratch("weights");
  const std::string model = scratch.Path("m.slk");
  Succeed(drawn.Train({"--model", model, "--layers", "neighbours", "--max-passes", "5"}));
  const Json json = JsonOf({"info", model, "--weights", "--json"});
  const Json& strongest = json["strongest"];
  CHECK(strongest["labels"].size() == json["classes"].size());
  CHECK(!strongest["labels"][0]["positive"].empty());
  for (const Json& label : strongest["labels"]) {
    for (const Json& entry : label["positive"]) {
      const std::string name = entry["name"].get<std::string>();
      CHECK_MESSAGE((name.starts_with("fine: ") || name.starts_with("coarse: ")), name);
      CHECK_MESSAGE(name.find('/') != std::string::npos, name);
    }
  }
  CHECK(strongest["pairs"][0]["title"].get<std::string>().starts_with("links"));
  CHECK(strongest["lists"][0]["weights"].size() == 8);
  CHECK(Contains(OutputOf({"info", model, "--weights"}), "contrast below 2"));
  CHECK(Contains(OutputOf({"report", model, "-o", "-"}), "contrast below 2"));
}
