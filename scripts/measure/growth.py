#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How the work of learners grows with the number of examples, labels and features: passes, seconds per pass and seconds to a certified
relative gap of 0.01 (processor seconds of training), and the exponents of the least-squares fits log seconds = a log size + b."""
import argparse
import math
import statistics

from bench_program import number, result

GAP = 1e-2


def sizes_of(args):
    """The examples of the problem, all of them last."""
    whole = result(args, args.problems, "ssg:max-passes=1", "--runs", "1")["examples"]
    return sorted({max(whole // 4, 1), max(whole // 2, 1), whole})


def axes(args):
    """(name, what varies, [(size, problem)])."""
    name = args.problems.split(":")[0]
    sample = [(size, args.problems.replace(name, f"{name}@{size}.{args.seed}", 1)) for size in sizes_of(args)]
    labels = ("rcv1s1:labels=", (10, 25, 50, 101)) if args.DATA else ("toy:labels=", (2, 4, 6))
    features = [(size, f"labels:features={size},lambda=0.01,draw={args.seed}") for size in (1000, 4000, 16000)]
    return [("examples", "examples of " + args.problems, sample),
            ("labels", "labels of " + labels[0].split(":")[0], [(size, f"{labels[0]}{size}") for size in labels[1]]),
            ("features, dense", "drawn, 200 examples, 10 labels, dense features", features),
            ("features, sparse", "drawn, 200 examples, 10 labels, 50 features that are not 0 per example",
             [(size, problem + ",stored=50") for size, problem in features])]


def exponent(points):
    """The fitted exponent over points (size, seconds) with finite seconds > 0; None when fewer than two remain."""
    logs = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds and math.isfinite(seconds)]
    if len({x for x, _ in logs}) < 2:
        return None
    return statistics.linear_regression(*zip(*logs)).slope


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("DATA", nargs="?", help="the data folder of slackline-bench; without it, drawn labels")
    parser.add_argument("--problems", metavar="NAME", help="the problem whose number of examples changes [reuters-0.001; without DATA grids-small]")
    parser.add_argument("--learners", default="auto,al", metavar="LIST")
    parser.add_argument("--time-limit", default="60", metavar="SECONDS", help="of one run, including checks; 0 = none")
    parser.add_argument("--runs", default="3")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--program", default="build/bench/slackline-bench", help="[%(default)s]")
    args = parser.parse_args()
    args.problems = args.problems or ("reuters-0.001" if args.DATA else "grids-small")
    print(f"{'size':<28} {'learner':<20} |  calls/example        passes   s per pass  s to the gap")
    for name, text, problems in axes(args):
        print(f"\n{name}: {text}", flush=True)
        passes, gaps = {}, {}
        for size, problem in problems:
            made = result(args, problem, args.learners, "--runs", args.runs, "--time-limit", args.time_limit, "--gap-tolerance", str(GAP),
                          "--gaps", str(GAP))
            for learner in made["learners"]:
                work, = learner["median_work_to_gap"]
                per_pass = [run["training_cpu_seconds"] / run["last"]["pass"] for run in learner["runs"] if run["last"]["pass"] > 0]
                seconds = statistics.median(per_pass) if per_pass else None
                passes.setdefault(learner["learner"], []).append((size, seconds))
                gaps.setdefault(learner["learner"], []).append((size, work["training_cpu_seconds"]))
                print(f"{f'{name} {size}':<28} {learner['learner']:<20} |{number(work['oracle_calls_per_example']):>15}"
                      f"{number(work['passes']):>14}{number(seconds):>13}{number(work['training_cpu_seconds']):>14}", flush=True)
        for learner, points in passes.items():
            print(f"{name + ', fitted exponent':<28} {learner:<20} |{'':>29}{number(exponent(points)):>13}"
                  f"{number(exponent(gaps[learner])):>14}", flush=True)


if __name__ == "__main__":
    main()
