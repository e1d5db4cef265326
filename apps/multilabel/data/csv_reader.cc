// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_reader.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/csv_prediction.h>
#include <slackline/apps/multilabel/data/csv_training.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Throws DataError on options that do not fit a table.
void CheckOptions(const std::string& source, const MultiLabelReadOptions& options) {
  if (options.for_prediction() && !options.table) {
    throw DataError(source, 0,
                    "the data are a table (CSV, TSV), but the model was trained on ARFF or LIBSVM "
                    "data and knows no columns; pass --format if it is not a table");
  }
  if (!options.for_prediction() && !options.labels_xml.empty()) {
    throw DataError(source, 0,
                    "--labels belongs to ARFF and LIBSVM data; the labels of a table (CSV, TSV) "
                    "are columns: pass --label-columns");
  }
}

/// `Table` is CsvTraining or CsvPrediction.
template <class Table>
class CsvReader : public MultiLabelReader {
 public:
  bool Next() final {
    if (!records_.Next()) {
      if (!any_) throw DataError(reader_.source(), 0, "no examples after the header");
      return false;
    }
    any_ = true;
    table_->AddRow(records_);
    return true;
  }
  std::vector<std::string> Notes() const final { return table_->Notes(); }

 protected:
  CsvReader(LineReader* reader, const CsvHeader& header, const MultiLabelReadOptions& options)
      : MultiLabelReader(options),
        reader_(*reader),
        records_(reader, header.separator),
        header_(header) {}

  LineReader& reader_;
  CsvRecords records_;
  const CsvHeader header_;
  std::optional<Table> table_;

 private:
  void Agree() final { table_->Agree(ranks()); }

  bool any_ = false;
};

class CsvTrainingReader final : public CsvReader<CsvTraining> {
 public:
  CsvTrainingReader(LineReader* reader, const CsvHeader& header,
                    const MultiLabelReadOptions& options)
      : CsvReader(reader, header, options) {
    table_.emplace(reader->source(), reader->name(), header_, options);
  }

 private:
  // The types of columns are only known after the last row.
  [[noreturn]] static void Refuse() {
    throw std::logic_error("training data of a table come all at once");
  }
  void Forget() override { Refuse(); }
  MultiLabelData& Collect() override { Refuse(); }
  MultiLabelData CollectAll() override { return table_->Finish(); }
};

class CsvPredictionReader final : public CsvReader<CsvPrediction> {
 public:
  CsvPredictionReader(LineReader* reader, const CsvHeader& header,
                      const MultiLabelReadOptions& options)
      : CsvReader(reader, header, options) {
    table_.emplace(reader->source(), reader->name(), header_, options);
  }
  void Forget() override { table_->Forget(); }

 private:
  MultiLabelData& Collect() override { return table_->Examples(); }
  MultiLabelData CollectAll() override { return std::move(table_->Examples()); }
};

}  // namespace

std::unique_ptr<MultiLabelReader> MakeCsvReader(LineReader* reader, std::string_view line,
                                                const MultiLabelReadOptions& options) {
  return MakeCsvReader(reader, ReadCsvHead(reader, line, options), options);
}

std::unique_ptr<MultiLabelReader> MakeCsvReader(LineReader* rows, const CsvHeader& header,
                                                const MultiLabelReadOptions& options) {
  if (options.for_prediction()) return std::make_unique<CsvPredictionReader>(rows, header, options);
  return std::make_unique<CsvTrainingReader>(rows, header, options);
}

CsvHeader ReadCsvHead(LineReader* reader, std::string_view line,
                      const MultiLabelReadOptions& options) {
  CheckOptions(reader->name(), options);
  CsvHeader header = ReadCsvHeader(reader, line, TableSeparator(line, options));
  if (!options.for_prediction()) {
    CheckHeaderIsThere(header);
    if (options.label_columns.empty() && options.classes) FailWithoutClassColumn(header);
    if (options.label_columns.empty() && options.labels_in.empty())
      FailWithoutLabelColumns(header, reader);
  }
  return header;
}

}  // namespace slackline::internal
