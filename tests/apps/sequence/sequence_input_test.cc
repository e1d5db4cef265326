// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_input.h>

#include <stdexcept>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

const char* const kLetters =
    "1\to\t2\t1\t1\t0\t0\t1\n"
    "2\tm\t-1\t1\t2\t0\t0\t0\n"
    "7\ta\t-1\t4\t1\t3\t1\t0\n";

const char* const kConll = "\n \na x A\nb y B\n\na x A\n";

struct Files {
  TemporaryFolder folder;
  SequenceInput Read(const std::string& text, const SequenceReadOptions& options = {}) const {
    return ReadTrainingSequences(folder.Write("data.txt", text), options);
  }
};

SequenceReadOptions AllFeatures() {
  SequenceReadOptions options;
  options.features.min_count = 1;
  return options;
}

}  // namespace

TEST_CASE("the format is found from the first line with text, unless it is given") {
  const Files files;
  const SequenceInput letters = files.Read(std::string("\n \t\n") + kLetters);
  CHECK(letters.format == SequenceFormat::kLetters);
  CHECK(letters.sequences == std::vector<Index>{0, 1});
  CHECK(letters.num_tokens() == 3);
  CHECK_FALSE(letters.features.has_value());
  CHECK(letters.data.lines == std::vector<long>{3, 5});  // lines of the file, blank lines included
  const SequenceInput conll = files.Read(kConll, AllFeatures());
  CHECK(conll.format == SequenceFormat::kConll);
  CHECK(conll.data.lines == std::vector<long>{3, 6});
  REQUIRE(conll.features.has_value());
  CHECK(conll.data.num_features == conll.features->dictionary.size());
  SequenceReadOptions as_conll = AllFeatures();
  as_conll.format = SequenceFormat::kConll;
  CHECK(files.Read(kLetters, as_conll).data.tokens->num_columns == 7);
  SequenceReadOptions as_letters;
  as_letters.format = SequenceFormat::kLetters;
  CHECK(Contains(MessageOf<DataError>([&] { files.Read(kConll, as_letters); }), "data.txt:3: "));
  // A first line that is almost a letter is read as columns of text.
  CHECK(Contains(MessageOf<DataError>([&] { files.Read("1\to\t2\t1\t1\t0\t5\t1\n"); }),
                 "no feature occurs 3 times"));
}

TEST_CASE("folds select sequences") {
  const Files files;
  SequenceReadOptions options;
  options.folds = "3";
  const SequenceInput input = files.Read(kLetters, options);
  CHECK(input.sequences == std::vector<Index>{1});
  CHECK(input.num_tokens() == 1);
  CHECK(input.data.num_labels() == 3);  // the labels of the whole file
  options = AllFeatures();
  options.folds = "0";
  CHECK(Contains(MessageOf<DataError>([&] { files.Read(kConll, options); }),
                 "the data have no folds"));
}

TEST_CASE("data for a model get its features, and unknown ones are counted") {
  const Files files;
  SequenceReadOptions options = AllFeatures();
  options.templates = files.folder.Write("t.txt", "W: %x[0,0]\nP: %x[-1,1]\n");
  const SequenceInput training = files.Read(kConll, options);
  const SequenceModel model = MakeSequenceModel(training, LearnerKind::kAuto);
  CHECK(model.label_names() == std::vector<std::string>{"A", "B"});
  CHECK(model.num_features() == 4);  // W:a, P:_B-1, W:b, P:x
  const std::string path = files.folder.Write("new.txt", "c z C\na x A\n");
  const SequenceInput input = ReadSequencesFor(model, path, "");
  CHECK(input.unknown_features == 2);  // W:c and P:z
  CHECK(input.data.rows->row(0).count == 1);
  CHECK(input.data.rows->row(1).count == 1);
  CHECK(input.data.num_model_labels == 2);
  CHECK(input.data.label_names == std::vector<std::string>{"A", "B", "C"});
  CHECK(input.data.labels == std::vector<Index>{2, 0});
  const SequenceModel letters = MakeSequenceModel(files.Read(kLetters), LearnerKind::kAuto);
  CHECK(ReadSequencesFor(letters, files.folder.Write("l.txt", kLetters), "0").sequences ==
        std::vector<Index>{0});
  CHECK_THROWS_AS(ReadSequencesFor(letters, path, ""), DataError);
}

