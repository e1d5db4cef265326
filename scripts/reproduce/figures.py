# SPDX-License-Identifier: BSD-3-Clause
"""The comparisons behind the figures of the papers: problems and learners in the form of slackline-bench.

001: Branson et al., CVPR 2013; 002: Meshi et al., AISTATS 2015; 003: Lacoste-Julien et al., ICML 2013, of which 000 is a preprint;
004: Shalev-Shwartz and Zhang, 2012."""
import dataclasses


@dataclasses.dataclass
class Figure:
    name: str  # number of the paper and of the figure
    text: str
    problems: list
    learners: list
    once: list = dataclasses.field(default_factory=list)  # learners that no seed affects, and references: one run of each
    time_limit: float = 60  # seconds per run, including checks
    runs: int = 1  # per learner, with different seeds
    x: str = "passes"  # what a chart of the figure shows at first (apps/report/report.js)
    y: str = "primal_suboptimality"
    test_metric: bool = False  # whether the figure includes metrics on test data
    sweep: str = None  # what a chart against an option shows at first; None = the default of the page

    def description(self):
        """What results and pages say of it."""
        known = {"name": self.name, "text": self.text, "x": self.x, "y": self.y}
        return known if self.sweep is None else {**known, "sweep": self.sweep}

    def list_runs(self):
        """(problem, learner, seed) of each run, problem by problem and then seed by seed."""
        for problem in self.problems:
            for seed in range(1, self.runs + 1):
                for learner in self.learners + (self.once if seed == 1 else []):
                    yield problem, learner, seed


def having(options, *learners):
    """The learners with more options."""
    return [learner + ("," if ":" in learner else ":") + options for learner in learners]


def soft(rhos, options=""):
    """Learner soft with each ρ."""
    return [f"soft:rho={rho}" + ("," + options if options else "") for rho in rhos]


def samples(problem, sizes):
    """Ten draws of every size, and the whole problem."""
    return [f"{problem}@{size}.{seed}" for size in sizes for seed in range(1, 11)] + [problem]


LETTERS = ["letters-0.01", "letters-0.001", "letters"]
CONLL = ["conll-0.01", "conll-0.001", "conll"]
# The stochastic solvers of the papers' first figures, with the averages that they recommend, and the batch solvers. Stochastic
# learners show their iterates and averages as they are, also where earlier ones have a better objective; batch learners can keep
# the best one.
STOCHASTIC = ["bcfw", "bcfw:average=weighted", "ssg", "ssg:average=weighted"]
BATCH = ["fw", "cutting-plane-1", "cutting-plane-n", "auto"]
AVERAGES = [f"{learner}{average}" for learner in ("bcfw", "ssg")
            for average in ("", ":average=uniform", ":average=weighted", ":average=suffix")]
NEWEST = "keep-newest=on,max-passes=30"
LINEAR_PROGRAMS = ["bcfw-lp", "bcfw-lp-polytope"]
ALL_SOFT = soft(["0.1", "1", "10"]) + ["al", "auto", *LINEAR_PROGRAMS, "dlpw", "smooth-dlpw"]
RHOS = ["0.01", "0.1", "1", "10", "100", "1500"]
# The proximal centre is not the paper's; the soft optimum is the same.
NEAR_OPTIMUM = "proximal=on,check-every=20,gap-tolerance=3e-5"
PAPER_SCALE = "rho-scale=paper,"
CENTRED = "proximal=on,check-every=100,gap-tolerance="

