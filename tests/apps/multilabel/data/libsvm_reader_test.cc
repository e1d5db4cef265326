// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/check.h>
#include <tests/apps/data_rows.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

MultiLabelReadOptions LabelCount(Index count) { return LibsvmOptions(count, false); }

MultiLabelData ReadSvm(const std::string& text, const MultiLabelReadOptions& options) {
  const TemporaryFolder folder;
  return ReadMultiLabelData(folder.Write("data.svm", text), options);
}

/// The message without the folder: "data.svm:3: message".
std::string SvmError(const std::string& text, const MultiLabelReadOptions& options) {
  return ErrorIn("data.svm", [&] { ReadSvm(text, options); });
}

using Bits = std::vector<std::int8_t>;

}  // namespace

TEST_CASE("labels count from 0 and features from 1") {
  const MultiLabelData data = ReadSvm("2,0 1:0.5 4:-2e-1\n1\t2:+3 \n", LabelCount(3));
  CHECK(data.label_names == std::vector<std::string>{"0", "1", "2"});
  CHECK(data.num_examples() == 2);
  CHECK(data.num_labels() == 3);
  CHECK(data.num_features == 4);
  CHECK_FALSE(data.has_constant);
  CHECK(data.labels == Bits{1, 0, 1, 0, 1, 0});
  CHECK(Sparse(data, 0) == RowContent{{0, 3}, {0.5, -0.2}});
  CHECK(Sparse(data, 1) == RowContent{{1}, {3.0}});
  CHECK(data.lines == std::vector<long>{1, 2});
}

TEST_CASE("examples without labels, without features and with unknown labels are read") {
  const MultiLabelData data = ReadSvm(" 1:1\n3:2\n?\n? 2:5\n0\n", LabelCount(2));
  CHECK(data.labels == Bits{0, 0, 0, 0, -1, -1, -1, -1, 1, 0});
  CHECK(data.num_features == 3);
  CHECK(data.rows->row(2).count == 0);
  CHECK(Sparse(data, 3) == RowContent{{1}, {5.0}});
}

TEST_CASE("comments and lines without text are skipped, and line numbers stay correct") {
  const MultiLabelData data =
      ReadSvm("# a comment\n\n0 1:1 # 2:7\n   \n# 1:1\n1 1:2\r\n", LabelCount(2));
  CHECK(data.lines == std::vector<long>{3, 6});
  CHECK(data.num_features == 1);
}

TEST_CASE("the constant feature follows the last feature in every row") {
  MultiLabelReadOptions options = LibsvmOptions(1);
  const MultiLabelData data = ReadSvm("0 1:2\n 3:4\n0\n", options);
  CHECK(data.has_constant);
  CHECK(data.num_features == 3);
  CHECK(Sparse(data, 0) == RowContent{{0, 3}, {2.0, 1.0}});
  CHECK(Sparse(data, 1) == RowContent{{2, 3}, {4.0, 1.0}});
  CHECK(Sparse(data, 2) == RowContent{{3}, {1.0}});
}

TEST_CASE("at prediction labels and dimension are the model's") {
  MultiLabelReadOptions options;
  options.label_names = {"sun", "sea"};
  options.num_features = 5;
  const MultiLabelData data = ReadSvm("1 2:1\n", options);
  CHECK(data.label_names == options.label_names);
  CHECK(data.num_features == 5);
  options.constant = true;
  CHECK(Sparse(ReadSvm("1 2:1\n", options), 0) == RowContent{{1, 5}, {1.0, 1.0}});
}

