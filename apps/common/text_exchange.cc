// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/text_exchange.h>

#include <numeric>
#include <string_view>

namespace slackline::internal {
namespace {

/// 0 and the sums of the first sizes.
std::vector<std::size_t> Begins(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> begins(1, 0);
  for (const std::size_t size : sizes) begins.push_back(begins.back() + size);
  return begins;
}

/// The upper half of the hash: the lower one chooses slots in tables.
std::size_t OwnerOf(std::string_view text, int ranks) {
  return (HashText(text) >> 32) % Size(ranks);
}

}  // namespace

std::vector<std::size_t> TextExchange::BeginsOf(const std::vector<std::size_t>& sizes) const {
  std::vector<std::size_t> each(sizes.size() + 1);
  std::iota(each.begin(), each.end(), 0);
  return Begins(Exchange(std::span<const std::size_t>(sizes), each, each));
}

TextExchange::TextExchange(Ranks& ranks, const StringTable& mine) : ranks_(ranks) {
  const std::size_t size = Size(ranks.size());
  std::vector<std::vector<Index>> texts_of(size);
  for (Index k = 0; k < mine.size(); ++k)
    texts_of[OwnerOf(mine.text(k), ranks.size())].push_back(k);
  std::vector<std::size_t> counts;
  std::vector<std::size_t> bytes;
  std::vector<std::size_t> lengths;
  std::string sent;
  for (const std::vector<Index>& texts : texts_of) {
    const std::size_t before = sent.size();
    for (const Index k : texts) {
      sent_.push_back(k);
      lengths.push_back(mine.text(k).size());
      sent.append(mine.text(k));
    }
    counts.push_back(texts.size());
    bytes.push_back(sent.size() - before);
  }
  sent_begin_ = Begins(counts);
  arrived_begin_ = BeginsOf(counts);
  lengths = Exchange(std::span<const std::size_t>(lengths), sent_begin_, arrived_begin_);
  const std::vector<char> arrived =
      Exchange(std::span<const char>(sent), Begins(bytes), BeginsOf(bytes));
  std::size_t begin = 0;
  for (const std::size_t length : lengths) {
    arrived_.push_back(owned_.Add({arrived.data() + begin, length}));
    begin += length;
  }
}

}  // namespace slackline::internal
