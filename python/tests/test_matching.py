# SPDX-License-Identifier: BSD-3-Clause
"""Matcher: the best matchings, the objective, files of the command line, bad arguments."""
import itertools
import json
import pickle
import warnings

import numpy as np
import pytest

import slackline
from shipped_data import run_program
from slackline import Matcher, MatchingExample

sparse = pytest.importorskip("scipy.sparse")


def drawn(count=20, features=3, seed=0, capacity=1):
    """Examples with array features, and their matchings."""
    random = np.random.RandomState(seed)
    X, y = [], []
    for _ in range(count):
        left, right = random.randint(1, 5, size=2)
        edges = np.array([(a, b) for a in range(left) for b in range(right)
                          if random.rand() < 0.8] or [(0, 0)])
        values = random.rand(len(edges), features)
        labels = np.zeros(len(edges), dtype=int)
        used = {side: np.zeros(5, dtype=int) for side in range(2)}
        for e in np.argsort(-values[:, 0]):
            a, b = edges[e]
            if values[e, 0] > 0.5 and used[0][a] < capacity and used[1][b] < capacity:
                labels[e] = 1
                used[0][a] += 1
                used[1][b] += 1
        X.append((left, right, edges, values))
        y.append(labels)
    return X, y


def as_dicts(X, names=("a", "b", "c")):
    return [(left, right, edges, [dict(zip(names, row.tolist())) for row in values])
            for left, right, edges, values in X]


def allowed(example, left_capacity, right_capacity):
    """All matchings of the edges."""
    left, right, edges, _ = example
    for labels in itertools.product((0, 1), repeat=len(edges)):
        chosen = edges[np.array(labels) == 1]
        if (left_capacity is None
                or (np.bincount(chosen[:, 0], minlength=left) <= left_capacity).all()) and \
                (right_capacity is None
                 or (np.bincount(chosen[:, 1], minlength=right) <= right_capacity).all()):
            yield np.array(labels)


def small(X):
    return [k for k, example in enumerate(X) if len(example[2]) <= 10]


@pytest.mark.parametrize("capacities", [(1, 1), (2, 1), (None, 1), (2, None)])
def test_predictions_agree_with_brute_force(capacities):
    X, y = drawn()
    matcher = Matcher(C=1, left_capacity=capacities[0], right_capacity=capacities[1]).fit(X, y)
    predicted = matcher.predict(X)
    scores = matcher.decision_function(X)
    for k in small(X):
        best = max(labels @ scores[k] for labels in allowed(X[k], *capacities))
        assert predicted[k] @ scores[k] == pytest.approx(best, abs=1e-12)
        assert any((labels == predicted[k]).all() for labels in allowed(X[k], *capacities))


@pytest.mark.parametrize("parameters", [
    {}, {"loss": "mean"}, {"precision_cost": 2.5, "recall_cost": 0.5}, {"learner": "bcfw"},
])
def test_primal_is_the_objective(parameters):
    X, y = drawn()
    kept = small(X)
    X, y = [X[k] for k in kept], [y[k] for k in kept]
    matcher = Matcher(lam=0.05, scale="none", **parameters).fit(X, y)
    precision = parameters.get("precision_cost", 1)
    recall = parameters.get("recall_cost", 3)
    weights = matcher.weights_
    norm = sum(np.sum(block ** 2) for block in weights.values())
    total = 0.0
    for example, labels, scores in zip(X, y, matcher.decision_function(X)):
        expected = example[3] @ weights["edge"][0] + weights["bias"][0, 0]
        assert np.allclose(scores, expected)
        worst = max(precision * np.sum(own > labels) + recall * np.sum(own < labels)
                    if parameters.get("loss") != "mean" else
                    (precision * np.sum(own > labels) + recall * np.sum(own < labels)) / len(own)
                    for own in [labels])
        assert worst == 0
        total += max((precision * np.sum(own > labels) + recall * np.sum(own < labels))
                     / (len(own) if parameters.get("loss") == "mean" else 1)
                     + (own - labels) @ scores for own in allowed(example, 1, 1))
    primal = matcher.lam_ / 2 * norm + total / len(X)
    assert primal == pytest.approx(matcher.primal_, rel=1e-9)
    assert matcher.dual_ <= matcher.primal_ and matcher.relative_gap_ <= matcher.tol


