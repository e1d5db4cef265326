#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Handwritten words: OUT/letters/letter.data.gz from letter.data.

RAW is letter.data or letter.data.gz: the OCR data set of Rob Kassel (MIT Spoken Language Systems
Group) as prepared by Ben Taskar, Carlos Guestrin and Daphne Koller for "Max-Margin Markov Networks"
(NIPS 2003). One letter per line, tabs between: id, letter, next id, word id, position, fold, 16 x 8
pixels. The file is checked and packed, not changed."""
import collections
import os

import common

LETTERS = [4617, 5375, 5110, 5353, 5270, 5001, 5583, 5370, 5331, 5142]  # per fold
WORDS = [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]
SHA256 = "528f0c65193379762b21bb190504450264e9d424b75a105a8e064ad4e09a15bc"


def main():
    args = common.arguments(__doc__, [("RAW", "letter.data, plain or gzip")])
    data = common.read_bytes(args.RAW)
    letters, words, names = collections.Counter(), collections.Counter(), set()
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        fields = line.rstrip("\t").split("\t")
        if len(fields) != 6 + 128 or not fields[5].isdigit() or not set(fields[6:]) <= {"0", "1"}:
            common.fail(f"{args.RAW}:{number}: not a letter with six fields and 128 pixels")
        letters[int(fields[5])] += 1
        words[int(fields[5])] += fields[2] == "-1"
        names.add(fields[1])
    folds = range(max(letters) + 1) if letters else []
    common.check("letters per fold", [letters[f] for f in folds], LETTERS, args.any_counts)
    common.check("words per fold", [words[f] for f in folds], WORDS, args.any_counts)
    common.check("different letters", len(names), 26, args.any_counts)
    common.tell_checksum("letter.data", data, SHA256)
    common.write(os.path.join(args.OUT, "letters", "letter.data.gz"), data)


if __name__ == "__main__":
    main()
