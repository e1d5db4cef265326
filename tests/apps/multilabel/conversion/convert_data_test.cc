// SPDX-License-Identifier: BSD-3-Clause
//
// Converted data are those of the text: every number of them, on one rank and on several.
#include <slackline/apps/multilabel/conversion/convert_data.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/train_loop.h>
#include <tests/apps/data_rows.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/core/data_folder.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

MultiLabelReadOptions Arff(const std::string& xml, bool constant = true) {
  MultiLabelReadOptions read;
  read.labels_xml = xml;
  read.constant = constant;
  return read;
}

/// The data as training gets them, with what the scaling says.
struct Training {
  MultiLabelData data;
  ScaledInputs scaled;
};

Training FromText(const std::string& path, const MultiLabelReadOptions& read,
                  std::optional<ScaleKind> scale) {
  Training training{ReadMultiLabelData(path, read), {}};
  training.scaled = ScaleForTraining(scale, ScaleInputsOf(training.data));
  training.data.rows = training.scaled.rows;
  return training;
}

/// How converted data are read for training that would read the text with these options.
MultiLabelReadOptions Converted(MultiLabelReadOptions read) {
  read.num_labels = 0;
  read.label_columns.clear();
  read.ignore_columns.clear();
  return read;
}

void CheckSameScaling(const FeatureScaling& a, const FeatureScaling& b) {
  CHECK(a.kind() == b.kind());
  CHECK(a.shift() == b.shift());
  CHECK(a.divisor() == b.divisor());
}

/// Converts the text and compares; returns the path of the converted data.
std::string CheckConversion(const TemporaryFolder& folder, const std::string& path,
                            const MultiLabelReadOptions& read, std::optional<ScaleKind> scale = {},
                            WindowChoice windows = {}) {
  const std::string out = folder.Path("converted");
  const Training text = FromText(path, read, scale);
  ConversionOptions options;
  options.read = read;
  options.scale = scale;
  options.windows = windows;
  const Conversion conversion = ConvertMultiLabelData(path, {out}, options);
  CHECK(conversion.num_examples == text.data.num_examples());
  CHECK(conversion.about.notes == text.data.notes);
  const MultiLabelData data = ReadMultiLabelData(out, Converted(read));
  CHECK(data.source == out);
  CHECK(data.label_names == text.data.label_names);
  CHECK(data.feature_names == text.data.feature_names);
  CHECK(data.num_features == text.data.num_features);
  CHECK(data.has_constant == text.data.has_constant);
  CHECK(data.fill_values == text.data.fill_values);
  CHECK(data.notes == text.data.notes);
  REQUIRE((data.table != nullptr) == (text.data.table != nullptr));
  if (data.table != nullptr) CHECK(*data.table == *text.data.table);
  CHECK(data.labels == text.data.labels);
  REQUIRE(data.num_examples() == text.data.num_examples());
  REQUIRE(data.rows->size() == data.num_examples());
  CHECK(data.rows->in_file());
  for (Index m = 0; m < data.num_examples(); ++m) {
    CAPTURE(m);
    CHECK(data.lines[Size(m)] == m + 1);
    CheckSameRow(data.rows->row(m), text.data.rows->row(m));
  }
  REQUIRE(data.converted != nullptr);
  CheckSameScaling(data.converted->scaling, text.scaled.scaling);
  CHECK(data.converted->scaling_line == text.scaled.line);
  CHECK(data.converted->warnings == text.scaled.warnings);
  return out;
}

/// Sparse examples with four labels; some have no labels, no features or no known label. Features
/// have sizes of their own, so that auto scales them.
std::string LibsvmText(int examples) {
  Random random(3);
  std::string text = "# a comment\n\n";
  for (int m = 0; m < examples; ++m) {
    if (m % 17 == 4) text += "?";
    bool any = false;
    for (int i = 0; i < 4 && m % 17 != 4; ++i) {
      if (random.Below(3) > 0) continue;
      text += (any ? "," : "") + std::to_string(i);
      any = true;
    }
    // Later examples have larger features.
    for (int f = 1; f <= 20 + m / 4; ++f) {
      if (m % 13 == 2 || random.Below(4) > 0) continue;
      text +=
          ' ' + std::to_string(f) + ':' + std::to_string((f % 5 == 0 ? 300 : 1) * random.Normal());
    }
    text += m % 17 == 4 || any || m % 13 != 2 ? "\n" : " # none\n";
  }
  return text;
}

