// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence, and slackline sequence template
#include <slackline/apps/sequence/commands/cmd_sequence.h>

#include <memory>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/data/conll_reader.h>
#include <slackline/apps/sequence/data/letters_reader.h>
#include <slackline/apps/sequence/template_sets.h>
#include <slackline/core/split.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequenceExamples =
    "Examples:\n"
    "  slackline sequence train conll-train.txt.gz --model chunks.slk\n"
    "  slackline sequence evaluate conll-test.txt.gz --model chunks.slk\n"
    "  slackline sequence predict conll-test.txt.gz --model chunks.slk --out predicted.txt\n"
    "  slackline sequence train letter.data.gz --folds 1-9 --model letters.slk";

constexpr const char* kTemplateDescription =
    "Writes templates of features: those that `sequence train DATA` uses, or those of a named "
    "set.\n"
    "The sets: spelling (words nearby; lower case, shape, first and last characters of the word), "
    "chunking (words and parts\n"
    "of speech nearby, which are columns 0 and 1), chunking+spelling (with lower case, shape and "
    "endings of the word), and\n"
    "auto: spelling with one column, else chunking+spelling if column 0 holds words, and chunking "
    "if it does not (column 0\n"
    "holds words if half of its different texts have two characters or more and a letter).\n\n"
    "One template per line: a name, a colon, and a text with macros, which stand for columns of "
    "tokens nearby. Rows count\n"
    "from the token (-1 is the previous token), columns from 0.\n"
    "  %x[row,column]       the text\n"
    "  %low[row,column]     the text in lower case (%X is the same)\n"
    "  %shape[row,column]   its kinds of characters: McDonald-3 is XxXx-d\n"
    "  %pre[row,column,n]   its first n characters; %suf its last\n"
    "  %t[row,column,\"re\"]  true or false: whether a regular expression matches a part of it\n"
    "  %m[row,column,\"re\"]  the part that it matches: the first, as long as possible (%M: in "
    "lower case)\n"
    "Regular expressions have . [a-z] [^a-z] ^ $ * + ? | ( ) and \\d \\a \\l \\u \\w \\s \\p "
    "(digit, letter, small letter, capital,\n"
    "letter or digit, blank, punctuation; of ASCII; \\D, … any other). \\ before any other "
    "character is the character itself.";

constexpr const char* kTemplateExamples =
    "Examples:\n"
    "  slackline sequence template conll-train.txt.gz > mine.txt\n"
    "  slackline sequence template --template chunking";

struct TemplateCommand {
  std::string data;
  std::string comments;
  std::string columns = "2";
  std::string templates = "auto";
};

/// Throws DataError when the file is in the letters format.
SequenceData ReadColumns(const std::string& path, const std::string& comments) {
  LineReader reader(path);
  std::string_view line;
  while (reader.Next(&line) && Trimmed(line).empty()) {
  }
  if (LooksLikeLetter(line)) {
    throw DataError(reader.name(), reader.line_number(),
                    "letters have their pixels as features, and no templates");
  }
  const std::unique_ptr<SequenceReader> sequences = MakeConllReader(&reader, {{}, -1, comments});
  sequences->ParseLine(line);
  return ReadAllSequences(sequences.get());
}

int RunTemplate(const TemplateCommand& command) {
  const Index columns = ReadCount("columns", command.columns, 1);
  std::string_view set = TemplateSetNames()[CheckChoice(
      "template", command.templates, {TemplateSetNames().begin(), TemplateSetNames().end()})];
  if (command.data.empty()) {
    WriteOutput("-", ForOption("template", [&] { return TemplateSetText(set, columns); }));
    return 0;
  }
  const SequenceData data = ReadColumns(command.data, command.comments);
  const TokenTable& tokens = *data.tokens;
  if (set == "auto") set = ChooseTemplateSet(tokens);
  WriteOutput("-", ForOption("template", [&] { return TemplateSetText(set, tokens.num_columns); }));
  return 0;
}

}  // namespace

void AddSequenceTemplate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"template", kTemplateDescription, kTemplateExamples}, RunTemplate);
  Option* data = app->AddArgument("DATA", &command->data, "training data in CoNLL columns");
  AddTextOption(
      app, "columns", &command->columns, "N",
      "without DATA: number of columns of the data, not counting the labels; column 0 holds words",
      "2")
      ->Excludes(data);
  AddCommentsOption(app, &command->comments);
  AddTextOption(app, "template", &command->templates, "SET",
                "auto, chunking, spelling or chunking+spelling", "auto");
}

void AddSequence(Command* parent, Action* action) {
  Command* app = parent->AddCommand("sequence",
                                    "Sequence labelling: every token of a sequence has a "
                                    "label; letters of words, words of sentences.");
  app->RequireCommand();
  app->SetFooter(kSequenceExamples);
  AddSequenceTrain(app, action);
  AddSequencePredict(app, action);
  AddSequenceEvaluate(app, action);
  AddSequenceCv(app, action);
  AddSequenceConvert(app, action);
  AddSequenceTemplate(app, action);
  app->AddAbsent("online", kNoOnlineTraining);
}

}  // namespace slackline::internal::program
