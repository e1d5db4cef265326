// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/convert_images.h>

#include <slackline/apps/segmentation/images/converted_images.h>
#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/apps/training/converted_scaling.h>

namespace slackline::internal {

ImageConversion ConvertImages(const std::string& path, const ConvertedTarget& target,
                              const ImageConversionOptions& options) {
  const FeatureFile file(path);
  const SegmentModel model = MakeSegmentModel(options.choices, FormatOf(file));
  ConvertedWriter writer(target, kLabelsVary);
  ImageConversion result;
  result.num_features = model.num_features();
  result.num_classes = model.num_classes();
  for (const Index i : TrainingImages(file, path)) {
    options.progress("reading", writer.num_examples());
    PreparedExample image = LoadImage(file, i, model);
    std::string labels = ImageBytes({image.name, std::move(image.example)});
    for (Index r = 0; r < image.rows->size(); ++r) {
      writer.Add(image.rows->row(r), labels, r == 0);
      labels.clear();
    }
    result.num_rows += image.rows->size();
  }
  writer.EndExamples();
  // The rows have their constant already.
  result.values = ScaleConverted(options.scale, {path, nullptr, model.num_features()}, false,
                                 options.progress, &writer);
  result.values.options = {{"regions", options.choices.RegionsText()},
                           {"scale", std::string(ScaleName(options.scale))}};
  options.progress("writing", writer.num_examples());
  FinishConverted(model, result.values, options.windows, &writer);
  result.num_images = writer.num_examples();
  result.bytes = writer.bytes();
  result.num_files = writer.num_files();
  return result;
}

}  // namespace slackline::internal
