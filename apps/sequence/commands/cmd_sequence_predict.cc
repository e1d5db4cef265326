// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence predict
#include <cstdio>
#include <span>
#include <string_view>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_stream_output.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/commands/cmd_sequence_explain.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/apps/sequence/sequence_stream.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequencePredictDescription =
    "Predicts the label of every token, from the best labelling of its sequence.\n"
    "DATA is read like training data; - reads the standard input. Labels in DATA are not used, and "
    "CoNLL columns may lack\n"
    "them.\n"
    "From the standard input, and with --stream, each sequence is predicted as soon as its last "
    "line is read (for CoNLL the\n"
    "blank line after it), and its lines are written at once, by one thread in little memory. The "
    "file of --out appears only\n"
    "when it is complete.\n\n"
    "--output labels writes one line per token: the columns of DATA without the label (for "
    "letters: id, word id, position),\n"
    "then the predicted label. (For attributes: the label alone.) Blank lines separate sequences.\n"
    "--output scores writes a line with the names of the labels, separated by tabs, then one line "
    "per token: for every label\n"
    "the best score of a labelling of the sequence with it minus the best score of all. The "
    "predicted label has 0; a lower\n"
    "score means a less likely label; -inf: the constraints of the model allow no such labelling.\n"
    "--output nbest=K writes, for each sequence, its K best labellings (or all, if fewer), the "
    "best first: a line `# RANK\n"
    "SCORE` and the lines of --output labels, with a blank line after each labelling.";

constexpr const char* kSequencePredictExamples =
    "Examples:\n"
    "  slackline sequence predict conll-test.txt.gz --model chunks.slk --out predicted.txt\n"
    "  tokenise < text | slackline sequence predict - --model chunks.slk | less\n"
    "  zcat letter.data.gz | slackline sequence predict - --folds 0 --model letters.slk --output "
    "nbest=5\n"
    "  slackline sequence predict conll-test.txt.gz --model chunks.slk --output scores --threads 0 "
    "> scores.tsv\n"
    "  slackline sequence predict conll-test.txt.gz --model chunks.slk --explain 1";

struct SequencePredictCommand {
  SequenceDataFlags data;
  std::string model;
  std::string output = "labels";
  std::string out;
  bool stream = false;
  bool quiet = false;
  ThreadFlag threads;
  ExplainFlags explain;
};

constexpr std::string_view kBest = "nbest=";

SequencePredictOptions ReadOptions(const SequencePredictCommand& command) {
  SequencePredictOptions options;
  options.threads = command.threads.Read();
  options.scores = command.output == "scores";
  if (command.output == "labels" || options.scores) return options;
  const std::string_view output = command.output;
  if (!output.starts_with(kBest) || !ParseIndex(output.substr(kBest.size()), &options.best) ||
      options.best < 1) {
    throw DataError(
        "--output: " + Quoted(output) +
        " is not allowed; it must be one of labels scores nbest=K, with a whole number K ≥ 1");
  }
  return options;
}

/// Appends the lines of one sequence.
void AppendLabels(const SequenceModel& model, const SequenceData& data, Index m,
                  std::span<const Index> labels, std::string* text) {
  Offset token = data.begin[m];
  for (const Index label : labels) {
    AppendInput(data, token++, text);
    if (data.tokens->num_columns > 0) text->push_back(data.tokens->separator);
    text->append(model.label_names()[label]).push_back('\n');
  }
}

void SayCounts(Offset sequences, Offset tokens) {
  std::fprintf(stderr, "%s, %s\n", Count(sequences, "sequence").c_str(),
               Count(tokens, "token").c_str());
}

/// The text before all sequences.
std::string Head(const SequenceModel& model, const SequencePredictOptions& options) {
  return options.scores ? CellRow(model.label_names(), '\t') : std::string();
}

/// Appends the best labellings of one sequence.
void AppendBest(const SequenceModel& model, const SequenceData& data, Index m,
                const std::vector<RankedLabelling>& best, std::string* text) {
  int rank = 0;
  for (const RankedLabelling& labelling : best) {
    Append(text, "# %d ", ++rank);
    text->append(NumberText(labelling.value, kScoreDigits));
    text->push_back('\n');
    AppendLabels(model, data, m, labelling.labels, text);
    text->push_back('\n');
  }
}

