// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <slackline/vision/feature_file.h>
#include <slackline/vision/pictures.h>
#include <tests/apps/drawn_images.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A folder with images a, b, c, …, their labels, lists and classes.
struct Collection {
  explicit Collection(int count = 5) {
    std::filesystem::create_directory(folder.Path("pictures"));
    std::filesystem::create_directory(folder.Path("truth"));
    for (int k = 0; k < count; ++k)
      Draw(std::string(1, static_cast<char>('a' + k)), 22 + 2 * k, 18);
    std::string names;
    for (const std::string& name : SyntheticClasses(kClasses)) names += name + "\n";
    folder.Write("classes.txt", names);
    folder.Write("train.txt", "a\nb\r\n\n  c\n");
    folder.Write("test.txt", "d\ne");
  }

  void Draw(const std::string& name, Index width, Index height) const {
    const SyntheticImage drawn =
        DrawSynthetic(width, height, kClasses, static_cast<std::uint64_t>(name[0]));
    WritePng(folder.Path("pictures/" + name + ".png"), drawn.image);
    WriteLabelPng(folder.Path("truth/" + name + ".png"), drawn.labels, ClassPalette());
  }

  /// The arguments, with some replaced (by "": removed) or added.
  Arguments With(const std::vector<std::pair<std::string, std::string>>& changes = {}) const {
    std::vector<std::pair<std::string, std::string>> options = {
        {"--images", folder.Path("pictures")},
        {"--labels", folder.Path("truth")},
        {"--classes", folder.Path("classes.txt")},
        {"--train", folder.Path("train.txt")},
        {"--test", folder.Path("test.txt")},
        {"--out", out},
        {"--superpixels", "12"},
        {"--coarse", "3"},
        {"--features", "small"}};
    for (const auto& change : changes) {
      const auto same = [&](const auto& option) { return option.first == change.first; };
      const auto found = std::find_if(options.begin(), options.end(), same);
      if (found == options.end()) {
        options.push_back(change);
      } else {
        found->second = change.second;
      }
    }
    Arguments arguments = {"segment", "prepare"};
    for (const auto& [name, value] : options) {
      if (!value.empty()) arguments = arguments + Arguments{name, value};
    }
    return arguments;
  }

  TemporaryFolder folder;
  std::string out = folder.Path("out.fea");
};

/// Checks that the run fails with all parts in its one-line message, and writes nothing.
void CheckNotMade(const Collection& collection, const Arguments& arguments,
                  const Arguments& parts) {
  const std::size_t before = collection.folder.NumFiles();
  CheckRefusal(RunProgram(arguments), parts);
  CHECK(collection.folder.NumFiles() == before);
}

void Prepare(const Arguments& arguments) { Succeed(arguments); }

/// All bytes of an image's record.
std::string Record(const PreparedImage& image) {
  const auto bytes = [](const auto& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  };
  return std::string(image.name) + std::to_string(static_cast<int>(image.role)) +
         bytes(image.parent) + bytes(image.neighbours) + bytes(image.fine_pixels) +
         bytes(image.coarse_pixels) + bytes(image.fine_features) + bytes(image.coarse_features);
}

}  // namespace

TEST_CASE("a feature file is made from a collection") {
  const Collection collection;
  const Outcome outcome = Succeed(collection.With());
  CHECK(outcome.out.empty());
  for (const char* part :
       {"3 training images", "2 test images", "superpixels: ", "features: ", "time: "}) {
    CHECK_MESSAGE(Contains(outcome.err, part), part);
  }
  // Progress is for terminals only.
  CHECK_FALSE(Contains(outcome.err, "\r"));
  CHECK_FALSE(Contains(outcome.err, "image 1 of"));
  const FeatureFile file(collection.out);
  CHECK(file.classes() == SyntheticClasses(kClasses));
  REQUIRE(file.num_images() == 5);
  const FeatureExtractor extractor = FeatureExtractor::Load(file.extractor());
  CHECK(extractor.options().fine == 12);
  CHECK(extractor.dimension() == file.dimension());
  for (Index i = 0; i < 5; ++i) {
    const PreparedImage image = file.image(i);
    file.CheckFeatures(i);
    CHECK(image.name == std::string(1, static_cast<char>('a' + i)));
    CHECK(image.role == (i < 3 ? ImageRole::kTrain : ImageRole::kTest));
    CHECK(image.width == 22 + 2 * i);
    std::int64_t pixels = 0;
    for (const std::int32_t count : image.fine_pixels) pixels += count;
    CHECK(pixels == image.width * image.height);
    const ImageFeatures features = extractor.Extract(
        ReadImage(collection.folder.Path("pictures/" + std::string(image.name) + ".png")));
    REQUIRE(features.fine_rows.size() == image.fine_features.size());
    for (std::size_t k = 0; k < features.fine_rows.size(); ++k) {
      REQUIRE(ToHalf(features.fine_rows[k]) == image.fine_features[k]);
      REQUIRE(features.fine_rows[k] == FromHalf(image.fine_features[k]));
    }
  }
}

