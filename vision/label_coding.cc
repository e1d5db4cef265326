// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/label_coding.h>

#include <algorithm>
#include <functional>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

LabelCoding::LabelCoding(std::vector<std::uint8_t> void_values)
    : void_values_(std::move(void_values)) {
  SLACKLINE_CHECK(!void_values_.empty() && void_values_.size() <= 254 &&
                      std::is_sorted(void_values_.begin(), void_values_.end(), std::less_equal<>()),
                  "there are 1 to 254 different void values, in rising order");
  std::uint8_t next = 0;
  for (std::size_t value = 0; value < class_of_.size(); ++value) {
    const bool is_void = std::binary_search(void_values_.begin(), void_values_.end(),
                                            static_cast<std::uint8_t>(value));
    class_of_[value] = is_void ? kVoid : next;
    if (!is_void) value_of_[next++] = static_cast<std::uint8_t>(value);
  }
  value_of_[kVoid] = void_values_.back();
}

std::uint8_t LabelCoding::ValueOf(std::uint8_t label) const {
  SLACKLINE_CHECK(label == kVoid || label < most_classes(), "there are fewer classes");
  return value_of_[label];
}

std::string LabelCoding::VoidText() const {
  std::string text;
  for (std::size_t k = 0; k < void_values_.size(); ++k) {
    if (k > 0) text += k + 1 == void_values_.size() ? " or " : ", ";
    text += std::to_string(void_values_[k]);
  }
  return text;
}

}  // namespace slackline::internal