TEST_CASE("features unknown to the model are left out with a note, or refused") {
  MultiLabelReadOptions options;
  options.label_names = {"sun", "sea"};
  options.num_features = 5;
  options.constant = true;
  const MultiLabelData data = ReadSvm("1 2:1\n1 5:3 6:1 9:2\n0 9:1\n", options);
  CHECK(data.num_features == 5);
  CHECK(Sparse(data, 1) == RowContent{{4, 5}, {3.0, 1.0}});
  CHECK(Sparse(data, 2) == RowContent{{5}, {1.0}});
  CHECK(data.notes ==
        std::vector<std::string>{
            "3 values of 2 features beyond the model's 5 left out (first feature 6 on line 2)"});
  options.strict = true;
  CHECK(SvmError("1 2:1\n1 6:1\n", options) ==
        "data.svm:2: feature 6 is out of range: the model has 5 features (--strict)");
  CHECK(ReadSvm("1 5:1\n", options).notes.empty());
}

TEST_CASE("names come from an XML file in its order") {
  const TemporaryFolder folder;
  MultiLabelReadOptions options;
  options.labels_xml = folder.Write("l.xml", "<labels><label name='b'/><label name='a'/></labels>");
  CHECK(ReadSvm("1 1:1\n", options).label_names == std::vector<std::string>{"b", "a"});
  options.num_labels = 2;
  CHECK(ReadSvm("1 1:1\n", options).num_labels() == 2);
  options.num_labels = 3;
  CHECK(SvmError("1 1:1\n", options) == options.labels_xml + ": 2 labels, but --num-labels is 3");
}

TEST_CASE("gzip files give the same data") {
  const TemporaryFolder folder;
  const std::string text = "2,0 1:0.5 4:-2\n1 2:3\n";
  const MultiLabelData plain = ReadMultiLabelData(folder.Write("a", text), LabelCount(3));
  const MultiLabelData packed = ReadMultiLabelData(folder.WriteGzip("a.gz", text), LabelCount(3));
  CHECK(plain.labels == packed.labels);
  CHECK(Sparse(plain, 0) == Sparse(packed, 0));
}

TEST_CASE("a missing number of labels is explained") {
  CHECK(SvmError("0 1:1\n", MultiLabelReadOptions{}) ==
        "data.svm: a LIBSVM file does not contain the number of labels: pass --num-labels N or "
        "--labels FILE.xml");
}

TEST_CASE("errors in labels name line and token") {
  CHECK(SvmError("0 1:1\n3 1:1\n", LabelCount(3)) ==
        "data.svm:2: label '3' is out of range: there are 3 labels, numbered from 0");
  CHECK(SvmError("0,1,0 1:1\n", LabelCount(3)) == "data.svm:1: label '0' is given twice");
  CHECK(SvmError("0,x 1:1\n", LabelCount(3)) == "data.svm:1: label 'x' is not a whole number");
  CHECK(SvmError("1.0 1:1\n", LabelCount(3)) == "data.svm:1: label '1.0' is not a whole number");
  CHECK(SvmError("-1 1:1\n", LabelCount(3)) == "data.svm:1: label '-1' is not a whole number");
  CHECK(SvmError("0, 1:1\n", LabelCount(3)) ==
        "data.svm:1: a comma without a label after it: labels are separated by commas without "
        "blanks, as in 0,2 1:0.5");
  CHECK(SvmError("3 5 2\n0 1:1\n", LabelCount(3)) ==
        "data.svm:1: '3 5 2': the first line has 3 whole numbers and no features; are they the "
        "numbers of examples, features and labels, with which some collections of data begin? Then "
        "leave this line out");
  CHECK(SvmError("0,? 1:1\n", LabelCount(3)) == "data.svm:1: label '?' is not a whole number");
  CHECK(SvmError("99999999999 1:1\n", LabelCount(3)) ==
        "data.svm:1: label '99999999999' is not a whole number");
}

