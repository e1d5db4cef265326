// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment draw
#ifdef SLACKLINE_WITH_VISION
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSegmentDrawDescription =
    "Draws labelled images to try segmentation with: landscapes of sky, grass, water and so on, "
    "with objects in them.\n"
    "DIR/images and DIR/labels get one PNG file per image; classes.txt, train.txt and test.txt "
    "(the last quarter of the\n"
    "images) are the lists that `segment prepare` needs. The same options draw the same images "
    "everywhere.";

constexpr const char* kSegmentDrawExamples =
    "Examples:\n"
    "  slackline segment draw --out drawn\n"
    "  slackline segment prepare --images drawn/images --labels drawn/labels --classes "
    "drawn/classes.txt \\\n"
    "    --train drawn/train.txt --test drawn/test.txt --out drawn.fea";

constexpr Index kMostImages = 10'000;

struct DrawImagesCommand {
  std::string out;
  std::string images = "40";
  std::string classes = "6";
  std::string size = "160x120";
  std::string seed = "1";
  bool quiet = false;
};

struct DrawSettings {
  Index images = 0;
  Index classes = 0;
  Index width = 0;
  Index height = 0;
  std::uint64_t seed = 0;
};

DrawSettings ReadDrawSettings(const DrawImagesCommand& command) {
  constexpr Index kMostSide = 10'000;
  DrawSettings settings;
  settings.images = ReadCount("images", command.images, 2, kMostImages);
  settings.classes = ReadCount("classes", command.classes, 2, 8);
  const std::size_t cross = command.size.find('x');
  const bool good =
      cross != std::string::npos &&
      ParseIndex(std::string_view(command.size).substr(0, cross), &settings.width) &&
      ParseIndex(std::string_view(command.size).substr(cross + 1), &settings.height) &&
      std::min(settings.width, settings.height) >= 1 &&
      std::max(settings.width, settings.height) <= kMostSide;
  if (!good) {
    throw DataError("--size: " + Quoted(command.size) +
                    " is not allowed; it must be WIDTHxHEIGHT, each from 1 to " +
                    std::to_string(kMostSide));
  }
  settings.seed = static_cast<std::uint64_t>(ReadCount("seed", command.seed, 0));
  return settings;
}

std::string ImageName(Index number) {
  std::array<char, 20> name;
  std::snprintf(name.data(), name.size(), "drawn-%04d", static_cast<int>(number));
  return name.data();
}

int RunSegmentDraw(const DrawImagesCommand& command) {
  const DrawSettings settings = ReadDrawSettings(command);
  const fs::path out = command.out;
  std::error_code error;
  if (fs::exists(out, error) && !fs::is_empty(out, error))
    throw DataError("--out: " + Quoted(command.out) + " exists and is not empty");
  MakeFolder("out", (out / "images").string());
  MakeFolder("out", (out / "labels").string());
  const std::vector<std::uint8_t> palette = ClassPalette();
  const Index num_train = settings.images - std::max<Index>(1, settings.images / 4);
  std::string train, test;
  TerminalLine line(!command.quiet);
  for (Index k = 1; k <= settings.images; ++k) {
    const std::string name = ImageName(k);
    const std::uint64_t seed = settings.seed * (kMostImages + 1) + static_cast<std::uint64_t>(k);
    const SyntheticImage drawn =
        DrawSynthetic(settings.width, settings.height, settings.classes, seed);
    WritePng((out / "images" / (name + ".png")).string(), drawn.image);
    WriteLabelPng((out / "labels" / (name + ".png")).string(), drawn.labels, palette);
    (k <= num_train ? train : test) += name + "\n";
    if (line.due() || k == 1)
      line.Show("drawing " + std::to_string(k) + " of " + std::to_string(settings.images));
  }
  std::string classes;
  for (const std::string& name : SyntheticClasses(settings.classes)) classes += name + "\n";
  WriteFileAtomically((out / "classes.txt").string(), classes);
  WriteFileAtomically((out / "train.txt").string(), train);
  WriteFileAtomically((out / "test.txt").string(), test);
  line.Clear();
  if (!command.quiet) {
    std::fprintf(stderr,
                 "%s of %d x %d pixels and %d classes written to %s; %d of them are for tests\n",
                 Count(settings.images, "image").c_str(), static_cast<int>(settings.width),
                 static_cast<int>(settings.height), static_cast<int>(settings.classes),
                 command.out.c_str(), static_cast<int>(settings.images - num_train));
  }
  return 0;
}

}  // namespace

void AddSegmentDraw(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"draw", kSegmentDrawDescription, kSegmentDrawExamples}, RunSegmentDraw);
  AddTextOption(app, "out", &command->out, "DIR",
                "new or empty folder for images, labels and lists")
      ->Required();
  AddTextOption(app, "images", &command->images, "N", "number of images, at least 2", "40");
  AddTextOption(app, "classes", &command->classes, "K", "number of classes, 2 to 8", "6");
  AddTextOption(app, "size", &command->size, "WIDTHxHEIGHT", "pixels of an image", "160x120");
  AddTextOption(app, "seed", &command->seed, "S", "another seed draws other images", "1");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

}  // namespace slackline::internal::program
#endif
