// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_model.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include <slackline/apps/common/kernel_entries.h>
#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/model_file.h>
#include <slackline/core/row_kernels.h>

namespace slackline::internal {
namespace {

std::vector<bool> Not(std::vector<bool> flags) {
  flags.flip();
  return flags;
}

bool LabelsFit(const std::vector<std::string>& names) {
  return !names.empty() && std::ssize(names) <= kMostSequenceLabels &&
         std::unordered_set<std::string>(names.begin(), names.end()).size() == names.size();
}

FeatureDictionary LoadDictionary(const ModelEntries& entries, const std::string& path) {
  const std::int64_t bits = entries.Integers("hash_bits", 1)[0];
  const std::string& text = entries.file().String("dictionary");
  entries.Require(
      bits >= 0 && bits <= FeatureDictionary::kMaxHashBits && (bits == 0 || text.empty()),
      "hash_bits");
  return bits > 0 ? FeatureDictionary::Hashed(static_cast<int>(bits))
                  : FeatureDictionary::FromText(text, path);
}

}  // namespace

std::string_view Name(SequenceFormat format) {
  switch (format) {
    case SequenceFormat::kLetters:
      return "letters";
    case SequenceFormat::kConll:
      return "conll";
    case SequenceFormat::kAttributes:
      return "attributes";
  }
  return {};
}

std::string_view Name(LabelConstraints constraints) {
  return constraints == LabelConstraints::kAny ? "none" : "bio";
}

SequenceModel::SequenceModel(std::vector<std::string> label_names, Index num_features,
                             LabelConstraints constraints)
    : SequenceModel(std::move(label_names), num_features, std::nullopt, constraints) {}

SequenceModel::SequenceModel(std::vector<std::string> label_names, SequenceFeatures features,
                             LabelConstraints constraints)
    : SequenceModel(std::move(label_names), 0, std::make_optional(std::move(features)),
                    constraints) {}

SequenceModel::SequenceModel(std::vector<std::string> label_names, Index num_features,
                             std::optional<SequenceFeatures> features, LabelConstraints constraints,
                             std::vector<double> weights)
    : label_names_(std::move(label_names)),
      num_features_(num_features),
      features_(std::move(features)) {
  if (features_) num_features_ = features_->dictionary.size();
  SLACKLINE_CHECK(LabelsFit(label_names_), "a model of sequences needs 1 to " +
                                               std::to_string(kMostSequenceLabels) +
                                               " labels with different names");
  SLACKLINE_CHECK(num_features_ >= 1, "a model of sequences needs features");
  if (constraints == LabelConstraints::kBio) {
    SLACKLINE_CHECK(LooksLikeBio(label_names_), WhyNotBio(label_names_));
    rules_ = BioAllowed(label_names_);
  }
  const Index k = num_labels();
  auto layout = std::make_shared<WeightLayout>();
  token_block_ = layout->AddBlock("token", k, num_features_);
  constant_block_ = layout->AddBlock("bias", k);
  start_block_ = layout->AddBlock("start", k);
  end_block_ = layout->AddBlock("end", k);
  transition_block_ = layout->AddBlock("transition", k * k);
  layout_ = std::move(layout);
  weights_ = std::move(weights);
  if (weights_.empty()) weights_.assign(layout_->size(), 0.0);
  SLACKLINE_CHECK(std::ssize(weights_) == layout_->size(), "the weights do not fit the model");
}

const SequenceFeatures& SequenceModel::features() const {
  SLACKLINE_CHECK(features_.has_value(), "a model of letters has no dictionary");
  return *features_;
}

std::shared_ptr<const Structure> SequenceModel::MakeStructure(Index length) const {
  SLACKLINE_CHECK(length >= 1, "a sequence without tokens");
  FactorGraphBuilder builder;
  builder.AddVariables(length, num_labels());
  for (Index i = 0; i + 1 < length; ++i) builder.AddFactor({i, i + 1});
  StructureBuilder structure(builder.Build(), layout_);
  const Index label = structure.AddStateMap(IdentityMap(num_labels()));
  for (Index i = 0; i < length; ++i) {
    structure.AddLinear(i, token_block_, i, label);
    structure.AddConstant(i, constant_block_, label);
  }
  structure.AddConstant(0, start_block_, label);
  structure.AddConstant(length - 1, end_block_, label);
  const Index pair = structure.AddStateMap(IdentityMap(num_labels() * num_labels()));
  for (Index i = 0; i + 1 < length; ++i) structure.AddConstant(length + i, transition_block_, pair);
  if (rules_) {
    structure.ForbidStates(0, Not(rules_->start));
    const std::vector<bool> forbidden = Not(rules_->transition);
    for (Index i = 0; i + 1 < length; ++i) structure.ForbidStates(length + i, forbidden);
  }
  return structure.Build();
}

Dataset SequenceModel::MakeDataset(const SequenceData& data,
                                   std::span<const Index> sequences) const {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == num_features_ &&
                      data.num_model_labels == num_labels(),
                  "the sequences do not have the labels and features of the model");
  Dataset dataset(layout_, data.rows);
  std::map<Index, std::shared_ptr<const Structure>> structures;  // by length
  std::vector<Index> labels;
  for (const Index m : sequences) {
    SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
    auto& structure = structures[data.length(m)];
    if (structure == nullptr) structure = MakeStructure(data.length(m));
    const Offset begin = data.begin[m];
    labels.assign(data.labels.begin() + begin, data.labels.begin() + begin + data.length(m));
    for (Index& label : labels) {
      if (label >= num_labels()) label = kUnlabelled;
    }
    dataset.Add(structure, labels, static_cast<Index>(begin));
  }
  return dataset;
}

