#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prox-SDCA against FISTA, proximal SGD and RDA on linear models.

Usage: linear_methods.py STUDY [--data FOLDER] [--only NAME]

STUDY is the program tests/studies/linear_methods.cc of the build. Prints the tables of
docs/notebook/linear.md. The sets are one label of Yeast (data/yeast) with standardised features
of mean length 1, the letter e in the pixels of data/letters, and, with --data FOLDER (which has
reuters30/reuters30-train.svm.gz), one topic of Reuters-30.
"""

import argparse
import gzip
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOSSES = ("smoothed-hinge", "logistic", "squared")


def write(path, rows):
    """Writes (label, {feature: value}) as LIBSVM text, every row divided by the mean length."""
    lengths = [math.sqrt(sum(v * v for v in x.values())) for _, x in rows]
    unit = sum(lengths) / len(lengths)
    with open(path, "w", encoding="utf-8") as out:
        for label, x in rows:
            values = " ".join(f"{f}:{v / unit:.9g}" for f, v in sorted(x.items()) if v != 0)
            out.write(f"{label} {values}\n")


def yeast():
    """The first label that a third of the examples have, with standardised features."""
    with gzip.open(ROOT / "data/yeast/yeast-train.arff.gz", "rt") as text:
        lines = [line.strip() for line in text]
    begin = [line.lower() for line in lines].index("@data") + 1
    data = [[float(v) for v in line.split(",")] for line in lines[begin:] if line]
    columns = list(zip(*data))
    labels = next(c for c in columns[-14:] if 0.3 < sum(c) / len(c) < 0.5)
    scaled = []
    for column in columns[:-14]:
        mean = sum(column) / len(column)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in column) / len(column)) or 1
        scaled.append([(v - mean) / deviation for v in column])
    return [
        (1 if label else -1, {f + 1: v for f, v in enumerate(x)})
        for label, x in zip(labels, zip(*scaled))
    ]


def letters():
    """Whether a letter is an e, by its pixels."""
    rows = []
    for path in sorted((ROOT / "data/letters").glob("letter-fold*.data.gz")):
        with gzip.open(path, "rt") as text:
            for line in text:
                fields = line.split()
                x = {k + 1: 1.0 for k, pixel in enumerate(fields[6:134]) if pixel == "1"}
                rows.append((1 if fields[1] == "e" else -1, x))
    return rows


def reuters(folder):
    """Whether a document has topic 0."""
    rows = []
    with gzip.open(folder / "reuters30/reuters30-train.svm.gz", "rt") as text:
        for line in text:
            fields = line.split()
            topics = fields[0].split(",") if fields and ":" not in fields[0] else []
            x = {int(k): float(v) for k, v in (f.split(":") for f in fields if ":" in f)}
            rows.append((1 if "0" in topics else -1, x))
    return rows


def compare(what, *command):
    print(what, flush=True)
    subprocess.run([*map(str, command)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--only", help="the name of one set")
    parser.add_argument("--most", type=int, default=1000, help="passes of one method")
    arguments = parser.parse_args()
    sets = {"yeast": yeast, "letters": letters}
    if arguments.data:
        sets["reuters"] = lambda: reuters(arguments.data)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in sets.items():
            if arguments.only not in (None, name):
                continue
            path = pathlib.Path(folder) / (name + ".svm")
            rows = make()
            write(path, rows)
            for loss in LOSSES:
                for factor in (100, 10, 1):  # λ = factor/n
                    strength = factor / len(rows)
                    compare(f"{name}, {loss}, lambda {factor}/n, l1 = lambda/10",
                            arguments.study, path, loss, strength, strength / 10, arguments.most)
                for share in (0.1, 0.01):  # of the σ that makes all weights 0
                    compare(f"{name}, {loss}, problem (6), {share} of the largest l1",
                            arguments.study, path, loss, 0, share, arguments.most)


if __name__ == "__main__":
    main()