FIGURES = [
    Figure("000-1", "Suboptimality and test error in 150 passes: handwritten words", ["letters-0.01"],
           having("keep-newest=on,max-passes=150", "bcfw", "bcfw:average=weighted", "bcfw:fixed-step=on", "ssg", "ssg:average=uniform",
                  "ssg:average=suffix"),
           having("max-passes=150", "fw", "fw:fixed-step=on", "cutting-plane-1", "cutting-plane-n", "auto"),
           time_limit=300, test_metric=True),
    Figure("001", "Work to a small suboptimality: several corners of an example at once against one", LETTERS[:2],
           ["multi-sample", "bcfw", "ssg:average=weighted"], x="calls", test_metric=True),
    Figure("001-regret", "Average regret of one sweep after the other, each visit a new example, and its bound", LETTERS[:2],
           [f"multi-sample:samples={count},online-loss=on" for count in (1, 10, 30)], y="regret"),
    Figure("002-1", "The effect of ρ: objectives against passes, and after some passes against ρ", ["yeast-0.001", "yeast-0.01"],
           soft(RHOS, "max-passes=1000,step=fw") + soft(RHOS, "max-passes=1000"), ["auto"], y="bounds", sweep="primal_suboptimality"),
    Figure("002-1-small", "Small ρ near convergence", ["yeast-0.001", "yeast-0.01"],
           soft(["0.01", "0.03", "0.1"], "proximal=on,max-passes=200000,check-every=500,gap-tolerance=1e-5"), ["auto"], time_limit=250,
           y="bounds", sweep="primal_suboptimality"),
    Figure("002-2-yeast", "Objective and accuracy against time: Yeast", ["yeast-0.01", "yeast-0.001"], ALL_SOFT, time_limit=30,
           x="seconds", y="primal", test_metric=True),
    Figure("002-2-rcv1", "Objective and accuracy against time: RCV1 or its drawn stand-in", ["rcv1-0.0001", "rcv1-0.001"],
           soft(["0.1", "1", "10", "100"], "check-every=5,max-passes=500") + ["al:check-every=5,max-passes=500", "auto", *LINEAR_PROGRAMS],
           time_limit=250, x="seconds", y="primal", test_metric=True),
    Figure("002-2-reuters", "Objective and accuracy against time: Reuters-21578", ["reuters-0.0001", "reuters-0.001"], ALL_SOFT,
           time_limit=120, x="seconds", y="primal", test_metric=True),
    Figure("002-2-rho", "The effect of ρ on accuracy: 932 documents of Reuters-21578", ["reuters-0.0001@932.1", "reuters-0.001@932.1"],
           soft(["0.1", "1", "10"], "check-every=5") + ["al:check-every=5", "auto", "bcfw-lp"], time_limit=30, test_metric=True),
    Figure("002-2-msrc", "Objective and accuracy against time: MSRC-21, two layers of superpixels, class potentials", ["msrc"],
           soft(["1", "9.5", "95", "950"]) + ["al", "auto", "dlpw", "smooth-dlpw"], time_limit=120, x="seconds", y="primal",
           test_metric=True),
    Figure("002-3-yeast", "What the soft constraints cost against the number of examples, in both scales of ρ: Yeast",
           samples("yeast-0.001", [94, 188, 375, 750]) + samples("yeast-0.01", [94, 188, 375, 750]),
           soft(["1"], NEAR_OPTIMUM) + soft(["1", "0.000666667"], PAPER_SCALE + NEAR_OPTIMUM), ["auto:gap-tolerance=1e-5"]),
    Figure("002-3-reuters", "What the soft constraints cost against the number of examples, in both scales of ρ: Reuters-21578",
           samples("reuters-0.0001", [233, 466, 932, 1864, 3729]) + samples("reuters-0.001", [233, 466, 932, 1864, 3729]),
           soft(["1"], NEAR_OPTIMUM) + soft(["1"], PAPER_SCALE + NEAR_OPTIMUM), ["auto:gap-tolerance=1e-6"], time_limit=200),
    Figure("002-3-msrc", "What the soft constraints cost against the number of examples, in both scales of ρ: MSRC-21",
           samples("msrc", [21, 42, 84, 168]),
           soft(["95"], CENTRED + "1e-4") + soft(["95"], PAPER_SCALE + CENTRED + "1e-3") + soft(["1"], PAPER_SCALE + CENTRED + "1e-5"),
           ["auto:gap-tolerance=1e-7"], time_limit=200),
    Figure("003-1-letters", "Suboptimality against passes: handwritten words", LETTERS,
           having(NEWEST, *STOCHASTIC) + ["eg:max-passes=30"], BATCH, runs=10, test_metric=True),
    Figure("003-1-conll", "Suboptimality and test error against passes: CoNLL-2000", ["conll"],
           having(NEWEST, *STOCHASTIC) + ["eg:max-passes=30"], BATCH, time_limit=180, runs=10, test_metric=True),
    Figure("003-2", "Line search against fixed steps: handwritten words", LETTERS, having(NEWEST, "bcfw", "bcfw:fixed-step=on", "ssg"),
           ["fw", "fw:fixed-step=on"], runs=10, test_metric=True),
    Figure("003-3", "Averages of the iterates: handwritten words", LETTERS, having(NEWEST, *AVERAGES), ["auto"], runs=10,
           test_metric=True),
    Figure("003-4", "Averages of the iterates: CoNLL-2000", CONLL, having(NEWEST, *AVERAGES), ["auto"], time_limit=120, runs=10,
           test_metric=True),
    Figure("003-5", "Suboptimality and test error against passes: synthetic matchings", ["matching-0.01", "matching-0.001", "matching"],
           having("keep-newest=on,max-passes=200", *STOCHASTIC), BATCH, time_limit=30, runs=10, test_metric=True),
    Figure("004", "Weights that are not 0 against the strength of the l1 regulariser", ["yeast-0.01"],
           [f"prox-sdca:l1={strength}" for strength in ("0.0001", "0.0003", "0.001", "0.003", "0.01", "0.03")], time_limit=30,
           y="relative_gap", test_metric=True, sweep="nonzero_weights"),
]
