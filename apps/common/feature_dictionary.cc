// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/feature_dictionary.h>

#include <span>
#include <utility>

#include <slackline/apps/common/text_exchange.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {

FeatureDictionary FeatureDictionary::Hashed(int bits) {
  SLACKLINE_CHECK(bits >= 1 && bits <= kMaxHashBits, "hash bits out of range");
  FeatureDictionary dictionary;
  dictionary.hash_bits_ = bits;
  return dictionary;
}

FeatureDictionary FeatureDictionary::FromText(std::string_view text, const std::string& source) {
  if (!text.empty() && text.back() != '\n')
    throw DataError(source, 0, "the last feature is not complete");
  FeatureDictionary dictionary;
  for (Index number = 0; !text.empty(); ++number) {
    const std::string_view name = text.substr(0, text.find('\n'));
    if (dictionary.names_.Add(name) != number) {
      throw DataError(source, 0, "feature " + Quoted(name) + " is in the dictionary twice");
    }
    text.remove_prefix(name.size() + 1);
  }
  return dictionary;
}

std::string FeatureDictionary::Text() const {
  std::string text;
  for (Index i = 0; i < names_.size(); ++i) text.append(name(i)).append("\n");
  return text;
}

Index FeatureCounter::Add(std::string_view feature) {
  const Index number = names_.Add(feature);
  if (number == std::ssize(counts_)) {
    SLACKLINE_CHECK(feature.find('\n') == std::string_view::npos, "a feature with a line end");
    counts_.push_back(0);
  }
  ++counts_[number];
  return number;
}

FeatureDictionary FeatureCounter::Finish(std::int64_t min_count, std::vector<Index>* column) const {
  SLACKLINE_CHECK(min_count >= 1, "the minimal count of features must be at least 1");
  column->assign(counts_.size(), kAbsent);
  FeatureDictionary dictionary;
  for (Index i = 0; i < size(); ++i) {
    if (counts_[i] < min_count) continue;
    (*column)[i] = dictionary.names_.Add(names_.text(i));
  }
  return dictionary;
}

FeatureDictionary FeatureCounter::Finish(Ranks& ranks, std::int64_t min_count,
                                         std::vector<Index>* column) const {
  if (ranks.alone()) return Finish(min_count, column);
  SLACKLINE_CHECK(min_count >= 1, "the minimal count of features must be at least 1");
  const TextExchange exchange(ranks, names_);
  const std::vector<std::int64_t> counts =
      exchange.ToOwners(std::span<const std::int64_t>(counts_));
  const std::span<const Index> arrived = exchange.arrived();
  std::vector<std::int64_t> sums(exchange.owned().size());
  for (std::size_t k = 0; k < arrived.size(); ++k) sums[arrived[k]] += counts[k];

  enum class Fate : char { kDropped, kFirst, kSeen };  // kFirst: no rank before this one has it
  std::vector<bool> seen(sums.size());
  std::vector<Fate> fates;
  for (const Index text : arrived) {
    fates.push_back(sums[text] < min_count ? Fate::kDropped
                    : seen[text]           ? Fate::kSeen
                                           : Fate::kFirst);
    seen[text] = true;
  }
  fates = exchange.FromOwners(std::span<const Fate>(fates));

  std::string firsts;
  for (Index i = 0; i < size(); ++i) {
    if (fates[i] == Fate::kFirst) firsts.append(names_.text(i)).push_back('\n');
  }
  const std::vector<char> all = ranks.Join(std::span<const char>(firsts));
  FeatureDictionary dictionary =
      FeatureDictionary::FromText({all.data(), all.size()}, "features of all processes");
  column->assign(counts_.size(), kAbsent);
  for (Index i = 0; i < size(); ++i) {
    if (fates[i] != Fate::kDropped) (*column)[i] = dictionary.Find(names_.text(i));
  }
  return dictionary;
}

}  // namespace slackline::internal
