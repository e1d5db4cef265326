// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/loop_state.h>

#include <cmath>
#include <limits>

namespace slackline::internal {
namespace {

/// The figures of a record, in one order for both directions.
template <class Record, class Visit>
void ForEachFigure(Record& r, const Visit& visit) {
  for (auto* figure :
       {&r.seconds, &r.check_seconds, &r.cpu_seconds, &r.primal, &r.dual, &r.gap, &r.relative_gap,
        &r.soft_primal, &r.soft_dual, &r.soft_gap, &r.violation, &r.rho, &r.tau}) {
    visit(*figure);
  }
}

}  // namespace

void LoopState::Save(StateWriter* writer) const {
  writer->Tag("loop");
  writer->Integer(record.pass);
  writer->Flag(record.problem == CertifiedProblem::kExact);
  ForEachFigure(record, [&](double figure) { writer->Real(figure); });
  writer->Integer(record.oracle_calls);
  writer->Integer(record.block_steps);
  writer->Reals(weights);
  writer->Integer(static_cast<std::int64_t>(notes.size()));
  for (const std::string& note : notes) writer->Text(note);
  for (const Index n : {checks, next_check, hopeful_again}) writer->Integer(n);
  writer->Flag(provisional);
}

void LoopState::Load(StateReader* reader) {
  reader->Tag("loop");
  record.pass = reader->Passes();
  record.problem = reader->Flag() ? CertifiedProblem::kExact : CertifiedProblem::kRelaxed;
  ForEachFigure(record, [&](double& figure) { figure = reader->Real(); });
  StateReader::Require(record.seconds >= 0 && record.check_seconds >= 0, "a time is negative");
  record.oracle_calls = reader->Count();
  record.block_steps = reader->Count();
  weights = reader->FiniteReals();
  if (!weights.empty()) {
    // A dual that is not known is NaN. One that is known is at most the primal: train_loop takes
    // away what rounding puts above it.
    StateReader::Require(
        std::abs(record.primal) <= StateReader::kLargestNumber && !(record.dual > record.primal),
        "the bounds contradict each other");
  }
  notes.clear();
  const std::int64_t count = reader->Integer(0, reader->left());
  for (std::int64_t k = 0; k < count; ++k) notes.push_back(reader->Text());
  for (Index* n : {&checks, &next_check, &hopeful_again})
    *n = static_cast<Index>(
        reader->Integer(std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()));
  provisional = reader->Flag();
}

}  // namespace slackline::internal
