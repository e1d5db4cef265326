// SPDX-License-Identifier: BSD-3-Clause
//
// The only file that uses GLPK. The formulations are in binary_pairs and local_polytope; this file
// calls the simplex method. The choices below were measured on fully connected binary models with
// 14 to 101 variables, from a cold start and with slowly changing scores:
//   - columns x and z with three rows per pair took 3 to 20 times as long as the n rows of
//     binary_pairs; leaving out the rows that the sign of a pair does not need, the dual simplex
//     and glp_adv_basis gained at most a quarter of that;
//   - on the n rows, the primal simplex from f = 0 is the fastest cold start (the dual takes 1 to
//     2.5 times as long). From the last basis it is as fast as the dual, which often cannot use
//     that basis because the signs of pairs have changed;
//   - textbook pricing takes up to 1.7 times as long as steepest edge at 50 variables, and no less
//     time at 101.
#include <slackline/inference/glpk_lp.h>

#include <slackline/core/check.h>

#ifndef SLACKLINE_WITH_GLPK

namespace slackline::internal {

bool HasGlpk() { return false; }

std::unique_ptr<MapSolver> MakeGlpkSolver(std::shared_ptr<const FactorGraph> /*graph*/,
                                          GlpkFormulation /*formulation*/, double /*tolerance*/) {
  throw DataError(
      "this build has no GLPK, so there is no LP solver; use tree (graphs without cycles), "
      "branch-and-bound or brute-force (few labellings), or build with SLACKLINE_WITH_GLPK=ON");
}

}  // namespace slackline::internal

#else

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include <glpk.h>

#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/lp_model.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

/// The problems that one thread has made. GLPK's memory belongs to the thread that allocated it;
/// freeing a problem in another thread would damage the lists of both threads.
class ThreadProblems {
 public:
  static std::shared_ptr<ThreadProblems> OfThisThread() {
    thread_local const Holder holder;
    return holder.problems;
  }

  glp_prob* Create() {
    Sweep();
    glp_prob* problem = glp_create_prob();
    live_.push_back(problem);
    return problem;
  }

  /// May be called from any thread. A problem of another thread is only marked as released, and
  /// deleted by its own thread; a thread that ends deletes all its problems.
  void Release(glp_prob* problem) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ended_) return;
      released_.push_back(problem);
    }
    if (std::this_thread::get_id() == thread_) Sweep();
  }

  /// Deletes the released problems. To be called only from the thread that made them.
  void Sweep() {
    std::vector<glp_prob*> released;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      released.swap(released_);
    }
    for (glp_prob* problem : released) {
      glp_delete_prob(problem);
      live_.erase(std::find(live_.begin(), live_.end(), problem));
    }
  }

 private:
  struct Holder {
    std::shared_ptr<ThreadProblems> problems = std::make_shared<ThreadProblems>();
    ~Holder() { problems->End(); }
  };
  void End() {
    Sweep();
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    for (glp_prob* problem : live_) glp_delete_prob(problem);
    live_.clear();
    if (owns_environment_) glp_free_env();
  }

  const std::thread::id thread_ = std::this_thread::get_id();
  // False if the calling program uses GLPK in this thread, too.
  const bool owns_environment_ = glp_init_env() == 0;
  std::mutex mutex_;
  std::vector<glp_prob*> released_;
  bool ended_ = false;
  std::vector<glp_prob*> live_;
};

/// Switches GLPK's messages off for this thread; the destructor restores the previous setting.
class QuietTerminal {
 public:
  QuietTerminal() : home_(ThreadProblems::OfThisThread()), before_(glp_term_out(GLP_OFF)) {}
  ~QuietTerminal() { glp_term_out(before_); }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

 private:
  std::shared_ptr<ThreadProblems> home_;  // creates the environment of the thread if necessary
  int before_;
};

/// Iterations of the simplex method in a piece, about half a second.
constexpr int kIterationsTimesSize = 20'000'000;
constexpr int kLeastPiece = 50;

/// One LpModel inside GLPK.
class GlpkProblem {
 public:
  GlpkProblem() = default;
  GlpkProblem(const GlpkProblem&) = delete;
  GlpkProblem& operator=(const GlpkProblem&) = delete;
  ~GlpkProblem() { Release(); }

