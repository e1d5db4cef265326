// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_checkpoint.h>

#include <cstdio>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal::program {

void CheckpointFlags::Register(Command* app) {
  Option* checkpoint = AddTextOption(app, "checkpoint", &file, "FILE",
                                     "save the state of training to this file, at intervals "
                                     "and when training ends or is interrupted")
                           ->SetAudience(Audience::kTraining);
  AddTextOption(app, "checkpoint-every", &every, "SECONDS",
                "time between two checkpoints; 0 = after every pass", "60")
      ->SetAudience(Audience::kTraining)
      ->Needs(checkpoint);
  AddTextOption(app, "resume", &resume, "FILE",
                "continue from a checkpoint, with the same result as without the interruption. "
                "Data and options must be the same, except --gap-tolerance, --absolute-gap, "
                "--max-passes, --time-limit, --threads, and options for files and messages")
      ->SetAudience(Audience::kTraining);
}

double CheckpointFlags::EverySeconds() const { return ReadReal("checkpoint-every", every, false); }

void CheckpointFlags::Check(const std::vector<std::string>& others) const {
  EverySeconds();
  if (!file.empty()) CheckOutput("checkpoint", file, others, false);
}

std::optional<Checkpoint> CheckpointFlags::Resumed(Ranks& ranks) const {
  if (resume.empty()) return std::nullopt;
  return CheckpointFile(resume, ranks).Load();
}

CheckpointKeeper::CheckpointKeeper(const CheckpointFlags& flags, std::optional<Checkpoint> resumed,
                                   Fingerprint context, Ranks& ranks)
    : file_(flags.file),
      checkpoint_(flags.file, ranks),
      resume_name_(flags.resume),
      every_(flags.EverySeconds()),
      context_(std::move(context)),
      resumed_(std::move(resumed)) {}

CheckpointPlan CheckpointKeeper::Begin(const std::function<Fingerprint()>& fingerprint,
                                       std::int64_t stage, std::vector<double> figures) {
  CheckpointPlan plan;
  if (!wanted()) return plan;
  current_.fingerprint = fingerprint();  // may take a sweep over the data
  current_.fingerprint.insert(current_.fingerprint.end(), context_.begin(), context_.end());
  current_.stage = stage;
  current_.figures = std::move(figures);
  if (resumed_) {
    const std::string difference = Difference(resumed_->fingerprint, current_.fingerprint);
    if (!difference.empty()) {
      throw DataError("--resume: " + resume_name_ + " belongs to another run: " + difference);
    }
    state_to_resume_ = std::move(resumed_->state);
    resumed_.reset();
    plan.resume = state_to_resume_;
  }
  if (!file_.empty()) {
    plan.write = [this](const std::string& state, std::span<const std::size_t> parts) {
      Write(state, parts);
    };
    plan.every_seconds = every_;
  }
  return plan;
}

void CheckpointKeeper::Write(const std::string& state, std::span<const std::size_t> parts) {
  try {
    current_.state = state;
    current_.parts.assign(parts.begin(), parts.end());
    checkpoint_.Save(current_);
    failure_.clear();
  } catch (const DataError& error) {
    // A full disk must not end the run.
    if (failure_.empty())
      std::fprintf(stderr, "slackline: checkpoint not written: %s\n", error.what());
    failure_ = error.what();
  }
}

void CheckpointKeeper::CheckWritten() const {
  if (!failure_.empty()) throw DataError(failure_);
}

}  // namespace slackline::internal::program
