// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/mpi_ranks.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#ifdef SLACKLINE_WITH_MPI
#include <mpi.h>

#include <limits>

#include <slackline/core/timer.h>
#endif

namespace slackline::internal {
namespace {

int NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

bool StartedByMpi() {
  // Open MPI; PMIx and PMI, which srun and MPICH use.
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"}) {
    if (std::getenv(variable) != nullptr) return true;
  }
  return false;
}

int LaunchedProcesses() {
  if (!StartedByMpi()) return 1;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (NumberIn(variable) > 0) return NumberIn(variable);
  }
  return 1;
}

int TasksApart() {
  if (StartedByMpi() || std::getenv("SLURM_PTY_PORT") != nullptr) return 1;
  return std::max(1, NumberIn("SLURM_STEP_NUM_TASKS"));
}

#ifdef SLACKLINE_WITH_MPI

namespace {

/// MPI counts with int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

void Check(int result) {
  if (result != MPI_SUCCESS) throw std::runtime_error("MPI has failed");
}

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm all) : all_(all) {
    Check(MPI_Comm_size(all_, &size_));
    Check(MPI_Comm_rank(all_, &rank_));
    MPI_Comm machine = MPI_COMM_NULL;
    Check(MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine));
    Check(MPI_Comm_size(machine, &on_this_machine_));
    Check(MPI_Comm_free(&machine));
    if (on_this_machine_ == size_) return;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    Check(MPI_Get_processor_name(name, &length));
    machine_.assign(name, Size(length));
  }

  int size() const override { return size_; }
  int rank() const override { return rank_; }
  int ranks_on_this_machine() const override { return on_this_machine_; }
  std::string machine() const override { return machine_; }

  void GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                   std::byte* all) override {
    std::size_t total = 0;
    std::size_t before = 0;  // of this rank's
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) before = total;
      total += lengths[Size(r)];
    }
    if (total == 0) return;
    std::byte* const own = all + before;
    if (!mine.empty() && own != mine.data()) std::copy(mine.begin(), mine.end(), own);
    if (total <= kMostBytes) {
      counts_.clear();
      begins_.clear();
      int begin = 0;
      for (const std::size_t length : lengths) {
        counts_.push_back(static_cast<int>(length));
        begins_.push_back(begin);
        begin += counts_.back();
      }
      Check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts_.data(), begins_.data(), MPI_BYTE,
                           all_));
      return;
    }
    std::byte* place = all;
    for (int r = 0; r < size_; ++r) {
      SendFrom(r, {place, lengths[Size(r)]});
      place += lengths[Size(r)];
    }
  }

  void ExchangeBytes(std::span<const std::span<const std::byte>> to,
                     std::span<const std::span<std::byte>> from) override {
    std::vector<MPI_Request> requests;
    for (int step = 1; step < size_; ++step) {  // not all ranks to the same one at once
      const int r = (rank_ + size_ - step) % size_;
      std::span<std::byte> rest = from[Size(r)];
      while (!rest.empty()) {
        const std::size_t length = std::min(rest.size(), kMostBytes);
        Check(MPI_Irecv(rest.data(), static_cast<int>(length), MPI_BYTE, r, 0, all_,
                        &requests.emplace_back()));
        rest = rest.subspan(length);
      }
    }
    for (int step = 1; step < size_; ++step) {
      const int r = (rank_ + step) % size_;
      std::span<const std::byte> rest = to[Size(r)];
      while (!rest.empty()) {
        const std::size_t length = std::min(rest.size(), kMostBytes);
        Check(MPI_Isend(rest.data(), static_cast<int>(length), MPI_BYTE, r, 0, all_,
                        &requests.emplace_back()));
        rest = rest.subspan(length);
      }
    }
    std::copy(to[Size(rank_)].begin(), to[Size(rank_)].end(), from[Size(rank_)].begin());
    Check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  void Broadcast(std::span<std::byte> bytes) override { SendFrom(0, bytes); }

 private:
  void SendFrom(int root, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t length = std::min(bytes.size(), kMostBytes);
      Check(MPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, root, all_));
      bytes = bytes.subspan(length);
    }
  }

  MPI_Comm all_;
  int size_ = 1;
  int rank_ = 0;
  int on_this_machine_ = 1;
  std::string machine_;
  std::vector<int> counts_;
  std::vector<int> begins_;
};

}  // namespace

struct MpiProgram::State {
  MPI_Comm failing = MPI_COMM_NULL;
  std::unique_ptr<MpiRanks> ranks;
};

bool HasMpi() { return true; }

MpiProgram::MpiProgram() : state_(std::make_unique<State>()) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    throw std::runtime_error("MPI cannot be initialised");
  Check(MPI_Comm_dup(MPI_COMM_WORLD, &state_->failing));
  state_->ranks = std::make_unique<MpiRanks>(MPI_COMM_WORLD);
}

MpiProgram::~MpiProgram() {
  MPI_Comm_free(&state_->failing);
  MPI_Finalize();
}

Ranks& MpiProgram::ranks() const { return *state_->ranks; }

bool MpiProgram::AllFail(double seconds) const {
  MPI_Request request;
  if (MPI_Ibarrier(state_->failing, &request) != MPI_SUCCESS) return false;
  const WallTimer timer;
  int done = 0;
  while (done == 0 && timer.Seconds() < seconds) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  }
  return done != 0;
}

void MpiProgram::Abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // not reached
}

#else

struct MpiProgram::State {};

bool HasMpi() { return false; }

MpiProgram::MpiProgram() { throw std::logic_error("this library was built without MPI"); }
MpiProgram::~MpiProgram() = default;
Ranks& MpiProgram::ranks() const { return OneRank(); }
bool MpiProgram::AllFail(double) const { return false; }
void MpiProgram::Abort(int code) const { std::exit(code); }

#endif

}  // namespace slackline::internal
