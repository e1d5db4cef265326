#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processor seconds of `slackline multiclass train` and of LIBLINEAR (-s 4, Crammer and Singer) to
relative gaps of one objective.

    classes.py SLACKLINE DATA.svm LAMBDA... [--runs 3] [--bias 1] [--learner auto]
               [--skip-liblinear]

DATA: LIBSVM text with one class per example. The objective is λ/2 ‖w‖² + (1/M) Σ hinge, LIBLINEAR's
divided by C·M, with λ = 1/(C·M). `slackline` runs until it certifies a gap; LIBLINEAR runs with
falling tolerances, and the objective of each of its models is compared with the lower bound of a
precise run of `slackline`. Times are processor seconds of whole processes, medians of the runs,
reading and writing of files included.
"""
import argparse
import json
import os
import statistics
import tempfile

import numpy as np

import defaults

GAPS = (0.1, 0.01, 0.001)
TOLERANCES = (100, 30, 10, 5, 3, 2, 1, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
MOST_SECONDS = 600


def processor_seconds(command):
    return defaults.run([str(part) for part in command])[1]


def median_seconds(runs, command):
    return statistics.median(processor_seconds(command) for _ in range(runs))


class Data:
    """The examples as sparse rows, in the numbering of classes that LIBLINEAR reads."""

    def __init__(self, path, folder):
        from scipy.sparse import csr_matrix
        lines = [line.split() for line in open(path, encoding="utf-8") if line.strip()]
        names = sorted({line[0] for line in lines})
        self.labels = np.array([names.index(line[0]) for line in lines])
        columns, values, ends = [], [], [0]
        for line in lines:
            for token in line[1:]:
                column, value = token.split(":")
                columns.append(int(column) - 1)
                values.append(float(value))
            ends.append(len(columns))
        self.rows = csr_matrix((values, columns, ends))
        self.path = os.path.join(folder, "numbers.svm")
        with open(self.path, "w", encoding="utf-8") as file:
            for label, line in zip(self.labels, lines):
                file.write(" ".join([str(label), *line[1:]]) + "\n")

    def objective(self, model, lam):
        lines = open(model, encoding="utf-8").read().splitlines()
        order = [int(name) for name in next(x for x in lines if x.startswith("label")).split()[1:]]
        bias = float(next(line for line in lines if line.startswith("bias")).split()[1])
        begin = lines.index("w") + 1
        weights = np.array([[float(text) for text in line.split()] for line in lines[begin:]])
        given = weights[: self.rows.shape[1]]
        scores = self.rows @ given + (bias * weights[-1] if bias >= 0 else 0)
        position = {name: k for k, name in enumerate(order)}
        truth = np.array([position[label] for label in self.labels])
        every = np.arange(len(truth))
        margin = scores + 1
        margin[every, truth] -= 1
        return lam / 2 * (weights ** 2).sum() + (margin.max(axis=1) - scores[every, truth]).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slackline")
    parser.add_argument("data")
    parser.add_argument("lambdas", nargs="+", type=float)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bias", default="1")
    parser.add_argument("--learner", default="auto", help="a learner, with its options")
    parser.add_argument("--skip-liblinear", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Data(arguments.data, folder)
        model = os.path.join(folder, "model")
        print(f"{len(data.labels)} examples; processor seconds to gaps of {GAPS}")
        for lam in arguments.lambdas:
            train = [arguments.slackline, "multiclass", "train", arguments.data, "--scale", "none",
                     "--bias", arguments.bias, "--lambda", lam, "--threads", 1, "--model", model,
                     "--quiet", "--learner", *arguments.learner.split()]
            ours = [median_seconds(arguments.runs, [*train, "--gap-tolerance", gap])
                    for gap in GAPS]
            print(f"lambda {lam}: slackline {' '.join(f'{x:.2f}' for x in ours)}", flush=True)
            if arguments.skip_liblinear:
                continue
            processor_seconds([*train, "--gap-tolerance", 1e-4])
            info, _ = defaults.run([arguments.slackline, "info", model, "--json"])
            bound = json.loads(info)["dual"]
            wanted = list(GAPS)
            for tolerance in TOLERANCES:
                liblinear = ["liblinear-train", "-s", 4, "-c", repr(1 / (lam * len(data.labels))),
                             "-B", 1 if arguments.bias == "1" else -1, "-e", tolerance, data.path,
                             model]
                seconds = processor_seconds(liblinear)
                gap = 1 - bound / data.objective(model, lam)
                if wanted and gap <= wanted[0]:
                    seconds = median_seconds(arguments.runs, liblinear)
                    while wanted and gap <= wanted[0]:
                        print(f"  liblinear -e {tolerance}: gap {gap:.4f}, below {wanted.pop(0)}, "
                              f"{seconds:.2f} s", flush=True)
                if not wanted or seconds > MOST_SECONDS:
                    break
            for gap in wanted:
                print(f"  liblinear: not below {gap}; the last gap is above it")


if __name__ == "__main__":
    main()
