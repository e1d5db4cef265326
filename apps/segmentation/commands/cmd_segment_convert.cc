// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment convert
#ifdef SLACKLINE_WITH_VISION
#include <string>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_conversion.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/apps/segmentation/images/convert_images.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentConvertDescription =
    "Converts the training images of a file that `segment prepare` made to a file that `train` and "
    "`cv` use where it lies,\nso that they can be larger than the memory. Features are selected, "
    "scaled and stored as `train` reads them, in 8 bytes\neach instead of 2; superpixels, links "
    "and labelled pixels become part of the file, the images do not. `evaluate` reads\nthe "
    "prepared file, one image at a time.";

constexpr const char* kSegmentConvertExamples =
    "Examples:\n"
    "  slackline segment convert pets.fea --out pets.data\n"
    "  slackline segment train pets.data --model pets.slk\n"
    "  slackline segment convert pets.fea --layers fine --regions own --out pets.parts --parts 4";

struct SegmentConvertCommand {
  std::string features;
  SegmentChoices choices;
  ConversionFlags conversion;
};

void Summarise(const SegmentConvertCommand& command, const ImageConversion& conversion) {
  SummariseConversion(
      command.conversion,
      {Count(conversion.num_images, "image") + ", " + Count(conversion.num_rows, "superpixel") +
           ", " + Count(conversion.num_features, "feature") + " and a constant, " +
           std::to_string(conversion.num_classes) + " classes",
       conversion.bytes, conversion.num_files},
      conversion.values);
}

int RunSegmentConvert(const SegmentConvertCommand& command) {
  const ConversionFlags& flags = command.conversion;
  command.choices.Check();
  ImageConversionOptions options;
  options.choices = command.choices;
  options.scale = flags.scale.Read();
  options.windows = flags.Windows();
  const ConvertedTarget target = flags.Target({command.features});
  ImageConversion conversion;
  return flags.Run(
      [&](const ConversionProgress& progress) {
        options.progress = progress;
        conversion = ConvertImages(command.features, target, options);
      },
      [&] { Summarise(command, conversion); });
}

}  // namespace

void AddSegmentConvert(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"convert", kSegmentConvertDescription, kSegmentConvertExamples},
                 RunSegmentConvert);
  app->AddArgument("FEATURES", &command->features, "file of prepared images")->Required();
  SegmentFlags::RegisterLayers(app, &command->choices);
  SegmentFlags::RegisterRegions(app, &command->choices);
  command->conversion.Register(app, "");
}

}  // namespace slackline::internal::program
#endif
