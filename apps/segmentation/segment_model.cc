// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_model.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_set>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {
namespace {

Index ContrastBin(float contrast) {
  const auto end = std::upper_bound(kContrastEnds.begin(), kContrastEnds.end(), contrast);
  return static_cast<Index>(end - kContrastEnds.begin());
}

/// Row 0 if two classes differ, kAbsent if they are equal.
StateMap Differ(Index classes) {
  StateMap map;
  for (Index a = 0; a < classes; ++a) {
    for (Index b = 0; b < classes; ++b) map.rows.push_back(a == b ? kAbsent : 0);
  }
  return map;
}

/// Row y if both classes are y, kAbsent if they differ.
StateMap Agree(Index classes) {
  StateMap map;
  for (Index a = 0; a < classes; ++a) {
    for (Index b = 0; b < classes; ++b) map.rows.push_back(a == b ? a : kAbsent);
  }
  return map;
}

StateMap LinkMap(SegmentPairwise pairwise, Index classes) {
  switch (pairwise) {
    case SegmentPairwise::kPotts:
      return Differ(classes);
    case SegmentPairwise::kTable:
      return IdentityMap(classes * classes);
    case SegmentPairwise::kAgreement:
      return Agree(classes);
  }
  return {};
}

/// The number of weights of a link.
Index LinkWeights(SegmentPairwise pairwise, Index classes) {
  switch (pairwise) {
    case SegmentPairwise::kPotts:
      return 1;
    case SegmentPairwise::kTable:
      return classes * classes;
    case SegmentPairwise::kAgreement:
      return classes;
  }
  return 0;
}

/// New numbers, from *next on, for the superpixels that are kept; −1 for the others.
std::vector<Index> Number(Index count, const std::vector<bool>& keep, Index* next) {
  std::vector<Index> number(count, -1);
  for (Index i = 0; i < count; ++i) {
    if (keep.empty() || keep[i]) number[i] = (*next)++;
  }
  return number;
}

bool RangesFit(const std::vector<FeatureRange>& ranges, Index dimension) {
  Index end = 0;
  for (const FeatureRange& range : ranges) {
    if (range.begin < end || range.size < 1 || range.size > dimension - range.begin) return false;
    end = range.begin + range.size;
  }
  return !ranges.empty();
}

bool VoidValuesFit(std::span<const std::int64_t> values, std::size_t num_classes) {
  return !values.empty() && values.size() + num_classes <= 256 && values.front() >= 0 &&
         values.back() <= 255 && std::is_sorted(values.begin(), values.end(), std::less_equal<>());
}

}  // namespace

std::string_view Name(SegmentInputs inputs) {
  return inputs == SegmentInputs::kFeatures ? "features" : "potentials";
}

std::string_view Name(SegmentLayers layers) {
  switch (layers) {
    case SegmentLayers::kTwo:
      return "two";
    case SegmentLayers::kFine:
      return "fine";
    case SegmentLayers::kNeighbours:
      return "neighbours";
  }
  return "?";
}

std::string_view Name(SegmentPairwise pairwise) {
  switch (pairwise) {
    case SegmentPairwise::kPotts:
      return "potts";
    case SegmentPairwise::kTable:
      return "table";
    case SegmentPairwise::kAgreement:
      return "agreement";
  }
  return "?";
}

std::string_view Name(SegmentLoss loss) {
  return loss == SegmentLoss::kPixels ? "pixels" : "balanced";
}

std::vector<Index> MajorityLabels(std::span<const std::int64_t> pixels, Index num_classes) {
  std::vector<Index> labels;
  for (auto row = pixels.begin(); row != pixels.end(); row += num_classes) {
    const auto most = std::max_element(row, row + num_classes);
    labels.push_back(*most > 0 ? static_cast<Index>(most - row) : kUnlabelled);
  }
  return labels;
}

SegmentModel::SegmentModel(std::vector<std::string> classes, Index file_dimension,
                           std::vector<FeatureRange> ranges, SegmentLayers layers,
                           SegmentPairwise pairwise)
    : SegmentModel(SegmentInputs::kFeatures, std::move(classes), file_dimension, std::move(ranges),
                   layers, pairwise) {}

SegmentModel SegmentModel::OfPotentials(std::vector<std::string> classes, SegmentLayers layers,
                                        SegmentPairwise pairwise) {
  return {SegmentInputs::kPotentials, std::move(classes), 0, {}, layers, pairwise};
}

