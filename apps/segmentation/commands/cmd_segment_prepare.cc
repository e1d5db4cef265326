// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment prepare
#include <slackline/apps/segmentation/commands/cmd_segment.h>

#ifdef SLACKLINE_WITH_VISION

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/progress_text.h>
#include <slackline/apps/segmentation/commands/cmd_segment_lists.h>
#include <slackline/apps/segmentation/commands/cmd_void.h>
#include <slackline/apps/segmentation/images/image_preparation.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>
#include <slackline/core/timer.h>
#include <slackline/vision/feature_extractor.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentPrepareDescription =
    "Turns labelled images into a feature file, from which segment train learns.\n"
    "Visual words and principal components are learned from the training images only. Label images "
    "are greyscale or palette PNGs; 255 is void unless --void says otherwise.";

constexpr const char* kSegmentPrepareExamples =
    "Examples:\n"
    "  slackline segment prepare --images images --labels labels --classes classes.txt --train "
    "train.txt --test test.txt --out all.fea\n"
    "  slackline segment prepare --images images --labels labels --classes classes.txt --train "
    "train.txt --superpixels 100 --threads 0 --out train.fea";

struct PrepareCommand {
  std::string images, labels, classes, train, test, out;
  std::string superpixels = "200";
  std::string coarse = "30";
  std::string features = "standard";
  std::string seed = "1";
  std::string threads = "1";
  PixelFlag pixels;
  VoidFlag voids;
  bool at_most = false;
  bool quiet = false;
};

void Register(Command* app, PrepareCommand* command) {
  AddTextOption(app, "images", &command->images, "DIR",
                "folder of the images, NAME.jpg, NAME.jpeg or NAME.png")
      ->Required();
  AddTextOption(app, "labels", &command->labels, "DIR", "folder of the label images, NAME.png")
      ->Required();
  AddTextOption(app, "classes", &command->classes, "FILE",
                "names of the classes, one per line; the value in label images is the number of "
                "the line, from 0 (but see --void)")
      ->Required();
  AddTextOption(app, "train", &command->train, "LIST", "names of the training images, one per line")
      ->Required();
  AddTextOption(app, "test", &command->test, "LIST", "names of the test images, one per line");
  AddTextOption(app, "out", &command->out, "FEATURES", "where to write the feature file")
      ->Required();
  AddTextOption(app, "superpixels", &command->superpixels, "N",
                "target number of superpixels per image", "200");
  AddTextOption(app, "coarse", &command->coarse, "N",
                "target number of coarse superpixels per image", "30");
  app->AddFlag("--at-most", &command->at_most,
               "never more superpixels than these numbers: the smallest are merged into "
               "neighbours. Otherwise there may be a fifth more");
  AddTextOption(app, "features", &command->features, "standard|small",
                "small: fewer and smaller vocabularies, for small machines", "standard");
  AddTextOption(app, "seed", &command->seed, "S", "seed of the random samples and vocabularies",
                "1");
  AddTextOption(app, "threads", &command->threads, "N",
                "threads; 0 = all cores. Results are the same for any number", "1");
  command->pixels.Register(app);
  command->voids.Register(app, "255");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
}

/// One image and its files.
struct ImageSource {
  std::string name;
  std::string image;
  std::string labels;
};

/// The options and lists, read and checked before the long work.
struct PrepareSettings {
  ExtractorOptions extractor;
  int threads = 1;
  Index most_pixels = kMostPixels;
  std::vector<std::string> classes;
  LabelCoding coding;
  std::vector<ImageSource> sources;
  Index num_train = 0;
};

ExtractorOptions ReadOptions(const PrepareCommand& command) {
  constexpr Index kMostSuperpixels = 100'000;
  ExtractorOptions options;
  options.fine = ReadCount("superpixels", command.superpixels, 1, kMostSuperpixels);
  options.coarse = ReadCount("coarse", command.coarse, 1);
  if (options.coarse > options.fine) {
    throw DataError("--coarse: " + Quoted(command.coarse) +
                    " is not allowed; it must be at most --superpixels, " +
                    std::to_string(options.fine));
  }
  options.at_most = command.at_most;
  CheckChoice("features", command.features, {"standard", "small"});
  options.features = command.features == "small" ? FeatureSet::kSmall : FeatureSet::kStandard;
  options.seed = static_cast<std::uint64_t>(ReadCount("seed", command.seed, 0));
  return options;
}