/// The lines of this rank's sequences. before: the number of sequences before them.
std::string Lines(const SequenceModel& model, const SequenceInput& input,
                  const SequencePredictOptions& options, const SequencePredictions& predictions,
                  Offset before) {
  const std::size_t k = model.label_names().size();
  std::string text = ProcessRanks().first() ? Head(model, options) : std::string();
  std::size_t token = 0;
  for (std::size_t j = 0; j < input.sequences.size(); ++j) {
    const Index m = input.sequences[j];
    const std::size_t length = input.data.length(m);
    if (options.best > 0) {
      AppendBest(model, input.data, m, predictions.best[j], &text);
      continue;
    }
    if (before > 0 || j > 0) text.push_back('\n');
    if (options.scores) {
      AppendScoreRows(std::span<const double>(predictions.scores).subspan(token * k, length * k), k,
                      '\t', &text);
    } else {
      AppendLabels(model, input.data, m,
                   std::span<const Index>(predictions.labels).subspan(token, length), &text);
    }
    token += length;
  }
  return text;
}

/// Says why lines lack the columns of their tokens, where they do.
void NoteColumns(const SequencePredictCommand& command, const SequenceInput& input,
                 const SequencePredictOptions& options) {
  const bool texts = input.data.tokens->num_columns > 0 || options.scores ||
                     input.format == SequenceFormat::kAttributes;
  if (command.quiet || input.data.converted == nullptr || texts) return;
  std::fprintf(stderr,
               "note: %s was converted for training, without the columns of tokens: labels are "
               "written alone\n",
               input.data.source.c_str());
}

/// Predicts each sequence and writes its lines before reading the next one.
void PredictStream(const SequencePredictCommand& command, const SequenceModel& model,
                   const SequencePredictOptions& options) {
  SequenceStream stream(model, command.data.data, command.data.folds, command.data.comments);
  StreamOutput out(command.out);
  SequenceDecoder decoder(model);
  SequencePredictions predictions;
  std::string text = Head(model, options);
  while (stream.Next()) {
    if (stream.num_sequences() > 1 && options.best == 0) text.push_back('\n');
    decoder.Decode(stream.data(), 0, options, &predictions);
    if (options.best > 0) {
      AppendBest(model, stream.data(), 0, predictions.best.front(), &text);
    } else if (options.scores) {
      AppendScoreRows(predictions.scores, model.label_names().size(), '\t', &text);
    } else {
      AppendLabels(model, stream.data(), 0, predictions.labels, &text);
    }
    out.Write(text);
    text.clear();
  }
  out.Finish();
  if (command.quiet) return;
  TellNotes(FormNotes(stream.data()));
  NoteUnknown(stream.data(), stream.unknown_features());
  SayCounts(stream.num_sequences(), stream.num_tokens());
}

int RunSequencePredict(const SequencePredictCommand& command) {
  const SequencePredictOptions options = ReadOptions(command);
  if (!command.out.empty()) {
    OnFirstRank([&] { CheckOutput("out", command.out, {command.data.data, command.model}, true); });
  }
  if (command.explain.wanted()) {
    RequireOneProcess("--explain");
    return ExplainSequences({command.data, command.model, command.out, options.threads,
                             command.quiet, command.explain});
  }
  RequireOneStream(command.stream, command.data.data);
  const SequenceModel model = MakeOnAllRanks([&] { return SequenceModel::Load(command.model); });
  if (command.stream || command.data.data == "-") {
    PredictStream(command, model, options);
    return 0;
  }
  const SequenceInput input = LoadSequences(model, command.data, command.quiet);
  NoteColumns(command, input, options);
  const SequencePredictions predictions =
      MakeOnAllRanks([&] { return PredictSequences(model, input.data, input.sequences, options); });
  Ranks& ranks = ProcessRanks();
  const auto sequences = static_cast<Offset>(input.sequences.size());
  const Offset before = SumBefore(ranks, sequences);
  WriteJoinedOutput(command.out, Lines(model, input, options, predictions, before));
  if (command.quiet) return 0;
  std::int64_t counts[] = {sequences, input.num_tokens()};
  ranks.AddUp(counts);
  SayCounts(counts[0], counts[1]);
  return 0;
}

}  // namespace

void AddSequencePredict(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"predict", kSequencePredictDescription, kSequencePredictExamples},
                 RunSequencePredict);
  command->data.Register(app, "sequences");
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  AddTextOption(app, "output", &command->output, "labels|scores|nbest=K",
                "what to write (see above)", "labels");
  command->explain.Register(app, "sequence");
  AddTextOption(app, "out", &command->out, "FILE", "where to write", "the standard output");
  app->AddFlag(
      "--stream", &command->stream,
      "write the lines of each sequence as soon as it is read, as is always done if DATA is -");
  command->threads.Register(app);
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

}  // namespace slackline::internal::program
