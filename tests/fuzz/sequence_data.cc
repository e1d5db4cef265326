// SPDX-License-Identifier: BSD-3-Clause
//
// Sequences: letters, CoNLL columns, feature templates and dictionaries.
#include <slackline/apps/sequence/data/sequence_data.h>

#include <algorithm>
#include <stdexcept>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/apps/sequence/data/conll_reader.h>
#include <slackline/apps/sequence/data/feature_template.h>
#include <slackline/apps/sequence/data/letters_reader.h>
#include <slackline/apps/sequence/data/token_pattern.h>
#include <slackline/apps/sequence/sequence_input.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

void ReadLetterText(std::string_view text) {
  const std::string path = PathOf(text);
  const SequenceData data = ReadLetters(path);
  LettersReadOptions again;
  again.label_names = data.label_names;
  again.num_features = data.num_features;
  ReadLetters(path, again);
  SelectFolds("0-3,7", data);
}

/// Reads the text as in training, features included, and as in prediction. Most labels do not fit
/// constraints, which are then refused.
void ReadConllText(std::string_view text) {
  const std::string path = PathOf(text);
  SequenceReadOptions options;
  options.format = SequenceFormat::kConll;
  options.features.min_count = 1;
  const SequenceInput input = ReadTrainingSequences(path, options);
  const SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto);
  ReadSequencesFor(model, path, "");
  model.MakeDataset(input.data, input.sequences);
  MakeSequenceModel(input, LearnerKind::kAuto, LabelConstraints::kBio);
}

void ReadAttributeText(std::string_view text) {
  const std::string path = PathOf(text);
  SequenceReadOptions options;
  options.format = SequenceFormat::kAttributes;
  options.features.min_count = 1;
  const SequenceInput input = ReadTrainingSequences(path, options);
  const SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto);
  ReadSequencesFor(model, path, "");
  model.MakeDataset(input.data, input.sequences);
}

/// Templates written back as text must be read as the same templates.
void ReadTemplates(std::string_view text) {
  const auto templates = FeatureTemplates::Parse(text, "templates", 3);
  const auto again = FeatureTemplates::Parse(templates.text(), "templates", 3);
  if (again.text() != templates.text())
    throw std::logic_error("templates change when they are read back");
  const SequenceData data = ReadConll(PathOf("a B 1 x\nbb C 2 y\n\nDdd Ee 3 x\n"));
  std::string feature;
  for (Index t = 0; t < templates.size(); ++t) {
    for (Offset token = 0; token < 2; ++token)
      templates.Expand(t, *data.tokens, 0, 2, token, &feature);
    templates.Expand(t, *data.tokens, 2, 3, 2, &feature);
  }
}

/// The first line is an expression, the rest a text. Find and Matches must agree on whether there
/// is a match, and a match must lie within the text.
void MatchPattern(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const TokenPattern pattern(input.substr(0, end));
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const auto match = pattern.Find(text);
  if (match.has_value() != pattern.Matches(text))
    throw std::logic_error("a match is found and not found");
  if (match && match->begin + match->length > text.size())
    throw std::logic_error("a match beyond the text");
}

void ReadDictionary(std::string_view text) {
  const auto dictionary = FeatureDictionary::FromText(text, "dictionary");
  if (dictionary.Text() != text)
    throw std::logic_error("a dictionary changes when it is read back");
}

const FuzzTarget kLetters({"letters", ReadLetterText});
const FuzzTarget kConll({"conll", ReadConllText, {}, 512});
const FuzzTarget kAttributes({"attributes", ReadAttributeText, {}, 512});
const FuzzTarget kTemplates({"templates", ReadTemplates});
const FuzzTarget kTokenPattern({"token_pattern", MatchPattern});
const FuzzTarget kDictionary({"dictionary", ReadDictionary});

}  // namespace
}  // namespace slackline::internal::fuzz