std::span<const double> SequenceModel::Block(Index block) const {
  const WeightBlock& b = layout_->block(block);
  return std::span<const double>(weights_).subspan(b.offset, b.size());
}

void SequenceModel::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(num_features_), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void SequenceModel::RequireFit(std::span<const double> weights) const {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
}

void SequenceModel::set_weights(std::vector<double> weights) {
  RequireFit(weights);
  weights_ = std::move(weights);
}

void SequenceModel::SetTrained(const Problem& problem, const TrainOptions& options,
                               std::span<const double> weights) {
  support_.reset();
  if (!UsesKernel(options)) {
    RequireFit(weights);
    std::copy(weights.begin(), weights.end(), weights_.begin());
    return;
  }
  const KernelExpansion expansion(problem.data());
  support_ = SupportOf(expansion, KernelOf(options, problem.data()), token_block_, weights);
  std::vector<double> scalars(weights_.size(), 0.0);
  for (const Index b : expansion.scalar_blocks()) {
    std::copy_n(weights.begin() + expansion.offset(b), layout_->block(b).rows,
                scalars.begin() + layout_->block(b).offset);
  }
  set_weights(std::move(scalars));
}

void SequenceModel::TokenScores(const FeatureRow& x, std::span<double> scores) const {
  if (support_) {
    support_->Scores(x, scores);
  } else {
    RowScores(token_weights().data(), num_labels(), x, scores.data());
  }
}

void SaveSequenceFeatures(const SequenceFeatures* features, ModelWriter* writer) {
  if (features == nullptr) return;
  if (features->templates.size() > 0) {
    writer->Add("columns", std::vector<std::int64_t>{features->templates.num_columns()});
    writer->Add("templates", features->templates.text());
  }
  writer->Add("hash_bits", std::vector<std::int64_t>{features->dictionary.hash_bits()});
  writer->Add("dictionary", features->dictionary.Text());
}

std::optional<SequenceFeatures> LoadSequenceFeatures(const ModelEntries& entries,
                                                     SequenceFormat format) {
  if (format == SequenceFormat::kLetters) return std::nullopt;
  FeatureDictionary dictionary = LoadDictionary(entries, entries.path());
  if (format == SequenceFormat::kAttributes) return SequenceFeatures{{}, std::move(dictionary)};
  const Index columns = entries.ToIndex("columns", entries.Integers("columns", 1)[0]);
  entries.Require(columns >= 1, "columns");
  return SequenceFeatures{FeatureTemplates::Parse(entries.file().String("templates"),
                                                  entries.path() + " (templates)", columns),
                          std::move(dictionary)};
}

ModelWriter SequenceModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kSequenceTask));
  writer.Add("format", std::string(Name(format())));
  writer.Add("labels", label_names_);
  writer.Add("constraints", std::string(Name(constraints())));
  writer.Add("num_features", std::vector<std::int64_t>{num_features_});
  SaveSequenceFeatures(features_ ? &*features_ : nullptr, &writer);
  // A kernelized model does not store the weights of "token", which is the first block.
  const std::size_t first = support_ ? token_weights().size() : 0;
  SaveScaling(scaling_, &writer);
  writer.AddWeights("weights", std::span<const double>(weights_).subspan(first),
                    record.single_precision);
  if (support_) SaveSupport(*support_, &writer);
  SaveRecord(record, &writer);
  return writer;
}

SequenceModel SequenceModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kSequenceTask);
  const auto format = entries.Choose(
      "format", {SequenceFormat::kLetters, SequenceFormat::kConll, SequenceFormat::kAttributes});
  const auto& labels = entries.file().Strings("labels");
  entries.Require(LabelsFit(labels), "labels");
  const auto constraints =
      entries.Choose("constraints", {LabelConstraints::kAny, LabelConstraints::kBio});
  entries.Require(constraints == LabelConstraints::kAny || LooksLikeBio(labels), "constraints");
  const Index num_features =
      entries.ToIndex("num_features", entries.Integers("num_features", 1)[0]);
  entries.Require(num_features >= 1, "num_features");
  std::optional<SequenceFeatures> features = LoadSequenceFeatures(entries, format);
  if (features) entries.Require(features->dictionary.size() == num_features, "dictionary");
  // Checks the sizes before anything is allocated by them.
  const bool kernelized = HasSupport(entries);
  const auto num_labels = static_cast<Offset>(labels.size());
  std::vector<double> weights =
      entries.TakeWeights(NumWeights(num_labels, kernelized ? 0 : num_features));
  if (kernelized) weights.insert(weights.begin(), num_labels * num_features, 0.0);
  SequenceModel model(labels, num_features, std::move(features), constraints, std::move(weights));
  if (kernelized) model.support_ = LoadSupport(entries, model.num_labels(), num_features);
  model.set_scaling(LoadScaling(entries, model.num_features()));
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
