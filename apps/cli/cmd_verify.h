// SPDX-License-Identifier: BSD-3-Clause
//
// --verify: checks the certificate of a run with the weights as they are stored in the model file.
// Part of the program only.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/learning/verify/verify.h>

namespace slackline::internal::program {

class CertificateCheck {
 public:
  void Register(Command* app);

  /// To be called after the model is written. Does nothing without --verify or for an interrupted
  /// run; an interrupt ends the check. Shows progress on a terminal unless `quiet`.
  void Run(const Problem& problem, const TrainOptions& options, const TrainSummary& summary,
           const Learner& learner, const std::string& model, bool quiet,
           const std::atomic<int>* interrupt);

  /// The entries of the last object of the run's log; null without --verify.
  Json Figures() const;
  /// Prints a line to the standard error, even if `quiet` when the certificate does not hold.
  void Tell(const std::string& model, bool quiet) const;
  /// Whether --verify is given; learners must then keep their dual points.
  bool wanted() const { return wanted_; }
  /// Whether any certificate so far did not hold.
  bool failed() const { return failed_; }

 private:
  bool wanted_ = false;
  bool failed_ = false;
  std::optional<Verification> last_;
};

}  // namespace slackline::internal::program
