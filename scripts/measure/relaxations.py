#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does it matter for predictions which problem a model is trained on?

Usage: relaxations.py [--problems LIST] [--test N] [--limit SECONDS]

Needs the Python package. Trains on problems of the family of cycles.py: the exact problem, the LP
relaxation, and the tightened relaxation (`certify`). Labels N new examples, drawn like those of
training, exactly where search closes in a second, else approximately. Prints for each problem and
way: the processor seconds, the certified bounds, the share of wrong labels in the new examples, whose
labels are noisy, too, and the share of variables on which the predictions differ from those of the
exact problem's model.
"""
import argparse

import numpy as np

import cycles
import slackline

WAYS = ("exact", "relaxed", "tightened")


def predicted(model, graph, rows):
    return np.asarray(slackline.predict(graph, rows, model, time_limit=1).labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", default="0,1,2,3,4,5,7,8,9,10,12,15,33,35,36,38")
    parser.add_argument("--test", type=int, default=40)
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_args()
    for k in map(int, arguments.problems.split(",")):
        problem = cycles.Drawn(k)
        tests = [problem.example() for _ in range(arguments.test)]
        reference = None
        for way in WAYS:
            try:
                seconds, _, result = problem.train(arguments.limit, certify=way)
            except ValueError as error:
                print(f"{k:3} {problem.text():45} {way:9} {error}", flush=True)
                continue
            labels = [predicted(result, graph, rows) for graph, rows, _ in tests]
            reference = labels if reference is None else reference
            wrong = np.mean([np.mean(mine != truth)
                             for mine, (_, _, truth) in zip(labels, tests)])
            other = np.mean([np.mean(mine != theirs) for mine, theirs in zip(labels, reference)])
            print(f"{k:3} {problem.text():45} {way:9} {seconds:7.2f} s  [{result.dual:.5f}, "
                  f"{result.primal:.5f}] {result.termination:10} wrong {100 * wrong:5.2f} %, "
                  f"other {100 * other:4.2f} %", flush=True)


if __name__ == "__main__":
    main()
