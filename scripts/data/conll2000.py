#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Chunks: OUT/conll2000/train.txt.gz and test.txt.gz from the files of the CoNLL-2000 shared task.

RAW is the folder with train.txt and test.txt, each also as .gz, as the task distributes them (Tjong
Kim Sang and Buchholz, "Introduction to the CoNLL-2000 Shared Task: Chunking"; the text is from the
Wall Street Journal part of the Penn Treebank). One token per line: word, part of speech, chunk tag;
an empty line between sentences. The files are checked and packed, not changed."""
import os

import common

KNOWN = {
    "train": (8936, 211727, 22, "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea"),
    "test": (2012, 47377, 19, "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628"),
}


def count(path, data):
    """The numbers of sentences, tokens and distinct tags."""
    sentences, tokens, tags, inside = 0, 0, set(), False
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        fields = line.split()
        if fields and len(fields) != 3:
            common.fail(f"{path}:{number}: a line has a word, a part of speech and a tag")
        sentences += bool(fields) and not inside
        inside = bool(fields)
        if fields:
            tokens += 1
            tags.add(fields[2])
    return sentences, tokens, len(tags)


def main():
    args = common.arguments(__doc__, [("RAW", "folder with train.txt and test.txt")])
    for name, (sentences, tokens, tags, sha256) in KNOWN.items():
        path = os.path.join(args.RAW, name + ".txt")
        data = common.read_bytes(path)
        found = count(path, data)
        common.check(f"{name}: sentences, tokens, tags", found, (sentences, tokens, tags), args.any_counts)
        common.tell_checksum(name, data, sha256)
        common.write(os.path.join(args.OUT, "conll2000", name + ".txt.gz"), data)


if __name__ == "__main__":
    main()
