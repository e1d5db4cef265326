// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear
#include <slackline/apps/linear/commands/cmd_linear.h>

#include <slackline/apps/cli/add_command.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kLinearExamples =
    "Examples:\n"
    "  slackline linear train mail.svm --loss logistic --l1 0.001 --model spam.slk\n"
    "  slackline linear train houses.csv --label-column price --loss squared --model price.slk\n"
    "  slackline linear evaluate houses-test.csv --model price.slk\n"
    "  slackline linear predict houses-test.csv --model price.slk --out prices.txt";

}  // namespace

void AddLinear(Command* parent, Action* action) {
  Command* app = parent->AddCommand(
      "linear", "Linear models: one of two classes, or a number, for every example.");
  app->RequireCommand();
  app->SetFooter(kLinearExamples);
  AddLinearTrain(app, action);
  AddLinearPredict(app, action);
  AddLinearEvaluate(app, action);
  AddLinearCv(app, action);
  app->AddAbsent("convert", kNoConversion);
  app->AddAbsent("online", kNoOnlineTraining);
}

}  // namespace slackline::internal::program
