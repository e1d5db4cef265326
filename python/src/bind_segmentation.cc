// SPDX-License-Identifier: BSD-3-Clause
//
// Segmentation of images.
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/segmentation/images/image_preparation.h>
#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/apps/segmentation/images/segmenter.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/apps/segmentation/segment_metrics.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_task.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/learning/auto/choose_learner.h>
#include "src/bind_model.h"
#include "src/convert.h"
#include "src/module.h"
#include "src/python_ranks.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::Image;
using internal::LabelImage;
using internal::SegmentModel;
using ByteArray = py::array_t<std::uint8_t, py::array::c_style>;

/// Thrown to end the work when the user interrupts.
struct Interrupted {};

/// A list of arrays of bytes, C-contiguous, with `axes` axes. Requires the GIL, except for the
/// functions that return images.
class Pictures {
 public:
  Pictures(const py::list& list, int axes) {
    for (const py::handle item : list) {
      if (!py::isinstance<ByteArray>(item))
        throw py::type_error("an image is not an array of bytes");
      ByteArray array = py::reinterpret_borrow<ByteArray>(item);
      if (array.ndim() != axes || (axes == 3 && array.shape(2) != 3) || array.size() == 0)
        throw py::type_error("an image has another shape");
      if (array.shape(0) > internal::kLargestImage / array.shape(1))
        throw py::value_error("an image has more than " + std::to_string(internal::kLargestImage) +
                              " pixels");
      views_.push_back({static_cast<Index>(array.shape(1)), static_cast<Index>(array.shape(0)),
                        array.data(), internal::Size(array.size())});
      arrays_.push_back(std::move(array));
    }
  }

  Index count() const { return static_cast<Index>(views_.size()); }
  Image image(Index i) const {
    const View& view = views_[internal::Size(i)];
    return {view.width, view.height, {view.data, view.data + view.size}};
  }
  LabelImage labels(Index i) const {
    const View& view = views_[internal::Size(i)];
    return {view.width, view.height, {view.data, view.data + view.size}};
  }

 private:
  struct View {
    Index width, height;
    const std::uint8_t* data;
    std::size_t size;
  };
  std::vector<ByteArray> arrays_;
  std::vector<View> views_;
};

internal::StepCheck CheckOf(const std::atomic<int>* interrupt) {
  return [interrupt] {
    if (interrupt->load() != 0) throw Interrupted{};
  };
}

/// Runs work(interrupt) without the GIL. Raises KeyboardInterrupt after Ctrl-C.
/// Where processes train together, all of them must call it, and all end when one is interrupted.
template <class Work>
void RunWithoutGil(const Work& work, internal::Ranks& ranks = internal::OneRank()) {
  bool interrupted = false;
  PythonObserver watch((py::none()));
  {
    const py::gil_scoped_release release;
    try {
      work(watch.interrupt());
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }
  CheckSignals(ranks);
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
}

/// A trained model, with what predictions need, made when it is first asked for.
class ImageModel {
 public:
  explicit ImageModel(SegmentModel model) : model_(std::move(model)) {}
  ImageModel(const ImageModel&) = delete;

  const SegmentModel& model() const { return model_; }
  const internal::Segmenter& segmenter(internal::DecodeKind decode) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<internal::Segmenter>& segmenter = segmenters_[decode];
    if (!segmenter) segmenter = std::make_unique<internal::Segmenter>(model_, decode);
    return *segmenter;
  }

 private:
  const SegmentModel model_;
  std::mutex mutex_;
  std::map<internal::DecodeKind, std::unique_ptr<internal::Segmenter>> segmenters_;
};

internal::SegmentChoices ChoicesOf(const FitArguments& arguments) {
  internal::SegmentChoices choices;
  choices.layers = arguments.text("layers");
  choices.pairwise = arguments.text("pairwise");
  choices.loss = arguments.text("loss");
  choices.regions = arguments.text("regions");
  choices.potentials = arguments.text("potentials");
  choices.Check();
  internal::ParseDecodeKind(arguments.text("decode"));
  return choices;
}

internal::ExtractorOptions ExtractorOptionsOf(const FitArguments& arguments, std::uint64_t seed) {
  internal::ExtractorOptions extractor;
  extractor.fine = std::stoi(arguments.text("superpixels"));
  extractor.coarse = std::stoi(arguments.text("coarse"));
  extractor.at_most = arguments.text("at_most") == "on";
  const std::size_t features =
      internal::CheckChoice("features", arguments.text("features"), {"standard", "small"});
  extractor.features =
      features == 1 ? internal::FeatureSet::kSmall : internal::FeatureSet::kStandard;
  extractor.seed = seed;
  return extractor;
}