def test_metrics():
    X, y = drawn()
    matcher = Matcher(C=1).fit(X, y)
    predicted = np.concatenate(matcher.predict(X))
    truth = np.concatenate(y)
    metrics = matcher.metrics(X, y)
    right = np.sum(predicted * truth)
    assert metrics["precision"] == pytest.approx(right / predicted.sum())
    assert metrics["recall"] == pytest.approx(right / truth.sum())
    assert matcher.score(X, y) == metrics["f1"] > 0.8
    assert metrics["edges"] == len(truth) and metrics["examples"] == len(X)
    hidden = [np.where(np.arange(len(labels)) == 0, -1, labels) for labels in y]
    assert matcher.metrics(X, hidden)["edges"] == len(truth) - len(X)


def test_possible_edges():
    X, y = drawn()
    doubt = [np.where((labels == 1) & (np.arange(len(labels)) % 3 == 0), 2, labels) for labels in y]
    unknown = [np.where(labels == 2, -1, labels) for labels in doubt]
    matcher = Matcher(C=10).fit(X, doubt)
    assert np.array_equal(matcher.weights_["edge"],
                          Matcher(C=10).fit(X, unknown).weights_["edge"])
    metrics = matcher.metrics(X, doubt)
    predicted = np.concatenate(matcher.predict(X))
    labels = np.concatenate(doubt)
    sure = np.sum(predicted[labels == 1])
    allowed = np.sum(predicted[labels >= 1])
    assert metrics["possible"] == np.sum(labels == 2) > 0
    assert metrics["right"] == sure and metrics["tolerated"] == allowed - sure > 0
    assert metrics["precision"] == pytest.approx(allowed / predicted.sum())
    assert metrics["recall"] == pytest.approx(sure / np.sum(labels == 1))
    assert metrics["error_rate"] == pytest.approx(
        1 - (sure + allowed) / (predicted.sum() + np.sum(labels == 1)))
    with pytest.raises(ValueError, match="is 3; labels are 0, 1, 2"):
        matcher.metrics(X, [np.full(len(labels), 3) for labels in y])


def test_features_of_all_kinds_agree():
    X, y = drawn()
    first = Matcher(C=1).fit(X, y)
    assert first.feature_names_ == ["0", "1", "2"] and first.n_features_in_ == 3
    kinds = {
        "csr": [(a, b, edges, sparse.csr_matrix(values)) for a, b, edges, values in X],
        "float lists": [(a, b, edges.tolist(), values.tolist()) for a, b, edges, values in X],
        "objects": [MatchingExample(*example) for example in X],
        "dicts": as_dicts(X),
    }
    pandas = pytest.importorskip("pandas")
    kinds["frames"] = [(a, b, edges, pandas.DataFrame(values, columns=list("abc")))
                       for a, b, edges, values in X]
    for name, inputs in kinds.items():
        matcher = Matcher(C=1).fit(inputs, y)
        assert np.array_equal(matcher.weights_["edge"], first.weights_["edge"]), name
        assert all(np.array_equal(one, two) for one, two in
                   zip(matcher.predict(inputs), first.predict(X)))
    named = Matcher(C=1).fit(kinds["dicts"], y)
    assert named.feature_names_ == ["a", "b", "c"]
    assert [p.tolist() for p in named.predict(kinds["frames"])] == \
        [p.tolist() for p in first.predict(X)]
    with pytest.raises(ValueError, match="feature 0 is named '0', where 'a' is expected; pass"):
        named.predict(X)
    with pytest.raises(ValueError, match="has 2 features, where 3 are expected"):
        first.predict([(a, b, edges, values[:, :2]) for a, b, edges, values in X])
    unknown = [(a, b, edges, [dict(features, z=5) for features in values])
               for a, b, edges, values in kinds["dicts"]]
    assert [p.tolist() for p in named.predict(unknown)] == \
        [p.tolist() for p in named.predict(kinds["dicts"])]


def test_unknown_labels_and_examples_without_edges():
    X, y = drawn()
    some = [labels.astype(object) for labels in y]
    for labels in some[::2]:
        labels[0] = None
    X = X + [(3, 0, [], []), (2, 2, np.zeros((0, 2), dtype=int), np.zeros((0, 3)))]
    some += [[], []]
    matcher = Matcher(C=1).fit(X, some)
    predicted = matcher.predict(X)
    assert [len(p) for p in predicted] == [len(example[2]) for example in X]
    assert matcher.predict([]) == [] and matcher.decision_function([]) == []
    assert matcher.predict([(1, 1, [], [])])[0].tolist() == []
    with pytest.raises(ValueError, match="no edge has a known label"):
        Matcher().fit(X[:1], [[-1] * len(y[0])])