TEST_CASE("attributes are read where the format is given, for training and for a model") {
  const Files files;
  SequenceReadOptions options = AllFeatures();
  options.format = SequenceFormat::kAttributes;
  const SequenceInput training = files.Read("A\tw=a\tlength:3\nB\tw=b\n\n?\tw=a\n", options);
  CHECK(training.format == SequenceFormat::kAttributes);
  CHECK(training.sequences == std::vector<Index>{0, 1});
  REQUIRE(training.features.has_value());
  CHECK(training.features->dictionary.Text() == "w=a\nlength\nw=b\n");
  const SequenceModel model = MakeSequenceModel(training, LearnerKind::kAuto);
  CHECK(model.format() == SequenceFormat::kAttributes);
  CHECK(model.num_features() == 3);
  const std::string path = files.folder.Write("new.txt", "\tw=b\tnew\nC\tlength:2\n");
  const SequenceInput input = ReadSequencesFor(model, path, "");
  CHECK(input.unknown_features == 1);
  CHECK(input.data.labels == std::vector<Index>{kUnlabelled, 2});
  CHECK(input.data.rows->row(0).columns[0] == 2);
  CHECK(input.data.rows->row(1).values[0] == 2);
  options.folds = "0";
  CHECK(Contains(MessageOf<DataError>([&] { files.Read("A\ta\n", options); }),
                 "the data have no folds"));
}

TEST_CASE("pixels may be any numbers where the format is given or the model's") {
  const Files files;
  const std::string text = "1\to\t2\t1\t1\t0\t0.25\t1\n2\tm\t-1\t1\t2\t0\t0\t-3e2\n";
  SequenceReadOptions options;
  options.format = SequenceFormat::kLetters;
  const SequenceInput training = files.Read(text, options);
  CHECK(training.data.rows->row(0).values[0] == 0.25);
  CHECK(training.data.rows->row(1).count == 1);
  CHECK(training.data.rows->row(1).values[0] == -300);
  const SequenceModel model = MakeSequenceModel(training, LearnerKind::kAuto);
  const SequenceInput input = ReadSequencesFor(model, files.folder.Write("l.txt", text), "");
  CHECK(input.data.rows->row(0).values[0] == 0.25);
  CHECK(Contains(MessageOf<DataError>([&] { files.Read("1\to\t-1\t1\t1\t0\tx\t1\n", options); }),
                 "data.txt:1: pixel 1 is 'x', not a number"));
}

TEST_CASE("data that cannot fit into memory are refused") {
  const Files files;
  std::string text;
  for (int k = 0; k < 3000; ++k) text += "w L" + std::to_string(k) + "\n";
  SequenceReadOptions options;
  options.features = {1, 30};
  const SequenceInput hashed = files.Read(text, options);
  CHECK(Contains(MessageOf<DataError>([&] { MakeSequenceModel(hashed, LearnerKind::kAuto); }),
                 "3000 labels × 1073741824 features on 3000 tokens: training needs about "));
  // Tables for each pair of tokens: 3000 times 9 million entries.
  const SequenceInput counted = files.Read(text, AllFeatures());
  CHECK_NOTHROW(MakeSequenceModel(counted, LearnerKind::kAuto));
  CHECK(Contains(
      MessageOf<DataError>([&] { MakeSequenceModel(counted, LearnerKind::kAugmentedLagrangian); }),
      "--learner bcfw needs less"));
}

