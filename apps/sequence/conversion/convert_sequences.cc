// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/conversion/convert_sequences.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <slackline/apps/converted/text_pieces.h>
#include <slackline/apps/converted/unchanged_source.h>
#include <slackline/apps/sequence/converted_sequences.h>
#include <slackline/apps/sequence/template_sets.h>
#include <slackline/apps/training/converted_scaling.h>
#include <slackline/core/check.h>
#include <slackline/core/data_source.h>

namespace slackline::internal {
namespace {

/// A text that can be read several times.
class SequenceText {
 public:
  SequenceText(const std::string& path, const ConversionProgress& progress)
      : path_(path), progress_(progress) {}

  std::unique_ptr<LineReader> Open() const {
    if (!IsFolder(path_)) return std::make_unique<LineReader>(path_);
    // NOLINTNEXTLINE(modernize-make-unique): a LineReader cannot be moved
    return std::unique_ptr<LineReader>(new LineReader(ReaderOf(FindDataSource(OneRank(), path_))));
  }

  /// Calls visit(sequences) for one piece of text after the other, some megabytes each.
  template <class Visit>
  void ForEachPiece(std::string_view stage, LineReader* lines, SequenceReader* reader,
                    const Visit& visit) const {
    Index read = 0;
    TextPieces pieces;
    const auto take = [&] {
      read += pieces.examples();
      pieces.Begin(lines->next_begin());
      visit(reader->Take());
      progress_(stage, read);
    };
    while (reader->Next()) {
      // Without any label, sequences cannot be taken yet.
      if (pieces.Add(lines->next_begin()) && reader->knows_labels()) take();
    }
    if (pieces.examples() > 0) take();
  }

 private:
  const std::string path_;
  const ConversionProgress& progress_;
};

/// What the text says about its labels and features.
class TextSurvey {
 public:
  TextSurvey(const SequenceText& text, const SequenceReadOptions& options, SequenceFormat format)
      : text_(text), options_(options), format_(format) {}

  /// The data, without sequences.
  SequenceInput Learn() {
    SequenceInput about;
    about.format = format_;
    ReadLabels();
    about.data.label_names.assign(labels_.begin(), labels_.end());
    about.data.num_model_labels = about.data.num_labels();
    about.data.num_features = num_features_;
    if (about.format == SequenceFormat::kLetters) return about;
    FeatureTemplates templates;
    if (about.format == SequenceFormat::kConll)
      templates = ReadTemplates(options_.templates, words_, OneRank());
    FeatureDictionary dictionary = LearnDictionary(about, templates);
    about.data.num_features = dictionary.size();
    about.features = {std::move(templates), std::move(dictionary)};
    return about;
  }

 private:
  /// Reads the labels, the number of pixels, and the different texts of column 0, which decide the
  /// templates.
  void ReadLabels() {
    const std::unique_ptr<LineReader> lines = text_.Open();
    const auto reader = MakeTrainingReader(format_, options_, lines.get());
    text_.ForEachPiece("reading labels", lines.get(), reader.get(), [&](const SequenceData& data) {
      labels_.insert(data.label_names.begin(), data.label_names.end());
      num_features_ = data.num_features;
      if (format_ == SequenceFormat::kConll) AddWords(*data.tokens);
    });
  }

  void AddWords(const TokenTable& tokens) {
    words_.num_columns = tokens.num_columns;
    for (std::size_t k = 0; k < tokens.cells.size(); k += Size(tokens.num_columns)) {
      const Index before = words_.texts.size();
      const Index word = words_.texts.Add(tokens.texts.text(tokens.cells[k]));
      if (word != before) continue;
      words_.cells.push_back(word);
      words_.cells.resize(words_.cells.size() + Size(tokens.num_columns) - 1, word);
    }
  }

  FeatureDictionary LearnDictionary(const SequenceInput& about, const FeatureTemplates& templates) {
    if (options_.features.hash_bits != 0)
      return FeatureDictionary::Hashed(options_.features.hash_bits);
    const std::unique_ptr<LineReader> lines = text_.Open();
    const auto reader = MakeReaderOf(
        {about.format, about.data.label_names, templates.num_columns(), options_.comments},
        lines.get());
    FeatureCounter counter;
    text_.ForEachPiece(
        "counting features", lines.get(), reader.get(),
        [&](const SequenceData& data) { CountSequenceFeatures(templates, data, &counter); });
    return FinishSequenceDictionary(counter, options_.features.min_count, lines->source());
  }