RunRequest RequestOf(const FitArguments& arguments) {
  RunRequest request = arguments.Request();
  if (internal::UsesKernel(request.options))
    throw internal::DataError(
        "kernels, and the learners kernel-bcfw and kernel-fw, are for multi-label models and "
        "sequences: models of images cannot store support vectors");
  return request;
}

using Fitted = std::pair<std::shared_ptr<ImageModel>, py::dict>;

/// Trains the model of a task that make(interrupt) returns. `scale`: the scaling asked for.
template <class Make>
Fitted FitImages(RunRequest request, const internal::SegmentChoices& choices,
                 const std::string& scale, const Make& make) {
  std::optional<internal::SegmentTask> task;
  std::unique_ptr<internal::SegmentTraining> training;
  RunWithoutGil(
      [&](const std::atomic<int>* interrupt) {
        task = make(interrupt);
        training = std::make_unique<internal::SegmentTraining>(
            &*task, choices.ReadLoss(), internal::TextsOf(choices, scale, task->model));
      },
      request.the_ranks());
  py::dict result = Run(std::move(request), training.get());
  result["scaling"] = task->scaled.line;
  training.reset();
  return {std::make_shared<ImageModel>(std::move(task->model)), result};
}

/// Passes the progress of a preparation on to Python: progress(stage, done, all).
internal::PreparationProgress ProgressOf(const py::object& function,
                                         const std::atomic<int>* interrupt) {
  internal::PreparationProgress progress;
  progress.check = CheckOf(interrupt);
  if (function.is_none()) return progress;
  progress.stage = [&function](std::string_view stage, Index done, Index all) {
    const py::gil_scoped_acquire gil;
    function(std::string(stage), done, all);
  };
  return progress;
}

/// Labelled images as preparation reads them; must outlive the request.
class LabelledPictures {
 public:
  /// labels: class numbers, or 255 for void.
  LabelledPictures(const py::list& images, const py::list& labels)
      : pixels_(images, 3), truth_(labels, 2) {
    if (pixels_.count() != truth_.count())
      throw py::value_error("images and labels differ in number");
  }

  /// The request for all images, without classes, coding and options.
  internal::PreparationRequest Request() const {
    internal::PreparationRequest request;
    request.num_train = request.num_images = pixels_.count();
    request.image = [this](Index i) { return pixels_.image(i); };
    request.labelled = [this](Index i) {
      return internal::LabelledImage{pixels_.image(i), truth_.labels(i)};
    };
    return request;
  }

 private:
  Pictures pixels_, truth_;
};

/// How images are labelled: names of the classes, and the values that meant void in label maps.
struct Labelling {
  std::vector<std::string> classes;
  std::vector<std::uint8_t> void_values;
};

Fitted FitImages(const LabelledPictures& images, Labelling labelling, const py::object& progress,
                 const FitArguments& arguments) {
  const internal::SegmentChoices choices = ChoicesOf(arguments);
  const std::string scale = arguments.text("scale");
  const std::optional<internal::ScaleKind> kind = ScaleFrom(scale);
  RunRequest run = RequestOf(arguments);
  internal::PreparationRequest request = images.Request();
  request.classes = std::move(labelling.classes);
  request.coding = internal::LabelCoding(std::move(labelling.void_values));
  request.extractor = ExtractorOptionsOf(arguments, run.options.seed);
  request.threads = internal::NumThreads(run.options.threads);
  internal::Ranks* const ranks = internal::ExactRanks(run.options);
  return FitImages(std::move(run), choices, scale, [&](const std::atomic<int>* interrupt) {
    internal::ImagePreparation preparation(request, ProgressOf(progress, interrupt));
    preparation.Learn();
    return internal::PrepareSegmentTask("images", choices, kind, &preparation, ranks);
  });
}

/// Writes a feature file. names: of all images, of which the first num_train are for training.
void PrepareFeatures(const std::string& path, const LabelledPictures& images, Labelling labelling,
                     const std::vector<std::string>& names, Index num_train,
                     const py::object& progress, const FitArguments& arguments) {
  const internal::TrainOptions seed_and_threads = TrainOptionsFrom(arguments.train);
  internal::PreparationRequest request = images.Request();
  request.num_train = num_train;
  request.classes = std::move(labelling.classes);
  request.coding = internal::LabelCoding(std::move(labelling.void_values));
  request.extractor = ExtractorOptionsOf(arguments, seed_and_threads.seed);
  request.threads = internal::NumThreads(seed_and_threads.threads);
  if (static_cast<Index>(names.size()) != request.num_images)
    throw py::value_error("names and images differ in number");
  RunWithoutGil([&](const std::atomic<int>* interrupt) {
    internal::ImagePreparation preparation(request, ProgressOf(progress, interrupt));
    preparation.Learn();
    internal::WriteFeatureFile(
        path, [&](Index i) { return names[internal::Size(i)]; }, &preparation, nullptr);
  });
}

