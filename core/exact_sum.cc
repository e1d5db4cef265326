// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/exact_sum.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace slackline::internal {
namespace {

/// a + b in two doubles: the rounded sum and its rounding error.
struct TwoNumbers {
  double sum;
  double error;
};

/// Requires |larger| ≥ |smaller|.
TwoNumbers ExactlyAdded(double larger, double smaller) {
  const double sum = larger + smaller;
  return {sum, smaller - (sum - larger)};
}

/// AddUp for sums that are sent together.
void AddUpTogether(Ranks& ranks, std::span<ExactSum> sums) {
  std::vector<std::uint8_t> counts;
  std::vector<double> numbers;
  for (const ExactSum& sum : sums) {
    counts.push_back(static_cast<std::uint8_t>(sum.partial_sums().size()));
    numbers.insert(numbers.end(), sum.partial_sums().begin(), sum.partial_sums().end());
  }
  const std::vector<std::uint8_t> all_counts = ranks.Join(std::span<const std::uint8_t>(counts));
  const std::vector<double> all_numbers = ranks.Join(std::span<const double>(numbers));
  // The same additions in the same order on all ranks.
  for (ExactSum& sum : sums) sum = ExactSum();
  std::size_t next = 0;
  for (std::size_t s = 0; s < all_counts.size(); ++s) {
    for (int k = 0; k < all_counts[s]; ++k) sums[s % sums.size()].Add(all_numbers[next++]);
  }
}

}  // namespace

void ExactSum::Add(double number) {
  std::size_t kept = 0;
  for (double partial : partial_sums_) {
    if (std::abs(number) < std::abs(partial)) std::swap(number, partial);
    const TwoNumbers both = ExactlyAdded(number, partial);
    if (both.error != 0) partial_sums_[kept++] = both.error;
    number = both.sum;
  }
  partial_sums_.resize(kept);
  if (number != 0) partial_sums_.push_back(number);
}

void ExactSum::Add(const ExactSum& other) {
  const std::vector<double> partial_sums = other.partial_sums_;  // other may be this sum
  for (const double number : partial_sums) Add(number);
}

double ExactSum::Round() const {
  if (partial_sums_.empty()) return 0;
  // From the largest on, until a rounding error remains.
  std::size_t k = partial_sums_.size() - 1;
  double sum = partial_sums_[k];
  double error = 0;
  while (k > 0 && error == 0) {
    const TwoNumbers both = ExactlyAdded(sum, partial_sums_[--k]);
    sum = both.sum;
    error = both.error;
  }
  // The sum was rounded to even because its error was half a unit of the last place. The next
  // smaller number then decides: where it has the sign of the error, the other neighbour is nearer.
  if (k > 0 && (error < 0) == (partial_sums_[k - 1] < 0)) {
    const double twice = 2 * error;
    const double other = sum + twice;
    if (other - sum == twice) sum = other;
  }
  return sum;
}

void AddUp(Ranks& ranks, std::span<ExactSum> sums) {
  if (ranks.alone()) return;
  // In pieces, so that the numbers of many ranks need little memory.
  constexpr std::size_t kSumsAtOnce = 1 << 14;
  for (std::size_t begin = 0; begin < sums.size(); begin += kSumsAtOnce)
    AddUpTogether(ranks, sums.subspan(begin, std::min(kSumsAtOnce, sums.size() - begin)));
}

double PlusTimes(double sum, double number, std::int64_t count) {
  bool exact = number > 0;
  while (exact && count > 0) {
    int exponent = 0;
    std::frexp(sum, &exponent);
    // All multiples of the last bit are numbers up to the next power of two, and so are the sums.
    const double next = std::ldexp(1, exponent);
    exact = sum > 0 && std::fmod(number, std::ldexp(1, exponent - 53)) == 0;
    if (exact) {
      std::int64_t steps = count;
      const double fit = (next - sum) / number;
      if (fit < static_cast<double>(count)) steps = static_cast<std::int64_t>(fit);
      while (std::fma(static_cast<double>(steps), number, sum) > next) --steps;
      sum = std::fma(static_cast<double>(steps), number, sum);
      count -= steps;
    }
    if (count > 0 && (exact || sum == 0)) {  // one addition that may be rounded
      exact = true;
      sum += number;
      --count;
    }
  }
  for (; count > 0 && sum + number != sum; --count) sum += number;
  return sum;
}

void SumOverExamples::AddTimes(double number, std::int64_t count) {
  if (ranks_ == nullptr) {
    plain_ = PlusTimes(plain_, number, count);
    return;
  }
  const double times = static_cast<double>(count);
  const double product = number * times;
  exact_.Add(product);
  exact_.Add(std::fma(number, times, -product));
}

double SumOverExamples::Total() {
  if (ranks_ == nullptr) return plain_;
  AddUp(*ranks_, std::span(&exact_, 1));
  return exact_.Round();
}

std::vector<double> ExampleSums::Finish() {
  if (ranks_ == nullptr) return std::move(plain_);
  AddUp(*ranks_, exact_);
  std::vector<double> sums;
  for (const ExactSum& sum : exact_) sums.push_back(sum.Round());
  return sums;
}

}  // namespace slackline::internal
