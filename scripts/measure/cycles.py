#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Training on drawn graphs with cycles and several states: `auto` against all that it might choose.

Usage: cycles.py [--problems N] [--first K] [--limit SECONDS] [--learners LIST] [--others]

Needs the Python package. Problem k is drawn with seed k: grids of 6 × 6 to 64 × 64 pixels with four
or eight neighbours, or random planar graphs like those of superpixels; 3 to 8 states; pairs with
tables, Potts weights, or tables that depend on a contrast; the default λ, a tenth or a hundredth of
it; four to six examples, noisy labels and noisy inputs. The wanted gap is 1e-3, and 1e-2 above 1600
variables.

Prints a line for each problem: the processor seconds of `auto`, its gap and how it ended. --others:
also the learners of the list, each with a limit of the seconds that `auto` took (ten times as many
where it did not reach the gap), and the best of them. A problem counts as slow where `auto` takes
more than 1.5 times the seconds of the best.
"""
import argparse
import time
import warnings

import numpy as np
import scipy.spatial

import slackline
from slackline import factors

KINDS = ("tables", "Potts", "contrast", "planar")
SIDES = (6, 8, 12, 16, 24, 32, 48, 64)
LEARNERS = {"pdhg": {"learner": "pdhg"},
            "bcfw": {"learner": "bcfw",
                     "learner_options": {"oracle": "messages", "step": "pairwise"}},
            "search": {"learner": "bcfw",
                       "learner_options": {"oracle": "messages-branch-and-bound",
                                           "step": "pairwise"}},
            "al": {"learner": "al"},
            "planes": {"learner": "cutting-plane-1", "learner_options": {"oracle": "messages"}}}


def grid_edges(side, neighbours):
    steps = [(0, 1), (1, 0)] + ([(1, 1), (1, -1)] if neighbours == 8 else [])
    return [(y * side + x, (y + dy) * side + x + dx)
            for y in range(side) for x in range(side) for dy, dx in steps
            if y + dy < side and 0 <= x + dx < side]


def planar_edges(points):
    triangles = scipy.spatial.Delaunay(points).simplices
    return sorted({tuple(sorted((int(t[a]), int(t[b]))))
                   for t in triangles for a, b in ((0, 1), (1, 2), (0, 2))})


class Drawn:
    """Problem k of the family."""

    def __init__(self, k):
        self.rng = np.random.default_rng(k)
        self.kind = KINDS[k % 4]
        self.side = SIDES[k // 4 % 8]
        self.states = int(self.rng.integers(3, 9))
        self.neighbours = int(self.rng.choice((4, 8)))
        self.share = (1, 0.1, 0.01)[k % 3]
        self.model = slackline.Model()
        states = self.states
        self.taste = self.model.add_weights("taste", states, states + 1)
        rows, columns = {"Potts": (1, 1), "contrast": (states * states, 2)}.get(
            self.kind, (states * states, 1))
        self.pair = self.model.add_weights("pair", rows, columns)
        self.data = slackline.Dataset(self.model)
        for _ in range(int(self.rng.integers(4, 7))):
            self.data.add(*self.example())
        self.lam, self.tol = None, 0.999
        self.lam = self.share * self.train(None, max_iter=1, **LEARNERS["bcfw"])[2].lam
        self.tol = 1e-2 if self.side > 40 else 1e-3

    def example(self):
        """(graph, inputs, labels) of one more example."""
        rng, side, states = self.rng, self.side, self.states
        count = side * side
        places = np.stack(np.divmod(np.arange(count), side), axis=1) / side
        if self.kind == "planar":
            places = rng.random((count, 2))
        edges = (planar_edges(places) if self.kind == "planar"
                 else grid_edges(side, self.neighbours))
        shift, width = rng.random(), 0.1 + 0.5 * rng.random()
        truth = (np.floor((places[:, 1] + shift) / width) + np.floor(2 * places[:, 0])) % states
        truth = truth.astype(int)
        noisy = rng.random(count) < 1 / 12
        truth[noisy] = rng.integers(states, size=int(noisy.sum()))
        inputs = np.ones((count, states + 1))
        inputs[:, :states] = np.eye(states)[truth] + 0.9 * rng.normal(size=(count, states))
        rows = list(inputs)
        builder = slackline.GraphBuilder(self.model)
        for i in builder.add_variables(count, states):
            builder.add_input(i, self.taste, i)
        table = (factors.potts(states) if self.kind == "Potts"
                 else factors.table([states, states]))
        for a, b in edges:
            if self.kind == "contrast":
                contrast = np.exp(-np.sum((inputs[a] - inputs[b]) ** 2) / (2 * states))
                builder.add_input_factor([a, b], self.pair, len(rows))
                rows.append(np.array([1, contrast]))
            else:
                builder.add_factor([a, b], table, self.pair)
        return builder.build(), rows, truth

    def train(self, limit, **options):
        """(processor seconds, relative gap, result)"""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()
            result = slackline.train(self.data, lam=self.lam, tol=self.tol, time_limit=limit,
                                     **options)
        return time.process_time() - start, result.relative_gap, result

    def text(self):
        joined = "" if self.kind == "planar" else f", {self.neighbours} neighbours"
        return f"{self.kind} {self.side}² × {self.states}{joined}, λ {self.lam:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--others", action="store_true")
    arguments = parser.parse_args()
    reached = slow = stalled_wrongly = 0
    for k in range(arguments.first, arguments.first + arguments.problems):
        problem = Drawn(k)
        seconds, gap, result = problem.train(arguments.limit)
        done = gap <= problem.tol
        reached += done
        text = (f"{k:3} {problem.text():45} {seconds:7.2f} s  gap {gap:.2e}  {result.termination}, "
                f"{result.certified_problem}, {result.n_iter} passes")
        if arguments.others:
            limit = max(1.0, seconds if done else min(10 * seconds, 10 * arguments.limit))
            found = {}
            for name in arguments.learners.split(","):
                taken, other_gap, _ = problem.train(limit, **LEARNERS[name])
                if other_gap <= problem.tol:
                    found[name] = taken
            best = min(found, key=found.get, default="none")
            text += f"  best other: {best}"
            if found:
                text += f" {found[best]:.2f} s"
                slow += done and seconds > 1.5 * found[best]
                stalled_wrongly += not done
        print(text, flush=True)
    print(f"{reached} of {arguments.problems} reach their gap", end="")
    if arguments.others:
        print(f"; {slow} take more than 1.5 times the seconds of the best other learner; on "
              f"{stalled_wrongly} of those that do not reach it another learner does", end="")
    print()


if __name__ == "__main__":
    main()