MultiLabelReadOptions TableRead(bool constant = true) {
  return LabelColumns("a,b", "1,note", constant);
}

constexpr const char* kTableHeader = ",a,size,note,colour,b,place,weight\n";

/// Rows of a table whose columns are texts, few numbers and many, each with missing values.
/// places: the number of categories of a column.
std::string TableText(int rows, int places) {
  Random random(7);
  std::string text;
  const char* const colours[] = {"red", "\"dark, blue\"", "", "green"};
  for (int m = 0; m < rows; ++m) {
    text += std::to_string(m) + ',' +
            (m % 19 == 3  ? "?"
             : m % 3 == 0 ? "1"
                          : "0") +
            ',' + (m % 23 == 0 ? "NA" : std::to_string(300 * random.Normal())) + ",text " +
            std::to_string(m) + ',' + colours[random.Below(4)] + ',' +
            (random.Below(4) == 0 ? "true" : "false") + ",p" +
            std::to_string(random.Below(static_cast<std::uint64_t>(places))) + ',' +
            (m % 5 == 2 ? "" : std::to_string(m % 7)) + '\n';
  }
  return text;
}

constexpr const char* kConvertedXml = "<labels><label name=\"b\"/><label name=\"a\"/></labels>";

/// Dense examples with missing numbers, categories and labels.
std::string ArffText(int examples, bool sparse) {
  Random random(5);
  std::string text =
      "@relation r\n@attribute x numeric\n@attribute a {0,1}\n@attribute 'large one' numeric\n"
      "@attribute colour {red,green,blue}\n@attribute b {0,1}\n@data\n";
  for (int m = 0; m < examples; ++m) {
    const double x = random.Normal();
    const std::string values[] = {m % 7 == 3 ? "?" : std::to_string(x),
                                  m % 11 == 5 ? "?"
                                  : x > 0     ? "1"
                                              : "0",
                                  m % 5 == 1 ? "?" : std::to_string(1000 * random.Uniform()),
                                  m % 9 == 4   ? "?"
                                  : m % 2 == 0 ? "blue"
                                               : "green",
                                  x > 0.5 ? "1" : "0"};
    text += sparse ? "{" : "";
    bool any = false;
    for (int k = 0; k < 5; ++k) {
      if (sparse && (random.Below(3) == 0 || values[k] == "0")) continue;
      text += (any ? "," : "") + (sparse ? std::to_string(k) + " " : std::string()) + values[k];
      any = true;
    }
    text += sparse ? "}\n" : "\n";
  }
  return text;
}

std::vector<double> Weights(const Training& training, const TrainOptions& options, Ranks* ranks) {
  MultiLabelTrainingOptions task;
  task.graph = "full";
  task.ranks = ranks;
  MultiLabelTraining trained(training.data, training.scaled, task);
  TrainOptions given = options;
  given.ranks = ranks;
  return TrainModel(given, nullptr, nullptr, &trained).summary.weights;
}

TrainOptions Passes(LearnerKind learner, Index shards) {
  TrainOptions options;
  options.lambda = 0.01;
  options.max_passes = 4;
  options.learner = learner;
  if (learner == LearnerKind::kBcfw) options.step = StepKind::kPairwise;
  options.shards = shards;
  return options;
}

Training FromConverted(const std::string& path, MultiLabelReadOptions read) {
  Training training{ReadMultiLabelData(path, read), {}};
  training.scaled.scaling = training.data.converted->scaling;
  training.scaled.rows = training.data.rows;
  return training;
}

}  // namespace

TEST_CASE("sparse data have the values of the text, with every scaling, constant or not") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.svm", LibsvmText(300));
  const std::optional<ScaleKind> kinds[] = {std::nullopt, ScaleKind::kUnscaled,
                                            ScaleKind::kStandard, ScaleKind::kMaxAbs,
                                            ScaleKind::kNorm};
  for (const bool constant : {true, false}) {
    for (const auto& kind : kinds) CheckConversion(folder, path, LibsvmOptions(4, constant), kind);
  }
  CheckConversion(folder, folder.WriteGzip("data.gz", LibsvmText(300)), LibsvmOptions(4));
  CHECK(folder.NumFiles() == 3);
}