int ReadThreads(const std::string& value) {
  constexpr Index kMostThreads = 1024;
  return NumThreads(ReadCount("threads", value, 0, kMostThreads));
}

void CheckFolder(const std::string& option, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    throw DataError("--" + option + ": there is no folder '" + path + "'");
  }
}

/// The files of a listed image. If one is missing, the message also names the list and its line.
ImageSource FindSource(const PrepareCommand& command, const ListedImage& listed) {
  try {
    return {listed.name,
            FindImageFile(command.images, listed.name,
                          {std::begin(kImageEndings), std::end(kImageEndings)}),
            FindImageFile(command.labels, listed.name,
                          {std::begin(kLabelEndings), std::end(kLabelEndings)})};
  } catch (const DataError& error) {
    throw DataError(listed.list, listed.line, "image " + Quoted(listed.name) + ": " + error.what());
  }
}

/// Throws DataError if an image has two names: it would be learned from twice, or be both trained
/// and tested on.
void CheckDifferent(const std::vector<ListedImage>& listed,
                    const std::vector<ImageSource>& sources) {
  std::map<std::filesystem::path, std::size_t> known;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::error_code ignored;
    const auto [found, added] =
        known.emplace(std::filesystem::weakly_canonical(sources[i].image, ignored), i);
    if (added) continue;
    const ListedImage& other = listed[found->second];
    throw DataError(listed[i].list, listed[i].line,
                    "image " + Quoted(listed[i].name) + " is the same file as " +
                        Quoted(other.name) + " in " + other.list + ", line " +
                        std::to_string(other.line));
  }
}

PrepareSettings ReadPrepareSettings(const PrepareCommand& command) {
  PrepareSettings settings;
  settings.extractor = ReadOptions(command);
  settings.threads = ReadThreads(command.threads);
  settings.most_pixels = command.pixels.Read();
  CheckFolder("images", command.images);
  CheckFolder("labels", command.labels);
  settings.classes = ReadClassNames(command.classes);
  settings.coding = command.voids.Read(LabelCoding(), static_cast<Index>(settings.classes.size()));
  std::vector<ListedImage> listed;
  ReadImageList(command.train, &listed);
  settings.num_train = static_cast<Index>(listed.size());
  if (!command.test.empty()) ReadImageList(command.test, &listed);
  std::vector<std::string> inputs = {command.classes, command.train, command.test};
  for (const ListedImage& image : listed) {
    settings.sources.push_back(FindSource(command, image));
    inputs.push_back(settings.sources.back().image);
    inputs.push_back(settings.sources.back().labels);
  }
  CheckDifferent(listed, settings.sources);
  CheckOutput("out", command.out, inputs, false);
  return settings;
}

LabelledImage ReadSource(const ImageSource& source, const PrepareSettings& settings) {
  LabelledImage read{ReadImage(source.image, settings.most_pixels),
                     ReadLabelImage(source.labels, static_cast<Index>(settings.classes.size()),
                                    settings.most_pixels, settings.coding)};
  const auto size = [](Index width, Index height) {
    return std::to_string(width) + " × " + std::to_string(height);
  };
  if (read.labels.width != read.image.width || read.labels.height != read.image.height) {
    throw DataError(source.labels, 0,
                    "the label image has " + size(read.labels.width, read.labels.height) +
                        " pixels, but " + source.image + " has " +
                        size(read.image.width, read.image.height));
  }
  return read;
}

/// Counts for the summary.
struct Totals {
  Offset fine = 0;
  Offset coarse = 0;
  Offset fine_void = 0;  ///< number with more void than labelled pixels

  void Add(const ImageFeatures& features, const LabelImage& labels, Index num_classes) {
    fine += features.fine.count;
    coarse += features.coarse.count;
    const std::vector<std::int32_t> pixels = ClassPixels(features.fine, labels, num_classes);
    const std::size_t classes = num_classes;
    for (std::size_t row = 0; row < pixels.size(); row += classes + 1) {
      Offset labelled = 0;
      for (std::size_t k = 0; k < classes; ++k) labelled += pixels[row + k];
      fine_void += pixels[row + classes] > labelled;
    }
  }
};

class Preparation {
 public:
  Preparation(const PrepareCommand& command, const PrepareSettings& settings)
      : command_(command),
        settings_(settings),
        interrupt_(CatchInterrupts()),
        line_(!command.quiet),
        images_(Request(), Progress()) {}