  void Load(const LpModel& model) {
    std::shared_ptr<ThreadProblems> here = ThreadProblems::OfThisThread();
    if (problem_ == nullptr || home_ != here) {
      Release();
      home_ = std::move(here);
      problem_ = home_->Create();
      matrix_version_ = 0;
      if (model.rows > 0) glp_add_rows(problem_, model.rows);
      if (model.columns > 0) glp_add_cols(problem_, model.columns);
      glp_set_obj_dir(problem_, model.maximise ? GLP_MAX : GLP_MIN);
    }
    for (Index r = 0; r < model.rows; ++r) {
      const double low = model.row_lower[r];
      const double high = model.row_upper[r];
      glp_set_row_bnds(problem_, r + 1, BoundType(low, high), low, high);
    }
    for (Index j = 0; j < model.columns; ++j) {
      const double low = model.column_lower[j];
      const double high = model.column_upper[j];
      glp_set_col_bnds(problem_, j + 1, BoundType(low, high), low, high);
      glp_set_obj_coef(problem_, j + 1, model.cost[j]);
    }
    if (matrix_version_ != model.matrix_version) LoadMatrix(model);
  }

  /// Sets a basis of `rows` basic rows and columns; the factorisation of an earlier call is
  /// dropped.
  void SetBasis(const LpModel& model, std::span<const BasisStatus> status) {
    for (Index r = 0; r < model.rows; ++r) glp_set_row_stat(problem_, r + 1, ToGlpk(status[r]));
    for (Index j = 0; j < model.columns; ++j) {
      glp_set_col_stat(problem_, j + 1, ToGlpk(status[model.rows + j]));
    }
    // GLPK reuses the factors of the last call when the basis is the same, so that results would
    // depend on earlier calls. The simplex method repairs a basis that cannot be factorised.
    glp_factorize(problem_);
  }

  void GetBasis(const LpModel& model, std::vector<BasisStatus>* status) const {
    status->resize(model.rows + model.columns);
    for (Index r = 0; r < model.rows; ++r)
      (*status)[r] = FromGlpk(glp_get_row_stat(problem_, r + 1));
    for (Index j = 0; j < model.columns; ++j) {
      (*status)[model.rows + j] = FromGlpk(glp_get_col_stat(problem_, j + 1));
    }
  }

  /// Runs the simplex method from the basis that is set; true when GLPK says "optimal". Without
  /// presolving it looks at the stop condition (may be null) about twice a second.
  bool Simplex(int method, bool presolve, const StopCondition* stop,
               double tolerance = kTightLpTolerance) {
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    parameters.r_test = GLP_RT_FLIP;
    parameters.presolve = presolve ? GLP_ON : GLP_OFF;
    parameters.tol_bnd = tolerance;
    parameters.tol_dj = tolerance;
    const int size = glp_get_num_rows(problem_) + glp_get_num_cols(problem_);
    // The limit is far above any number of iterations that was observed; it ends cycling. Pieces
    // are counts of iterations, not seconds, so that results are the same in every run.
    int left = 10000 + 100 * std::min(200000, size);
    const int piece = presolve ? left : std::max(kLeastPiece, kIterationsTimesSize / (1 + size));
    for (; left > 0; left -= piece) {
      if (stop != nullptr && stop->Reached()) return false;
      parameters.it_lim = std::min(piece, left);
      int code = 0;
      const bool optimal = Optimises([&] { return code = glp_simplex(problem_, &parameters); });
      if (code != GLP_EITLIM) return optimal;
    }
    return false;
  }

  bool Exact() {
    return Optimises([&] { return glp_exact(problem_, nullptr); });
  }

  /// Iterations of all calls so far, on all threads. GLPK counts them per problem, and every thread
  /// has a problem of its own.
  std::int64_t iterations() const { return iterations_; }

  void GetSolution(LpSolution* solution) const {
    const double poison = std::numeric_limits<double>::quiet_NaN();
    solution->column_value.assign(glp_get_num_cols(problem_), poison);
    solution->row_dual.assign(glp_get_num_rows(problem_), poison);
    for (std::size_t j = 0; j < solution->column_value.size(); ++j) {
      solution->column_value[j] = glp_get_col_prim(problem_, static_cast<int>(j) + 1);
    }
    for (std::size_t r = 0; r < solution->row_dual.size(); ++r) {
      solution->row_dual[r] = glp_get_row_dual(problem_, static_cast<int>(r) + 1);
    }
  }

 private:
  template <class Call>
  bool Optimises(const Call& call) {
    const int before = glp_get_it_cnt(problem_);
    const bool ended = call() == 0;
    iterations_ += glp_get_it_cnt(problem_) - before;
    return ended && glp_get_status(problem_) == GLP_OPT;
  }