TEST_CASE("the number of superpixels can be a limit, which prediction keeps") {
  const Collection collection;
  Index surplus = 0;
  for (const Index wanted : {7, 10, 13}) {
    const auto arguments = collection.With({{"--superpixels", std::to_string(wanted)}});
    Prepare(arguments);
    const FeatureFile free(collection.out);
    for (Index i = 0; i < 5; ++i) surplus = std::max(surplus, free.image(i).num_fine - wanted);
    Prepare(arguments + Arguments{"--at-most"});
    const FeatureFile limited(collection.out);
    CHECK(FeatureExtractor::Load(limited.extractor()).options().at_most);
    for (Index i = 0; i < 5; ++i) {
      CHECK(limited.image(i).num_fine == std::min(free.image(i).num_fine, wanted));
      CHECK(limited.image(i).num_coarse <= 3);
    }
  }
  CHECK(surplus > 0);
}

TEST_CASE("nothing is learned from test images, and threads do not matter") {
  const Collection collection;
  const std::string other = collection.folder.Path("other.fea");
  const std::string third = collection.folder.Path("third.fea");
  Prepare(collection.With() + Arguments{"--quiet"});
  Prepare(collection.With({{"--out", other}, {"--test", ""}}));
  Prepare(collection.With({{"--out", third}, {"--threads", "3"}}));
  CHECK(ReadBytes(third) == ReadBytes(collection.out));
  const FeatureFile with_test(collection.out);
  const FeatureFile without_test(other);
  CHECK(with_test.extractor() == without_test.extractor());
  REQUIRE(without_test.num_images() == 3);
  for (Index i = 0; i < 3; ++i) CHECK(Record(with_test.image(i)) == Record(without_test.image(i)));
}

TEST_CASE("--quiet prints nothing, and the seed matters") {
  const Collection collection;
  const Outcome outcome = Succeed(collection.With() + Arguments{"-q"});
  CHECK(outcome.err.empty());
  const std::string first = ReadBytes(collection.out);
  Prepare(collection.With({{"--seed", "9"}}));
  CHECK(ReadBytes(collection.out) != first);
}

TEST_CASE("bad lists and classes are refused") {
  const Collection collection;
  const TemporaryFolder& folder = collection.folder;
  const auto refuse = [&](const std::string& option, const std::string& content,
                          const Arguments& parts) {
    const std::string path = folder.Write("bad.txt", content);
    CheckNotMade(collection, collection.With({{option, path}}), parts);
  };
  refuse("--train", "a\nb\na\n", {"bad.txt:3", "'a'", "line 1"});
  refuse("--test", "d\n\nb\n", {"bad.txt:3", "'b'", "train.txt, line 2"});
  refuse("--train", "\n\n", {"bad.txt: no images"});
  refuse("--train", "a\nnone\n", {"bad.txt:2", "'none'", "none.jpg, none.jpeg, none.png"});
  refuse("--classes", "one\n", {"bad.txt", "at least 2 classes"});
  refuse("--classes", "one\ntwo\none\n", {"bad.txt:3", "'one'", "line 1"});
  refuse("--classes", "one\n\ntwo\n", {"bad.txt:2", "empty"});
  refuse("--classes", "sky\ngr\x01ss\nsea\n", {"bad.txt:2", "gr\\x01ss", "control characters"});
  refuse("--classes", "", {"bad.txt", "at least 2 classes"});
  refuse("--train", "", {"bad.txt: no images"});
  refuse("--test", "\n", {"bad.txt: no images"});
  refuse("--test", "d\n./e\ne\n", {"bad.txt:3", "'e'", "same file as './e'", "bad.txt, line 2"});
  std::string many;
  for (int k = 0; k < 256; ++k) many += "c" + std::to_string(k) + "\n";
  refuse("--classes", many, {"bad.txt:256", "at most 255"});
  CheckNotMade(collection, collection.With({{"--train", folder.Path("none.txt")}}),
               {"none.txt: cannot open"});
}

