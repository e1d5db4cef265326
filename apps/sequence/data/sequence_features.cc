// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_features.h>

#include <utility>

#include <slackline/apps/common/row_maker.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Calls visit(column) for every feature, where column = find(feature), and end_token() after each
/// token.
template <class Find, class Visit, class EndToken>
void ForEachFeature(const FeatureTemplates& templates, const SequenceData& data, Find find,
                    Visit visit, EndToken end_token) {
  SLACKLINE_CHECK(data.tokens != nullptr && data.tokens->num_columns >= templates.num_columns(),
                  "sequences without the columns that the templates use");
  std::string feature;
  for (Index m = 0; m < data.num_sequences(); ++m) {
    const Offset begin = data.begin[m];
    const Offset end = data.begin[m + 1];
    for (Offset token = begin; token < end; ++token) {
      for (Index i = 0; i < templates.size(); ++i) {
        templates.Expand(i, *data.tokens, begin, end, token, &feature);
        visit(find(feature));
      }
      end_token();
    }
  }
}

void CheckFeatureOptions(const SequenceFeatureOptions& options) {
  SLACKLINE_CHECK(options.min_count >= 1, "the minimal count of features must be at least 1");
  SLACKLINE_CHECK(options.hash_bits == 0 || options.min_count == 1,
                  "features are either hashed or counted, not both");
}

/// The dictionary of all features that were counted often enough.
FeatureDictionary FinishDictionary(const FeatureCounter& counter, Ranks& ranks,
                                   std::int64_t min_count, const std::string& source,
                                   std::vector<Index>* columns) {
  FeatureDictionary dictionary = counter.Finish(ranks, min_count, columns);
  if (dictionary.size() == 0) {
    throw DataError(source, 0, "no feature occurs " + std::to_string(min_count) + " times");
  }
  return dictionary;
}

/// Makes the rows of attributes and releases the attributes. columns: one per name. Returns the
/// number of attributes without a column.
std::int64_t MakeAttributeRows(const std::vector<Index>& columns, SequenceData* data) {
  const AttributeTable& table = *data->attributes;
  RowMaker rows;
  std::int64_t unknown = 0;
  for (Offset token = 0; token < table.num_tokens(); ++token) {
    for (Offset k = table.begin[token]; k < table.begin[token + 1]; ++k) {
      const Index column = columns[table.attributes[k]];
      if (column == kAbsent) {
        ++unknown;
      } else {
        rows.Add(column, table.values[k]);
      }
    }
    rows.EndRow();
  }
  data->rows = rows.Finish();
  data->attributes.reset();
  return unknown;
}

}  // namespace

FeatureDictionary LearnSequenceFeatures(const FeatureTemplates& templates,
                                        const SequenceFeatureOptions& options, SequenceData* data,
                                        Ranks& ranks) {
  CheckFeatureOptions(options);
  if (options.hash_bits != 0) {
    FeatureDictionary hashed = FeatureDictionary::Hashed(options.hash_bits);
    MakeSequenceFeatures(templates, hashed, data);
    return hashed;
  }
  FeatureCounter counter;
  std::vector<Index> numbers;  // tokens × templates
  ForEachFeature(
      templates, *data, [&](const std::string& feature) { return counter.Add(feature); },
      [&](Index number) { numbers.push_back(number); }, [] {});
  std::vector<Index> columns;
  FeatureDictionary dictionary =
      FinishDictionary(counter, ranks, options.min_count, data->source, &columns);
  RowMaker rows;
  const std::size_t per_token = templates.size();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Index column = columns[numbers[k]];
    if (column != kAbsent) rows.Add(column);
    if ((k + 1) % per_token == 0) rows.EndRow();
  }
  data->rows = rows.Finish();
  data->num_features = dictionary.size();
  return dictionary;
}

std::int64_t MakeSequenceFeatures(const FeatureTemplates& templates,
                                  const FeatureDictionary& dictionary, SequenceData* data) {
  RowMaker rows;
  std::int64_t unknown = 0;
  ForEachFeature(
      templates, *data, [&](const std::string& feature) { return dictionary.Find(feature); },
      [&](Index column) {
        if (column == kAbsent) {
          ++unknown;
        } else {
          rows.Add(column);
        }
      },
      [&] { rows.EndRow(); });
  data->rows = rows.Finish();
  data->num_features = dictionary.size();
  return unknown;
}

FeatureDictionary LearnAttributeFeatures(const SequenceFeatureOptions& options, SequenceData* data,
                                         Ranks& ranks) {
  CheckFeatureOptions(options);
  if (options.hash_bits != 0) {
    FeatureDictionary hashed = FeatureDictionary::Hashed(options.hash_bits);
    MakeAttributeFeatures(hashed, data);
    return hashed;
  }
  SLACKLINE_CHECK(data->attributes != nullptr, "sequences without attributes");
  FeatureCounter counter;  // numbers the names as the table does
  CountSequenceFeatures({}, *data, &counter);
  std::vector<Index> columns;
  FeatureDictionary dictionary =
      FinishDictionary(counter, ranks, options.min_count, data->source, &columns);
  MakeAttributeRows(columns, data);
  data->num_features = dictionary.size();
  return dictionary;
}

std::int64_t MakeAttributeFeatures(const FeatureDictionary& dictionary, SequenceData* data) {
  SLACKLINE_CHECK(data->attributes != nullptr, "sequences without attributes");
  const StringTable& names = data->attributes->names;
  std::vector<Index> columns(names.size());
  for (Index i = 0; i < names.size(); ++i) columns[i] = dictionary.Find(names.text(i));
  const std::int64_t unknown = MakeAttributeRows(columns, data);
  data->num_features = dictionary.size();
  return unknown;
}

void CountSequenceFeatures(const FeatureTemplates& templates, const SequenceData& data,
                           FeatureCounter* counter) {
  if (data.attributes != nullptr) {
    const AttributeTable& table = *data.attributes;
    for (const Index attribute : table.attributes) counter->Add(table.names.text(attribute));
    return;
  }
  ForEachFeature(
      templates, data, [&](const std::string& feature) { return counter->Add(feature); },
      [](Index) {}, [] {});
}

FeatureDictionary FinishSequenceDictionary(const FeatureCounter& counter, std::int64_t min_count,
                                           const std::string& source) {
  std::vector<Index> columns;
  return FinishDictionary(counter, OneRank(), min_count, source, &columns);
}

}  // namespace slackline::internal
