// SPDX-License-Identifier: BSD-3-Clause
//
// Converted images (docs/reference/converted_file.md) with valid checksums.
#include <slackline/apps/segmentation/images/converted_images.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <slackline/core/check.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/converted_bytes.h"
#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

/// Two images with three fine and two coarse superpixels, three features and a constant.
std::vector<std::string> ConvertedImageSeeds() {
  std::vector<std::string> seeds;
  for (const SegmentLayers layers : {SegmentLayers::kTwo, SegmentLayers::kFine}) {
    const test::TemporaryFolder folder;
    SegmentModel model({"sky", "sea"}, 5, {{0, 1}, {3, 2}}, layers, SegmentPairwise::kTable);
    model.set_void_values({0, 7});
    ConvertedImage image;
    image.name = "a";
    image.example.graph = {3, 2, {0, 1, 1}, {{0, 1, 2.5F}, {1, 2, 0}}};
    image.example.fine_pixels = {1, 2, 3, 4, 5, 6};
    image.example.coarse_pixels = {0, 1, 2, 3};
    FeatureRows rows;
    rows.AddDense(std::vector<double>{1, 2, 3, 1});
    ConvertedWriter writer({folder.Path("a")}, kLabelsVary);
    for (int m = 0; m < 2; ++m) {
      for (int r = 0; r < (model.has_coarse() ? 5 : 3); ++r)
        writer.Add(rows.row(0), r == 0 ? ImageBytes(image) : std::string(), r == 0);
    }
    writer.EndExamples();
    ConvertedValues values;
    values.options = {{"regions", "all"}, {"scale", "auto"}};
    FinishConverted(model, values, {}, &writer);
    seeds.push_back(test::ReadBytes(folder.Path("a")));
  }
  return seeds;
}

void ReadConvertedImages(std::string_view input) {
  const std::string path = PathOf(SealedConversion(input));
  for (const char* layers : {"two", "fine"}) {
    SegmentChoices choices;
    choices.layers = layers;
    try {
      const SegmentTask task = LoadConvertedTask(path, choices, std::nullopt, nullptr, 1);
      Offset superpixels = 0;
      for (const SegmentExample& example : task.data.examples) {
        const SegmentGraph& graph = example.graph;
        superpixels += graph.num_fine + (task.model.has_coarse() ? graph.num_coarse : 0);
        for (const Index parent : graph.parent) {
          if (parent < 0 || parent >= graph.num_coarse)
            throw std::logic_error("a parent is out of range");
        }
        for (const SegmentGraph::Border& pair : graph.neighbours) {
          if (pair.first < 0 || pair.first >= pair.second || pair.second >= graph.num_fine)
            throw std::logic_error("a pair of neighbours is out of range");
        }
      }
      if (superpixels != task.data.rows->size() ||
          task.data.rows->dimension() > task.model.num_columns())
        throw std::logic_error("images do not fit their rows");
    } catch (const DataError&) {
      if (choices.layers == "fine") throw;
    }
  }
}

const FuzzTarget kImages({"converted_images", ReadConvertedImages, ConvertedImageSeeds, 8192});

}  // namespace
}  // namespace slackline::internal::fuzz