TEST_CASE("bad images and labels are refused") {
  const Collection collection;
  const TemporaryFolder& folder = collection.folder;
  // With the first class alone, all other label values are unknown.
  const std::string two = folder.Write("two.txt", "one\ntwo\n");
  CheckNotMade(collection, collection.With({{"--classes", two}}), {"truth/", ".png"});
  const std::string good = ReadBytes(folder.Path("truth/e.png"));
  std::filesystem::copy_file(folder.Path("truth/d.png"), folder.Path("truth/e.png"),
                             std::filesystem::copy_options::overwrite_existing);
  CheckNotMade(collection, collection.With(),
               {"truth/e.png", "28 × 18", "30 × 18", "pictures/e.png"});
  folder.Write("truth/e.png", good.substr(0, good.size() / 2));
  CheckNotMade(collection, collection.With(), {"truth/e.png"});
  std::filesystem::remove(folder.Path("truth/e.png"));
  CheckNotMade(collection, collection.With(), {"test.txt:2", "'e'", "truth", "e.png"});
}

TEST_CASE("an image under two names is refused") {
  const Collection collection;
  for (const char* folder : {"pictures/", "truth/"}) {
    std::filesystem::create_symlink("b.png",
                                    collection.folder.Path(std::string(folder) + "link.png"));
  }
  collection.folder.Write("test.txt", "d\nlink\n");
  CheckNotMade(collection, collection.With(),
               {"test.txt:2", "'link'", "same file as 'b'", "train.txt, line 2"});
}

TEST_CASE("classes without pixels are reported, and training images without labels refused") {
  const Collection collection;
  const TemporaryFolder& folder = collection.folder;
  std::string names;
  for (const std::string& name : SyntheticClasses(kClasses)) names += name + "\n";
  folder.Write("classes.txt", names + "dragon\n");
  const Outcome outcome = Succeed(collection.With());
  CHECK(Contains(outcome.err, "classes without pixels in training images: "));
  CHECK(Contains(outcome.err, "'dragon'\n"));
  std::filesystem::remove(collection.out);
  for (int k = 0; k < 3; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    const LabelImage nothing{22 + 2 * k, 18, std::vector<std::uint8_t>((22 + 2 * k) * 18, kVoid)};
    WriteLabelPng(folder.Path("truth/" + name + ".png"), nothing, ClassPalette());
  }
  CheckNotMade(collection, collection.With(),
               {"train.txt: no training image has a labelled pixel"});
}

TEST_CASE("unpleasant images are prepared, or refused by name") {
  const Collection collection;
  const TemporaryFolder& folder = collection.folder;
  collection.Draw("a", 1, 1);
  collection.Draw("b", 1, 5000);
  collection.Draw("d", 5000, 1);
  Prepare(collection.With({{"--threads", "2"}}));
  const FeatureFile file(collection.out);
  CHECK(file.image(0).num_fine == 1);
  CHECK(file.image(1).height == 5000);
  CHECK(file.image(3).width == 5000);
  for (Index i = 0; i < 5; ++i) file.CheckFeatures(i);
  std::filesystem::remove(collection.out);

  const std::string good = ReadBytes(folder.Path("pictures/c.png"));
  for (const std::string& bad : {good.substr(0, good.size() - 30), std::string(),
                                 std::string("\xff\xd8\xff\xe0"), std::string("GIF89a")}) {
    folder.Write("pictures/c.png", bad);
    CheckNotMade(collection, collection.With({{"--threads", "2"}}), {"pictures/c.png: "});
  }
}