  static int BoundType(double low, double high) {
    if (low == high) return GLP_FX;
    if (low == -kInfinity) return high == kInfinity ? GLP_FR : GLP_UP;
    return high == kInfinity ? GLP_LO : GLP_DB;
  }
  static int ToGlpk(BasisStatus status) {  // GLPK adapts NL and NU to the type of the bounds
    return status == BasisStatus::kBasic     ? GLP_BS
           : status == BasisStatus::kAtUpper ? GLP_NU
                                             : GLP_NL;
  }
  static BasisStatus FromGlpk(int status) {
    return status == GLP_BS   ? BasisStatus::kBasic
           : status == GLP_NU ? BasisStatus::kAtUpper
                              : BasisStatus::kAtLower;
  }

  void LoadMatrix(const LpModel& model) {
    std::vector<int> row(model.row.size() + 1);
    std::vector<int> column(model.row.size() + 1);
    std::vector<double> value(model.row.size() + 1);
    for (std::size_t k = 0; k < model.row.size(); ++k) {
      row[k + 1] = model.row[k] + 1;
      column[k + 1] = model.column[k] + 1;
      value[k + 1] = model.coefficient[k];
    }
    glp_load_matrix(problem_, static_cast<int>(model.row.size()), row.data(), column.data(),
                    value.data());
    matrix_version_ = model.matrix_version;
  }

  void Release() {
    if (problem_ == nullptr) return;
    home_->Release(problem_);
    problem_ = nullptr;
  }

  std::shared_ptr<ThreadProblems> home_;
  glp_prob* problem_ = nullptr;
  int matrix_version_ = 0;
  std::int64_t iterations_ = 0;
};

/// The basis of a WarmStart: one byte that names the formulation, then two bits per row and column.
class PackedBasis {
 public:
  static void Write(std::uint8_t tag, std::span<const BasisStatus> status, WarmStart* warm) {
    warm->bytes.assign(1 + (status.size() + 3) / 4, 0);
    warm->bytes[0] = tag;
    for (std::size_t k = 0; k < status.size(); ++k) {
      warm->bytes[1 + k / 4] |=
          static_cast<std::uint8_t>(static_cast<unsigned>(status[k]) << (2 * (k % 4)));
    }
  }

  /// Returns false when the bytes are not a basis of this model.
  static bool Read(std::uint8_t tag, const LpModel& model, const WarmStart& warm,
                   std::vector<BasisStatus>* status) {
    const std::size_t count = Offset{model.rows} + model.columns;
    if (warm.bytes.size() != 1 + (count + 3) / 4 || warm.bytes[0] != tag) return false;
    status->resize(count);
    Index basic = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const unsigned bits = (warm.bytes[1 + k / 4] >> (2 * (k % 4))) & 3u;
      if (bits == 3) return false;
      (*status)[k] = static_cast<BasisStatus>(bits);
      basic += (*status)[k] == BasisStatus::kBasic;
    }
    return basic == model.rows;
  }
};

