// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching
#include <cstdio>
#include <filesystem>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/matching/matching_draw.h>
#include <slackline/apps/matching/matching_task.h>
#include <slackline/apps/tasks/commands/cmd_task.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatchingExamples =
    "Examples:\n"
    "  slackline matching draw --out drawn\n"
    "  slackline matching train drawn/train.txt --lambda 0.01 --model alignments.slk\n"
    "  slackline matching evaluate drawn/test.txt --model alignments.slk\n"
    "  slackline matching predict drawn/test.txt --model alignments.slk --out predicted.txt";

constexpr TaskTexts kMatchingTexts = {
    .train =
        {"train",
         "Trains a model of matchings, with a weight for every feature of edges. Training and "
         "prediction are exact.\n"
         "Every node has at most a given number of edges (--left-capacity, --right-capacity).\n"
         "DATA is plain or gzip (docs/reference/matching_format.md); - reads the standard "
         "input:\n\n"
         "  3 2                          an example: numbers of left and right nodes\n"
         "  0 1 1 dice:0.8 distance:0.1  left node, right node, label (1, 0, p or ?), features\n"
         "  2 0 0 dice:0.3 same          a feature without a number has the value 1\n"
         "                               a blank line ends the example\n\n"
         "Ctrl-C ends training early and keeps the best model.",
         "Examples:\n"
         "  slackline matching train drawn/train.txt --lambda 0.01 --model alignments.slk\n"
         "  slackline matching train pairs.txt.gz --left-capacity 2 --recall-cost 1 --model "
         "pairs.slk"},
    .cv = {"cv",
           "Chooses lambda by cross-validation over the examples of DATA, then trains with it on "
           "all of "
           "them.\n"
           "The examples are divided into K folds at random. For each fold, models are trained on "
           "the "
           "other folds for all values of\n"
           "lambda, from the largest to the smallest, each starting from the solution of the "
           "previous "
           "one, and are evaluated on the\n"
           "fold. The table has mean and standard deviation over the folds. Ctrl-C ends "
           "cross-validation "
           "early. Features are\n"
           "numbered, and scaled, over all examples.",
           "Examples:\n"
           "  slackline matching cv drawn/train.txt --model alignments.slk\n"
           "  slackline matching cv pairs.txt.gz --lambda-path 0.1,0.01,0.001 --folds 10 --metric "
           "exact "
           "--no-refit --json"},
    .predict =
        {"predict",
         "Predicts a best matching of every example. DATA is read like training data; - reads the "
         "standard input. Labels in DATA\n"
         "are not used.\n\n"
         "--output pairs writes one line per example: the chosen edges as LEFT-RIGHT, separated by "
         "blanks.\n"
         "--output edges writes the examples as DATA has them, with the predicted labels and "
         "without "
         "features.\n"
         "--output scores writes the same, with the score of each edge after its label: what "
         "choosing "
         "the edge adds.",
         "Examples:\n"
         "  slackline matching predict drawn/test.txt --model alignments.slk --out predicted.txt\n"
         "  slackline matching predict drawn/test.txt --model alignments.slk --output scores"},
    .evaluate =
        {"evaluate",
         "Predicts the matchings of examples and compares them with the labels given in DATA. "
         "Edges "
         "whose label is not known (?) do not\ncount. Possible edges (p) are right where they are "
         "predicted, and not missed where they are not.",
         "Examples:\n"
         "  slackline matching evaluate drawn/test.txt --model alignments.slk\n"
         "  slackline matching evaluate drawn/test.txt --model alignments.slk --json > "
         "metrics.json"},
    .metrics =
        "what to choose by: F1, precision or recall of the edges, share of examples without a "
        "wrong "
        "edge, mean loss by the costs or alignment error rate (the smaller the better). Of equal "
        "values, the largest lambda is chosen"};

constexpr const char* kDrawDescription =
    "Draws synthetic alignments of sentences to try matchings with: DIR/train.txt, and "
    "DIR/test.txt with the last quarter of\n"
    "the examples. Words have hidden partners, seen through a noisy measure of how often they "
    "occur together. Right sentences\n"
    "lack some words, have some words without a partner, and change the order a little. The same "
    "options draw the same files.";