SegmentModel::SegmentModel(SegmentInputs inputs, std::vector<std::string> classes,
                           Index file_dimension, std::vector<FeatureRange> ranges,
                           SegmentLayers layers, SegmentPairwise pairwise)
    : inputs_(inputs),
      classes_(std::move(classes)),
      file_dimension_(file_dimension),
      ranges_(std::move(ranges)),
      layers_(layers),
      pairwise_(pairwise) {
  SLACKLINE_CHECK(classes_.size() >= 2 && classes_.size() <= 255 &&
                      std::unordered_set<std::string>(classes_.begin(), classes_.end()).size() ==
                          classes_.size(),
                  "a segmentation model needs 2 to 255 classes with different names");
  auto layout = std::make_shared<WeightLayout>();
  const Index k = num_classes();
  if (inputs == SegmentInputs::kFeatures) {
    SLACKLINE_CHECK(RangesFit(ranges_, file_dimension),
                    "the ranges of features do not fit their number");
    num_columns_ = 1;
    for (const FeatureRange& range : ranges_) num_columns_ += range.size;
    fine_block_ = layout->AddBlock("fine", k, num_columns_);
    if (has_coarse()) coarse_block_ = layout->AddBlock("coarse", k, num_columns_);
  } else {
    fine_block_ = coarse_block_ = layout->AddBlock("class", k);
  }
  if (has_coarse()) link_block_ = layout->AddBlock("link", LinkWeights(pairwise, k));
  if (layers == SegmentLayers::kNeighbours)
    neighbour_block_ = layout->AddBlock("neighbours", kContrastBins);
  layout_ = std::move(layout);
  weights_.assign(layout_->size(), 0.0);
}

void SegmentModel::SelectFeatures(std::span<const double> features, std::span<double> row) const {
  SLACKLINE_CHECK(inputs_ == SegmentInputs::kFeatures && std::ssize(features) == file_dimension_ &&
                      std::ssize(row) == num_columns_,
                  "the features do not fit the model");
  auto to = row.begin();
  for (const FeatureRange& range : ranges_)
    to = std::copy_n(features.begin() + range.begin, range.size, to);
  *to = 1;
  scaling_.ScaleDense(row, num_features());
}

std::shared_ptr<const Structure> SegmentModel::MakeStructure(
    const SegmentGraph& graph, const std::vector<bool>& keep_fine,
    const std::vector<bool>& keep_coarse) const {
  const Index k = num_classes();
  SLACKLINE_CHECK(
      (Offset{graph.num_fine} + graph.num_coarse) * k <= std::numeric_limits<Index>::max(),
      "there are too many superpixels");
  Index variables = 0;
  const std::vector<Index> fine = Number(graph.num_fine, keep_fine, &variables);
  const std::vector<Index> coarse =
      has_coarse() ? Number(graph.num_coarse, keep_coarse, &variables) : std::vector<Index>();
  FactorGraphBuilder builder;
  builder.AddVariables(variables, k);
  Index links = 0;
  for (std::size_t i = 0; has_coarse() && i < fine.size(); ++i) {
    const Index parent = coarse[graph.parent[i]];
    if (fine[i] < 0 || parent < 0) continue;
    builder.AddFactor({fine[i], parent});
    ++links;
  }
  std::vector<Index> bins;
  if (layers_ == SegmentLayers::kNeighbours) {
    for (const SegmentGraph::Border& border : graph.neighbours) {
      const Index a = fine[border.first];
      const Index b = fine[border.second];
      if (a < 0 || b < 0) continue;
      builder.AddFactor({a, b});
      bins.push_back(ContrastBin(border.contrast));
    }
  }
  StructureBuilder structure(builder.Build(), layout_);
  const Index rows = structure.AddStateMap(IdentityMap(k));
  const auto add = [&](Index variable, Index block, Index superpixel) {
    if (variable < 0) return;
    if (inputs_ == SegmentInputs::kFeatures) {
      structure.AddLinear(variable, block, superpixel, rows);
    } else {
      structure.AddPotential(variable, block, superpixel * k, rows);
    }
  };
  for (std::size_t i = 0; i < fine.size(); ++i) add(fine[i], fine_block_, static_cast<Index>(i));
  for (std::size_t j = 0; j < coarse.size(); ++j)
    add(coarse[j], coarse_block_, graph.num_fine + static_cast<Index>(j));
  const Index link = structure.AddStateMap(LinkMap(pairwise_, k));
  for (Index c = 0; c < links; ++c) structure.AddConstant(variables + c, link_block_, link);
  const Index differ = structure.AddStateMap(Differ(k));
  for (std::size_t c = 0; c < bins.size(); ++c) {
    structure.AddConstant(variables + links + static_cast<Index>(c), neighbour_block_, differ,
                          bins[c]);
  }
  return structure.Build();
}