class GlpkSolver final : public MapSolver {
 public:
  GlpkSolver(std::shared_ptr<const FactorGraph> graph, bool compact, double tolerance)
      : graph_(std::move(graph)),
        tolerance_(tolerance),
        formulation_(compact ? MakeBinaryPairFormulation(graph_)
                             : MakeLocalPolytopeFormulation(graph_)),
        tag_(compact ? 1 : 2),
        messages_(graph_->total_messages()) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "a linear program");
    result->labels.resize(graph_->num_variables());
    if (graph_->num_variables() == 0) {
      SetLabelling(scores, result);
      result->upper_bound = result->value;
      result->exact = true;
      return;
    }
    const QuietTerminal quiet;
    bool solved = false;
    const std::int64_t iterations = problem_.iterations();
    if (warm != nullptr && !warm->bytes.empty()) solved = SolveWarm(scores, *warm, result);
    if (!solved) SolveCold(scores, result);
    // An iteration prices the columns and updates a basis as large as the rows; a call loads the
    // problem.
    const std::int64_t size = model_->rows + model_->columns;
    work_ += size * (100 + 10 * std::max<std::int64_t>(1, problem_.iterations() - iterations));
    if (warm != nullptr) {
      problem_.GetBasis(*model_, &status_);
      PackedBasis::Write(tag_, status_, warm);
    }
  }

  std::string_view name() const override { return "lp"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return true; }

 private:
  bool SolveWarm(std::span<const double> scores, const WarmStart& warm, MapResult* result) {
    model_ = &formulation_->Update(scores, /*with_start=*/false);
    if (!PackedBasis::Read(tag_, *model_, warm, &status_)) return false;
    problem_.Load(*model_);
    problem_.SetBasis(*model_, status_);
    return problem_.Simplex(GLP_PRIMAL, false, stop(), tolerance_) && ReadSolution(scores, result);
  }

  void SolveCold(std::span<const double> scores, MapResult* result) {
    model_ = &formulation_->Update(scores, /*with_start=*/true);
    problem_.Load(*model_);
    const auto simplex = [this](int method, bool presolve, double tolerance) {
      problem_.SetBasis(*model_, model_->start);
      return problem_.Simplex(method, presolve, stop(), tolerance);
    };
    if (simplex(GLP_PRIMAL, false, tolerance_) && ReadSolution(scores, result)) return;
    if (ShouldStop()) return SolveRoughly(scores, result);
    if (simplex(GLP_DUALP, true, kTightLpTolerance) && ReadSolution(scores, result)) return;
    problem_.SetBasis(*model_, model_->start);
    if (problem_.Exact() && ReadSolution(scores, result)) return;
    throw std::runtime_error("GLPK's simplex method failed on a graph of " +
                             std::to_string(graph_->num_variables()) + " variables and " +
                             std::to_string(graph_->num_factors()) + " factors");
  }

  /// A labelling and a bound in place of the solution.
  void SolveRoughly(std::span<const double> scores, MapResult* result) {
    RoundMarginals(*graph_, scores, result->labels);
    ImproveLabelling(*graph_, scores, result->labels, {.max_sweeps = 10, .max_joint_states = 0});
    SetLabelling(scores, result);
    std::fill(messages_.begin(), messages_.end(), 0.0);
    result->upper_bound = std::max(result->value, DualBound(*graph_, scores, messages_));
    result->exact = false;
  }

  /// Converts GLPK's solution into the result. Returns false when the solution is not optimal by
  /// the gap between value and DualBound.
  bool ReadSolution(std::span<const double> scores, MapResult* result) {
    problem_.GetSolution(&solution_);
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(solution_.column_value.begin(), solution_.column_value.end(), finite) ||
        !std::all_of(solution_.row_dual.begin(), solution_.row_dual.end(), finite)) {
      return false;
    }
    result->marginals.resize(scores.size());
    formulation_->Read(solution_, scores, result->marginals, messages_);
    RoundMarginals(*graph_, result->marginals, result->labels);
    if (IsIntegral(result->marginals)) {
      SetLabelling(scores, result);
    } else {
      result->integral = false;
      result->value = MarginalsScore(scores, result->marginals);
    }
    // The bound is valid for any messages. At the optimum it equals the value up to rounding
    // errors.
    const double bound = DualBound(*graph_, scores, messages_);
    result->upper_bound = std::max(bound, result->value);
    const double gap = result->upper_bound - result->value;
    result->exact = result->integral && gap <= 1e-7 * std::max(1.0, std::abs(result->value));
    double magnitude = 0;
    for (const double score : scores) magnitude = std::max(magnitude, std::abs(score));
    return gap <= std::max(1e-6, 10 * tolerance_) * magnitude * graph_->num_parts();
  }

  bool IsIntegral(std::span<const double> marginals) const {
    const auto variables = marginals.first(graph_->variable_states());
    return std::all_of(variables.begin(), variables.end(),
                       [](double p) { return p <= 1e-6 || p >= 1 - 1e-6; });
  }

  void SetLabelling(std::span<const double> scores, MapResult* result) const {
    result->integral = true;
    result->marginals.clear();
    result->value = LabellingScore(*graph_, scores, result->labels);
  }

  std::shared_ptr<const FactorGraph> graph_;
  double tolerance_;
  std::unique_ptr<LpFormulation> formulation_;
  std::uint8_t tag_;
  GlpkProblem problem_;
  const LpModel* model_ = nullptr;
  LpSolution solution_;
  std::vector<BasisStatus> status_;
  std::vector<double> messages_;
  std::int64_t work_ = 0;
};

}  // namespace

bool HasGlpk() { return true; }

std::unique_ptr<MapSolver> MakeGlpkSolver(std::shared_ptr<const FactorGraph> graph,
                                          GlpkFormulation formulation, double tolerance) {
  SLACKLINE_CHECK(tolerance >= kTightLpTolerance && tolerance <= 0.1,
                  "the LP tolerance is out of range");
  RequireTablesOnly(*graph, "linear programming");
  const bool binary = IsBinaryPairwise(*graph);
  if (formulation == GlpkFormulation::kCompact && !binary) {
    throw DataError(
        "the compact LP needs binary variables and factors over one or two of them; use the "
        "general one");
  }
  const bool compact = binary && formulation != GlpkFormulation::kGeneral;
  return std::make_unique<GlpkSolver>(std::move(graph), compact, tolerance);
}

}  // namespace slackline::internal

#endif  // SLACKLINE_WITH_GLPK
