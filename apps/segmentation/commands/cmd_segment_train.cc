// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment train
#ifdef SLACKLINE_WITH_VISION
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentTrainDescription =
    "Trains a segmentation model on the training images of a file that `segment prepare` made, or "
    "`segment convert`.\n"
    "Ctrl-C ends training early and keeps the best model. Without --lambda, --C and --lambda-path, "
    "lambda is n/80 times the\n"
    "mean squared norm of the features, with n superpixels per image. This is often not far from "
    "the best value, which\n"
    "`segment cv` finds.";

constexpr const char* kSegmentTrainExamples =
    "Examples:\n"
    "  slackline segment train pets.fea --model pets.slk\n"
    "  slackline segment train pets.fea --layers neighbours --loss balanced --lambda 0.001 --model "
    "pets.slk\n"
    "  slackline segment train pets.fea --lambda-path 0.1:0.0001:7 --model pets.slk\n"
    "  slackline segment train pets.fea --potentials scores.tsv --model small.slk";

struct SegmentTrainCommand {
  SegmentFlags segment;
  SessionFlags session;
};

int RunSegmentTrain(const SegmentTrainCommand& command) {
  command.segment.Check();
  SessionSettings settings = ReadSession(command.session, command.segment.inputs());
  RefuseKernels(settings.train, "images");
  SegmentTask data = LoadSegmentTask(command.segment, settings.train);
  const auto training = MakeSegmentTrainTask(command.segment, command.segment.ReadLoss(), &data);
  return RunSession(command.session, std::move(settings), training.get());
}

}  // namespace

void AddSegmentTrain(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"train", kSegmentTrainDescription, kSegmentTrainExamples}, RunSegmentTrain);
  command->segment.Register(app);
  command->session.Register(app);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
#endif