TEST_CASE("costs of labels are read, and bad ones refused") {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"A", "B", "C"};
  const auto read = [&](const std::string& text) {
    return ReadLabelCosts(folder.Write("c.txt", text), names);
  };
  CHECK(read("") == std::vector<double>{0, 1, 1, 1, 0, 1, 1, 1, 0});
  CHECK(read("A B 2\n\n  B\t*  0.5 \nB C 3\n") == std::vector<double>{0, 2, 1, 0.5, 0, 3, 1, 1, 0});
  CHECK(read("C B 4\nC * 2\nC C 0\n") == std::vector<double>{0, 1, 1, 1, 0, 1, 2, 4, 0});
  CHECK(read("C * 2\nC B 4\n") == std::vector<double>{0, 1, 1, 1, 0, 1, 2, 4, 0});
  const auto error = [&](const std::string& text) {
    return MessageOf<DataError>([&] { read(text); });
  };
  CHECK(Contains(error("A B\n"), "c.txt:1: expected a given label, a predicted label and a cost"));
  CHECK(Contains(error("A B 1 1\n"), "c.txt:1: expected a given label"));
  CHECK(Contains(error("A B 1\nD B 1\n"), "c.txt:2: there is no label 'D' in the data"));
  CHECK(Contains(error("* B 1\n"), "c.txt:1: there is no label '*' in the data"));
  CHECK(Contains(error("A B x\n"), "c.txt:1: cost 'x' is not a number ≥ 0"));
  CHECK(Contains(error("A B -1\n"), "c.txt:1: cost '-1' is not a number ≥ 0"));
  CHECK(Contains(error("A B nan\n"), "c.txt:1: cost 'nan'"));
  CHECK(Contains(error("A A 1\n"), "c.txt:1: label 'A' itself must cost nothing"));
  CHECK(Contains(error("A B 1\nA * 2\nA B 1\n"),
                 "c.txt:3: label 'A' predicted as 'B' has a cost already"));
  CHECK(Contains(error("A * 1\nA * 2\n"), "c.txt:2: label 'A' already has a cost for all others"));
}

TEST_CASE("constraints must fit labels and sequences") {
  const Files files;
  const auto error = [&](const std::string& text) {
    const SequenceInput input = files.Read(text, AllFeatures());
    CHECK_NOTHROW(MakeSequenceModel(input, LearnerKind::kAuto));
    return MessageOf<DataError>(
        [&] { MakeSequenceModel(input, LearnerKind::kAuto, LabelConstraints::kBio); });
  };
  const std::string good = "a x B-N\nb y I-N\n\nc x B-V\n";
  CHECK(error(good) == "accepted");
  CHECK(error(good + "\na x ?\nb y I-N\nc x I-N\nc x O\nc x ?\na x I-N\n") == "accepted");
  CHECK(error(good + "c x ?\na x I-N\n\n\n\na x I-N\n")
            .ends_with("data.txt:10: constraints bio do not allow 'I-N' to begin a sequence"));
  CHECK(error(good + "a x O\nb y I-N\n\na x I-N\n")
            .ends_with("data.txt:6: constraints bio do not allow 'I-N' after 'O'"));
  CHECK(error(good + "b y I-N\n")
            .ends_with("data.txt:5: constraints bio do not allow 'I-N' after 'B-V'"));
  CHECK(error("a x B-N\na x ?\na x O\na x I-N\n")
            .ends_with("data.txt:4: constraints bio do not allow 'I-N' after 'O'"));
  CHECK(error(good + "a x E-N\n")
            .ends_with("data.txt: constraints bio need BIO labels, but label 'E-N' is neither O "
                       "nor B- or I- with a type"));
  CHECK(Contains(error(kLetters), "data.txt: constraints bio need BIO labels, but label 'a'"));
  const SequenceModel model = MakeSequenceModel(files.Read(good, AllFeatures()), LearnerKind::kAuto,
                                                LabelConstraints::kBio);
  CHECK(model.constraints() == LabelConstraints::kBio);
}
