// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/text_exchange.h>

#include <doctest/doctest.h>

#include <set>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/core/random.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("every text has one owner, which answers all ranks that have it") {
  for (const int processes : {1, 2, 3, 5}) {
    std::vector<std::vector<std::string>> owned(Size(processes));
    std::vector<std::string> wrong(Size(processes));
    OnThreadRanks(processes, [&](ThreadRanks& ranks) {
      StringTable mine;
      for (int k = 0; k < 50; ++k) mine.Add(std::to_string(k * (ranks.rank() + 1)));
      if (ranks.rank() == 1) mine.Add("");
      const TextExchange exchange(ranks, mine);
      for (Index k = 0; k < exchange.owned().size(); ++k)
        owned[Size(ranks.rank())].emplace_back(exchange.owned().text(k));
      // How often the ranks have the text, by the owner.
      const std::vector<Index> ones(Size(mine.size()), 1);
      const std::vector<Index> come = exchange.ToOwners(std::span<const Index>(ones));
      std::vector<Index> sums(Size(exchange.owned().size()));
      for (std::size_t k = 0; k < come.size(); ++k) sums[exchange.arrived()[k]] += come[k];
      std::vector<Index> answers;
      for (const Index text : exchange.arrived()) answers.push_back(sums[text]);
      const std::vector<Index> counts = exchange.FromOwners(std::span<const Index>(answers));
      for (Index k = 0; k < mine.size(); ++k) {
        const std::string text(mine.text(k));
        Index expected = text.empty() ? 1 : 0;
        for (int r = 0; r < processes && !text.empty(); ++r) {
          const int number = std::stoi(text);
          expected += number % (r + 1) == 0 && number / (r + 1) < 50 ? 1 : 0;
        }
        if (counts[k] != expected) wrong[Size(ranks.rank())] += text + " ";
      }
    });
    std::set<std::string> all;
    std::size_t texts = 0;
    for (int r = 0; r < processes; ++r) {
      CHECK(wrong[Size(r)].empty());
      all.insert(owned[Size(r)].begin(), owned[Size(r)].end());
      texts += owned[Size(r)].size();
    }
    CHECK(all.size() == texts);
    CHECK(all.contains("49"));
  }
}

TEST_CASE("the dictionary of several ranks is that of one rank which counts everything") {
  Random random(8);
  std::vector<std::string> features;
  for (int k = 0; k < 3000; ++k)
    features.push_back("f" + std::to_string(random.Below(1 + random.Below(400))));
  for (const std::int64_t min_count : {1, 2, 5, 40, 100000}) {
    FeatureCounter one;
    for (const std::string& feature : features) one.Add(feature);
    std::vector<Index> unused;
    const FeatureDictionary expected = one.Finish(min_count, &unused);
    CHECK((expected.size() == 0) == (min_count == 100000));
    // Where the features of each rank begin; one rank has none.
    const std::vector<std::vector<std::size_t>> deals = {
        {0, 3000}, {0, 1500, 3000}, {0, 10, 10, 1200, 2990, 3000}};
    for (const std::vector<std::size_t>& begins : deals) {
      const int processes = static_cast<int>(begins.size()) - 1;
      std::vector<std::string> texts(Size(processes));
      std::vector<int> wrong(Size(processes), 0);
      OnThreadRanks(processes, [&](ThreadRanks& ranks) {
        const std::size_t rank = Size(ranks.rank());
        FeatureCounter counter;
        std::vector<Index> numbers;
        for (std::size_t k = begins[rank]; k < begins[rank + 1]; ++k)
          numbers.push_back(counter.Add(features[k]));
        std::vector<Index> columns;
        texts[rank] = counter.Finish(ranks, min_count, &columns).Text();
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          const Index column = expected.Find(features[begins[rank] + k]);
          wrong[rank] += columns[Size(numbers[k])] == column ? 0 : 1;
        }
      });
      for (int r = 0; r < processes; ++r) {
        CHECK(texts[Size(r)] == expected.Text());
        CHECK(wrong[Size(r)] == 0);
      }
    }
  }
}
