// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_draw.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>

namespace slackline::internal {
namespace {

constexpr double kUnmatchedShare = 0.1;  // fraction of left words without a right one
constexpr double kSpurious = 0.15;       // unpartnered right words per left word
constexpr double kSwap = 0.2;            // probability that neighbours change places
constexpr double kMisleading = 0.1;      // fraction of other pairs that occur together by chance

struct Sentences {
  std::vector<Index> left, right;
  std::vector<Index> partner;  // per right word: the position of its left word, or −1
  std::vector<bool> possible;  // per right word: whether the edge to its partner is not sure
};

class Drawing {
 public:
  explicit Drawing(const DrawnAlignments& options)
      : options_(options),
        random_(options.seed),
        doubt_(options.seed + 0x9e3779b97f4a7c15ULL),
        truth_(options.vocabulary) {
    std::iota(truth_.begin(), truth_.end(), 0);
    random_.Shuffle(std::span<Index>(truth_));
    dice_.resize(truth_.size() * truth_.size());
    for (std::size_t a = 0; a < truth_.size(); ++a) {
      for (std::size_t b = 0; b < truth_.size(); ++b) {
        const bool partners = truth_[a] == static_cast<Index>(b);
        const double mean = partners ? 0.6 : random_.Uniform() < kMisleading ? 0.45 : 0.1;
        dice_[a * truth_.size() + b] =
            std::clamp(mean + options.noise * random_.Normal(), 0.0, 1.0);
      }
    }
  }

  std::string Example() {
    Sentences drawn = Draw();
    Doubt(&drawn);
    std::string text =
        std::to_string(drawn.left.size()) + " " + std::to_string(drawn.right.size()) + "\n";
    for (std::size_t i = 0; i < drawn.left.size(); ++i) {
      for (std::size_t j = 0; j < drawn.right.size(); ++j) AppendEdge(drawn, i, j, &text);
    }
    return text;
  }

 private:
  /// Frequent words have small numbers.
  Index Word() {
    const double u = random_.Uniform();
    return static_cast<Index>(u * u * options_.vocabulary);
  }

  Sentences Draw() {
    Sentences drawn;
    const auto spread =
        static_cast<std::uint64_t>(Offset{options_.longest} - options_.shortest + 1);
    const Index length = options_.shortest + static_cast<Index>(random_.Below(spread));
    for (Index i = 0; i < length; ++i) drawn.left.push_back(Word());
    for (Index i = 0; i < length; ++i) {
      if (random_.Uniform() >= kUnmatchedShare) Append(truth_[drawn.left[i]], i, &drawn);
      if (random_.Uniform() < kSpurious) Append(Word(), -1, &drawn);
    }
    if (drawn.right.empty()) Append(Word(), -1, &drawn);
    for (std::size_t j = 1; j < drawn.right.size(); ++j) {
      if (random_.Uniform() >= kSwap) continue;
      std::swap(drawn.right[j - 1], drawn.right[j]);
      std::swap(drawn.partner[j - 1], drawn.partner[j]);
    }
    return drawn;
  }

  /// Makes edges possible; the features do not depend on it.
  void Doubt(Sentences* drawn) {
    const std::size_t count = drawn->right.size();
    drawn->possible.assign(count, false);
    for (std::size_t j = 0; j < count; ++j) {
      if (drawn->partner[j] >= 0) {
        drawn->possible[j] = doubt_.Uniform() < options_.possible;
      } else if (j > 0 && drawn->possible[j - 1]) {
        drawn->partner[j] = drawn->partner[j - 1];
        drawn->possible[j] = true;
      }
    }
  }

  static void Append(Index word, Index partner, Sentences* drawn) {
    drawn->right.push_back(word);
    drawn->partner.push_back(partner);
  }

  double Dice(Index a, Index b) const { return dice_[a * truth_.size() + b]; }

  void AppendEdge(const Sentences& drawn, std::size_t i, std::size_t j, std::string* text) const {
    const auto relative = [](std::size_t k, std::size_t n) {
      return (static_cast<double>(k) + 0.5) / static_cast<double>(n);
    };
    const double distance =
        std::abs(relative(i, drawn.left.size()) - relative(j, drawn.right.size()));
    char line[160];
    const char* label = drawn.partner[j] != static_cast<Index>(i) ? "0"
                        : drawn.possible[j]                       ? "p"
                                                                  : "1";
    std::snprintf(line, sizeof line, "%zu %zu %s dice:%.3f distance:%.3f", i, j, label,
                  Dice(drawn.left[i], drawn.right[j]), distance);
    *text += line;
    if (i > 0 && j > 0) AppendFeature("before", Dice(drawn.left[i - 1], drawn.right[j - 1]), text);
    if (i + 1 < drawn.left.size() && j + 1 < drawn.right.size())
      AppendFeature("after", Dice(drawn.left[i + 1], drawn.right[j + 1]), text);
    if (options_.lexical) {
      *text += " pair=" + std::to_string(drawn.left[i]) + "~" + std::to_string(drawn.right[j]);
    }
    *text += "\n";
  }

  static void AppendFeature(const char* name, double value, std::string* text) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, " %s:%.3f", name, value);
    *text += buffer;
  }

  const DrawnAlignments& options_;
  Random random_;
  Random doubt_;              // of possible edges alone
  std::vector<Index> truth_;  // per left word: its partner
  std::vector<double> dice_;  // per left and right word
};

}  // namespace

std::vector<std::string> DrawAlignments(const DrawnAlignments& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.shortest >= 1 &&
                      options.longest >= options.shortest && options.vocabulary >= 1 &&
                      options.vocabulary <= kMostDrawnWords,
                  "numbers of drawn alignments are out of range");
  SLACKLINE_CHECK(std::isfinite(options.noise) && options.noise >= 0,
                  "the noise must be finite and not negative");
  SLACKLINE_CHECK(options.possible >= 0 && options.possible <= 1,
                  "the share of possible edges must be between 0 and 1");
  Drawing drawing(options);
  std::vector<std::string> examples;
  for (Index m = 0; m < options.examples; ++m) examples.push_back(drawing.Example());
  return examples;
}

}  // namespace slackline::internal