/// classes: the names that the file must have; nullopt: any.
Fitted FitFeatures(const std::string& path, const std::optional<std::vector<std::string>>& classes,
                   const FitArguments& arguments) {
  const internal::SegmentChoices choices = ChoicesOf(arguments);
  const std::string scale = arguments.text("scale");
  const std::optional<internal::ScaleKind> kind = ScaleFrom(scale);
  RunRequest run = RequestOf(arguments);
  internal::Ranks* const ranks = internal::ExactRanks(run.options);
  const Index shards = internal::ShardsFor(run.options);
  return FitImages(std::move(run), choices, scale, [&](const std::atomic<int>*) {
    internal::SegmentTask task = internal::LoadSegmentTask(path, choices, kind, ranks, shards);
    if (classes && *classes != task.model.classes())
      throw internal::DataError(path, 0, "the file has other classes than the parameter classes");
    return task;
  });
}

/// Predicts images on all threads, and calls take(i, result) one by one, in no fixed order.
template <class Take>
void ForImages(ImageModel* model, const Pictures& images, const std::string& decode, Index threads,
               bool scores, const Take& take) {
  const internal::DecodeKind kind = internal::ParseDecodeKind(decode);
  RunWithoutGil([&](const std::atomic<int>* interrupt) {
    const internal::Segmenter& segmenter = model->segmenter(kind);
    const internal::StepCheck check = CheckOf(interrupt);
    std::mutex mutex;
    internal::ParallelChunks(images.count(), images.count(), internal::NumThreads(threads),
                             [&](const internal::Chunk& chunk) {
                               internal::Segmenter::Result result =
                                   segmenter.Predict(images.image(chunk.begin), scores, check);
                               const std::lock_guard<std::mutex> lock(mutex);
                               take(chunk.begin, std::move(result));
                             });
  });
}

/// Label maps of the values that the training data used, and whether each is proven optimal.
py::tuple PredictImages(ImageModel* model, const py::list& images, const std::string& decode,
                        Index threads) {
  const Pictures pixels(images, 3);
  std::vector<LabelImage> labels(internal::Size(pixels.count()));
  std::vector<bool> certified(labels.size());
  ForImages(model, pixels, decode, threads, false,
            [&](Index i, internal::Segmenter::Result result) {
              labels[internal::Size(i)] = std::move(result.labels);
              certified[internal::Size(i)] = result.certified;
            });
  const internal::LabelCoding coding = internal::CodingOf(model->model());
  py::list maps;
  for (LabelImage& image : labels) {
    ByteArray map({image.height, image.width});
    std::transform(image.labels.begin(), image.labels.end(), map.mutable_data(),
                   [&](std::uint8_t label) { return coding.ValueOf(label); });
    maps.append(std::move(map));
    image = {};
  }
  return py::make_tuple(maps, certified);
}

py::array_t<std::int32_t> MapOf(const internal::Superpixels& superpixels) {
  py::array_t<std::int32_t> map({superpixels.height, superpixels.width});
  std::copy(superpixels.of_pixel.begin(), superpixels.of_pixel.end(), map.mutable_data());
  return map;
}

/// Per image (superpixels × classes scores, map of superpixel numbers).
py::list ImageScores(ImageModel* model, const py::list& images, const std::string& decode,
                     Index threads) {
  const Pictures pixels(images, 3);
  std::vector<internal::Segmenter::Result> results(internal::Size(pixels.count()));
  ForImages(model, pixels, decode, threads, true, [&](Index i, internal::Segmenter::Result result) {
    results[internal::Size(i)] = std::move(result);
  });
  py::list list;
  for (const internal::Segmenter::Result& result : results)
    list.append(py::make_tuple(MatrixOf(result.scores, model->model().num_classes()),
                               MapOf(result.superpixels)));
  return list;
}

py::array_t<std::int32_t> SuperpixelsOf(const ByteArray& image, Index wanted, bool at_most) {
  py::list list;
  list.append(image);
  const Pictures pixels(list, 3);
  internal::Superpixels superpixels;
  {
    const py::gil_scoped_release release;
    superpixels = internal::Slic(pixels.image(0), wanted, at_most);
  }
  return MapOf(superpixels);
}

/// The figures of `segment evaluate`; shares that are not defined are NaN.
py::dict MetricsOf(const SegmentModel& model, const internal::SegmentEvaluation& evaluation) {
  if (!internal::HasPixels(evaluation.confusion))
    throw py::value_error("the images have no labelled pixels to compare with");
  const internal::SegmentMetrics metrics = internal::ComputeSegmentMetrics(evaluation.confusion);
  py::list classes;
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const internal::ClassFigures& figures = metrics.classes[c];
    py::dict entry;
    entry["name"] = model.classes()[c];
    entry["pixels"] = figures.pixels;
    entry["recall"] = figures.recall;
    entry["precision"] = figures.precision;
    entry["iou"] = figures.iou;
    classes.append(std::move(entry));
  }
  const auto width = static_cast<py::ssize_t>(model.num_classes());
  py::dict dict;
  dict["images"] = evaluation.images;
  dict["pixels"] = metrics.pixels;
  dict["pixel_accuracy"] = metrics.pixel_accuracy;
  dict["class_average"] = metrics.class_average;
  dict["mean_iou"] = metrics.mean_iou;
  dict["certified"] = evaluation.certified;
  dict["classes"] = std::move(classes);
  dict["confusion"] =
      py::array_t<std::int64_t>({width, width}, evaluation.confusion.counts().data());
  return dict;
}