TEST_CASE("ARFF data keep missing values, categories and names") {
  const TemporaryFolder folder;
  const std::string xml = folder.Write("labels.xml", kConvertedXml);
  for (const bool sparse : {false, true}) {
    const std::string path = folder.Write("data.arff", ArffText(200, sparse));
    for (const bool constant : {true, false}) {
      for (const std::optional<ScaleKind>& kind :
           {std::optional<ScaleKind>(), std::optional<ScaleKind>(ScaleKind::kUnscaled),
            std::optional<ScaleKind>(ScaleKind::kStandard)})
        CheckConversion(folder, path, Arff(xml, constant), kind);
    }
  }
  // Dense and sparse rows in turn.
  std::string mixed = ArffText(40, false);
  const std::string sparse = ArffText(40, true);
  mixed += sparse.substr(sparse.find("@data\n") + 6);
  mixed += ArffText(3, false).substr(ArffText(3, false).find("@data\n") + 6);
  CheckConversion(folder, folder.Write("mixed.arff", mixed), Arff(xml), ScaleKind::kStandard);
}

TEST_CASE("blocks of many examples, and a folder of parts") {
  const TemporaryFolder folder;
  const std::string text = LibsvmText(4000);
  const std::string path = folder.Write("data.svm", text);
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4));
  CHECK(ReadBytes(out).size() > 2 * 1048576);
  const TemporaryFolder parts;
  const std::size_t border = text.find('\n', text.size() / 3) + 1;
  parts.Write("part-0", text.substr(0, border));
  parts.WriteGzip("part-1.gz", text.substr(border));
  const std::string joined = folder.Path("joined");
  ConversionOptions options;
  options.read = LibsvmOptions(4);
  ConvertMultiLabelData(parts.Path(""), {joined}, options);
  CHECK(ReadBytes(joined) == ReadBytes(out));
}

TEST_CASE("tables") {
  const TemporaryFolder folder;
  // Few rows, more numbers than categories may have, and sparse rows.
  const std::pair<int, int> sizes[] = {{60, 3}, {3000, 30}, {4000, 300}};
  for (const auto& size : sizes) {
    const int rows = size.first;
    const int places = size.second;
    CAPTURE(rows);
    const std::string text = TableText(rows, places);
    const std::string path = folder.Write("t.csv", kTableHeader + text);
    for (const bool constant : {true, false}) {
      const std::string out = CheckConversion(folder, path, TableRead(constant));
      CHECK(ReadMultiLabelData(out, Converted(TableRead(constant))).rows->row(0).dense() ==
            (places < 200));
      CheckConversion(folder, path, TableRead(constant), ScaleKind::kMaxAbs);
    }
    const TemporaryFolder parts;
    const std::size_t border = text.find('\n', text.size() / 3) + 1;
    parts.Write("part-0", kTableHeader + text.substr(0, border));
    parts.WriteGzip("part-1.gz", kTableHeader + text.substr(border));
    const std::string joined = folder.Path("joined");
    ConversionOptions options;
    options.read = TableRead();
    ConvertMultiLabelData(parts.Path(""), {joined}, options);
    const std::string out = CheckConversion(folder, path, TableRead());
    CHECK(ReadBytes(joined) == ReadBytes(out));
  }
}

TEST_CASE("a table for a model is encoded as the model's was") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("t.csv", kTableHeader + TableText(100, 3));
  const Training training = FromText(path, TableRead(), ScaleKind::kStandard);
  MultiLabelReadOptions read = ForPrediction(training.data);
  read.constant = true;
  read.scaling = training.scaled.scaling;
  // Other categories, and another order of columns.
  const std::string other = folder.Write(
      "o.csv", "weight,place,b,colour,size,a,more\n,p2,1,violet,3,0,1\n2,,?,red,NA,1,2\n");
  const MultiLabelData text = ReadMultiLabelData(other, read);
  ConversionOptions options;
  options.read = read;
  const std::string out = folder.Path("for-model");
  ConvertMultiLabelData(other, {out}, options);
  const MultiLabelData data = ReadMultiLabelData(out, read);
  CHECK(data.labels == text.labels);
  CHECK(data.notes == text.notes);
  REQUIRE(data.num_examples() == text.num_examples());
  for (Index m = 0; m < text.num_examples(); ++m)
    CheckSameRow(data.rows->row(m), text.rows->row(m));
  TableSchema schema = *read.table;
  schema.columns.back().name = "height";
  read.table = std::make_shared<TableSchema>(schema);
  CHECK(Contains(MessageOf<DataError>([&] { ReadMultiLabelData(out, read); }),
                 "has other columns of a table than the model"));
  read.table = nullptr;
  CHECK(Contains(MessageOf<DataError>([&] { ReadMultiLabelData(out, read); }),
                 "has other columns of a table than the model"));
}

