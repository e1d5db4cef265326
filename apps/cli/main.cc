// SPDX-License-Identifier: BSD-3-Clause
//
// The command line. Exit codes: 0 = done, 1 = an error of the program itself, or a certificate that
// --verify refutes, 2 = bad input (arguments, files, models), 130, 143 and 129 = training
// interrupted by SIGINT, SIGTERM or SIGHUP, with the model written.
#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_main.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kProgramExamples =
    "Examples:\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel evaluate yeast-test.arff.gz --model yeast.slk\n"
    "  slackline multilabel predict yeast-test.arff.gz --model yeast.slk --out predicted.txt\n"
    "  slackline info yeast.slk";

constexpr const char* kOtherExamples =
    "  slackline sequence train conll-train.txt.gz --model chunks.slk\n"
    "  slackline sequence evaluate conll-test.txt.gz --model chunks.slk\n"
    "  slackline matching train pairs.txt --model alignments.slk\n"
    "  slackline segment draw --out drawn\n"
    "  slackline segment train drawn.fea --model drawn.slk\n"
    "  slackline segment predict holiday/*.jpg --model drawn.slk --out predicted --overlay";

void AddCommands(Command* root, Action* action) {
  root->RequireCommand();
  root->SetFooter(std::string(kProgramExamples) + "\n" + kOtherExamples);
  Command* multilabel = root->AddCommand(
      "multilabel", "Multi-label classification: every example has a set of labels.");
  multilabel->RequireCommand();
  multilabel->SetFooter(kProgramExamples);
  AddMultiLabelTrain(multilabel, action);
  AddMultiLabelPredict(multilabel, action);
  AddMultiLabelEvaluate(multilabel, action);
  AddMultiLabelCv(multilabel, action);
  AddMultiLabelConvert(multilabel, action);
  AddMultiLabelOnline(multilabel, action);
  AddSequence(root, action);
  AddSegment(root, action);
  AddMatching(root, action);
  AddMulticlass(root, action);
  AddLinear(root, action);
  AddOptions(root, action);
  AddInfo(root, action);
  AddReport(root, action);
}

}  // namespace
}  // namespace slackline::internal::program

int main(int argc, char** argv) {
  namespace program = slackline::internal::program;
  return program::RunMain(
      argc, argv,
      {"slackline", "Slackline: structured SVMs with certified training.", program::AddCommands});
}
