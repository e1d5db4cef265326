#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares with classifier chains: usage: chains.py PROGRAM DATA_FOLDER [NAME...]

Trains reuters30 and rcv1s1 (or the named data) with the program's defaults and with weighted
losses, and as a chain of linear classifiers (ClassifierChain over LinearSVC of scikit-learn,
Debian's python3-sklearn: every label is an input for later ones), with C from 1/4 … 16 by micro F1
in five folds. Both are measured without and with the rule of at least one label per example, where
the chain takes the label with the largest score. Prints a Markdown table of figures on the test
data.
"""
import json
import sys
import tempfile
import warnings

import numpy
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.model_selection import KFold
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

import defaults

KEYS = ("hamming_loss", "subset_accuracy", "micro_f1", "macro_f1", "example_f1")


def figures(truth, found):
    """The figures of `multilabel evaluate`; labels without examples and predictions count 0 in
    macro F1."""
    return {"hamming_loss": hamming_loss(truth, found), "subset_accuracy": accuracy_score(truth, found),
            "micro_f1": f1_score(truth, found, average="micro", zero_division=0),
            "macro_f1": f1_score(truth, found, average="macro", zero_division=0),
            "example_f1": f1_score(truth, found, average="samples", zero_division=1)}


class Chain:
    """A chain of classifiers. Labels that all or no examples have are constant: a classifier needs
    two classes."""

    def __init__(self, x, y, c):
        self.width = y.shape[1]
        self.constant = y[0]
        self.varying = numpy.flatnonzero((y != y[0]).any(axis=0))
        self.chain = ClassifierChain(LinearSVC(C=c)).fit(x, y[:, self.varying])

    def predict(self, x, at_least_one):
        found = numpy.tile(self.constant, (x.shape[0], 1))
        found[:, self.varying] = self.chain.predict(x)
        if at_least_one:
            best = self.varying[self.chain.decision_function(x).argmax(axis=1)]
            empty = found.sum(axis=1) == 0
            found[empty, best[empty]] = 1
        return found


def chains(train, test):
    """Figures of a chain, without and with at least one label."""
    (x, y), (x_test, y_test) = train, test
    folds = list(KFold(5, shuffle=True, random_state=1).split(y))

    def score(c):
        return sum(f1_score(y[held], Chain(x[kept], y[kept], c).predict(x[held], False), average="micro")
                   for kept, held in folds)

    chain = Chain(x, y, max((4.0 ** k for k in range(-1, 3)), key=score))
    return [figures(y_test, chain.predict(x_test, at_least_one)) for at_least_one in (False, True)]


def show(title, values):
    print(f"| {title} | " + " | ".join(f"{values[key]:.4f}" for key in KEYS) + " |", flush=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    program, data, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        for one in defaults.data_sets(data):
            if one.name not in (names or ("reuters30", "rcv1s1")):
                continue
            print(f"\n| {one.name} | " + " | ".join(key.replace("_", " ") for key in KEYS) + " |")
            print("|---" * (len(KEYS) + 1) + "|")
            model = folder + "/m.slk"
            for title, more in (("`train`", []),
                                *((f"with `--loss-weights {weights}`", ["--loss-weights", weights])
                                  for weights in ("inverse-frequency:0.125", "inverse-frequency"))):
                defaults.run([program, one.task, "train"] + one.train + one.more + more +
                             ["--model", model, "--quiet"])
                for counts in ("any", "auto"):
                    out, _ = defaults.run([program, one.task, "evaluate"] + one.test + [
                        "--model", model, "--label-counts", counts, "--json"])
                    show(f"{title}, label counts {counts}", json.loads(out))
            for title, values in zip(("chain", "chain, at least one label"),
                                     chains(*defaults.read_labels(data, one.name))):
                show(title, values)


if __name__ == "__main__":
    main()
