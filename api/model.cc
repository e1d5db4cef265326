// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/model.h>

#include <utility>

#include <slackline/api/model_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/version.h>

namespace slackline {
inline namespace v1 {
namespace {

const internal::WeightBlock& FindBlock(const internal::WeightLayout& layout,
                                       std::string_view name) {
  const int number = layout.Find(name);
  if (number < 0) {
    std::vector<std::string_view> names;
    for (const internal::WeightBlock& block : layout.blocks()) names.push_back(block.name);
    throw std::invalid_argument("the model has no weights '" + std::string(name) + "'" +
                                internal::DidYouMean(name, names));
  }
  return layout.block(number);
}

}  // namespace

const char* Version() { return SLACKLINE_VERSION_STRING; }

Model::Model() : impl_(std::make_shared<ModelImpl>()) {}

WeightBlock Model::AddWeights(std::string name, int rows, int columns) {
  const int number = impl_->layout->AddBlock(std::move(name), rows, columns);
  return {number, rows, columns, 0};
}

WeightBlock Model::Find(std::string_view name) const {
  const internal::WeightBlock& block = FindBlock(*impl_->layout, name);
  return {impl_->layout->Find(name), block.rows, block.cols, 0};
}

int Model::num_blocks() const { return impl_->layout->num_blocks(); }
std::size_t Model::num_weights() const { return impl_->layout->size(); }

Weights::Weights() = default;
Weights::Weights(const Model& model)
    : impl_(std::make_unique<Impl>(
          Impl{model.impl()->layout, std::vector<double>(model.num_weights(), 0.0)})) {}
Weights::Weights(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Weights::Weights(const Weights& other)
    : impl_(other.impl_ == nullptr ? nullptr : std::make_unique<Impl>(*other.impl_)) {}
Weights& Weights::operator=(const Weights& other) {
  if (this != &other) *this = Weights(other);
  return *this;
}
Weights::Weights(Weights&& other) noexcept = default;
Weights& Weights::operator=(Weights&& other) noexcept = default;
Weights::~Weights() = default;

WeightMatrix<double> Weights::operator[](std::string_view name) {
  SLACKLINE_CHECK(impl_ != nullptr, "these weights belong to no model");
  const internal::WeightBlock& block = FindBlock(*impl_->layout, name);
  SLACKLINE_CHECK(block.offset + block.size() <= static_cast<std::ptrdiff_t>(impl_->values.size()),
                  "the model has grown since these weights were made");
  return {impl_->values.data() + block.offset, block.rows, block.cols};
}

WeightMatrix<const double> Weights::operator[](std::string_view name) const {
  SLACKLINE_CHECK(impl_ != nullptr, "these weights belong to no model");
  const internal::WeightBlock& block = FindBlock(*impl_->layout, name);
  SLACKLINE_CHECK(block.offset + block.size() <= static_cast<std::ptrdiff_t>(impl_->values.size()),
                  "the model has grown since these weights were made");
  return {impl_->values.data() + block.offset, block.rows, block.cols};
}

int Weights::num_blocks() const { return impl_ == nullptr ? 0 : impl_->layout->num_blocks(); }
const std::string& Weights::name(int block) const {
  SLACKLINE_CHECK(block >= 0 && block < num_blocks(), "there is no such block of weights");
  return impl_->layout->block(block).name;
}

std::span<double> Weights::values() {
  return impl_ == nullptr ? std::span<double>() : std::span<double>(impl_->values);
}
std::span<const double> Weights::values() const {
  return impl_ == nullptr ? std::span<const double>() : std::span<const double>(impl_->values);
}

Weights WeightsOf(std::shared_ptr<const internal::WeightLayout> layout,
                  std::vector<double> values) {
  return Weights(
      std::make_unique<Weights::Impl>(Weights::Impl{std::move(layout), std::move(values)}));
}

void RequireWeightsOf(const Weights& weights, const internal::WeightLayout& layout) {
  SLACKLINE_CHECK(weights.impl() != nullptr && weights.impl()->layout.get() == &layout &&
                      std::ssize(weights.values()) == layout.size(),
                  "the weights are not those of the graph's model");
}

}  // namespace v1
}  // namespace slackline
