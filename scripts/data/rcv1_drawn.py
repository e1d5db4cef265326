#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A drawn stand-in for RCV1 with 30 labels: OUT/rcv1/{rcv1-train.svm.gz, rcv1-test.svm.gz,
labels.txt}, the files that rcv1.py makes from the real collection.

The sizes are those of the real problem: 5000 + 1000 documents, 47236 terms, 30 labels, some 76
terms a document; with all pairs of labels 1 417 515 weights. What is drawn follows the real
collection roughly:
  labels   A tree of topics. A document has one topic or several, and the labels of these and of all
           topics above them. Shares of labels and labels a document (2.4 with the 30 most frequent)
           are those of LIBSVM's RCV1 subset 1. A second topic is often related to the first.
  terms    A Zipf-Mandelbrot law for all documents, and one for each topic on terms of its own. A
           word comes from a topic of the document with probability TOPIC_WORDS. Some texts have
           another topic than their labels say, so that the labels cannot be predicted perfectly.
  values   (1 + ln tf) ln((N + 1) / (df + 1)) with N and df of the training documents, rows of norm 1.
Every draw comes from one seed; the bytes are the same on every machine."""
import bisect
import collections
import itertools
import math
import os
import random

import common

TRAIN, TEST, FEATURES, SEED = 5000, 1000, 47236, 1

# name: (the topic above, share of documents)
TOPICS = {
    "A": ("", .439), "A1": ("A", .165), "A11": ("A1", .091), "A12": ("A1", .080), "A2": ("A", .066), "A21": ("A2", .054),
    "A3": ("A", .052), "A4": ("A", .046), "A5": ("A", .045), "A6": ("A", .039), "A7": ("A", .028),
    "B": ("", .289), "B1": ("B", .064), "B2": ("B", .044), "B3": ("B", .041), "B4": ("B", .039), "B5": ("B", .035), "B6": ("B", .024),
    "C": ("", .147), "C1": ("C", .061), "C11": ("C1", .034), "C12": ("C1", .027), "C2": ("C", .034),
    "D": ("", .123), "D1": ("D", .070),
    "E": ("", .082), "E1": ("E", .044), "E2": ("E", .040),
    "F": ("", .070), "G": ("", .042),
}
MORE_TOPICS = (.22, .04)     # shares of documents with a second, and then with a third topic
RELATED, RELATED_WEIGHT = 4, 8
MEAN_TERMS, SPREAD_TERMS = 76, .6   # different terms of a document, and the spread of their logarithm
TOPIC_WORDS = .3
TOPIC_TERMS = 600            # terms that a topic has of its own
WRONG_TEXT = .05
COMMON_OFFSET, COMMON_POWER = 40, 1.18
TOPIC_OFFSET, TOPIC_POWER = 10, 1.0
SHA256 = {
    "train": "c967855dc351727163088e4fff2aadf473b4d25cabcc6dc8ce43faafc9df897f",
    "test": "5e4822487c4395d2900bb9024a2ff57dac82e362790b0083ab2afb83e5c0ce24",
}


class Draw:
    """The rows of a table of weights, drawn in proportion to them."""

    def __init__(self, rng, items, weights):
        self.rng, self.items, self.sums = rng, list(items), list(itertools.accumulate(weights))

    def __call__(self):
        return self.items[min(bisect.bisect_right(self.sums, self.rng.random() * self.sums[-1]), len(self.items) - 1)]


def zipf(count, offset, power):
    return [(k + offset) ** -power for k in range(count)]


def shuffled(rng, items):
    """Random.shuffle is not the same in all versions of Python; random() is."""
    return [item for _, item in sorted((rng.random(), item) for item in items)]


def with_parents(topic):
    while topic:
        yield topic
        topic = TOPICS[topic][0]


class Topics:
    """Draws the topics of documents."""

    def __init__(self, rng):
        self.rng = rng
        below = collections.Counter()
        for above, share in TOPICS.values():
            below[above] += share
        # The share of documents for which no topic below is given.
        own = {topic: max(share - below[topic], .1 * share) for topic, (_, share) in TOPICS.items()}
        self.first = Draw(rng, own, own.values())
        self.next = {}
        for topic in TOPICS:
            related = set(shuffled(rng, [other for other in TOPICS if other != topic])[:RELATED])
            self.next[topic] = Draw(rng, own, [own[t] * (RELATED_WEIGHT if t in related else 1) for t in own])

    def __call__(self):
        topics = [self.first()]
        for share in MORE_TOPICS:
            if self.rng.random() < share:
                topics.append(self.next[topics[-1]]())
        return topics


class Words:
    """Draws the words of documents. The numbers of terms say nothing about their frequencies."""

    def __init__(self, rng):
        self.rng = rng
        terms = shuffled(rng, range(1, FEATURES + 1))
        self.common = Draw(rng, terms, zipf(FEATURES, COMMON_OFFSET, COMMON_POWER))
        self.own = {}
        for topic in TOPICS:
            own = list(dict.fromkeys(self.common() if rng.random() < .5 else terms[int(rng.random() * FEATURES)]
                                     for _ in range(TOPIC_TERMS)))
            self.own[topic] = Draw(rng, shuffled(rng, own), zipf(len(own), TOPIC_OFFSET, TOPIC_POWER))

    def length(self):
        normal = math.sqrt(-2 * math.log(1 - self.rng.random())) * math.cos(2 * math.pi * self.rng.random())
        return max(8, round(MEAN_TERMS * math.exp(SPREAD_TERMS * normal - SPREAD_TERMS ** 2 / 2)))

    def __call__(self, topics):
        counts, length = collections.Counter(), self.length()
        while len(counts) < length:
            own = self.rng.random() < TOPIC_WORDS
            counts[self.own[topics[int(self.rng.random() * len(topics))]]() if own else self.common()] += 1
        return counts


def draw_documents(rng):
    topics, words = Topics(rng), Words(rng)
    numbers = {topic: k for k, topic in enumerate(TOPICS)}
    for _ in range(TRAIN + TEST):
        given = topics()
        text = topics() if rng.random() < WRONG_TEXT else given
        labels = {numbers[label] for topic in given for label in with_parents(topic)}
        yield sorted(labels), words([label for topic in text for label in with_parents(topic)])


def rows(documents):
    df = collections.Counter(term for _, words in documents[:TRAIN] for term in words)
    for labels, words in documents:
        row = {term: (1 + math.log(tf)) * math.log((TRAIN + 1) / (df[term] + 1)) for term, tf in words.items()}
        norm = math.sqrt(sum(row[term] ** 2 for term in sorted(row)))
        yield labels, {term: value / norm for term, value in row.items()}


def tell(documents):
    counts = collections.Counter(label for labels, _ in documents for label in labels)
    print(f"documents: {TRAIN} + {TEST}, features: {FEATURES}")
    print(f"labels a document: {sum(counts.values()) / len(documents):.2f}, "
          f"terms: {sum(len(row) for _, row in documents) / len(documents):.1f}, "
          f"different terms: {len({term for _, row in documents for term in row})}, "
          f"different sets of labels: {len({tuple(labels) for labels, _ in documents})}")
    print("shares of labels:", " ".join(f"{name} {counts[k] / len(documents):.3f}" for k, name in enumerate(TOPICS)))


def main():
    args = common.arguments(__doc__, [])
    documents = list(rows(list(draw_documents(random.Random(SEED)))))
    common.declare_width([row for _, row in documents], FEATURES)
    tell(documents)
    parts = {"train": [], "test": []}
    for k, document in enumerate(documents):
        parts["train" if k < TRAIN else "test"].append(common.libsvm_line(*document))
    for part, lines in parts.items():
        common.tell_checksum(f"rcv1-{part}.svm", "".join(lines).encode("ascii"), SHA256[part])
    common.write_libsvm_parts(os.path.join(args.OUT, "rcv1"), parts, TOPICS)


if __name__ == "__main__":
    main()