/// labels: class numbers, or 255 for void.
py::dict Evaluate(ImageModel* model, const py::list& images, const py::list& labels,
                  const std::string& decode, Index threads) {
  const Pictures pixels(images, 3);
  const Pictures truth(labels, 2);
  if (pixels.count() != truth.count()) throw py::value_error("images and labels differ in number");
  internal::SegmentEvaluation total(model->model().num_classes());
  ForImages(model, pixels, decode, threads, false,
            [&](Index i, const internal::Segmenter::Result& result) {
              internal::AddPixels(truth.labels(i), result.labels, &total.confusion);
              total.certified += result.certified ? 1 : 0;
              ++total.images;
            });
  return MetricsOf(model->model(), total);
}

py::dict EvaluateFeatures(const ImageModel& model, const std::string& path,
                          const std::string& potentials, const std::string& decode) {
  const internal::DecodeKind kind = internal::ParseDecodeKind(decode);
  internal::SegmentEvaluation total(model.model().num_classes());
  {
    const py::gil_scoped_release release;
    total = internal::EvaluatePrepared(path, potentials, model.model(), kind);
  }
  return MetricsOf(model.model(), total);
}

/// The options of the model's extractor by the names of `segment prepare`; empty without one.
py::dict ExtractorOf(ImageModel* model) {
  py::dict dict;
  if (model->model().inputs() != internal::SegmentInputs::kFeatures) return dict;
  const internal::ExtractorOptions& options =
      model->segmenter(internal::DecodeKind::kAuto).options();
  dict["superpixels"] = options.fine;
  dict["coarse"] = options.coarse;
  dict["at_most"] = options.at_most;
  dict["features"] = options.features == internal::FeatureSet::kSmall ? "small" : "standard";
  dict["seed"] = options.seed;
  return dict;
}

}  // namespace

void BindSegmentation(py::module_* module) {
  BindModel<SegmentModel, ImageModel>(
      module, "SegmentModel",
      [](SegmentModel model) { return std::make_shared<ImageModel>(std::move(model)); },
      [](const ImageModel& holder) -> const SegmentModel& { return holder.model(); })
      .def("predict", &PredictImages)
      .def("scores", &ImageScores)
      .def("evaluate", &Evaluate)
      .def("evaluate_features", &EvaluateFeatures)
      .def_property_readonly("extractor", &ExtractorOf)
      .def_property_readonly("inputs",
                             [](const ImageModel& model) {
                               return std::string(internal::Name(model.model().inputs()));
                             })
      .def_property_readonly("layers",
                             [](const ImageModel& model) {
                               return std::string(internal::Name(model.model().layers()));
                             })
      .def_property_readonly("pairwise",
                             [](const ImageModel& model) {
                               return std::string(internal::Name(model.model().pairwise()));
                             })
      .def_property_readonly("classes",
                             [](const ImageModel& model) { return model.model().classes(); })
      .def_property_readonly("void_values",
                             [](const ImageModel& model) { return model.model().void_values(); })
      .def_property_readonly("num_features",
                             [](const ImageModel& model) { return model.model().num_features(); })
      .def_property_readonly("weights", [](const ImageModel& model) {
        return WeightsOf(*model.model().layout(), model.model().weights());
      });
  module->def("fit_images",
              [](const py::list& images, const py::list& labels, std::vector<std::string> classes,
                 std::vector<std::uint8_t> void_values, const py::object& progress,
                 const FitArguments& arguments) {
                return FitImages(LabelledPictures(images, labels),
                                 {std::move(classes), std::move(void_values)}, progress, arguments);
              });
  module->def("prepare_features",
              [](const std::string& path, const py::list& images, const py::list& labels,
                 std::vector<std::string> classes, std::vector<std::uint8_t> void_values,
                 const std::vector<std::string>& names, Index num_train, const py::object& progress,
                 const FitArguments& arguments) {
                PrepareFeatures(path, LabelledPictures(images, labels),
                                {std::move(classes), std::move(void_values)}, names, num_train,
                                progress, arguments);
              });
  module->def("fit_features", &FitFeatures);
  module->def("superpixels", &SuperpixelsOf);
}

}  // namespace slackline::python