TEST_CASE("errors in features name line and token") {
  const auto error = [](const std::string& line) {
    return SvmError("0 1:1\n" + line + "\n", LabelCount(3));
  };
  CHECK(error("1 0:1") == "data.svm:2: feature index 0 in '0:1': features count from 1");
  CHECK(error("1 2:1 2:3") == "data.svm:2: feature indices must increase: '2:3' follows index 2");
  CHECK(error("1 5:1 2:3") == "data.svm:2: feature indices must increase: '2:3' follows index 5");
  CHECK(error(" 1") == "data.svm:2: expected index:value, found '1'");
  CHECK(error("1 2") == "data.svm:2: expected index:value, found '2'");
  CHECK(error("1 2:") == "data.svm:2: the value of '2:' is not a finite number");
  for (const std::string value :
       {"nan", "inf", "-inf", "NaN", "1e999", "0x10", "1,5", "1.5.2", "abc", "+-1", "--1", "1:2"}) {
    CHECK(error("1 2:" + value) ==
          "data.svm:2: the value of '2:" + value + "' is not a finite number");
  }
  const std::string range = " is not a whole number between 1 and 2147483645";
  CHECK(error("1 -2:1") == "data.svm:2: the feature index of '-2:1'" + range);
  CHECK(error("1 a:1") == "data.svm:2: the feature index of 'a:1'" + range);
  CHECK(error("1 :1") == "data.svm:2: the feature index of ':1'" + range);
  CHECK(error("1 2147483646:1") == "data.svm:2: the feature index of '2147483646:1'" + range);
  CHECK(error("1 4294967297:1") == "data.svm:2: the feature index of '4294967297:1'" + range);
}

TEST_CASE("very long tokens are cut off in messages") {
  const std::string message = SvmError("0 " + std::string(5000, 'x') + "\n", LabelCount(1));
  CHECK(message == "data.svm:1: expected index:value, found '" + std::string(60, 'x') + "...'");
}

TEST_CASE("files without examples or features are errors") {
  CHECK(SvmError("", LabelCount(3)) == "data.svm: no examples");
  CHECK(SvmError("\n  \n", LabelCount(3)) == "data.svm: no examples");
  CHECK(SvmError("# only\n# comments\n", LabelCount(3)) == "data.svm: no examples");
  CHECK(SvmError("0\n1\n", LabelCount(3)) == "data.svm: no features");
}

TEST_CASE("damaged text is read or refused with a message") {
  const std::string good = "2,0 1:0.5 4:-2e-1 # c\n1\t2:+3 \n ? \n? 1:1\n 3:7\n";
  for (std::size_t position = 0; position < good.size(); ++position) {
    for (const char c : std::string("0:,?#-+.en @{\n\0\xff", 16)) {
      std::string text = good;
      text[position] = c;
      try {
        const MultiLabelData data = ReadSvm(text, LabelCount(3));
        CHECK(data.rows->size() == data.num_examples());
        CHECK(data.labels.size() == 3 * data.lines.size());
        CHECK(data.rows->dimension() <= data.num_features);
      } catch (const DataError&) {
      }
    }
  }
}

TEST_CASE("examples are read one by one") {
  const TemporaryFolder folder;
  LineReader lines(folder.Write("t.svm", "# none\n0 1:1\n\n? 2:3\n 1:5\n"));
  MultiLabelReadOptions options;
  options.label_names = {"A", "B"};
  options.num_features = 2;
  options.constant = true;
  const auto reader = OpenMultiLabelData(&lines, options);
  REQUIRE(reader->Next());
  CHECK(lines.line_number() == 2);
  CHECK(reader->Examples().labels == std::vector<std::int8_t>{1, 0});
  REQUIRE(reader->Next());
  CHECK(reader->Examples().num_examples() == 2);
  reader->Forget();
  REQUIRE(reader->Next());
  const MultiLabelData& data = reader->Examples();
  CHECK(data.label_names == options.label_names);
  CHECK(data.lines == std::vector<long>{5});
  CHECK(data.labels == std::vector<std::int8_t>{0, 0});
  REQUIRE(data.rows->size() == 1);
  CHECK(data.rows->row(0).count == 2);
  CHECK(data.rows->row(0).values[0] == 5);
  CHECK_FALSE(reader->Next());
  CHECK_FALSE(reader->Next());
}