TEST_CASE("a table that changes while it is converted is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("t.csv", kTableHeader + TableText(3000, 3));
  ConversionOptions options;
  options.read = TableRead();
  options.progress = [&](std::string_view stage, Index) {
    if (stage == "reading") folder.Write("t.csv", kTableHeader + TableText(3000, 4));
  };
  CHECK(MessageOf<DataError>([&] { ConvertMultiLabelData(path, {folder.Path("out")}, options); }) ==
        path + ": changed while it was converted: convert it again");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("parts are those of one file") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.svm", LibsvmText(4000));
  const WindowChoice windows{1500000};
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4), {}, windows);
  const MultiLabelData one = ReadMultiLabelData(out, Converted(LibsvmOptions(4)));
  ConversionOptions options;
  options.read = LibsvmOptions(4);
  options.windows = windows;
  const Index blocks = static_cast<Index>(ReadBytes(out).size() >> 20);
  REQUIRE(blocks >= 3);
  for (const Index wanted : {1, 2, 3, 1000}) {
    CAPTURE(wanted);
    const std::string parts = folder.Path("parts" + std::to_string(wanted));
    const Conversion conversion = ConvertMultiLabelData(path, {parts, wanted}, options);
    std::vector<std::uintmax_t> sizes;
    for (const auto& entry : std::filesystem::directory_iterator(parts)) {
      CHECK(entry.path().filename().string().starts_with("part-0000"));
      sizes.push_back(std::filesystem::file_size(entry.path()));
    }
    CHECK(std::ssize(sizes) == conversion.num_files);
    if (wanted <= blocks) CHECK(std::ssize(sizes) == wanted);
    // Parts end between blocks of a megabyte.
    CHECK(*std::max_element(sizes.begin(), sizes.end()) <
          *std::min_element(sizes.begin(), sizes.end()) + 2 * 1200000);
    const MultiLabelData data = ReadMultiLabelData(parts, Converted(LibsvmOptions(4)));
    CHECK(data.labels == one.labels);
    CHECK(data.notes == one.notes);
    REQUIRE(data.num_examples() == one.num_examples());
    for (Index m = 0; m < one.num_examples(); ++m)
      CheckSameRow(data.rows->row(m), one.rows->row(m));
    const auto ends = [](const MultiLabelData& d) {
      return std::vector<Index>(d.rows->window_ends().begin(), d.rows->window_ends().end());
    };
    CHECK(ends(data) == ends(one));
    CHECK(data.converted->window_bytes == one.converted->window_bytes);
  }
  const std::size_t before = folder.NumFiles();
  CHECK(Contains(MessageOf<DataError>([&] {
                   ConvertMultiLabelData(path, {folder.Path("parts2"), 2}, options);
                 }),
                 "is there already: give a new folder, or an empty one"));
  struct Stop {};
  options.progress = [&](std::string_view stage, Index) {
    if (stage == "writing") throw Stop{};
  };
  CHECK_THROWS_AS(ConvertMultiLabelData(path, {folder.Path("stopped"), 2}, options), Stop);
  CHECK(folder.NumFiles() == before);
}

