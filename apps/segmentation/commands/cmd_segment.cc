// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/commands/cmd_segment.h>

#include <slackline/apps/cli/add_command.h>
#include <slackline/core/check.h>
#ifdef SLACKLINE_WITH_VISION
#include <slackline/vision/image.h>
#endif

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentDescription =
    "Image segmentation: every superpixel of an image has a class.";

}  // namespace

#ifdef SLACKLINE_WITH_VISION

void PixelFlag::Register(Command* app) {
  most = std::to_string(kMostPixels);
  AddTextOption(app, "max-pixels", &most, "N",
                "refuse images with more pixels: an image takes about 35 bytes of memory per pixel",
                most);
}

Index PixelFlag::Read() const { return ReadCount("max-pixels", most, 1, kLargestImage); }

void AddSegment(Command* parent, Action* action) {
  Command* app = parent->AddCommand("segment", kSegmentDescription);
  app->RequireCommand();
  app->SetFooter(
      "Examples:\n"
      "  slackline segment draw --out drawn\n"
      "  slackline segment train drawn.fea --model drawn.slk\n"
      "  slackline segment evaluate drawn.fea --model drawn.slk\n"
      "  slackline segment predict holiday/*.jpg --model drawn.slk --out predicted --overlay");
  AddSegmentDraw(app, action);
  AddSegmentPrepare(app, action);
  AddSegmentTrain(app, action);
  AddSegmentPredict(app, action);
  AddSegmentEvaluate(app, action);
  AddSegmentCv(app, action);
  AddSegmentPotentials(app, action);
  AddSegmentConvert(app, action);
  app->AddAbsent("online", kNoOnlineTraining);
}

#else

#ifndef SLACKLINE_VISION_MISSING
#define SLACKLINE_VISION_MISSING ""
#endif

namespace {

[[noreturn]] int Refuse() {
  const std::string missing = SLACKLINE_VISION_MISSING;
  throw DataError(
      "segment: this program was built without image segmentation, " +
      (missing.empty() ? "which was switched off" : "because these are missing: " + missing));
}

}  // namespace

void AddSegment(Command* parent, Action* action) {
  Command* app =
      parent->AddCommand("segment", std::string(kSegmentDescription) + " (Not in this build.)");
  app->AcceptAll();  // whatever follows
  app->OnParsed([action] { *action = Refuse; });
}

#endif

}  // namespace slackline::internal::program
