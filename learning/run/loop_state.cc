// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/loop_state.h>

#include <cmath>
#include <limits>

namespace slackline::internal {
namespace {

/// Visits the figures of a record in the same order for saving and for loading.
template <class Record, class Visit>
void ForEachFigure(Record& r, const Visit& visit) {
  for (auto* figure :
       {&r.seconds, &r.check_seconds, &r.cpu_seconds, &r.primal, &r.check_primal, &r.dual, &r.gap,
        &r.relative_gap, &r.soft_primal, &r.soft_dual, &r.soft_gap, &r.violation, &r.rho, &r.tau}) {
    visit(*figure);
  }
}

}  // namespace

void LoopState::Archive(StateArchive* archive) {
  constexpr auto kMostNotes = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kTextBytes = 8;
  archive->Tag("loop");
  archive->Passes(&record.pass);
  bool exact = record.problem == CertifiedProblem::kExact;
  archive->Flag(&exact);
  record.problem = exact ? CertifiedProblem::kExact : CertifiedProblem::kRelaxed;
  ForEachFigure(record, [&](double& figure) { archive->Real(&figure); });
  archive->Require(record.seconds >= 0 && record.check_seconds >= 0, "a time is negative");
  archive->Count(&record.oracle_calls);
  archive->Count(&record.block_steps);
  archive->FiniteList(&weights);
  if (!weights.empty()) {
    // An unknown dual is NaN. A known dual is at most the primal, since train_loop removes the
    // excess that rounding may cause.
    archive->Require(
        std::abs(record.primal) <= StateReader::kLargestNumber && !(record.dual > record.primal),
        "the bounds contradict each other");
  }
  notes.resize(archive->Length(notes.size(), 0, kMostNotes, kTextBytes));
  for (std::string& note : notes) archive->Text(&note);
  for (Index* n : {&checks, &next_check, &hopeful_again})
    archive->Integer(n, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max());
  archive->Passes(&stall.pass);
  archive->Real(&stall.gap);
  archive->Real(&stall.best);
  archive->Flag(&provisional);
}

}  // namespace slackline::internal
