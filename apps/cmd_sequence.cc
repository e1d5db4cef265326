// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence, and slackline sequence template
#include <slackline/apps/cmd_sequence.h>

#include <memory>

#include <CLI/CLI.hpp>

#include <slackline/core/feature_template.h>

namespace slackline::program {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline sequence train conll-train.txt.gz --model chunks.slk\n"
    "  slackline sequence evaluate conll-test.txt.gz --model chunks.slk\n"
    "  slackline sequence predict conll-test.txt.gz --model chunks.slk --out predicted.txt\n"
    "  slackline sequence train letter.data.gz --folds 1-9 --model letters.slk";

constexpr const char* kTemplateDescription =
    "Writes the templates of features that `sequence train` uses where no --template is given.\n"
    "A template a line: a name, a colon, and a text with macros, which stand for columns of tokens nearby. "
    "%x[-1,0] is the text\nin column 0 of the token before, %low the same in lower case, %shape its kinds of "
    "characters, %pre[row,column,n] and\n%suf[row,column,n] its first and last n characters. Rows count from "
    "the token, columns from 0.";

struct TemplateCommand {
  std::string columns = "2";
};

int RunTemplate(const TemplateCommand& command) {
  WriteOutput("-", DefaultTemplates(ReadCount("columns", command.columns, 1)));
  return 0;
}

}  // namespace

void AddSequenceTemplate(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<TemplateCommand>();
  CLI::App* app = parent->add_subcommand("template", kTemplateDescription);
  AddTextOption(app, "columns", &command->columns, "N", "columns of the data, without that of the labels",
                "2");
  app->footer(
      "Examples:\n"
      "  slackline sequence template > mine.txt");
  app->callback([command, action] { *action = [command] { return RunTemplate(*command); }; });
}

void AddSequence(CLI::App* parent, Action* action) {
  CLI::App* app = parent->add_subcommand(
      "sequence",
      "Sequence labelling: every token of a sequence has a label; letters of words, words of "
      "sentences.");
  app->require_subcommand(1);
  app->footer(kExamples);
  AddSequenceTrain(app, action);
  AddSequencePredict(app, action);
  AddSequenceEvaluate(app, action);
  AddSequenceCv(app, action);
  AddSequenceTemplate(app, action);
}

}  // namespace slackline::program
