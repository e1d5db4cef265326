// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_features.h>

#include <algorithm>
#include <utility>

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

/// Collects the columns of a token in any order, and appends them as a row.
class RowMaker {
 public:
  void Add(Index column) { columns_.push_back(column); }
  void EndRow() {
    std::sort(columns_.begin(), columns_.end());
    std::size_t kept = 0;
    values_.clear();
    for (const Index column : columns_) {
      if (kept > 0 && columns_[kept - 1] == column) {
        values_.back() += 1;  // features with the same hashed column add up
        continue;
      }
      columns_[kept++] = column;
      values_.push_back(1);
    }
    columns_.resize(kept);
    rows_->AddSparse(columns_, values_);
    columns_.clear();
  }
  std::shared_ptr<const FeatureRows> Finish() {
    rows_->ShrinkToFit();
    return std::move(rows_);
  }

 private:
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
  std::vector<Index> columns_;
  std::vector<double> values_;
};

}  // namespace

FeatureDictionary LearnSequenceFeatures(const FeatureTemplates& templates,
                                        const SequenceFeatureOptions& options, SequenceData* data) {
  SLACKLINE_CHECK(options.min_count >= 1, "the minimal count of features must be at least 1");
  SLACKLINE_CHECK(options.hash_bits == 0 || options.min_count == 1,
                  "features are either hashed or counted, not both");
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
  FeatureDictionary dictionary = counter.Finish(options.min_count, &columns);
  if (dictionary.size() == 0) {
    throw DataError(data->source, 0,
                    "no feature occurs " + std::to_string(options.min_count) + " times");
  }
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

}  // namespace slackline::internal
