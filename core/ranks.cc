// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/ranks.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace slackline::internal {
namespace {

class OneProcess final : public Ranks {
 public:
  int size() const override { return 1; }
  int rank() const override { return 0; }
  void GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t>,
                   std::byte* all) override {
    if (!mine.empty() && mine.data() != all) std::memcpy(all, mine.data(), mine.size());
  }
  void ExchangeBytes(std::span<const std::span<const std::byte>> to,
                     std::span<const std::span<std::byte>> from) override {
    if (!to[0].empty()) std::memcpy(from[0].data(), to[0].data(), to[0].size());
  }
  void Broadcast(std::span<std::byte>) override {}
};

}  // namespace

std::vector<std::string> Ranks::GatherTexts(std::string_view mine) {
  const std::vector<std::size_t> lengths = Gather(mine.size());
  const std::vector<char> all = Join(std::span(mine.data(), mine.size()));
  std::vector<std::string> texts;
  const char* begin = all.data();
  for (const std::size_t length : lengths) {
    texts.emplace_back(begin, length);
    begin += length;
  }
  return texts;
}

std::string Ranks::FirstText(std::string_view mine) {
  for (std::string& text : GatherTexts(mine)) {
    if (!text.empty()) return std::move(text);
  }
  return {};
}

std::int64_t Ranks::SumOf(std::int64_t mine) {
  const std::vector<std::int64_t> all = Gather(mine);
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

std::int64_t Ranks::MaxOf(std::int64_t mine) {
  const std::vector<std::int64_t> all = Gather(mine);
  return *std::max_element(all.begin(), all.end());
}

double Ranks::SumOfReals(double mine) {
  const std::vector<double> all = Gather(mine);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

void Ranks::AddUp(std::span<std::int64_t> numbers) {
  if (alone()) return;
  // Every rank adds up a piece of the numbers.
  const auto count = static_cast<std::int64_t>(numbers.size());
  const Piece mine = PieceOf(count);
  std::vector<std::int64_t> come(Size(mine.size()) * Size(size()));
  std::vector<std::span<const std::byte>> to;
  std::vector<std::span<std::byte>> from;
  for (int r = 0; r < size(); ++r) {
    const Piece piece = PieceOf(count, r);
    to.push_back(std::as_bytes(numbers.subspan(Size(piece.begin), Size(piece.size()))));
    from.push_back(
        std::as_writable_bytes(std::span(come).subspan(Size(mine.size() * r), Size(mine.size()))));
  }
  ExchangeBytes(to, from);
  for (std::int64_t k = 0; k < mine.size(); ++k) {
    std::int64_t sum = 0;
    for (int r = 0; r < size(); ++r) sum += come[Size(mine.size() * r + k)];
    numbers[Size(mine.begin + k)] = sum;
  }
  GatherPieces(numbers);
}

Ranks& OneRank() {
  static OneProcess one;
  return one;
}

void ThrowFirstError(Ranks& ranks, const std::string& error) {
  const std::int64_t failed = ranks.SumOf(error.empty() ? 0 : 1);
  if (failed == 0) return;
  std::string text = error;
  // What fails on some ranks alone may be right on the machine on which the user looks.
  const std::string machine = ranks.machine();
  if (!error.empty() && failed < ranks.size() && !machine.empty()) text += " (on " + machine + ")";
  throw DataError(ranks.FirstText(text));
}

void RequireOneRank(const Ranks& ranks, std::string_view what) {
  if (ranks.alone()) return;
  throw DataError(std::string(what) + " needs a single process, but " +
                  std::to_string(ranks.size()) + " processes train together");
}

}  // namespace slackline::internal
