#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `auto` with the fastest of the other learners on a family of problems that covers those of users: 5 to millions of weights,
10 to 100 000 examples, 2 to 1000 labels or states, forests, graphs with cycles of two and of many states, matchings; dense, sparse
and badly scaled inputs; λ from ten times the default to a hundredth of it.

All learners train to a gap of 1e-3. A line of the table has processor seconds of training, without checks, to gaps of 1e-2 and of
1e-3. A run that cannot become the fastest is stopped early. At the end are the geometric means of the ratios, and the problems where
`auto` takes more than 1.5 times the best."""
import argparse
import math
import sys

from bench_program import number, result

GAPS = (1e-2, 1e-3)
TOLERATED = 1.5  # the summary lists problems where auto takes more than this many times the best seconds
SHORTEST = 0.05  # seconds that are too coarse to compare; such problems do not count
# A run is stopped after LIMIT_FACTOR times the elapsed seconds of the fastest run so far plus EXTRA_SECONDS.
LIMIT_FACTOR, EXTRA_SECONDS = 1.5, 0.5

# (name, problem of slackline-bench, values of λ: "=L", "1/M", or a multiple of the default).
DRAWN = [
    # Few weights and similar examples. λ = 0.01 with the mean loss is far below the default.
    ("pictures-12x12", "pictures", "=0.01 1"),
    ("pictures-20x20", "pictures:side=20", "=0.01 0.1"),
    ("pictures-12x12-205-weights", "pictures:extra-features=100", "=0.01 1 0.01"),
    ("pictures-12x12-2005-weights", "pictures:extra-features=1000", "1 0.01"),
    ("pictures-500-of-12x12", "pictures:extra-features=10,examples=500", "10 1 0.1"),
    ("pictures-30x30-4-states", "pictures:side=30,states=4", "=0.01 1"),
    # Forests and graphs with cycles, with shared weights.
    ("chains-300-of-15", "grids:rows=1,cols=15,examples=300", "10 1 0.1 0.01"),
    ("chains-5000-of-15", "grids:rows=1,cols=15,examples=5000,states=5,features=20", "1 0.1 0.01"),
    ("chains-26-states", "grids:rows=1,cols=15,examples=200,states=26,features=200", "1 0.01"),
    ("chains-100000-of-2", "grids:rows=1,cols=2,examples=100000,states=2,features=10", "1 0.01"),
    ("chains-10-of-1000", "grids:rows=1,cols=1000,examples=10,states=4,features=10", "1 0.01"),
    ("grids-10-of-8x8", "grids:rows=8,cols=8,examples=10,states=4,features=5", "=0.1 1 0.01"),
    ("grids-10-of-12x12", "grids:rows=12,cols=12,examples=10,states=4,features=5", "0.1"),
    ("grids-50-of-5x5", "grids:rows=5,cols=5,states=3,features=10", "1 0.1"),
    ("grids-50-of-6x6", "grids:rows=6,cols=6,states=6,features=10", "0.1"),
    ("grids-100-binary", "grids:rows=6,cols=6,examples=100,states=2,features=50", "1 0.01"),
    ("grids-50-of-20x20", "grids", "=1"),
    ("matchings", "matching", "10 1 0.1 0.01"),
    # Many labels for one input.
    ("labels-500x100-full", "labels:loss=mean,examples=500,features=100", "10 1 0.1 0.01"),
    ("labels-500x100-noisy-none", "labels:loss=mean,examples=500,features=100,noise=0.2,graph=none", "1 0.01"),
    ("labels-20x100-full", "labels:loss=mean,examples=20,features=100,noise=0.2", "1 0.01"),
    ("labels-20000x10-full", "labels:loss=mean,examples=20000,labels=5,features=10,noise=0.2", "1 0.01"),
    ("labels-20000x10-tree", "labels:loss=mean,examples=20000,labels=5,features=10,noise=0.2,graph=tree", "0.1"),
    ("labels-400x50-unscaled-full",
     "labels:loss=mean,examples=400,labels=8,features=50,noise=0.2,smallest-power=-3,largest-power=4", "1 0.01"),
    ("labels-400x50-unscaled-none",
     "labels:loss=mean,examples=400,labels=8,features=50,noise=0.2,smallest-power=-3,largest-power=4,graph=none", "1 0.01"),
    ("labels-1000x200-40-full", "labels:loss=mean,examples=1000,labels=40,features=200", "1 0.1"),
    ("labels-2000x50000-sparse-full", "labels:loss=mean,examples=2000,labels=20,features=50000,stored=60", "1 0.01"),
    ("labels-300x2000-1000-labels-tree", "labels:loss=mean,examples=300,labels=1000,features=2000,stored=40,graph=tree", "1 0.1"),
    ("labels-1100x1000-53-sparse-full", "labels:loss=mean,examples=1100,labels=53,features=1000,stored=90,noise=0.2", "1 0.1"),
    ("labels-400x1000-159-sparse-full", "labels:loss=mean,examples=400,labels=159,features=1000,stored=90,noise=0.2", "1"),
    ("labels-400x5000-30-sparse-full", "labels:loss=mean,examples=400,labels=30,features=5000,stored=60", "0.1"),
    ("labels-2500x3000-10-sparse-full", "labels:loss=mean,examples=2500,labels=10,features=3000,stored=60,noise=0.2", "1 0.1"),
]
ON_FILES = [
    ("emotions-full", "emotions:bias=off,loss=mean", "1/M"),
    ("emotions-standardised-full", "emotions:bias=off,loss=mean,standardise=on", "1 0.01"),
    ("flags-full", "flags:bias=off,loss=mean", "1/M"),
    ("flags-count-full", "flags:bias=off", "1/M"),
    ("flags-standardised-full", "flags:bias=off,loss=mean,standardise=on", "1 0.01"),
    ("birds-none", "birds:bias=off,loss=mean,graph=none", "1"),
    ("birds-standardised-none", "birds:bias=off,loss=mean,graph=none,standardise=on", "1/M 1"),
    ("birds-standardised-full", "birds:bias=off,loss=mean,standardise=on", "1 0.1"),
    ("yeast", "yeast", "10 1 0.1 0.01"),
    ("reuters", "reuters", "1 0.1 0.01"),
    ("rcv1s1", "rcv1s1", "1 0.1"),
    ("letters-626-words", "letters-small", "1 0.1 0.01"),
    ("letters", "letters", "0.1"),
    ("conll", "conll", "1"),
]


def family(with_files):
    """(name, problem) of all problems: "grids-50-of-6x6/0.1x", or "pictures-12x12/lambda=0.01"."""
    found = []
    for name, problem, values in DRAWN + (ON_FILES if with_files else []):
        for value in values.split():
            if value == "1/M":
                found.append((f"{name}/lambda=1/M", problem))
                continue
            option = f"lambda{value}" if value.startswith("=") else f"times={value}"
            found.append((f"{name}/{option if value.startswith('=') else value + 'x'}", problem + ("," if ":" in problem else ":") + option))
    return found


def choose(pieces, data):
    """The problems whose names contain one of the pieces; all without pieces."""
    known = family(True)
    for piece in pieces:
        if not any(piece in name for name, _ in known):
            sys.exit(f"family.py: no problem of the family has '{piece}' in its name")
    chosen = [pair for pair in family(data is not None) if not pieces or any(piece in pair[0] for piece in pieces)]
    if not chosen:
        sys.exit("family.py: these problems of the family need the data folder")
    return chosen


def entries(text):
    """The entries of a list of learners, of which each may have options with commas."""
    found = []
    for piece in text.split(","):
        if found and "=" in piece and ":" not in piece:
            found[-1] += "," + piece
        else:
            found.append(piece)
    return found


def run(args, problem, learner, limit):
    """What slackline-bench says of a learner on a problem."""
    found, = result(args, problem, learner, "--runs", str(args.runs), "--time-limit", repr(limit), "--gap-tolerance", str(GAPS[-1]),
                    "--gaps", ",".join(map(str, GAPS)))["learners"]
    if not found["runs"]:
        print(f"  {learner}: {found['state']}: {found['reason']}", file=sys.stderr, flush=True)
    return found


def elapsed_to(learner, gap):
    """The least elapsed seconds, checks included, in which a run came to the gap."""
    return min((seconds + checks for each in learner["runs"] for seconds, checks, reached in
                zip(each["curve"]["seconds"], each["curve"]["check_seconds"], each["curve"]["relative_gap"])
                if reached is not None and reached <= gap), default=math.inf)


class Duel:
    """Passes and processor seconds to one gap, of auto and of the fastest other learner. Where auto did not come to the gap, `own` holds
    its seconds so far."""

    def __init__(self, learners, number):
        self.own = self.best = self.own_passes = self.best_passes = math.inf
        self.is_bound, self.name = False, ""
        for learner in filter(lambda learner: learner["runs"], learners):
            work = learner["median_work_to_gap"][number]
            seconds, passes = (math.inf if work[key] is None else work[key] for key in ("training_cpu_seconds", "passes"))
            if learner["learner"] == "auto":
                self.is_bound = math.isinf(seconds)
                first = learner["runs"][0]
                self.own, self.own_passes = (first["training_cpu_seconds"], first["last"]["pass"]) if self.is_bound else (seconds, passes)
            elif seconds < self.best:
                self.best, self.best_passes, self.name = seconds, passes, learner["learner"]

    def counts(self):
        return math.isfinite(self.best) and math.isfinite(self.own) and min(self.own, self.best) >= SHORTEST

    def ratio(self):
        return self.own / self.best

    def cells(self):
        ratio = f"{self.ratio():.3g}" if math.isfinite(self.best) and self.best > 0 else "-"
        return (f" |{number(self.own_passes):>8}{number(self.best_passes):>8} {'>' if self.is_bound else ' '}{number(self.own):<8}"
                f"{number(self.best):>8}  {ratio:<8}{self.name:<16}")


def summary(duels):
    """Geometric means, and the problems where auto is too slow."""
    for k, gap in enumerate(GAPS):
        counted = [(name, both[k]) for name, both in duels if both[k].counts()]
        if not counted:
            continue
        mean = math.exp(sum(math.log(duel.ratio()) for _, duel in counted) / len(counted))
        over = [f"  {name:<42} {'>' if duel.is_bound else ''}{duel.ratio():.3g} times {duel.name}" for name, duel in counted
                if duel.ratio() > TOLERATED or duel.is_bound]
        print(f"to {gap:g}: geometric mean {mean:.3g} over {len(counted)} problems that take {SHORTEST:g} s or more; over {TOLERATED:g} times "
              "the best:" + ("" if over else " none"), *over, sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("DATA", nargs="?", help="the data folder of slackline-bench; without it, the problems on drawn data")
    parser.add_argument("--problems", default="", metavar="LIST", help="parts of names, separated by commas")
    parser.add_argument("--learners", default="auto,bcfw-pairwise,bmrm,cutting-plane-1,cutting-plane-n,al,prox-sdca", metavar="LIST")
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS", help="of one run, including checks; 0 = none")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/bench/slackline-bench", help="[%(default)s]")
    args = parser.parse_args()
    chosen = choose([piece for piece in args.problems.split(",") if piece], args.DATA)
    group = f" |{'  passes':<18}{'seconds: auto, best':<16} {'ratio':<8}{'best':<16}"
    print("Processor seconds of training to certified relative gaps of 1e-2 and of 1e-3, auto and the fastest of the other learners. >: not "
          f"reached.\n\n{'problem':<42}{group}{group}", flush=True)
    duels = []
    for name, problem in chosen:
        learners, limit = [], args.time_limit
        for learner in entries(args.learners):
            learners.append(run(args, problem, learner, limit))
            patient = LIMIT_FACTOR * elapsed_to(learners[-1], GAPS[-1]) + EXTRA_SECONDS
            if math.isfinite(patient):
                limit = min(limit, patient) if limit > 0 else patient
        both = [Duel(learners, k) for k in range(len(GAPS))]
        print(f"{name:<42}" + "".join(duel.cells() for duel in both), flush=True)
        duels.append((name, both))
    print()
    summary(duels)


if __name__ == "__main__":
    main()