  const SequenceText& text_;
  const SequenceReadOptions& options_;
  const SequenceFormat format_;
  std::set<std::string> labels_;  // sorted by bytes
  Index num_features_ = 0;        // of letters
  TokenTable words_;
};

class SequenceConverter {
 public:
  SequenceConverter(const std::string& path, const ConvertedTarget& target,
                    const SequenceConversionOptions& options)
      : options_(options),
        text_(path, options.progress),
        writer_(target, SequenceLabelBytes(options.model != nullptr)) {
    if (options.model == nullptr) source_.emplace(path, "sequences are read several times");
  }

  SequenceConversion Convert() {
    SequenceConversion result;
    SequenceInput& about = result.about;
    if (options_.model == nullptr) {
      const SequenceFormat format = SequenceFormatOf(options_.read, text_.Open().get());
      options_.check_format(format);
      about = TextSurvey(text_, options_.read, format).Learn();
    } else {
      const SequenceModel& model = *options_.model;
      about.format = model.format();
      about.data.num_features = model.num_features();
      if (model.format() != SequenceFormat::kLetters) about.features = model.features();
    }
    WriteSequences(&result);
    if (source_) source_->Check();
    ConvertedValues values;
    if (options_.model != nullptr) {
      values.scaling = options_.model->scaling();
    } else {
      values = ScaleConverted(options_.scale, {about.data.source, nullptr, about.data.num_features},
                              false, options_.progress, &writer_);
      values.options = OptionsOf(about.format);
    }
    about.data.converted = std::make_shared<ConvertedValues>(std::move(values));
    options_.progress("writing", writer_.num_examples());
    FinishConverted(about, has_folds_, options_.windows, &writer_);
    result.num_sequences = writer_.num_examples();
    result.bytes = writer_.bytes();
    result.num_files = writer_.num_files();
    return result;
  }

 private:
  void WriteSequences(SequenceConversion* result) {
    SequenceInput& about = result->about;
    const std::unique_ptr<LineReader> lines = text_.Open();
    about.data.source = lines->source();
    const std::string& comments = options_.read.comments;
    const auto reader = options_.model != nullptr
                            ? MakeReaderFor(*options_.model, lines.get(), nullptr, comments)
                            : MakeReaderOf({about.format, about.data.label_names,
                                            about.features ? about.features->templates.num_columns()
                                                           : about.data.num_features,
                                            comments},
                                           lines.get());
    text_.ForEachPiece("reading", lines.get(), reader.get(), [&](SequenceData data) {
      about.unknown_features += MakeRows(about, &data);
      about.data.label_names = data.label_names;
      about.data.num_model_labels = data.num_model_labels;
      about.data.has_labels = data.has_labels;
      result->num_tokens += data.num_tokens();
      if (options_.model != nullptr) about.data.tokens = data.tokens;
      Write(data);
    });
    writer_.EndExamples();
  }

  /// What the record of a model trained on the text would list.
  std::vector<std::pair<std::string, std::string>> OptionsOf(SequenceFormat format) const {
    const SequenceReadOptions& read = options_.read;
    std::vector<std::pair<std::string, std::string>> options = {
        {"scale", std::string(ScaleName(options_.scale))}};
    if (format == SequenceFormat::kLetters) return options;
    options.emplace_back("template", read.templates);
    const Index bits = read.features.hash_bits;
    if (bits > 0) {
      options.emplace_back("hash-bits", std::to_string(bits));
    } else {
      options.emplace_back("min-count", std::to_string(read.features.min_count));
    }
    return options;
  }

  std::int64_t MakeRows(const SequenceInput& about, SequenceData* data) const {
    if (options_.model != nullptr) return MakeRowsFor(*options_.model, data);
    return about.features ? MakeFeatureRows(*about.features, data) : 0;
  }

  void Write(const SequenceData& data) {
    has_folds_ = !data.folds.empty();
    for (Index m = 0; m < data.num_sequences(); ++m) {
      for (Offset token = data.begin[Size(m)]; token < data.begin[Size(m) + 1]; ++token) {
        const bool begins = token == data.begin[Size(m)];
        TokenLabel label;
        label.label = data.labels[Size(token)];
        if (begins) label.fold = has_folds_ ? data.folds[Size(m)] : 0;
        std::string bytes(label.bytes());
        if (options_.model != nullptr) AppendColumns(*data.tokens, token, &bytes);
        writer_.Add(data.rows->row(static_cast<Index>(token)), bytes, begins);
      }
    }
  }

  const SequenceConversionOptions& options_;
  const SequenceText text_;
  std::optional<UnchangedSource> source_;  // of training
  ConvertedWriter writer_;
  bool has_folds_ = false;
};

}  // namespace

SequenceConversion ConvertSequences(const std::string& path, const ConvertedTarget& target,
                                    const SequenceConversionOptions& options) {
  return SequenceConverter(path, target, options).Convert();
}

}  // namespace slackline::internal