@pytest.mark.parametrize("example, labels, message", [
    ((1, 1, [(0, 0)]), [1], r"X\[0\] has 3 parts"),
    (3, [1], r"X\[0\] must be a tuple \(n_left, n_right, edges, features\) or a MatchingExample"),
    ((-1, 1, [(0, 0)], [[1.0]]), [1], r"X\[0\]: n_left == -1"),
    ((1, 1.5, [(0, 0)], [[1.0]]), [1], r"X\[0\]: n_right == 1.5"),
    ((1, 1, [(0, 1)], [[1.0]]), [1], r"X\[0\]: edge 0 has right node 1, but n_right is 1"),
    ((1, 1, [(-1, 0)], [[1.0]]), [1], r"X\[0\]: edge 0 has left node -1"),
    ((1, 1, [(0, 0, 0)], [[1.0]]), [1], r"edges must be integers of shape \(E, 2\)"),
    ((1, 1, [(0.0, 0.0)], [[1.0]]), [1], r"edges must be integers of shape \(E, 2\), not float64"),
    ((1, 2, [(0, 0), (0, 1), (0, 0)], np.ones((3, 1))), [0, 0, 0],
     r"X\[0\]: edge 2 from 0 to 0 is given twice"),
    ((1, 1, [(0, 0)], np.ones((2, 1))), [1], r"X\[0\] has 1 edges, but features of 2"),
    ((1, 1, [(0, 0)], [{}, {}]), [1], r"X\[0\] has 1 edges, but features of 2"),
    ((1, 1, [(0, 0)], [[np.nan]]), [1], r"features of X\[0\] contains NaN: row 0, column 0"),
    ((1, 1, [(0, 0)], [{"a": float("inf")}]), [1],
     r"features of X\[0\], edge 0: feature 'a' is infinite"),
    ((1, 1, [(0, 0)], [{"a": None}]), [1], "feature 'a' is neither a number nor a string"),
    ((1, 1, [(0, 0)], ["a"]), [1], "features must be a dict or a list of strings, not str"),
    ((1, 1, [(0, 0)], [[1.0]]), [1, 0], r"y\[0\] must have shape \(1,\), one label per edge"),
    ((1, 1, [(0, 0)], [[1.0]]), [4], r"y\[0\]\[0\] is 4; labels are 0, 1, 2 .possible., and -1"),
    ((1, 1, [(0, 0)], [[1.0]]), ["x"], r"y\[0\] must hold numbers"),
    ((1, 2, [(0, 0), (0, 1)], np.ones((2, 1))), [1, 1],
     r"y\[0\]: left node 0 has 2 edges with label 1, and left_capacity is 1"),
])
def test_bad_examples(example, labels, message):
    with pytest.raises(ValueError, match=message):
        Matcher().fit([example], [labels])


def test_bad_lists():
    X, y = drawn(3)
    for inputs, labels, message in [
            ([], [], "X has no examples"), ("text", y, "X must be a list of examples, not str"),
            (5, y, "X must be a list"), (X, y[:1], "X has 3 examples, but y has 1"),
            (X, None, "y must be a list"), (X[:1] + as_dicts(X[1:]), y, "of another kind"),
            (X[:2] + [X[2][:3] + (np.ones((len(X[2][2]), 1)),)], y,
             r"X\[2\] has 1 features, where 3 are expected")]:
        with pytest.raises(ValueError, match=message):
            Matcher().fit(inputs, labels)
    with pytest.raises(slackline._base.NotFittedError):
        Matcher().predict(X)


@pytest.mark.parametrize("parameters, message", [
    ({"C": 1, "lam": 1}, "exclude each other"),
    ({"left_capacity": 0}, "left_capacity == 0"),
    ({"right_capacity": 1.5}, "right_capacity == 1.5"),
    ({"precision_cost": -1}, "precision_cost == -1"),
    ({"recall_cost": float("nan")}, "recall_cost == nan"),
    ({"loss": "f1"}, "loss: 'f1' is not allowed"),
    ({"scale": "big"}, "scale: 'big' is not allowed"),
    ({"learner": "best"}, "best"),
    ({"learner_options": {"kernel": "rbf"}}, "kernel"),
])
def test_bad_parameters(parameters, message):
    X, y = drawn(5)
    with pytest.raises(ValueError, match=message):
        Matcher(**parameters).fit(X, y)


