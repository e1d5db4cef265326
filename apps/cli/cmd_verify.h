// SPDX-License-Identifier: BSD-3-Clause
//
// --verify: the certificate of a run, checked with the weights as they lie in the model file. Part
// of the program only.
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
  void Register(CLI::App* app);

  /// To be called after the model was written. Does nothing unless --verify is given, and nothing
  /// for a run that was interrupted; an interrupt ends the check. Shows its progress on a terminal
  /// unless `quiet`.
  void Run(const Problem& problem, const TrainOptions& options, const TrainSummary& summary,
           const Learner& learner, const std::string& model, bool quiet,
           const std::atomic<int>* interrupt);

  /// What the last object of the run's log says of it; null without --verify.
  Json Figures() const;
  /// A line on the standard error; also when `quiet`, if the certificate does not hold.
  void Tell(const std::string& model, bool quiet) const;
  /// Whether --verify is given: then learners have to keep their dual points.
  bool wanted() const { return wanted_; }
  /// Whether any certificate did not hold so far.
  bool failed() const { return failed_; }

 private:
  bool wanted_ = false;
  bool failed_ = false;
  std::optional<Verification> last_;
};

}  // namespace slackline::internal::program