TEST_CASE("a full disk leaves nothing behind") {
  const Collection collection;
  const std::size_t before = collection.folder.NumFiles();
  struct rlimit old {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  struct rlimit small = old;
  small.rlim_cur = 20'000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Outcome outcome = RunProgram(collection.With());
  REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(Contains(outcome.err, "out.fea: writing failed: File too large"));
  CHECK(collection.folder.NumFiles() == before);
}

TEST_CASE("bad options") {
  const Collection collection;
  const auto refuse = [&](const std::string& option, const std::string& value,
                          const Arguments& parts) {
    CheckNotMade(collection, collection.With({{option, value}}), parts);
  };
  refuse("--superpixels", "0", {"--superpixels", "'0'"});
  refuse("--superpixels", "1000000", {"--superpixels", "'1000000'"});
  refuse("--coarse", "13", {"--coarse", "'13'", "12"});
  refuse("--features", "large", {"--features", "'large'", "standard small"});
  refuse("--seed", "-1", {"--seed", "'-1'"});
  refuse("--threads", "x", {"--threads", "'x'"});
  refuse("--threads", "5000", {"--threads", "'5000'"});
  refuse("--images", collection.folder.Path("none"), {"--images", "there is no folder"});
  refuse("--labels", collection.folder.Path("classes.txt"), {"--labels", "there is no folder"});
  refuse("--out", collection.folder.Path("none/out.fea"), {"--out", "there is no folder"});
  refuse("--out", collection.folder.Path("train.txt"), {"--out", "would be overwritten"});
  refuse("--out", collection.folder.Path("pictures/a.png"), {"--out", "would be overwritten"});
  refuse("--out", "-", {"--out", "not allowed"});
  refuse("--frobnicate", "1",
         {"unknown option '--frobnicate'", "slackline segment prepare --help"});
  refuse("--train", "", {"--train"});
  CheckNotMade(collection, {"segment"}, {"choose from", "prepare"});
}

TEST_CASE("the first bad input of the list is named, whatever the threads") {
  const Collection collection;
  const TemporaryFolder& folder = collection.folder;
  folder.Write("train.txt", "a\nb\nc\nd\n");
  folder.Write("test.txt", "e\n");
  folder.Write("pictures/e.png", "");
  folder.Write("pictures/d.png", "no image");
  folder.Write("truth/b.png", ReadBytes(folder.Path("truth/a.png")));
  std::set<std::string> messages;
  for (const char* threads : {"1", "2", "4"}) {
    const Arguments arguments = collection.With({{"--threads", threads}});
    for (int repeat = 0; repeat < 3; ++repeat) {
      CheckNotMade(collection, arguments, {"truth/b.png", "22 × 18", "24 × 18"});
      messages.insert(RunProgram(arguments).err);
    }
  }
  CHECK(messages.size() == 1);
}

TEST_CASE("an interrupt leaves nothing behind") {
  const Collection collection;
  std::string names;
  for (int k = 0; k < 300; ++k) {
    const std::string name = "copy" + std::to_string(k);
    for (const char* folder : {"pictures/", "truth/"}) {
      std::filesystem::copy_file(collection.folder.Path(std::string(folder) + "a.png"),
                                 collection.folder.Path(folder + name + ".png"));
    }
    names += name + "\n";
  }
  collection.folder.Write("train.txt", names);
  const std::size_t before = collection.folder.NumFiles();
  for (const int number : {SIGINT, SIGTERM}) {
    // Some seconds of work, mostly for the vocabularies.
    Process process(collection.With({{"--features", "standard"}, {"--threads", "2"}}));
    REQUIRE(process.Catches(number));
    process.Signal(number);
    const Outcome outcome = process.Wait();
    INFO(outcome.err);
    CHECK(outcome.code == 128 + number);
    CHECK(outcome.err == "interrupted: no feature file is written\n");
    CHECK(collection.folder.NumFiles() == before);
  }
}
