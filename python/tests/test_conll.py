# SPDX-License-Identifier: BSD-3-Clause
"""Sentences in the columns of the CoNLL tasks: the program with its templates, and SequenceLabeler
with the same features by name, train the same weights, bit for bit.

The sentences are drawn from a small grammar, since the texts of CoNLL may not be shipped."""
import random
import re

import numpy as np
import pytest

from shipped_data import run_program
from slackline import SequenceLabeler

WORDS = {
    "DT": ["the", "a", "every", "no"],
    "JJ": ["old", "small", "red", "quick", "running", "last"],
    "NN": ["dog", "book", "run", "house", "market", "run-up", "week", "man"],
    "NNP": ["Paris", "McDonald", "Ann", "U.S.", "May"],
    "NNS": ["dogs", "books", "runs", "shares", "prices"],
    "CD": ["3", "17", "1993", "2.5"],
    "VBZ": ["runs", "books", "sleeps", "falls", "shares"],
    "VBD": ["ran", "fell", "said", "saw"],
    "MD": ["may", "will", "can"],
    "VB": ["run", "fall", "book", "see"],
    "RB": ["quickly", "not", "again", "last"],
    "IN": ["in", "of", "on", "since"],
}
NOUN_PHRASES = [["DT", "NN"], ["DT", "JJ", "NN"], ["NNP"], ["NNP", "NNP"], ["CD", "NNS"], ["NNS"],
                ["DT", "CD", "JJ", "NNS"], ["NN"]]
VERB_PHRASES = [["VBZ"], ["VBD"], ["MD", "VB"], ["MD", "RB", "VB"], ["VBZ", "RB"]]


def chunk(draw, kind, tags):
    """Tokens (word, part of speech, label) of one chunk. Some annotators divide chunks, so that no
    weights label all of the sentences rightly."""
    begins = [k == 0 or draw.random() < 0.05 for k in range(len(tags))]
    return [(draw.choice(WORDS[tag]), tag, ("B-" if begin else "I-") + kind)
            for tag, begin in zip(tags, begins)]


def sentence(draw):
    tokens = chunk(draw, "NP", draw.choice(NOUN_PHRASES)) + \
        chunk(draw, "VP", draw.choice(VERB_PHRASES))
    for _ in range(draw.randrange(3)):
        tokens += chunk(draw, "PP", ["IN"]) + chunk(draw, "NP", draw.choice(NOUN_PHRASES))
    if draw.random() < 0.3:
        tokens += [(",", ",", "O")] + chunk(draw, "VP", draw.choice(VERB_PHRASES))
    tokens.append((".", ".", "O"))
    # Some taggers err.
    return [(word, draw.choice(list(WORDS)) if draw.random() < 0.25 else tag, label)
            for word, tag, label in tokens]


def sentences(count, seed):
    draw = random.Random(seed)
    return [sentence(draw) for _ in range(count)]


def write_columns(path, data):
    path.write_text("\n\n".join("\n".join(" ".join(token) for token in tokens)
                                for tokens in data) + "\n", encoding="utf-8")
    return path


def shape(word):
    kinds = "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
                    for c in word)
    return re.sub(r"(.)\1+", r"\1", kinds)


def expand(template, tokens, at):
    """The feature of a template for one token; macros as `slackline sequence template` explains
    them."""
    def value(match):
        macro, row, column, length = match[1], int(match[2]), int(match[3]), match[4]
        place = at + row
        if place < 0:
            return f"_B-{-place}"
        if place >= len(tokens):
            return f"_B+{place - len(tokens) + 1}"
        word = tokens[place][column]
        return {"x": lambda: word, "low": word.lower, "shape": lambda: shape(word),
                "suf": lambda: word[-int(length):]}[macro]()

    name, text = template.split(":", 1)
    return f"{name}:" + re.sub(r"%([a-z]+)\[(-?\d+),(\d+)(?:,(\d+))?\]", value, text.strip())


def features(data, templates):
    return [[[expand(template, tokens, at) for template in templates]
             for at in range(len(tokens))] for tokens in data]


def labels(data):
    return [[label for _, _, label in tokens] for tokens in data]


def columns(data):
    return [[token[:2] for token in tokens] for tokens in data]


def write_attributes(path, X, y):
    def escaped(name):
        return name.replace("\\", "\\\\").replace(":", "\\:")

    path.write_text("\n\n".join(
        "\n".join("\t".join([label, *map(escaped, names)]) for names, label in zip(tokens, given))
        for tokens, given in zip(X, y)) + "\n", encoding="utf-8")
    return path


def predictions(*arguments):
    text = run_program("sequence", "predict", *arguments, "-q")
    return [[line.split()[-1] for line in block.split("\n")]
            for block in text.strip().split("\n\n")]


def plain(labellings):
    return [labelling.tolist() for labelling in labellings]


def check_the_same(tmp_path, train, test, parameters, flags):
    """Trains both ways and compares everything."""
    data = write_columns(tmp_path / "train.txt", train)
    run_program("sequence", "train", data, "--model", tmp_path / "program.slk", "-q",
                *flags.split())
    theirs = SequenceLabeler.load(tmp_path / "program.slk")
    assert theirs.format_ == "conll"
    templates = [line for line in run_program("sequence", "template", data).splitlines()
                 if line and not line.startswith("#") and line != "B"]
    X, y = features(train, templates), labels(train)
    own = SequenceLabeler(**parameters).fit(X, y)
    assert own.state_features_ == theirs.state_features_  # the same names, too
    assert own.weights_.keys() == theirs.weights_.keys()
    for name, block in theirs.weights_.items():
        assert np.array_equal(own.weights_[name], block), name
    for figure in ("primal_", "dual_", "gap_", "lam_", "n_iter_", "termination_", "learner_"):
        assert getattr(own, figure) == getattr(theirs, figure), figure

    own.save(tmp_path / "own.slk")
    again = SequenceLabeler.load(tmp_path / "own.slk")
    unseen = features(test, templates)
    wanted = plain(own.predict(unseen))
    assert plain(again.predict(unseen)) == wanted
    assert plain(theirs.predict(columns(test))) == wanted
    assert predictions(write_columns(tmp_path / "test.txt", test), "--model",
                       tmp_path / "program.slk") == wanted
    assert predictions(write_attributes(tmp_path / "test.attributes", unseen, labels(test)),
                       "--model", tmp_path / "own.slk") == wanted
    return own, own.metrics(unseen, labels(test))


@pytest.mark.parametrize("parameters, flags", [
    ({"min_count": 3}, ""),  # the default of the program for templates
    ({"lam": 0.001, "tol": 0.01}, "--lambda 0.001 --gap-tolerance 0.01 --min-count 1"),
    ({"C": 2, "loss": "count", "constraints": "bio", "min_count": 3},
     "--C 2 --loss count --constraints bio"),
    ({"min_count": 5, "random_state": 5}, "--min-count 5 --seed 5"),
])
def test_columns_are_those_of_the_program(tmp_path, parameters, flags):
    own, metrics = check_the_same(tmp_path, sentences(300, 1), sentences(60, 2), parameters, flags)
    assert len(own.classes_) == 6
    # The task is neither trivial nor hopeless.
    assert 0.8 < metrics["chunks"]["f1"] < 1