constexpr Index kMostWords = 1000;  // of one sentence
constexpr Index kMostExamples = 1'000'000;

struct DrawMatchingsCommand {
  std::string out;
  std::string examples = "120";
  std::string words = "5-15";
  std::string vocabulary = "200";
  std::string noise = "0.25";
  std::string possible = "0";
  std::string seed = "1";
  bool no_lexical = false;
  bool quiet = false;
};

DrawnAlignments ReadSettings(const DrawMatchingsCommand& command) {
  DrawnAlignments settings;
  settings.examples = ReadCount("examples", command.examples, 2, kMostExamples);
  const std::size_t dash = command.words.find('-');
  settings.shortest = ReadCount("words", command.words.substr(0, dash), 1, kMostWords);
  settings.longest = dash == std::string::npos ? settings.shortest
                                               : ReadCount("words", command.words.substr(dash + 1),
                                                           settings.shortest, kMostWords);
  settings.vocabulary = ReadCount("vocabulary", command.vocabulary, 1, kMostDrawnWords);
  settings.noise = ReadReal("noise", command.noise, false);
  settings.lexical = !command.no_lexical;
  settings.possible = ReadReal("possible", command.possible, false, 1);
  settings.seed = static_cast<std::uint64_t>(ReadCount("seed", command.seed, 0));
  return settings;
}

int RunDrawMatchings(const DrawMatchingsCommand& command) {
  const DrawnAlignments settings = ReadSettings(command);
  const fs::path out = command.out;
  std::error_code error;
  if (fs::exists(out, error) && (!fs::is_directory(out, error) || !fs::is_empty(out, error)))
    throw DataError("--out: " + Quoted(command.out) + " exists and is not an empty folder");
  fs::create_directories(out, error);
  if (error)
    throw DataError("--out: cannot make the folder " + Quoted(command.out) + ": " +
                    error.message());
  const std::vector<std::string> drawn = DrawAlignments(settings);
  const std::size_t num_train = drawn.size() - std::max<std::size_t>(1, drawn.size() / 4);
  std::string train, test;
  for (std::size_t m = 0; m < drawn.size(); ++m) {
    std::string& file = m < num_train ? train : test;
    file += (file.empty() ? "" : "\n") + drawn[m];
  }
  WriteFileAtomically((out / "train.txt").string(), train);
  WriteFileAtomically((out / "test.txt").string(), test);
  if (!command.quiet) {
    std::fprintf(stderr, "%s written to %s; %zu of them are for tests\n",
                 Count(settings.examples, "example").c_str(), command.out.c_str(),
                 drawn.size() - num_train);
  }
  return 0;
}

void AddMatchingDraw(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"draw", kDrawDescription, kMatchingExamples}, RunDrawMatchings);
  AddTextOption(app, "out", &command->out, "DIR", "new or empty folder for the two files")
      ->Required();
  AddTextOption(app, "examples", &command->examples, "N",
                "number of pairs of sentences, at least 2", "120");
  AddTextOption(app, "words", &command->words, "LEAST-MOST", "words of a left sentence", "5-15");
  AddTextOption(app, "vocabulary", &command->vocabulary, "N",
                "number of different words on a side, at most " + std::to_string(kMostDrawnWords),
                "200");
  AddTextOption(app, "noise", &command->noise, "S", "standard deviation of the measure `dice`",
                "0.25");
  AddTextOption(app, "possible", &command->possible, "F",
                "share of the true edges that are only possible ones (label p), from 0 to 1", "0");
  AddTextOption(app, "seed", &command->seed, "S", "another seed draws other files", "1");
  app->AddFlag("--no-lexical", &command->no_lexical, "leave out the features of pairs of words");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

}  // namespace

void AddMatching(Command* parent, Action* action) {
  Command* app = parent->AddCommand("matching",
                                    "Bipartite matching: which candidate edges between two "
                                    "sides belong together, such as words of two languages.");
  app->RequireCommand();
  app->SetFooter(kMatchingExamples);
  AddTaskCommands<MatchingTask>(app, action, kMatchingTexts);
  AddMatchingDraw(app, action);
  app->AddAbsent("convert", kNoConversion);
  app->AddAbsent("online", kNoOnlineTraining);
}

}  // namespace slackline::internal::program