def test_pickle_clone_and_files(tmp_path):
    X, y = drawn()
    matcher = Matcher(C=1, right_capacity=None, recall_cost=2, tol=1e-4).fit(X, y)
    matcher.save(tmp_path / "m.slk")
    loaded = Matcher.load(tmp_path / "m.slk")
    for other in (pickle.loads(pickle.dumps(matcher)), loaded):
        assert other.right_capacity is None and other.recall_cost == 2 and other.tol == 1e-4
        assert other.primal_ == matcher.primal_
        assert all(np.array_equal(one, two) for one, two in
                   zip(other.decision_function(X), matcher.decision_function(X)))
    assert np.array_equal(loaded.fit(X, y).weights_["edge"], matcher.weights_["edge"])
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.clone(matcher).get_params() == matcher.get_params()
    with pytest.raises(ValueError, match="No such file"):
        Matcher.load(tmp_path / "none.slk")


def test_cross_validation():
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = drawn()
    grid = selection.GridSearchCV(Matcher(), {"C": [0.01, 1]}, cv=2).fit(X, y)
    assert grid.best_score_ > 0.7


def test_warm_start_and_callbacks():
    X, y = drawn()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matcher = Matcher(lam=0.001, max_iter=3, tol=1e-9, warm_start=True).fit(X, y)
        first = matcher.gap_
        matcher.set_params(max_iter=12).fit(X, y)
        assert matcher.gap_ < first and matcher.n_iter_ == 12
        whole = Matcher(lam=0.001, max_iter=12, tol=1e-9).fit(X, y)
    assert np.array_equal(whole.weights_["edge"], matcher.weights_["edge"])
    seen = []
    Matcher(tol=1e-12, lam=1e-4).fit(X, y, callbacks=lambda record: not seen.append(record))
    assert len(seen) == 1


# The command line


def read(path):
    """Examples of a file, with dicts as features."""
    X, y = [], []
    for block in path.read_text().strip().split("\n\n"):
        head, *lines = block.split("\n")
        edges, features, labels = [], [], []
        for line in lines:
            left, right, label, *rest = line.split()
            edges.append((int(left), int(right)))
            labels.append({"1": 1, "0": 0, "?": -1}[label])
            pairs = [text.rpartition(":") for text in rest]
            features.append({name or value: float(value) if name else 1.0
                             for name, _, value in
                             (pair if pair[0] else ("", "", pair[2]) for pair in pairs)})
        left, right = map(int, head.split())
        X.append((left, right, edges, features))
        y.append(labels)
    return X, y


@pytest.mark.parametrize("parameters, flags", [
    ({}, ""),
    ({"C": 0.1}, "--C 0.1"),
    ({"lam": 0.01, "loss": "mean", "scale": "max-abs"},
     "--lambda 0.01 --loss mean --scale max-abs"),
    ({"left_capacity": 2, "right_capacity": None, "precision_cost": 1.5, "recall_cost": 1},
     "--left-capacity 2 --right-capacity 0 --precision-cost 1.5 --recall-cost 1"),
])
def test_matchings_are_those_of_the_program(tmp_path, parameters, flags):
    run_program("matching", "draw", "--out", tmp_path / "data", "--examples", "24", "-q")
    run_program("matching", "train", tmp_path / "data" / "train.txt", "--model",
                tmp_path / "m.slk", "-q", *flags.split())
    theirs = Matcher.load(tmp_path / "m.slk")
    X, y = read(tmp_path / "data" / "train.txt")
    own = Matcher(**parameters).fit(X, y)
    assert own.feature_names_ == theirs.feature_names_
    for name, block in own.weights_.items():
        assert np.array_equal(block, theirs.weights_[name]), name
    for figure in ("primal_", "dual_", "gap_", "lam_", "n_iter_", "termination_"):
        assert getattr(own, figure) == getattr(theirs, figure), figure
    own.save(tmp_path / "own.slk")
    test = tmp_path / "data" / "test.txt"
    X, y = read(test)
    text = run_program("matching", "predict", test, "--model", tmp_path / "own.slk", "-q")
    pairs = [" ".join(f"{a}-{b}" for (a, b), label in zip(edges, labels) if label)
             for (_, _, edges, _), labels in zip(X, theirs.predict(X))]
    assert text.rstrip("\n").split("\n") == pairs
    metrics = json.loads(run_program("matching", "evaluate", test, "--model", tmp_path / "m.slk",
                                     "--json", "-q"))
    assert metrics["f1"] == own.score(X, y)
