// SPDX-License-Identifier: BSD-3-Clause
//
// --checkpoint, --checkpoint-every and --resume. Part of the program only.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/learning/run/checkpoint.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal::program {

struct CheckpointFlags {
  std::string file;
  std::string every = "60";
  std::string resume;

  void Register(Command* app);
  /// Checks values and files. `others`: files that a checkpoint must not replace.
  void Check(const std::vector<std::string>& others) const;
  double EverySeconds() const;
  /// The checkpoint to resume from, if one is given: all ranks read it, once. Throws DataError.
  std::optional<Checkpoint> Resumed(Ranks& ranks) const;
};

/// The checkpoints of one command, which trains one or several values of λ.
class CheckpointKeeper {
 public:
  /// resumed: CheckpointFlags::Resumed. `context` must match like the fingerprint. Throws
  /// DataError.
  CheckpointKeeper(const CheckpointFlags& flags, std::optional<Checkpoint> resumed,
                   Fingerprint context, Ranks& ranks);

  /// The index of the λ at which a resumed command begins, and the figures of the values before it;
  /// 0 and empty without --resume.
  std::int64_t stage() const { return resumed_ ? resumed_->stage : 0; }
  std::vector<double> figures() const {
    return resumed_ ? resumed_->figures : std::vector<double>();
  }

  /// To be called before the run of each λ, first with the checkpoint's stage. The plan is valid
  /// until the next call. Throws DataError when the checkpoint belongs to another run; the message
  /// says what differs.
  CheckpointPlan Begin(const std::function<Fingerprint()>& fingerprint, std::int64_t stage,
                       std::vector<double> figures);

  /// Throws the DataError of the last attempt to write, if it failed. (Training continues after a
  /// failure.)
  void CheckWritten() const;
  /// Whether states are written or read.
  bool wanted() const { return !file_.empty() || resumed_.has_value(); }

 private:
  void Write(const std::string& state, std::span<const std::size_t> parts);

  std::string file_;
  CheckpointFile checkpoint_;
  std::string resume_name_;
  double every_;
  Fingerprint context_;
  std::optional<Checkpoint> resumed_;
  Checkpoint current_;
  std::string state_to_resume_;
  std::string failure_;
};

}  // namespace slackline::internal::program