TEST_CASE("ranks have their rows and windows of one file and of parts") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.svm", LibsvmText(4000));
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4), {}, {1500000});
  const Index num_examples = ReadMultiLabelData(path, LibsvmOptions(4)).num_examples();
  const TemporaryFolder parts;
  std::filesystem::copy_file(out, parts.Path("part-a"));
  std::filesystem::copy_file(out, parts.Path("part-b"));
  for (const std::string& source : {out, parts.Path("")}) {
    const MultiLabelData whole = ReadMultiLabelData(source, Converted(LibsvmOptions(4)));
    const std::span<const Index> ends = whole.rows->window_ends();
    REQUIRE(ends.size() > 1);
    CHECK(whole.converted->window_bytes == 1500000);
    CHECK(whole.num_examples() == (source == out ? 1 : 2) * num_examples);
    for (const Deal& deal : Deals()) {
      Index first = 0;
      for (const MultiLabelData& part : OnEachRank(deal.ranks, [&](ThreadRanks& ranks) {
             MultiLabelReadOptions read = Converted(LibsvmOptions(4));
             read.ranks = &ranks;
             read.shards = deal.shards;
             return ReadMultiLabelData(source, read);
           })) {
        REQUIRE(part.rows->size() == part.num_examples());
        for (Index m = 0; m < part.num_examples(); m += 7) {
          CheckSameRow(part.rows->row(m), whole.rows->row(first + m));
          CHECK(part.FileOf(m) == whole.FileOf(first + m));
          CHECK(part.lines[Size(m)] == whole.lines[Size(first + m)]);
        }
        CHECK(std::equal(part.labels.begin(), part.labels.end(),
                         whole.labels.begin() + Offset{first} * 4));
        // The ends of its windows are those of all rows, as far as they lie among its own.
        const Index end = first + part.num_examples();
        std::vector<Index> expected;
        for (const Index e : ends) {
          if (e > first && e < end) expected.push_back(e - first);
        }
        expected.push_back(part.num_examples());
        const std::span<const Index> own = part.rows->window_ends();
        CHECK(std::vector<Index>(own.begin(), own.end()) == expected);
        first = end;
      }
      CHECK(first == whole.num_examples());
    }
  }
}

TEST_CASE("training gives the weights of the text, bit for bit") {
  const TemporaryFolder folder;
  // Examples without a known label are left out, which several ranks refuse.
  std::string text = LibsvmText(300);
  std::replace(text.begin(), text.end(), '?', '0');
  const std::string path = folder.Write("data.svm", text);
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4), ScaleKind::kMaxAbs);
  const Training plain = FromText(path, LibsvmOptions(4), ScaleKind::kMaxAbs);
  for (const LearnerKind learner :
       {LearnerKind::kBcfw, LearnerKind::kAugmentedLagrangian, LearnerKind::kSubgradient}) {
    const TrainOptions options = Passes(learner, 1);
    const std::vector<double> expected = Weights(plain, options, nullptr);
    CHECK(Weights(FromConverted(out, Converted(LibsvmOptions(4))), options, nullptr) == expected);
  }
  const TrainOptions options = Passes(LearnerKind::kBcfw, 3);
  const std::vector<double> expected = Weights(plain, options, &OneRank());
  for (const auto& weights : OnEachRank(3, [&](ThreadRanks& ranks) {
         MultiLabelReadOptions read = Converted(LibsvmOptions(4));
         read.ranks = &ranks;
         read.shards = 3;
         return Weights(FromConverted(out, read), options, &ranks);
       }))
    CHECK(weights == expected);
}

TEST_CASE("windows change the order of visits, not the problem; it does not depend on the ranks") {
  const TemporaryFolder folder;
  std::string text = LibsvmText(4000);
  std::replace(text.begin(), text.end(), '?', '0');
  const std::string path = folder.Write("data.svm", text);
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4), {}, {1200000});
  const Training windows = FromConverted(out, Converted(LibsvmOptions(4)));
  TrainOptions options = Passes(LearnerKind::kBcfw, 1);
  const std::vector<double> plain = Weights(FromText(path, LibsvmOptions(4), {}), options, nullptr);
  const std::vector<double> own = Weights(windows, options, nullptr);
  CHECK(own != plain);
  CHECK(own == Weights(windows, options, nullptr));
  options.shards = 4;
  const std::vector<double> expected = Weights(windows, options, &OneRank());
  for (const auto& weights : OnEachRank(2, [&](ThreadRanks& ranks) {
         MultiLabelReadOptions read = Converted(LibsvmOptions(4));
         read.ranks = &ranks;
         read.shards = 4;
         return Weights(FromConverted(out, read), options, &ranks);
       }))
    CHECK(weights == expected);
}

