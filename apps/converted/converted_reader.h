// SPDX-License-Identifier: BSD-3-Clause
//
// Reads converted data: a binary file of examples. Feature rows are used in place, in the page
// cache of the system, so that the data can be larger than the memory. The constant and the scaling
// are part of the rows. Layout: docs/reference/converted_file.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/converted/converted_layout.h>
#include <slackline/apps/converted/converted_values.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/file_map.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Whether a file begins as converted data do; in a folder, the first file part-…. Rank 0 looks,
/// and all ranks get the answer.
bool IsConverted(Ranks& ranks, const std::string& path);

/// Throws DataError when text begins as converted data do, which are not read as a stream.
void RefuseConverted(const std::string& source, std::string_view line);

/// Whether two scalings are equal. The scalings of models and of files must be.
bool SameScaling(const FeatureScaling& a, const FeatureScaling& b);

/// One file of converted data, without its examples.
struct ConvertedPart {
  ConvertedPart(ModelReader directory, std::string_view task)
      : entries(std::move(directory), task) {}

  ModelEntries entries;  ///< of the directory
  ConvertedFacts facts;
  std::vector<ConvertedBlock> blocks;
  Index file = 0;  ///< in the map
  Index num_examples = 0;
};

/// All files of converted data, in one map.
struct ConvertedParts {
  std::shared_ptr<const FileMap> map;
  std::vector<ConvertedPart> parts;  ///< at least one
  Index label_bytes = 0;

  const ConvertedPart& first() const { return parts.front(); }
  Offset num_examples() const;
};

/// How an application reads its files.
struct ConvertedKind {
  std::string_view task;  ///< the entry "task" of the directory
  /// The bytes of the labels of a row, or kLabelsVary.
  std::function<Index(const ConvertedPart&)> label_bytes;
  /// Whether a row with these labels is the first one of an example; null: every row is.
  std::function<bool(std::string_view labels)> begins_example;
};

/// Maps files and reads their directories. Throws DataError when one is missing or damaged, of
/// another task, or has other labels, features, scales or windows than the first one.
ConvertedParts OpenConverted(const std::vector<std::string>& files, const ConvertedKind& kind);

/// The name of the data's files, on all ranks.
std::vector<std::string> ConvertedFiles(Ranks& ranks, const std::string& path);

/// Throws the DataError for a part whose `what` differs from the first part's, unless `same`.
void RequireAlike(const ConvertedParts& parts, const ConvertedPart& part, bool same,
                  const char* what);

/// A row of a rank.
struct ConvertedRow {
  const std::string& path;
  std::string_view labels;
  bool begins_example = true;
  long number = 0;    ///< of the row in its file, from 1
  Index example = 0;  ///< of this rank
};

/// The rows of this rank's examples, in place. Calls visit(row) for each row; visit returns whether
/// the row's labels are valid. *values becomes the values of the data, with the windows. Reads
/// every block of these rows once. Throws DataError when a block is damaged.
std::shared_ptr<const FeatureRows> LoadConvertedRows(
    const ConvertedParts& parts, const ConvertedKind& kind, Ranks::Piece mine,
    const std::function<bool(const ConvertedRow&)>& visit, ConvertedValues* values);

}  // namespace slackline::internal
