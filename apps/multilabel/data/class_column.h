// SPDX-License-Identifier: BSD-3-Clause
//
// The class of every example, where data have one class each instead of a set of labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A place in a file, for messages.
struct ClassPlace {
  const std::string& source;  ///< the file or folder of all data
  const std::string& file;
  long line = 0;
};

/// Classes are texts as they stand. The classes of training are sorted: by value if all are
/// numbers, else by their bytes.
class ClassColumn {
 public:
  /// known: the classes of a model, in its order; empty: the classes come from the data. strict: a
  /// class that the model does not know is an error. numbers: classes are numbers, which then have
  /// no names.
  ClassColumn(const std::vector<std::string>& known, bool strict, bool numbers = false);

  /// Appends the class of an example, which is not known where the text is missing
  /// (IsMissingText). Throws DataError on a class unknown to the model, if strict, and on a text
  /// that is not a number, where numbers are wanted.
  void Add(std::string_view text, const ClassPlace& place);
  void Forget() {
    classes_.clear();
    values_.clear();
  }
  /// All ranks must call it after the last example. They agree on names; in training, names are
  /// sorted. Throws DataError on all ranks when, in training, there are more than ten examples and
  /// all have different classes: these are then names of examples, or numbers.
  void Agree(Ranks& ranks, const std::string& source);

  Index num_names() const { return numbers_ ? 1 : names_.size(); }
  /// "3 classes", or "one number".
  std::string CountText() const;
  /// The classes of the model, then those unknown to it in the order of the data.
  std::vector<std::string> Names() const;
  /// Per example since the last Forget the number of its class, or kUnlabelled.
  const std::vector<Index>& classes() const { return classes_; }
  /// The same for numbers: the number of each example, or NaN.
  const std::vector<double>& values() const { return values_; }
  /// Appends a sentence about classes unknown to the model, if there are any.
  void AddNotes(std::vector<std::string>* notes) const;

 private:
  void Join(Ranks& ranks);
  void Sort();

  Index num_known_ = 0;  // of a model
  const bool strict_;
  const bool numbers_;
  StringTable names_;
  std::vector<Index> classes_;
  std::vector<double> values_;
  Offset examples_ = 0;  // with a class, including those that were forgotten
  Offset unknown_ = 0;
  std::string first_unknown_;
};

}  // namespace slackline::internal
