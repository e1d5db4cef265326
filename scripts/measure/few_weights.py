#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Training where examples outnumber weights: drawn multi-label problems and matchings.

Usage: few_weights.py PROGRAM [OTHER_PROGRAM] [--factors LIST] [--gaps LIST] [--max-passes N]

Draws problems with 9 to 1700 examples per weight into a temporary folder, trains each with
`bcfw --step pairwise` on one thread, with a check after every pass, and prints for each gap: passes,
oracle calls and steps per example, and the processor seconds of the passes. --factors: of the
default λ (1, 0.1). With OTHER_PROGRAM, each run of PROGRAM is followed by one of the other.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile


def draw_labels(path, examples, features, labels, source):
    """Labels that are noisy linear functions of normal features."""
    planes = [[source.gauss(0, 1) for _ in range(features)] for _ in range(labels)]
    with open(path, "w") as file:
        for _ in range(examples):
            x = [source.gauss(0, 1) for _ in range(features)]
            relevant = [str(label) for label, plane in enumerate(planes)
                        if sum(a * b for a, b in zip(plane, x)) + source.gauss(0, 0.7) > 0]
            values = " ".join(f"{k + 1}:{value:.3f}" for k, value in enumerate(x))
            file.write(",".join(relevant) + " " + values + "\n")


def draw_matchings(path, examples, source):
    """Graphs of 3 to 5 nodes a side; edges with five normal features are taken greedily by a noisy
    linear score."""
    plane = [2, -1.5, 1, 0.7, -0.5]
    with open(path, "w") as file:
        for _ in range(examples):
            left, right = source.randint(3, 5), source.randint(3, 5)
            edges = []
            for i in range(left):
                for j in range(right):
                    x = [source.gauss(0, 1) for _ in plane]
                    score = sum(a * b for a, b in zip(plane, x)) + source.gauss(0, 1)
                    edges.append((score, i, j, x))
            taken = []
            for score, i, j, _ in sorted(edges, key=lambda edge: -edge[0]):
                if score > 0 and all(i != a and j != b for a, b in taken):
                    taken.append((i, j))
            file.write(f"{left} {right}\n")
            for _, i, j, x in edges:
                values = " ".join(f"f{k}:{value:.3f}" for k, value in enumerate(x))
                file.write(f"{i} {j} {int((i, j) in taken)} {values}\n")
            file.write("\n")


def problems(folder):
    """name -> arguments of the training."""
    source = random.Random(3)
    found = {}
    for name, examples, features, labels in [("300 x 6", 300, 6, 4), ("10000 x 60", 10_000, 60, 8),
                                             ("60000 x 60", 60_000, 60, 8),
                                             ("10000 x 6", 10_000, 6, 4),
                                             ("50000 x 20", 50_000, 20, 6)]:
        path = folder / f"{name.replace(' ', '')}.svm"
        draw_labels(path, examples, features, labels, source)
        found[name] = ["multilabel", "train", path, "--num-labels", str(labels)]
    draw_matchings(folder / "matchings.txt", 10_000, source)
    found["matchings"] = ["matching", "train", folder / "matchings.txt"]
    return found


def train(program, way, folder, options):
    command = [program, *way, "--learner", "bcfw", "--step", "pairwise", "--threads", "1",
               "--check-every", "1", "--quiet", "--model", folder / "model", "--log",
               folder / "log", *options]
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)
    lines = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    return lines[0], [line for line in lines[1:] if line.get("relative_gap") is not None]


def cell(checks, examples, gap):
    at = next((check for check in checks if check["relative_gap"] <= gap), None)
    if at is None:
        return "–"
    seconds = at["seconds"] * min(1, at["cpu_seconds"] / (at["seconds"] + at["check_seconds"]))
    return (f"{at['pass']} passes, {at['oracle_calls'] / examples:.1f} calls, "
            f"{at['block_steps'] / examples:.1f} steps, {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="+")
    parser.add_argument("--factors", default="1,0.1")
    parser.add_argument("--gaps", default="0.1,0.01,0.001")
    parser.add_argument("--max-passes", default="100")
    arguments = parser.parse_args()
    gaps = sorted(map(float, arguments.gaps.split(",")), reverse=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for problem, way in problems(folder).items():
            start, _ = train(arguments.program[0], way, folder, ["--max-passes", "1"])
            for factor in map(float, arguments.factors.split(",")):
                for program in arguments.program:
                    _, checks = train(program, way, folder,
                                      ["--lambda", repr(start["lambda"] * factor), "--gap-tolerance",
                                       str(gaps[-1]), "--max-passes", arguments.max_passes])
                    cells = [cell(checks, start["examples"], gap) for gap in gaps]
                    print(f"{problem} lambda x {factor:g} {program}: " + " | ".join(cells),
                          flush=True)


if __name__ == "__main__":
    sys.exit(main())
