#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""RCV1 with 30 labels: OUT/rcv1/{rcv1-train.svm.gz, rcv1-test.svm.gz, labels.txt} from the files of
LIBSVM's page of multi-label data.

RAW is one file or several, plain, gzip or bzip2, in LIBSVM's multi-label format with labels from 0:
  rcv1subset_topics_train_1.svm.bz2 rcv1subset_topics_test_1.svm.bz2   3000 + 3000 documents
  rcv1_topics_train.svm.bz2                                            23149 documents
(Lewis, Yang, Rose and Li, "RCV1", JMLR 2004: 47236 terms, tf-idf, rows of norm 1.) Values are kept
as they are.

This is the problem of Meshi, Srebro and Hazan (AISTATS 2015), as far as the paper says: 6000
documents, drawn where there are more; the 30 labels that most of these have (among ties the first),
renumbered in their order; 5000 documents drawn for training, and 1000 to test on. Both draws have
fixed seeds. labels.txt has the numbers that the labels have in RAW.

The labels of some published second halves are numbered one too low. The script therefore compares
the label counts of every further file with those of the first one, and ends where they fit better
when shifted by one."""
import collections
import math
import os
import random

import common

DOCUMENTS = 6000
TRAIN = 5000
LABELS = 30
FEATURES = 47236
SEED = 1
MOST_NORM_ERROR = 0.01


def fields(line):
    """The labels and {feature: value} of a line. Raises ValueError."""
    head, _, rest = line.partition(" ")
    if ":" in head:
        head, rest = "", line
    labels = sorted(int(label) for label in head.split(",") if label)
    row = {}
    for cell in rest.split():
        feature, value = cell.split(":")
        if int(feature) <= max(row, default=0) or not math.isfinite(float(value)):
            raise ValueError
        row[int(feature)] = float(value)
    if labels and labels[0] < 0:
        raise ValueError
    return labels, row


def read(path):
    """(labels, row) of the documents of a file."""
    documents = []
    for number, line in enumerate(common.read_bytes(path).decode("utf-8", "replace").splitlines(), 1):
        try:
            if line.strip():
                documents.append(fields(line.rstrip()))
        except ValueError:
            common.fail(f"{path}:{number}: not a line of labels and of increasing features with values")
    if not documents:
        common.fail(f"{path}: no documents")
    return documents


def label_counts(documents):
    return collections.Counter(label for labels, _ in documents for label in labels)


def distance(counts, other, shift):
    """The sum of the differences between the shares of labels, those of `other` shifted."""
    total, other_total = sum(counts.values()) or 1, sum(other.values()) or 1
    labels = set(counts) | {label + shift for label in other}
    return sum(abs(counts[label] / total - other[label - shift] / other_total) for label in labels)


def check_numbering(path, counts, other):
    shift = min((0, 1, -1), key=lambda s: distance(counts, other, s))
    if shift != 0:
        common.fail(f"{path}: its label counts fit those of the first file better with labels {shift:+d}: the files number them differently")


def draw(documents, count):
    """`count` of them, and the others, both in their order."""
    rng = random.Random(SEED)
    keys = [(rng.random(), k) for k in range(len(documents))]
    chosen = {k for _, k in sorted(keys)[:count]}
    return ([d for k, d in enumerate(documents) if k in chosen], [d for k, d in enumerate(documents) if k not in chosen])


def check_rows(documents, any_counts):
    features = max(max(row, default=0) for _, row in documents)
    if features > FEATURES and not any_counts:
        common.fail(f"features: {features}, but at most {FEATURES} were expected; --any-counts goes on all the same")
    norms = [math.sqrt(sum(v * v for v in row.values())) for _, row in documents]
    away = sum(abs(norm - 1) > MOST_NORM_ERROR for norm in norms)
    common.check("documents whose norm is not 1", away, 0, any_counts)
    return max(features, FEATURES)


def main():
    args = common.arguments(__doc__, [("RAW+", "files of LIBSVM's page, plain, gzip or bzip2")])
    documents, counts = [], None
    for path in args.RAW:
        part = read(path)
        if counts is not None and not args.any_counts:
            check_numbering(path, counts, label_counts(part))
        counts = counts or label_counts(part)
        documents += part
    if len(documents) < DOCUMENTS and not args.any_counts:
        common.fail(f"documents: {len(documents)}, but at least {DOCUMENTS} were expected; --any-counts goes on all the same")
    documents, _ = draw(documents, DOCUMENTS)
    features = check_rows(documents, args.any_counts)
    counts = label_counts(documents)
    kept = sorted(sorted(counts, key=lambda label: (-counts[label], label))[:LABELS])
    common.check("labels", len(kept), LABELS, args.any_counts)
    numbers = {label: k for k, label in enumerate(kept)}
    documents = [([numbers[label] for label in labels if label in numbers], row) for labels, row in documents]
    train, test = draw(documents, len(documents) * TRAIN // DOCUMENTS)
    common.declare_width([row for _, row in train], features)
    print(f"documents: {len(train)} + {len(test)}, features: {features}")
    print(f"labels a document: {sum(len(labels) for labels, _ in documents) / len(documents):.2f}, "
          f"terms: {sum(len(row) for _, row in documents) / len(documents):.1f}")
    parts = {name: [common.libsvm_line(*document) for document in part] for name, part in (("train", train), ("test", test))}
    common.write_libsvm_parts(os.path.join(args.OUT, "rcv1"), parts, kept)


if __name__ == "__main__":
    main()
