// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/max_oracle.h>

#include <slackline/core/check.h>
#include <slackline/factors/joint_states.h>

namespace slackline::internal {
namespace {

// Calls visit(joint state of the row's first entry, messages of the last axis, sum of the other
// axes' messages) for every row along the last axis. Recursion over the axes needs no allocation
// for tables of any order.
template <class Visit>
void ForEachRow(std::span<const Index> cardinalities, Index joint, const double* messages,
                double sum, Visit& visit) {
  const Index states = cardinalities.front();
  if (cardinalities.size() == 1) {
    visit(joint * states, messages, sum);
    return;
  }
  for (Index s = 0; s < states; ++s) {
    ForEachRow(cardinalities.subspan(1), joint * states + s, messages + states, sum + messages[s],
               visit);
  }
}

void CheckSizes(std::span<const Index> cardinalities, std::size_t table, std::size_t messages) {
  SLACKLINE_CHECK(!cardinalities.empty(), "a factor needs at least one variable");
  std::size_t message_size = 0;
  for (const Index cardinality : cardinalities) message_size += cardinality;
  SLACKLINE_CHECK(static_cast<Offset>(table) == NumJointStates(cardinalities),
                  "the table does not fit its axes");
  SLACKLINE_CHECK(messages == message_size, "the messages do not fit the axes of the table");
}

}  // namespace

FactorMax TableMax(std::span<const double> table) {
  FactorMax best;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k] > best.value) best = {static_cast<Index>(k), table[k]};
  }
  return best;
}

FactorMax ReparametrisedMax(std::span<const Index> cardinalities, std::span<const double> table,
                            std::span<const double> messages) {
  CheckSizes(cardinalities, table.size(), messages.size());
  FactorMax best;
  const Index row = cardinalities.back();
  auto visit = [&](Index first, const double* last, double sum) {
    for (Index s = 0; s < row; ++s) {
      const double value = table[first + s] - (sum + last[s]);
      if (value > best.value) best = {first + s, value};
    }
  };
  ForEachRow(cardinalities, 0, messages.data(), 0.0, visit);
  return best;
}

}  // namespace slackline::internal