  int Run() {
    try {
      Check();
      images_.Learn();
      learned_seconds_ = timer_.Seconds();
      Write();
    } catch (const Interrupted&) {
      line_.Clear();
      std::fprintf(stderr, "interrupted: no feature file is written\n");
      return 128 + interrupt_->load();
    } catch (...) {
      line_.Clear();
      throw;
    }
    line_.Clear();
    if (!command_.quiet) Summarise();
    return 0;
  }

 private:
  Index num_images() const { return static_cast<Index>(settings_.sources.size()); }

  PreparationRequest Request() const {
    PreparationRequest request;
    request.num_train = settings_.num_train;
    request.num_images = num_images();
    request.image = [this](Index i) {
      return ReadImage(settings_.sources[i].image, kLargestImage);
    };
    request.labelled = [this](Index i) { return ReadSource(settings_.sources[i], settings_); };
    request.classes = settings_.classes;
    request.coding = settings_.coding;
    request.extractor = settings_.extractor;
    request.threads = settings_.threads;
    return request;
  }

  PreparationProgress Progress() {
    PreparationProgress progress;
    progress.stage = [this](std::string_view stage, Index done, Index all) {
      stage_.Begin(stage);
      if (done == 0) return;
      if (line_.due() || done == 1 || done == all)
        line_.Show(ProgressText(stage, done, all, stage_.Seconds()));
      if (stage == ImagePreparation::kWords && done == all)
        line_.Show("learning words: clustering");
    };
    progress.check = [this] {
      if (interrupt_->load() != 0) throw Interrupted{};
    };
    return progress;
  }

  void Check() {
    class_pixels_ = images_.Check();
    if (std::all_of(class_pixels_.begin(), class_pixels_.end(), [](Offset n) { return n == 0; }))
      throw DataError(command_.train, 0, "no training image has a labelled pixel");
  }

  void Write() {
    const auto num_classes = static_cast<Index>(settings_.classes.size());
    WriteFeatureFile(
        command_.out, [this](Index i) { return settings_.sources[i].name; }, &images_,
        [&](Index, const ImageFeatures& features, const LabelImage& labels) {
          totals_.Add(features, labels, num_classes);
        });
  }

  void Summarise() const {
    const Index num_test = num_images() - settings_.num_train;
    const double seconds = timer_.Seconds();
    std::fprintf(stderr, "%s: %s, %s\n", command_.out.c_str(),
                 Count(settings_.num_train, "training image").c_str(),
                 Count(num_test, "test image").c_str());
    std::fprintf(
        stderr, "superpixels: %s fine and %s coarse per image, %s %% of the fine mostly void\n",
        Number(static_cast<double>(totals_.fine) / num_images(), 4).c_str(),
        Number(static_cast<double>(totals_.coarse) / num_images(), 3).c_str(),
        Number(100 * static_cast<double>(totals_.fine_void) / static_cast<double>(totals_.fine), 3)
            .c_str());
    std::string missing;
    for (std::size_t k = 0; k < class_pixels_.size(); ++k) {
      if (class_pixels_[k] == 0)
        missing += (missing.empty() ? "" : ", ") + Quoted(settings_.classes[k]);
    }
    if (!missing.empty())
      std::fprintf(stderr, "classes without pixels in training images: %s\n", missing.c_str());
    std::fprintf(stderr, "features: %d\n", static_cast<int>(images_.extractor().dimension()));
    std::fprintf(
        stderr, "time: %s s, %s s per training image for learning, %s s per image for features\n",
        Number(seconds, 4).c_str(), Number(learned_seconds_ / settings_.num_train, 3).c_str(),
        Number((seconds - learned_seconds_) / num_images(), 3).c_str());
  }

  const PrepareCommand& command_;
  const PrepareSettings& settings_;
  const std::atomic<int>* interrupt_;
  TerminalLine line_;
  StageClock stage_;
  WallTimer timer_;
  double learned_seconds_ = 0;
  ImagePreparation images_;
  std::vector<Offset> class_pixels_;  // of the training images
  Totals totals_;
};

int RunSegmentPrepare(const PrepareCommand& command) {
  const PrepareSettings settings = ReadPrepareSettings(command);
  return Preparation(command, settings).Run();
}

}  // namespace

void AddSegmentPrepare(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"prepare", kSegmentPrepareDescription, kSegmentPrepareExamples},
                 RunSegmentPrepare);
  Register(app, command);
}

}  // namespace slackline::internal::program

#endif
