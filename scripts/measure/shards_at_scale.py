#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A model of the time of a pass over many examples on many ranks, and its figure.

Usage: shards_at_scale.py PROGRAM [--examples 1e8] [--weights 2e6] [--labels 20] [--values 50]
                          [--gigabits 100] [--latency-us 10] [--slowest 1.3] [--out FIGURE.svg]

One rank has one shard. A round takes the seconds of

  visits    W = max(60000, 60 d/P, 12 (d + d P/32)) array entries of work, where examples outnumber
            weights max(60 d/P, a quarter of the others) (PartWork in
            learning/shards/round_learner.cc)
  waits     the slowest rank takes so much longer than the mean (--slowest)
  bytes     8 d (1 + (P-1)/P) given and taken by each rank, over the network
  latency   4 collective operations of log2(P) messages
  products  d/P weights of a rank times P (P+1)/2 pairs of shards
  sums      d (P/P + 1) weights read and written

and a pass has as many rounds as its work needs. Calibrated on this machine: the seconds that a pass
takes per example, its rounds over the active sets included, by two short runs of PROGRAM on drawn
examples with this many labels and values, and the seconds of a sum per weight by long arrays. The
seconds of a multiplication in a product are those of `perf report` on handwritten words with eight
shards. Weights are all frequent here, the dear
case; columns of rare features are exchanged only where they change. Prints a table; passes are
those of one shard, and how many more P shards need is measured by shards.py.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

import numpy

LEAST_PART, PER_WEIGHT, PER_EXCHANGED, PARTS_OF_MANY = 60_000, 60, 12, 4
COLLECTIVES = 4
PRODUCT = 0.2e-9  # seconds per multiplication and addition
VISIT_ENTRIES = 50  # besides the entries of the features: kVisitWork


def draw(path, examples, labels, values):
    source = random.Random(1)
    with open(path, "w") as file:
        for _ in range(examples):
            features = sorted(source.sample(range(2000), values))
            on = [str(k) for k in range(labels) if (features[k % values] + k) % 4 == 0]
            file.write(",".join(on) + " " + " ".join(f"{f + 1}:1" for f in features) + "\n")


def seconds_per_visit(program, labels, values):
    """Of a pass per example, from runs of 2 and 6 passes."""
    examples = 4000
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "drawn.svm"
        draw(data, examples, labels, values)
        found = {}
        for passes in (2, 6):
            log = pathlib.Path(folder) / "log.jsonl"
            subprocess.run([program, "multilabel", "train", data, "--num-labels", str(labels), "--graph",
                            "tree", "--learner", "bcfw", "--step", "pairwise", "--max-passes",
                            str(passes), "--gap-tolerance", "0", "--check-every", str(passes),
                            "--quiet", "--log", log, "--model", f"{folder}/m.slk"],
                           check=True, stderr=subprocess.DEVNULL)
            last = [json.loads(line) for line in log.read_text().splitlines()][-2]
            found[passes] = last["seconds"]
    return (found[6] - found[2]) / (4 * examples)


def seconds_of(work, repeats):
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        best = min(best, time.perf_counter() - start)
    return best / repeats


def seconds_per_sum():
    """Of one array added to another, per number."""
    large, other = numpy.random.rand(4_000_000), numpy.random.rand(4_000_000)
    return seconds_of(lambda: numpy.add(large, other, out=large), 5) / large.size


def part_work(ranks, weights, examples):
    least = max(LEAST_PART, PER_EXCHANGED * (weights + weights * ranks / 32))
    return max(least / (PARTS_OF_MANY if examples > weights else 1), PER_WEIGHT * weights / ranks)


def round_of(ranks, weights, examples, entry, slowest, product, total, network, latency):
    """Seconds of visits, waits, bytes, latency, products and sums of a round; its work in entries."""
    work = part_work(ranks, weights, examples) if ranks > 1 else LEAST_PART
    sent = 8 * weights * (1 + (ranks - 1) / ranks) if ranks > 1 else 0
    return {
        "visits": work * entry,
        "waits": work * entry * (slowest - 1) if ranks > 1 else 0,
        "bytes": sent / network,
        "latency": COLLECTIVES * math.log2(ranks) * latency if ranks > 1 else 0,
        "products": weights / ranks * ranks * (ranks + 1) / 2 * product if ranks > 1 else 0,
        "sums": 2 * weights * total if ranks > 1 else 0,
    }, work


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--examples", type=float, default=1e8)
    parser.add_argument("--weights", type=float, default=2e6)
    parser.add_argument("--labels", type=int, default=20)
    parser.add_argument("--values", type=int, default=50)
    parser.add_argument("--gigabits", type=float, default=100)
    parser.add_argument("--latency-us", type=float, default=10)
    parser.add_argument("--slowest", type=float, default=1.3)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    visit = seconds_per_visit(arguments.program, arguments.labels, arguments.values)
    entries = VISIT_ENTRIES + arguments.labels * arguments.values
    entry = visit / entries
    product, total = PRODUCT, seconds_per_sum()
    print(f"an example takes {1e6 * visit:.1f} us, a product {1e9 * product:.2f} ns, "
          f"a sum {1e9 * total:.2f} ns per weight")
    network = arguments.gigabits / 8 * 1e9
    rows = []
    for ranks in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        parts, work = round_of(ranks, arguments.weights, arguments.examples, entry,
                               arguments.slowest, product, total, network,
                               1e-6 * arguments.latency_us)
        rounds = arguments.examples * entries / (work * ranks)
        rows.append((ranks, rounds, {name: seconds * rounds for name, seconds in parts.items()}))
    names = list(rows[0][2])
    print("ranks  rounds/pass  s/pass  speed-up  " + "  ".join(f"{name:>9}" for name in names))
    alone = sum(rows[0][2].values())
    for ranks, rounds, parts in rows:
        whole = sum(parts.values())
        print(f"{ranks:5}  {rounds:11.0f}  {whole:6.0f}  {alone / whole:8.1f}  " +
              "  ".join(f"{parts[name]:9.1f}" for name in names))
    if arguments.out:
        figure(rows, names, alone, arguments)


def figure(rows, names, alone, arguments):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "slackline"
    from matplotlib import pyplot
    picture, axes = pyplot.subplots(figsize=(7, 4.2))
    ranks = [row[0] for row in rows]
    below = numpy.zeros(len(rows))
    for name in names:
        shares = numpy.array([row[2][name] / sum(row[2].values()) for row in rows])
        axes.bar([str(r) for r in ranks], 100 * shares, bottom=100 * below, label=name)
        below += shares
    axes.set_xlabel("ranks, with a shard each")
    axes.set_ylabel("share of a pass, %")
    speed = axes.twinx()
    speed.plot([str(r) for r in ranks], [alone / sum(row[2].values()) for row in rows], "k.-")
    speed.set_yscale("log", base=2)
    speed.set_ylabel("passes per second, relative to one rank (line)")
    axes.set_title(f"{arguments.examples:.0e} examples, {arguments.weights:.0e} weights, "
                   f"{arguments.gigabits:g} Gbit/s")
    axes.legend(loc="lower left", fontsize=8)
    picture.tight_layout()
    picture.savefig(arguments.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
