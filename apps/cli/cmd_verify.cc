// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_verify.h>

#include <cstdio>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/core/timer.h>

namespace slackline::internal::program {
namespace {

/// The weights of a model, which rank 0 reads for all ranks.
std::vector<double> WeightsIn(const std::string& model) {
  std::vector<double> weights;
  OnFirstRank([&] { weights = ModelWeights(model); });
  std::size_t size = weights.size();
  ProcessRanks().TakeFromFirst(&size);
  weights.resize(size);
  ProcessRanks().Broadcast(std::as_writable_bytes(std::span(weights)));
  return weights;
}

}  // namespace

void CertificateCheck::Register(Command* app) {
  app->AddFlag("--verify", &wanted_,
               "after training, read the model again and check its certificate\n"
               "independently: score features one by one, maximise every example\n"
               "with another solver, and recompute the lower bound. The check\n"
               "takes one thread and about one solver call per example. If the\n"
               "certificate does not hold, the model is kept and the exit code is\n"
               "1. Ctrl-C skips the check")
      ->SetAudience(Audience::kTraining);
}

void CertificateCheck::Run(const Problem& problem, const TrainOptions& options,
                           const TrainSummary& summary, const Learner& learner,
                           const std::string& model, bool quiet,
                           const std::atomic<int>* interrupt) {
  last_.reset();
  if (!wanted_) return;
  VerifyOptions how;
  how.interrupt = interrupt;
  TerminalLine line(!quiet);
  const WallTimer running;
  how.progress = [&](Index done) {
    if (!line.due()) return;
    const double seconds = running.Seconds();
    line.Show("verifying: " + std::to_string(done) + " of " + Count(problem.size(), "example") +
              "  " + Number(seconds, 3) + " s, about " +
              Number(seconds / done * (problem.size() - done), 2) + " s to go");
  };
  // The model file of a kernel lacks the positions of its inputs among those of training, so the
  // weights of the summary are checked instead.
  const std::vector<double> weights = UsesKernel(options) ? summary.weights : WeightsIn(model);
  last_ =
      VerifyCertificate(problem, weights, summary.last, options, learner.traits().dual_point, how);
  line.Clear();
  failed_ = failed_ || last_->outcome == VerifyOutcome::kFails;
}

Json CertificateCheck::Figures() const {
  if (!last_) return {};
  Json verified = last_->outcome == VerifyOutcome::kHolds;
  if (last_->outcome == VerifyOutcome::kInterrupted) verified = nullptr;
  return {{"verified", verified},
          {"verify_seconds", last_->seconds},
          {"verify_solvers", last_->solvers},
          {"verified_primal", last_->primal},
          {"verified_dual", last_->dual},
          {"verified_dual_proved", last_->dual_proved},
          {"verify_message", last_->message}};
}

void CertificateCheck::Tell(const std::string& model, bool quiet) const {
  if (!last_) return;
  if (last_->outcome == VerifyOutcome::kFails) {
    std::fprintf(stderr, "slackline: %s: %s (the model is kept)\n", model.c_str(),
                 last_->message.c_str());
  } else if (!quiet && last_->outcome == VerifyOutcome::kHolds) {
    std::fprintf(stderr, "verified in %s s: %s\n", Number(last_->seconds, 3).c_str(),
                 last_->message.c_str());
  } else if (!quiet) {
    std::fprintf(stderr, "%s\n", last_->message.c_str());
  }
}

}  // namespace slackline::internal::program
