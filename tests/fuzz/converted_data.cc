// SPDX-License-Identifier: BSD-3-Clause
//
// Converted data (docs/reference/converted_file.md) with valid checksums.
#include <slackline/apps/multilabel/data/converted_data.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include <slackline/apps/sequence/conversion/convert_sequences.h>
#include <slackline/apps/sequence/converted_sequences.h>
#include <slackline/core/check.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/converted_bytes.h"
#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

std::vector<std::string> ConvertedDataSeeds() {
  std::vector<std::string> seeds;
  for (const bool dense : {true, false}) {
    const test::TemporaryFolder folder;
    MultiLabelData about;
    about.label_names = {"a", "b"};
    about.num_features = 3;
    about.has_constant = true;
    about.converted = std::make_shared<const ConvertedValues>();
    FeatureRows rows;
    rows.AddDense(std::vector<double>{1, 2, 3, 1});
    rows.AddSparse(std::vector<Index>{0, 3}, std::vector<double>{7, 1});
    ConvertedWriter writer({folder.Path("a")}, 2);
    for (int k = 0; k < 3; ++k)
      writer.Add(rows.row(dense ? 0 : k % 2), LabelBytes(std::vector<std::int8_t>{1, -1}));
    writer.EndExamples();
    FinishConverted(about, {100}, &writer);
    seeds.push_back(test::ReadBytes(folder.Path("a")));
  }
  return seeds;
}

void ReadConvertedData(std::string_view input) {
  const std::string path = PathOf(SealedConversion(input));
  for (const bool constant : {true, false}) {
    MultiLabelReadOptions options;
    options.constant = constant;
    try {
      const MultiLabelData data = ReadConverted(path, options);
      double sum = 0;
      for (Index m = 0; m < data.num_examples(); ++m) {
        const FeatureRow row = data.rows->row(m);
        for (Index k = 0; k < row.count; ++k) sum += std::abs(row.values[k]) > 0 ? 1 : 0;
        if (row.count > 0 && !row.dense() && row.columns[row.count - 1] > data.num_features)
          throw std::logic_error("a column is out of range");
      }
      if (!std::isfinite(sum)) throw std::logic_error("values are not finite");
    } catch (const DataError&) {
      if (!constant) throw;
    }
  }
}

std::vector<std::string> SequenceSeeds() {
  const char* const conll = "a x B\nb x C\n\na x B\n\n";
  const char* const letters = "1\ta\t2\t1\t1\t0\t0\t1\t1\n2\tb\t-1\t1\t2\t0\t1\t0\t1\n";
  std::vector<std::string> seeds;
  for (const char* text : {conll, letters}) {
    const test::TemporaryFolder folder;
    SequenceConversionOptions options;
    options.read.features.min_count = 1;
    options.read.templates = text == conll ? "spelling" : "";
    options.windows = {100};
    ConvertSequences(folder.Write("text", text), {folder.Path("a")}, options);
    seeds.push_back(test::ReadBytes(folder.Path("a")));
  }
  return seeds;
}

void ReadSequences(std::string_view input) {
  const SequenceInput read = ReadConvertedSequences(PathOf(SealedConversion(input)), {});
  const SequenceData& data = read.data;
  Offset tokens = 0;
  for (Index m = 0; m < data.num_sequences(); ++m) {
    if (data.length(m) < 1) throw std::logic_error("a sequence without tokens");
    tokens += data.length(m);
  }
  if (tokens != data.num_tokens() || tokens != data.rows->size() ||
      data.rows->dimension() > data.num_features)
    throw std::logic_error("sequences do not fit their rows");
  for (const Index label : data.labels) {
    if (label < kUnlabelled || label >= data.num_labels())
      throw std::logic_error("a label is out of range");
  }
}

const FuzzTarget kConverted({"converted_data", ReadConvertedData, ConvertedDataSeeds});
const FuzzTarget kSequences({"converted_sequences", ReadSequences, SequenceSeeds, 8192});

}  // namespace
}  // namespace slackline::internal::fuzz
