#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""RCV1 subset 1: OUT/rcv1s1/{rcv1s1-train.svm.gz, rcv1s1-test.svm.gz} from Mulan's files.

RAW is rcv1subset1.arff, plain or gzip: 6000 documents, 47236 terms, then 101 labels, sparse (Lewis,
Yang, Rose and Li, "RCV1", JMLR 2004, in the form that Mulan distributes). Terms are binarised, the
944 terms with most documents stay in their order (among ties the first terms), and rows get norm 1.
The first half is the training data, the second the test data.

The source numbers the labels of the second half one too low (shifted by one, the counts of the
halves agree to 0.997). This script corrects them. Label 0 of the second half is lost: leave it out
of figures on the test data."""
import collections
import math
import os
import re

import common

LABELS = 101
FEATURES = 944
SHA256 = {
    "train": "4eb8a034fdc158ce2b5b01e8ebe31f5f7e2dd9f8361ef2ddff0f640ab26cee9e",
    "test": "1ebd37f5ce90e62c394334b4d8bc0a86fc3b9afa3eaa4cdf7eb2dc4dccba2f32",
}


def read(path):
    """The numbers of the nonzero columns of each document, and the number of columns."""
    documents, columns, inside = [], 0, False
    for number, line in enumerate(common.read_bytes(path).decode("utf-8", "replace").splitlines(), 1):
        line = line.strip()
        if not inside:
            columns += line.lower().startswith("@attribute")
            inside = line.lower() == "@data"
        elif line and not line.startswith("%"):
            if not re.fullmatch(r"\{.*\}", line):
                common.fail(f"{path}:{number}: not a sparse row")
            cells = [cell.split() for cell in line[1:-1].split(",") if cell.strip()]
            if any(len(cell) != 2 or not cell[0].isdigit() or int(cell[0]) >= columns for cell in cells):
                common.fail(f"{path}:{number}: a cell is no number of a column and a value")
            documents.append([int(column) for column, value in cells if float(value) != 0])
    return documents, columns


def main():
    args = common.arguments(__doc__, [("RAW", "rcv1subset1.arff, plain or gzip")])
    documents, columns = read(args.RAW)
    common.check("documents, columns", (len(documents), columns), (6000, 47236 + LABELS), args.any_counts)
    terms = columns - LABELS
    df = collections.Counter(column for row in documents for column in row if column < terms)
    kept = sorted(sorted(df, key=lambda column: (-df[column], column))[:FEATURES])
    common.check("features", len(kept), FEATURES, args.any_counts)
    numbers = {column: k for k, column in enumerate(kept, 1)}
    half = len(documents) // 2
    for name, part, shift in (("train", documents[:half], 0), ("test", documents[half:], 1)):
        lines = []
        for row in part:
            features = [numbers[column] for column in row if column in numbers]
            value = 1 / math.sqrt(len(features)) if features else 0
            lines.append(common.libsvm_line([c - terms + shift for c in row if c >= terms], {f: value for f in features}))
        data = "".join(lines).encode("ascii")
        common.tell_checksum(name, data, SHA256[name])
        common.write(os.path.join(args.OUT, "rcv1s1", f"rcv1s1-{name}.svm.gz"), data)


if __name__ == "__main__":
    main()
