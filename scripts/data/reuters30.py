#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reuters: OUT/reuters30/{reuters30-train.svm.gz, reuters30-test.svm.gz, labels.txt} from the SGML
files of Reuters-21578.

RAW is the folder with reut2-000.sgm to reut2-021.sgm (Reuters-21578, Distribution 1.0; (c) Reuters,
for research only). From the ModApte split (LEWISSPLIT TRAIN or TEST, and TOPICS="YES") the
documents with at least one of the 30 most frequent topics are kept. Words are runs of letters of
title and body, in lower case; words in at least three training documents are features, in
alphabetical order. Values: (1 + ln tf) ln(N / df) with N and df of the training documents, rows of
norm 1.

Documents and topics are those of the data in docs/notebook/reproduction.md (their counts are
checked). The rule for words of those data is not recorded, so the number of features may differ
from their 10095."""
import collections
import html
import math
import os
import re

import common

TOPICS = ("earn acq money-fx grain crude trade interest wheat ship corn money-supply dlr sugar oilseed coffee gnp gold veg-oil soybean "
          "livestock nat-gas bop cpi cocoa reserves carcass copper jobs yen ipi").split()
TRAIN = [2877, 1650, 538, 433, 389, 369, 347, 212, 197, 181, 140, 131, 126, 124, 111, 101, 94, 87, 78, 75, 75, 75, 69, 55, 55, 50, 47,
         46, 45, 41]
TEST = [1087, 719, 179, 149, 189, 117, 131, 71, 89, 56, 34, 44, 36, 47, 28, 35, 30, 37, 33, 24, 30, 30, 28, 18, 18, 18, 18, 21, 14, 12]
FILES = 22
MIN_DOCUMENTS = 3


def text_of(tag, story):
    found = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", story, re.S)
    return html.unescape(found.group(1)) if found else ""


def stories(folder):
    """(split, topics, words) of the documents of the ModApte split that have one of the topics."""
    for number in range(FILES):
        path = os.path.join(folder, f"reut2-{number:03}.sgm")
        if not os.path.exists(path) and not os.path.exists(path + ".gz") and number > 0:
            continue  # the checks of counts would notice
        text = common.read_bytes(path).decode("latin-1")
        for attributes, story in re.findall(r"<REUTERS([^>]*)>(.*?)</REUTERS>", text, re.S):
            split = re.search(r'LEWISSPLIT="(TRAIN|TEST)"', attributes)
            if not split or 'TOPICS="YES"' not in attributes:
                continue
            topics = set(re.findall(r"<D>(.*?)</D>", text_of("TOPICS", story)))
            labels = [k for k, topic in enumerate(TOPICS) if topic in topics]
            body = text_of("TITLE", story) + " " + text_of("BODY", story)
            if labels:
                yield split.group(1), labels, collections.Counter(re.findall(r"[a-z]+", body.lower()))


def rows(documents, weights, numbers):
    lines = []
    for labels, words in documents:
        row = {numbers[w]: (1 + math.log(tf)) * weights[w] for w, tf in words.items() if w in numbers}
        norm = math.sqrt(sum(value * value for value in row.values()))
        lines.append(common.libsvm_line(labels, {f: v / norm for f, v in row.items() if v > 0} if norm > 0 else {}))
    return "".join(lines).encode("ascii")


def main():
    args = common.arguments(__doc__, [("RAW", "folder with reut2-000.sgm to reut2-021.sgm")])
    parts = {"TRAIN": [], "TEST": []}
    for split, labels, words in stories(args.RAW):
        parts[split].append((labels, words))
    for split, wanted in (("TRAIN", TRAIN), ("TEST", TEST)):
        counts = collections.Counter(label for labels, _ in parts[split] for label in labels)
        common.check(f"{split}: documents per topic", [counts[k] for k in range(len(TOPICS))], wanted, args.any_counts)
    common.check("documents", (len(parts["TRAIN"]), len(parts["TEST"])), (7457, 2854), args.any_counts)
    df = collections.Counter(word for _, words in parts["TRAIN"] for word in words)
    kept = sorted(word for word, n in df.items() if n >= MIN_DOCUMENTS)
    print(f"features: {len(kept)}")
    weights = {word: math.log(len(parts["TRAIN"]) / df[word]) for word in kept}
    numbers = {word: k for k, word in enumerate(kept, 1)}
    folder = os.path.join(args.OUT, "reuters30")
    for split, documents in parts.items():
        common.write(os.path.join(folder, f"reuters30-{split.lower()}.svm.gz"), rows(documents, weights, numbers))
    common.write(os.path.join(folder, "labels.txt"), ("\n".join(TOPICS) + "\n").encode("ascii"))


if __name__ == "__main__":
    main()