TEST_CASE("data for a model have its scaling") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.svm", LibsvmText(300));
  const Training training = FromText(path, LibsvmOptions(4), ScaleKind::kStandard);
  MultiLabelReadOptions read;
  read.label_names = training.data.label_names;
  read.num_features = 40;  // some features are not known to the model
  read.constant = true;
  std::vector<double> divisor(training.scaled.scaling.divisor().begin(),
                              training.scaled.scaling.divisor().begin() + 40);
  read.scaling = FeatureScaling::FromNumbers(ScaleKind::kStandard, {}, std::move(divisor));
  const MultiLabelData text = ReadMultiLabelData(path, read);
  ConversionOptions options;
  options.read = read;
  const std::string out = folder.Path("for-model");
  ConvertMultiLabelData(path, {out}, options);
  const MultiLabelData data = ReadMultiLabelData(out, read);
  CHECK(data.labels == text.labels);
  CHECK(data.notes == text.notes);
  for (Index m = 0; m < text.num_examples(); ++m)
    CheckSameRow(data.rows->row(m), text.rows->row(m));
  read.scaling = {};
  CHECK(Contains(MessageOf<DataError>([&] { ReadMultiLabelData(out, read); }),
                 "scaled in another way"));
  read.num_features = 41;
  CHECK(Contains(MessageOf<DataError>([&] { ReadMultiLabelData(out, read); }),
                 "has 40 features, but the model has 41"));
}

TEST_CASE("what does not fit the options is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.svm", LibsvmText(50));
  const std::string out = CheckConversion(folder, path, LibsvmOptions(4));
  const auto message = [&](const MultiLabelReadOptions& read) {
    return MessageOf<DataError>([&] { ReadMultiLabelData(out, read); });
  };
  CHECK(message(LibsvmOptions(0, false)) ==
        out +
            ": converted with a constant feature, which is not wanted here: convert the data "
            "again, with --bias 0");
  MultiLabelReadOptions read = LibsvmOptions(0);
  read.format = MultiLabelFormat::kLibsvm;
  CHECK(message(read) == out + ": converted data, not libsvm: leave --format out");
  read.format = MultiLabelFormat::kAuto;
  read.label_columns = "-1";
  CHECK(Contains(message(read), "belong to tables"));
  read.label_columns.clear();
  read.labels_xml = folder.Write("labels.xml", kConvertedXml);
  CHECK(message(read) == out + ": has other labels than " + read.labels_xml);
  CHECK(Contains(MessageOf<DataError>([&] {
                   LineReader lines(out);
                   OpenMultiLabelData(&lines, LibsvmOptions(4));
                 }),
                 "is converted data already"));
}

TEST_CASE("faults in the text leave no file") {
  const TemporaryFolder folder;
  ConversionOptions options;
  options.read = LibsvmOptions(4);
  const auto message = [&](const std::string& path) {
    return MessageOf<DataError>(
        [&] { ConvertMultiLabelData(path, {folder.Path("out")}, options); });
  };
  CHECK(message(folder.Write("bad", LibsvmText(30) + "0 3:x\n")) ==
        folder.Path("bad") + ":33: the value of '3:x' is not a finite number");
  CHECK(Contains(message(folder.Write("none", "# nothing\n")), "no examples"));
  CHECK(Contains(message(folder.Write("empty", "0\n1\n")), "accepted"));
  std::filesystem::remove(folder.Path("out"));
  options.read.constant = false;
  CHECK(Contains(message(folder.Path("empty")), "no features"));
  options.read = LabelColumns("-1");
  CHECK(message(folder.Write("table.csv", "x,a\n1,0\nz,1\n2,7\n")) ==
        folder.Path("table.csv") +
            ":4: label 'a' has the value '7'; labels are 0 and 1, true and false, "
            "yes and no, -1 and 1, x and empty, or unknown (empty, NA, ?)");
  CHECK(Contains(message("-"), "<stdin>: a table (CSV, TSV) is read twice"));
  struct Stop {};
  options.read = LibsvmOptions(4);
  for (const std::string_view end : {"reading", "learning scales", "scaling", "writing"}) {
    options.progress = [&](std::string_view stage, Index) {
      if (stage == end) throw Stop{};
    };
    CHECK_THROWS_AS(
        ConvertMultiLabelData(folder.Write("data", LibsvmText(50)), {folder.Path("out")}, options),
        Stop);
  }
  CHECK(folder.NumFiles() == 5);
}