void SegmentModel::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(num_features()), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void SegmentModel::set_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
  weights_ = std::move(weights);
}

void SegmentModel::set_void_values(std::vector<std::int64_t> values) {
  SLACKLINE_CHECK(VoidValuesFit(values, classes_.size()), "the void values do not fit the model");
  void_values_ = std::move(values);
}

void SaveImageFormat(const SegmentModel& model, ModelWriter* writer) {
  std::vector<std::int64_t> ranges = {model.file_dimension()};
  for (const FeatureRange& range : model.ranges())
    ranges.insert(ranges.end(), {range.begin, range.size});
  writer->Add("features", ranges);
  writer->Add("extractor", model.extractor);
  // Without this entry (also in files of older versions) 255 means void.
  if (model.void_values() != std::vector<std::int64_t>{255})
    writer->Add("void_values", model.void_values());
}

SavedImageFormat LoadImageFormat(const ModelEntries& entries, std::size_t num_classes,
                                 bool features) {
  SavedImageFormat format;
  const auto flat = entries.file().Integers("features");
  entries.Require(flat.size() % 2 == 1, "features");
  format.dimension = entries.ToIndex("features", flat[0]);
  entries.Require(format.dimension < std::numeric_limits<Index>::max() / 1024, "features");
  for (std::size_t r = 1; r < flat.size(); r += 2) {
    format.ranges.push_back(
        {entries.ToIndex("features", flat[r]), entries.ToIndex("features", flat[r + 1])});
  }
  entries.Require(features ? RangesFit(format.ranges, format.dimension)
                           : format.ranges.empty() && format.dimension == 0,
                  "features");
  format.extractor = entries.file().String("extractor");
  if (entries.file().Has("void_values")) {
    const auto values = entries.file().Integers("void_values");
    entries.Require(VoidValuesFit(values, num_classes), "void_values");
    format.void_values.assign(values.begin(), values.end());
  }
  return format;
}

void RequireClasses(const ModelEntries& entries, const std::string& entry,
                    const std::vector<std::string>& classes) {
  entries.Require(
      classes.size() >= 2 && classes.size() <= 255 &&
          std::unordered_set<std::string>(classes.begin(), classes.end()).size() == classes.size(),
      entry);
}

ModelWriter SegmentModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kSegmentTask));
  writer.Add("classes", classes_);
  writer.Add("layers", std::string(Name(layers_)));
  writer.Add("pairwise", std::string(Name(pairwise_)));
  writer.Add("inputs", std::string(Name(inputs_)));
  SaveImageFormat(*this, &writer);
  SaveScaling(scaling_, &writer);
  writer.AddWeights("weights", weights_, record.single_precision);
  SaveRecord(record, &writer);
  return writer;
}

SegmentModel SegmentModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kSegmentTask);
  const auto& classes = entries.file().Strings("classes");
  RequireClasses(entries, "classes", classes);
  const auto layers = entries.Choose(
      "layers", {SegmentLayers::kTwo, SegmentLayers::kFine, SegmentLayers::kNeighbours});
  const auto pairwise = entries.Choose(
      "pairwise", {SegmentPairwise::kPotts, SegmentPairwise::kTable, SegmentPairwise::kAgreement});
  const auto inputs =
      entries.Choose("inputs", {SegmentInputs::kFeatures, SegmentInputs::kPotentials});
  const bool features = inputs == SegmentInputs::kFeatures;
  SavedImageFormat format = LoadImageFormat(entries, classes.size(), features);
  Offset columns = 1;
  for (const FeatureRange& range : format.ranges) columns += range.size;
  // Checks the sizes before anything is allocated by them.
  const auto k = static_cast<Offset>(classes.size());
  const bool coarse = layers != SegmentLayers::kFine;
  const Offset expected = (features ? k * columns * (coarse ? 2 : 1) : k) +
                          (coarse ? LinkWeights(pairwise, static_cast<Index>(k)) : 0) +
                          (layers == SegmentLayers::kNeighbours ? kContrastBins : 0);
  std::vector<double> weights = entries.TakeWeights(expected);
  SegmentModel model(inputs, classes, format.dimension, std::move(format.ranges), layers, pairwise);
  model.set_weights(std::move(weights));
  model.extractor = std::move(format.extractor);
  model.set_void_values(std::move(format.void_values));
  model.set_scaling(LoadScaling(entries, model.num_features()));
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
