# SPDX-License-Identifier: BSD-3-Clause
"""Own graphs against enumeration, against estimators, and with arguments that do not fit."""
import itertools
import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import slackline
from slackline import factors, graphs


def labellings(states):
    return [np.array(y) for y in itertools.product(*map(range, states))]


class Chain:
    """Four variables with three states, an input and a bias each, joined by tables; and examples
    whose scores are computed here."""

    def __init__(self, seed=0, length=4, states=3, features=2):
        self.rng = np.random.default_rng(seed)
        self.length, self.states, self.features = length, states, features
        self.model = slackline.Model()
        taste = self.model.add_weights("taste", states, features)
        bias = self.model.add_weights("bias", states)
        pair = self.model.add_weights("pair", states * states)
        builder = slackline.GraphBuilder(self.model)
        self.variables = builder.add_variables(length, states)
        for t in self.variables:
            builder.add_input(t, taste, t)
            builder.add_factor(t, factors.table([states]), bias)
        for t in range(1, length):
            builder.add_factor([t - 1, t], factors.table([states, states]), pair)
        self.builder = builder
        self.graph = builder.build()
        self.weights = {"taste": self.rng.normal(size=(states, features)),
                        "bias": self.rng.normal(size=(states, 1)),
                        "pair": self.rng.normal(size=(states * states, 1))}

    def inputs(self):
        return self.rng.normal(size=(self.length, self.features))

    def score(self, weights, x, y):
        total = sum(weights["taste"][y[t]] @ x[t] + weights["bias"][y[t], 0]
                    for t in range(self.length))
        return total + sum(weights["pair"][y[t - 1] * self.states + y[t], 0]
                           for t in range(1, self.length))

    def dataset(self, examples=12):
        data = slackline.Dataset(self.model)
        self.examples = []
        for _ in range(examples):
            x = self.inputs()
            y = self.rng.integers(self.states, size=self.length)
            self.examples.append((x, y))
            data.add(self.graph, x, y)
        return data

    def objective(self, weights, lam):
        hinges = []
        for x, truth in self.examples:
            hinges.append(max(np.mean(y != truth) + self.score(weights, x, y)
                              for y in labellings([self.states] * self.length))
                          - self.score(weights, x, truth))
        return lam / 2 * sum(np.sum(w**2) for w in weights.values()) + np.mean(hinges)


def test_prediction_agrees_with_enumeration():
    chain = Chain()
    x = chain.inputs()
    ranked = sorted(((chain.score(chain.weights, x, y), y)
                     for y in labellings([3] * 4)), key=lambda pair: -pair[0])
    best = slackline.predict(chain.graph, x, chain.weights)
    assert best.optimal and best.labels.tolist() == ranked[0][1].tolist()
    assert best.labels.dtype == np.int32
    assert best.score == pytest.approx(ranked[0][0]) == pytest.approx(best.bound)
    few = graphs.k_best(chain.graph, x, chain.weights, 5)
    assert len(few) == 5
    for (labels, value), (wanted, y) in zip(few, ranked):
        assert value == pytest.approx(wanted) and labels.tolist() == y.tolist()
    reach = graphs.max_marginals(chain.graph, x, chain.weights)
    soft = graphs.marginals(chain.graph, x, chain.weights, temperature=0.5)
    weights = np.exp([(value - ranked[0][0]) / 0.5 for value, _ in ranked])
    assert soft.log_partition == pytest.approx(ranked[0][0] + 0.5 * np.log(weights.sum()))
    for t in range(4):
        for s in range(3):
            having = [y[t] == s for _, y in ranked]
            assert reach[t][s] == pytest.approx(next(v for v, y in ranked if y[t] == s))
            assert soft.probabilities[t][s] == pytest.approx(
                weights[having].sum() / weights.sum())
    own = slackline.Predictor(chain.graph, chain.weights)
    for value, y in ranked[:7]:
        assert own.score(x, y) == pytest.approx(value)
        assert graphs.score(chain.graph, x, y, chain.weights) == pytest.approx(value)
    unary = own.scores(x)
    assert np.allclose(unary[1], chain.weights["taste"] @ x[1] + chain.weights["bias"][:, 0])
    assert own.predict(x).labels.tolist() == best.labels.tolist()
    assert len(own.k_best(x)) == 10


def test_dense_sparse_and_mixed_inputs_are_the_same():
    chain = Chain()
    x = np.round(chain.inputs()) * (chain.rng.random((4, 2)) < 0.7)
    wanted = slackline.predict(chain.graph, x, chain.weights)
    rows = [x[0], sp.csr_matrix(x[1:2]), list(x[2]), sp.coo_matrix(x[3:4])]
    for given in (x.astype(np.float32), np.asfortranarray(x), x.tolist(), sp.csr_matrix(x),
                  sp.csc_matrix(x), rows):
        found = slackline.predict(chain.graph, given, chain.weights)
        assert found.labels.tolist() == wanted.labels.tolist()
        assert found.score == pytest.approx(wanted.score, rel=1e-5)
    locked = x.copy()
    locked.flags.writeable = False
    assert slackline.predict(chain.graph, locked, chain.weights).score == wanted.score


def test_training_reaches_the_optimum_that_it_certifies():
    chain = Chain()
    data = chain.dataset()
    records = []
    result = slackline.train(data, lam=0.05, tol=1e-5, callbacks=records.append)
    assert result.termination == "converged" and result.certified_problem == "exact"
    assert result.dual <= result.primal and result.relative_gap <= 1e-5
    assert chain.objective(result.weights, 0.05) == pytest.approx(result.primal, rel=1e-9)
    for scale in (0.9, 1.1):
        other = {name: scale * w for name, w in result.weights.items()}
        assert chain.objective(other, 0.05) > result.dual
    assert {name: w.shape for name, w in result.weights.items()} == {
        "taste": (3, 2), "bias": (3, 1), "pair": (9, 1)}
    assert len(records) == len(result.history) and records[-1]["primal"] == result.primal
    assert result.n_examples == 12 and result.lam == 0.05
    assert "12 examples" in result.report()
    again = pickle.loads(pickle.dumps(result))
    assert all(np.array_equal(again.weights[k], result.weights[k]) for k in result.weights)
    same = slackline.train(data, C=1 / (0.05 * 12), tol=1e-5, n_jobs=2)
    assert all(np.array_equal(same.weights[k], result.weights[k]) for k in result.weights)
    default = slackline.train(data)
    assert default.lam > 0
    best = slackline.predict(chain.graph, chain.examples[0][0], result)
    assert best.score == slackline.predict(chain.graph, chain.examples[0][0], result.weights).score


def test_on_cycles_the_user_chooses_the_problem():
    model = slackline.Model()
    taste = model.add_weights("taste", 3, 2)
    pair = model.add_weights("pair", 9)
    builder = slackline.GraphBuilder(model)
    for t in builder.add_variables(4, 3):
        builder.add_input(t, taste, t)
    for edge in itertools.combinations(range(4), 2):
        builder.add_factor(edge, factors.table([3, 3]), pair)
    graph = builder.build()
    data = slackline.Dataset(model)
    rng = np.random.default_rng(5)
    for _ in range(8):
        data.add(graph, rng.normal(size=(4, 2)), rng.integers(3, size=4))
    found = {problem: slackline.train(data, lam=0.02, tol=1e-4, certify=problem)
             for problem in ("exact", "relaxed")}
    for problem, result in found.items():
        assert result.certified_problem == problem
        assert result.termination == "converged"
    assert found["exact"].dual <= found["relaxed"].primal
    tightened = slackline.train(data, lam=0.02, tol=1e-4, certify="tightened")
    assert tightened.learner == "al" and tightened.certified_problem == "relaxed"
    assert found["exact"].dual <= tightened.primal and tightened.dual <= found["relaxed"].primal
    with pytest.raises(ValueError, match="certify must be"):
        slackline.train(data, certify="both")
    with pytest.raises(ValueError, match="certify"):
        slackline.train(data, learner="al", certify="exact")


def test_learners_and_losses():
    chain = Chain(3)
    data = chain.dataset()
    one = slackline.train(data, lam=0.1, tol=1e-4, learner="al")
    other = slackline.train(data, lam=0.1, tol=1e-4, learner="bcfw")
    assert one.learner == "al" and other.learner == "bcfw"
    assert one.dual <= other.primal and other.dual <= one.primal
    count = slackline.train(data, lam=0.025, loss="count", tol=1e-4)
    assert count.primal == pytest.approx(4 * slackline.train(data, lam=0.1, tol=1e-4).primal,
                                         rel=1e-3)
    costs = np.ones((3, 3)) - np.eye(3)
    same = slackline.train(data, lam=0.1, tol=1e-4, learner="bcfw", costs=costs,
                           variable_weights=np.ones(4))
    assert same.primal == pytest.approx(other.primal, rel=1e-3)
    heavier = slackline.train(data, lam=0.1, tol=1e-4, costs=3 * costs)
    assert heavier.primal > other.primal
    limited = slackline.train(data, lam=0.1, tol=1e-4, learner_options={"check_every": 1},
                              random_state=3)
    assert limited.relative_gap <= 1e-4


def test_losses_of_examples_and_unknown_labels():
    chain = Chain(4)
    plain, weighted, tables, partly = (slackline.Dataset(chain.model) for _ in range(4))
    for _ in range(8):
        x, y = chain.inputs(), chain.rng.integers(3, size=4)
        plain.add(chain.graph, x, y)
        weighted.add(chain.graph, x, y, loss_weights=[2, 2, 2, 2])
        tables.add(chain.graph, x, y, losses=[np.where(np.arange(3) == s, 0, 0.5) for s in y])
        partly.add(chain.graph, x, np.where(np.arange(4) == 2, -1, y))
    base = slackline.train(plain, lam=0.1, tol=1e-5)
    twice = slackline.train(weighted, lam=0.05, tol=1e-5)
    assert twice.primal == pytest.approx(2 * base.primal, rel=1e-4)
    same = slackline.train(tables, lam=0.05, tol=1e-5)
    assert same.primal == pytest.approx(twice.primal, rel=1e-4)
    assert slackline.train(partly, lam=0.1, tol=1e-5).primal != pytest.approx(base.primal, rel=1e-3)
    assert len(partly) == 8


def test_rows_in_files_give_the_same_weights(tmp_path):
    results = []
    for folder in ("", str(tmp_path)):
        chain = Chain(5)
        data = slackline.Dataset(chain.model, rows_folder=folder)
        for _ in range(5):
            data.add(chain.graph, chain.inputs(), chain.rng.integers(3, size=4))
        results.append(slackline.train(data, lam=0.1))
    assert all(np.array_equal(results[0].weights[k], results[1].weights[k])
               for k in results[0].weights)
    with pytest.raises(ValueError, match="rows_folder"):
        slackline.Dataset(chain.model, rows_folder=str(tmp_path / "nowhere"))


@pytest.mark.parametrize("seed", range(3))
def test_multi_label_as_own_graph_is_the_estimator(seed):
    """The same problem both ways: the same bits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    Y = (X @ rng.normal(size=(4, 3)) + 0.3 * rng.normal(size=(30, 3)) > 0).astype(int)
    estimator = slackline.MultiLabelClassifier(
        lam=0.02, graph="full", scale="none", fit_intercept=False, label_counts="any",
        tol=1e-4).fit(X, Y)
    model = slackline.Model()
    labels = model.add_weights("labels", 3, 4)
    pairs = model.add_weights("pairs", 3)
    builder = slackline.GraphBuilder(model)
    label = builder.add_variables(3, 2)
    for k in label:
        builder.add_input(k, labels.slice(k), 0)
    both = factors.tied_table([[-1, -1], [-1, 0]])
    for k, (a, b) in enumerate(itertools.combinations(label, 2)):
        builder.add_factor([a, b], both, pairs.slice(k))
    graph = builder.build()
    data = slackline.Dataset(model)
    for x, y in zip(X, Y):
        data.add(graph, [x], y)
    result = slackline.train(data, lam=0.02, tol=1e-4)
    assert result.learner == estimator.learner_
    assert result.primal == estimator.primal_ and result.dual == estimator.dual_
    assert result.n_iter == estimator.n_iter_
    for name, weights in estimator.weights_.items():
        assert np.array_equal(weights, result.weights[name]), name
    predictor = slackline.Predictor(graph, result)
    predicted = np.array([predictor.predict([x]).labels for x in X])
    assert np.array_equal(predicted, estimator.predict(X))


def brute(graph, score):
    return max(score(y) for y in labellings(graph.n_states))


def potential_graph(states, factor, scope=None, weights=None, rows=0):
    """Variables with potentials, and one factor."""
    model = slackline.Model()
    one = model.add_weights("one")
    builder = slackline.GraphBuilder(model)
    variables = [builder.add_variable(s) for s in states]
    for v in variables:
        builder.add_potentials(v, one)
    block = model.add_weights("w", rows) if rows else None
    builder.add_factor(variables if scope is None else scope, factor, block)
    given = {"one": [1]}
    if rows:
        given["w"] = weights
    return builder.build(), given


@pytest.mark.parametrize("factor, states, weights, feature", [
    (factors.potts(3), (3, 3), [-0.7], lambda y: [float(y[0] != y[1])]),
    (factors.agreement(3), (3, 3), [0.5, -0.2, 1.0],
     lambda y: [float(y[0] == y[1] == k) for k in range(3)]),
    (factors.table((2, 3)), (2, 3), np.arange(6) - 2.5,
     lambda y: np.eye(6)[3 * y[0] + y[1]]),
    (factors.tied_table([[0, 1, -1], [1, 0, 1]], [[1, 2, 3], [4, 5, 6.5]]), (2, 3), [0.3, -0.2],
     lambda y: [[[1, 0], [0, 2], [0, 0]], [[0, 4], [5, 0], [0, 6.5]]][y[0]][y[1]]),
    (factors.feature_table(np.arange(12.).reshape(2, 3, 2)), (2, 3), [0.4, -0.5],
     lambda y: np.arange(12.).reshape(2, 3, 2)[y[0], y[1]]),
    (factors.at_most(1), (2, 2, 2), [-0.6], lambda y: [max(0, sum(y == 1) - 1)]),
    (factors.at_least(2, state=2), (3, 3, 3), [-0.6], lambda y: [max(0, 2 - sum(y == 2))]),
    (factors.exactly(1, state=0), (2, 3, 2), [-0.9], lambda y: [abs(1 - sum(y == 0))]),
    (factors.count(), (2, 2, 2), [0.1, -0.4, 0.9, -2.0], lambda y: np.eye(4)[sum(y == 1)]),
    (factors.chain(3, factors.table([2, 2])), (2, 2, 2), [0.5, -0.3, 0.2, 0.1],
     lambda y: np.eye(4)[2 * y[0] + y[1]] + np.eye(4)[2 * y[1] + y[2]]),
    (factors.tree([2, 2, 2], [[0, 1], [0, 2]], factors.potts(2)), (2, 2, 2), [0.5],
     lambda y: [float(y[0] != y[1]) + float(y[0] != y[2])]),
], ids=lambda value: repr(value) if isinstance(value, factors.Factor) else "")
def test_every_factor_has_the_scores_of_its_definition(factor, states, weights, feature):
    rng = np.random.default_rng(1)
    graph, given = potential_graph(states, factor, weights=weights, rows=len(weights))
    starts = np.cumsum([0, *states[:-1]])
    for _ in range(5):
        potentials = rng.normal(size=sum(states))

        def score(y):
            return potentials[starts + y].sum() + np.dot(weights, feature(y))

        for y in labellings(states):
            assert graphs.score(graph, None, y, given, potentials=potentials) == pytest.approx(
                score(y))
        best = slackline.predict(graph, None, given, potentials=potentials)
        assert best.optimal and best.score == pytest.approx(brute(graph, score))
    assert repr(factor)


@pytest.mark.parametrize("factor, allowed", [
    (factors.at_most(1), lambda y: sum(y) <= 1),
    (factors.at_least(2), lambda y: sum(y) >= 2),
    (factors.exactly(2), lambda y: sum(y) == 2),
    (factors.matching([[0, 0], [0, 1], [1, 0], [1, 1]]),
     lambda y: all(sum(pair) <= 1 for pair in (y[:2], y[2:], y[::2], y[1::2]))),
    (factors.matching([[0, 0], [0, 1], [1, 0], [1, 1]], 2, [1, 0], num_left=3),
     lambda y: y[1] == y[3] == 0 and y[0] + y[2] <= 1),
])
def test_hard_factors_forbid(factor, allowed):
    graph, given = potential_graph((2,) * 4, factor)
    rng = np.random.default_rng(2)
    for _ in range(5):
        potentials = rng.normal(size=8)
        values = {tuple(y): potentials[np.arange(4) * 2 + y].sum() for y in labellings((2,) * 4)}
        for y in values:
            found = graphs.score(graph, None, y, given, potentials=potentials)
            assert found == (pytest.approx(values[y]) if allowed(np.array(y)) else -np.inf)
        best = slackline.predict(graph, None, given, potentials=potentials)
        assert best.score == pytest.approx(max(v for y, v in values.items()
                                               if allowed(np.array(y))))


def test_forbidden_states_and_input_factors():
    model = slackline.Model()
    joint = model.add_weights("joint", 6, 2)
    table = model.add_weights("table", 6)
    builder = slackline.GraphBuilder(model)
    a = builder.add_variable(2)
    b = builder.add_variable(3)
    builder.add_input_factor([a, b], joint, 0)
    assert builder.add_potential_factor([a, b], table) == 0
    builder.forbid(b, [False, True, False])
    builder.forbid([a, b], np.array([[True, False, False], [False, False, False]]))
    graph = builder.build()
    assert (graph.n_variables, graph.n_factors, graph.n_inputs, graph.n_potentials) == (2, 3, 1, 6)
    assert graph.n_states.tolist() == [2, 3] and not graph.is_forest
    assert "n_factors=3" in repr(graph)
    rng = np.random.default_rng(0)
    weights = {"joint": rng.normal(size=(6, 2)), "table": np.ones((6, 1))}
    x, potentials = rng.normal(size=2), rng.normal(size=6)
    values = (weights["joint"] @ x + potentials).reshape(2, 3)
    values[:, 1] = values[0, 0] = -np.inf
    for y in labellings((2, 3)):
        found = graphs.score(graph, [x], y, weights, potentials=potentials)
        assert found == pytest.approx(values[tuple(y)])
    best = slackline.predict(graph, [x], weights, potentials=potentials)
    assert tuple(best.labels) == np.unravel_index(np.argmax(values), (2, 3))
    allowed, against = slackline.Dataset(model), slackline.Dataset(model)
    allowed.add(graph, [x], [0, 2], potentials=potentials)
    # these three factors form cycles
    assert slackline.train(allowed, lam=0.1).relative_gap <= 1e-3
    exact = {"oracle": "branch-and-bound"}
    assert slackline.train(allowed, lam=0.1, learner_options=exact).relative_gap <= 1e-3
    against.add(graph, [x], [0, 0], potentials=potentials)
    with pytest.raises(ValueError, match="forbid"):
        slackline.train(against, lam=0.1, learner_options=exact)


def test_graphs_models_and_factors_can_be_pickled():
    model = slackline.Model()
    taste, pair, joint = (model.add_weights("taste", 2, 3), model.add_weights("pair", 1),
                          model.add_weights("joint", 4, 3))
    one, counts = model.add_weights("one"), model.add_weights("counts", 8)
    builder = slackline.GraphBuilder(model)
    v = builder.add_variables(3, 2)
    builder.add_input(v[0], taste, 0)
    builder.add_input_factor([0, 1], joint, 1)
    builder.add_potentials(v[1], one)
    builder.add_potential_factor([1, 2], one)
    builder.add_factor([0, 2], factors.potts(states=2), pair)
    builder.add_factor(v, factors.count(), counts.slice(2, 4))
    builder.forbid([0, 1], np.array([[True, False], [False, False]]))
    graph = builder.build()
    again, also = pickle.loads(pickle.dumps((graph, model)))
    assert again.model is also and also.num_weights == model.num_weights
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(size=w.shape) for name, w in model.zeros().items()}
    x, potentials = rng.normal(size=(2, 3)), rng.normal(size=again.n_potentials)
    for y in labellings((2, 2, 2)):
        assert graphs.score(again, x, y, weights, potentials=potentials) == graphs.score(
            graph, x, y, weights, potentials=potentials)
    for factor in (factors.matching([[0, 0], [1, 0]], right_capacity=2),
                   factors.tree([2, 2], [[0, 1]], factors.table([2, 2]))):
        assert repr(pickle.loads(pickle.dumps(factor))) == repr(factor)


def test_models_weights_and_builders_refuse_what_does_not_fit():
    model = slackline.Model()
    block = model.add_weights("w", 3, 2)
    assert model.blocks["w"] == block and model.num_weights == 6
    assert model.zeros()["w"].shape == (3, 2)
    assert block.slice(1, 2).first_row == 1
    for arguments, words in [(("",), "name"), ((3,), "name"), (("w",), "w"), (("a", 0), "rows"),
                             (("a", 1, 2.5), "columns"), (("a", True), "rows")]:
        with pytest.raises(ValueError, match=words):
            model.add_weights(*arguments)
    with pytest.raises(ValueError, match="3 rows, not 4"):
        block.slice(2, 2)
    for bad in (None, 3, "model"):
        for make in (slackline.GraphBuilder, slackline.Dataset):
            with pytest.raises(ValueError, match="Model"):
                make(bad)
    builder = slackline.GraphBuilder(model)
    a, b = builder.add_variables(2, 3)
    foreign = slackline.Model().add_weights("w", 3, 2)
    pair = model.add_weights("pair", 9)
    refused = [
        (lambda: builder.add_variable(0), "states"),
        (lambda: builder.add_variables(-1, 2), "count"),
        (lambda: builder.add_input(a, foreign, 0), "block of the graph's model"),
        (lambda: builder.add_input(a, "w", 0), "block of the graph's model"),
        (lambda: builder.add_input(7, block, 0), "no variable 7"),
        (lambda: builder.add_input(a, block, -1), "input"),
        (lambda: builder.add_input(a, pair, 0), "9"),
        (lambda: builder.add_input_factor([a, b], block, 0), "9 rows"),
        (lambda: builder.add_potentials(a, block), "column"),
        (lambda: builder.add_potential_factor([a, b], block), "9 rows"),
        (lambda: builder.add_factor([a, b], factors.potts(3)), "weights"),
        (lambda: builder.add_factor([a, b], factors.potts(3), pair), "1 rows"),
        (lambda: builder.add_factor([a, b], factors.table([3, 2]), model.add_weights("six", 6)),
         "states|cardinalit"),
        (lambda: builder.add_factor([a, a], factors.table([3, 3]), pair), "twice|same"),
        (lambda: builder.add_factor([], factors.table([3, 3]), pair), "at least one variable"),
        (lambda: builder.add_factor([a, b], "potts", pair), "not a factor"),
        (lambda: builder.add_factor([a, b], None, pair), "reads them"),
        (lambda: builder.forbid(a, [1, 0, 0]), "bool"),
        (lambda: builder.forbid([a, b], np.zeros((3, 2), dtype=bool)), r"\(3, 3\)"),
        (lambda: (builder.forbid(a, np.ones(3, dtype=bool)), builder.build()), "forbid|allowed"),
    ]
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("call, words", [
    (lambda: factors.potts(0), "states == 0"),
    (lambda: factors.agreement(0), "states == 0"),
    (lambda: factors.potts(2.0), "integer"),
    (lambda: factors.table([2, 0]), r"states\[1\]"),
    (lambda: factors.tied_table([[0.5, 1]]), "integers"),
    (lambda: factors.tied_table([[-2, 1]]), ">= -1"),
    (lambda: factors.tied_table([[0, 1]], [1, 2]), "shape"),
    (lambda: factors.tied_table([[0, 1]], [[1, np.nan]]), "finite"),
    (lambda: factors.tied_table([[0, 1]], num_weights=1), "entry 1"),
    (lambda: factors.feature_table([1, 2]), "axis"),
    (lambda: factors.feature_table([[[np.inf]]]), "finite"),
    (lambda: factors.at_most(-1), "number == -1"),
    (lambda: factors.at_least(1, state=-1), "state == -1"),
    (lambda: factors.exactly(1.5), "integer"),
    (lambda: factors.count("1"), "integer"),
    (lambda: factors.matching([]), "edges"),
    (lambda: factors.matching([[0, 1, 2]]), "pairs"),
    (lambda: factors.matching([[0, -1]]), "negative"),
    (lambda: factors.matching([[0, 1]], num_right=1), "num_right == 1"),
    (lambda: factors.matching([[0, 1]], right_capacity=[1]), "1 entries for 2 nodes"),
    (lambda: factors.chain(0, factors.potts(2)), "length"),
    (lambda: factors.chain(3, factors.at_most(1)), "table"),
    (lambda: factors.tree([2, 2], [[0, 1]], "potts"), "not a factor"),
    (lambda: factors.tree([2, 2, 2], [[0, 1], [1, 2], [2, 0]], factors.potts(2)), "cycle|tree"),
])
def test_factors_refuse_what_does_not_fit(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_examples_that_do_not_fit_are_refused_and_change_nothing():
    chain = Chain()
    data = slackline.Dataset(chain.model)
    x, y = chain.inputs(), [0, 1, 2, 0]
    other = Chain()
    nan = x.copy()
    nan[2, 1] = np.nan
    refused = [
        (dict(graph=other.graph), "data set's model"),
        (dict(graph=None), "data set's model"),
        (dict(inputs=x[:3]), "4 input rows, not 3"),
        (dict(inputs=None), "4 input rows, not 0"),
        (dict(inputs=x[:, :1]), "column|feature|length"),
        (dict(inputs=nan), "row 2, column 1"),
        (dict(inputs=[x[0], x[1], nan[2], x[3]]), r"inputs\[2\]"),
        (dict(inputs=[[[1, 2]]] * 4), "2 axes"),
        (dict(inputs=[sp.csr_matrix(x)] * 4), "4 rows"),
        (dict(inputs=np.array("x")), "array"),
        (dict(labels=None), "labels"),
        (dict(labels=[0, 1]), "4 integers"),
        (dict(labels=[0, 1, 2, 0.5]), "integers"),
        (dict(labels=[0, 1, 2, 3]), "label|state"),
        (dict(labels=[0, 1, 2, -2]), "label|state"),
        (dict(potentials=[1.0]), "potentials"),
        (dict(loss_weights=[1, 1]), "loss_weights: 2 numbers, but the graph needs 4"),
        (dict(loss_weights=[1, 1, -1, 1]), "negative"),
        (dict(loss_weights=[1, 1, np.inf, 1]), "number 2 is not finite"),
        (dict(losses=np.ones(12)), "true state"),
        (dict(losses=np.ones(3)), "losses: 3 numbers"),
    ]
    for change, words in refused:
        with pytest.raises(ValueError, match=words):
            data.add(**{"graph": chain.graph, "inputs": x, "labels": y, **change})
        assert len(data) == 0, words
    assert data.add(chain.graph, x, y) == 0 and len(data) == 1


def test_training_arguments_that_do_not_fit():
    chain = Chain()
    data = chain.dataset(2)
    refused = [
        (dict(lam=0), "lam"), (dict(lam=-1), "lam"), (dict(C=1, lam=1), "exclude"),
        (dict(tol=np.nan), "tol"), (dict(max_iter=0), "max_iter"),
        (dict(time_limit=-1), "time_limit"), (dict(n_jobs=0), "n_jobs"),
        (dict(random_state="x"), "random_state"),
        (dict(learner="nothing"), "nothing"), (dict(learner_options={"bogus": 1}), "bogus"),
        (dict(loss="hamming"), "loss"), (dict(costs=[1, 2]), "costs"),
        (dict(costs=np.ones((3, 3))), "cost"), (dict(variable_weights=[1, 2]), "weights"),
        (dict(loss="f1"), "binary|F1"), (dict(callbacks=[3]), "callable"),
        (dict(learner_options={"kernel": "rbf"}), "kernel"),
    ]
    for arguments, words in refused:
        with pytest.raises(ValueError, match=words) as raised:
            slackline.train(data, **arguments)
        assert ".cc:" not in str(raised.value)
    with pytest.raises(ValueError, match="Dataset"):
        slackline.train([])
    with pytest.raises(ValueError, match="no examples"):
        slackline.train(slackline.Dataset(chain.model))
    with pytest.warns(slackline._base.ConvergenceWarning, match="certified gap"):
        slackline.train(data, lam=1e-4, tol=1e-12, max_iter=1)


def test_predictions_refuse_what_does_not_fit():
    chain = Chain()
    x = chain.inputs()
    short = {k: v for k, v in chain.weights.items() if k != "bias"}
    refused = [
        (lambda: slackline.predict(chain.graph, x, short), "'bias' are missing"),
        (lambda: slackline.predict(chain.graph, x, {**chain.weights, "bios": 1}),
         "no weights 'bios'"),
        (lambda: slackline.predict(chain.graph, x, {**chain.weights, "bias": [1, 2]}), "shape"),
        (lambda: slackline.predict(chain.graph, x, {**chain.weights, "bias": [1, 2, np.nan]}),
         "row 2, column 0"),
        (lambda: slackline.predict(chain.graph, x, None), "dict of arrays"),
        (lambda: slackline.predict(None, x, chain.weights), "Graph"),
        (lambda: slackline.predict(chain.graph, x[:2], chain.weights), "4 input rows"),
        (lambda: graphs.score(chain.graph, x, [0, 0, 0, 3], chain.weights), "no state 3"),
        (lambda: graphs.k_best(chain.graph, x, chain.weights, 0), "k == 0"),
        (lambda: graphs.marginals(chain.graph, x, chain.weights, temperature=0), "temperature"),
        (lambda: chain.graph.features([0]), "4 integers"),
    ]
    for call, words in refused:
        with pytest.raises(ValueError, match=words):
            call()
    graph, given = potential_graph((2,) * 20, factors.at_most(3))
    with pytest.raises(ValueError, match="20 variables|40 potentials"):
        slackline.predict(graph, None, given)
    for call in (graphs.k_best, graphs.marginals):
        with pytest.raises(ValueError, match="65536 labellings"):
            call(graph, None, given, potentials=np.zeros(40))
    assert len(graphs.max_marginals(graph, None, given, potentials=np.zeros(40))) == 20
    with pytest.raises(ValueError, match="count of 3"):
        potential_graph((2, 2), factors.at_least(3))
    builder = slackline.GraphBuilder(graph.model)
    for v in builder.add_variables(2, 2):
        builder.add_potentials(v, graph.model.blocks["one"])
    builder.add_factor([0, 1], factors.at_least(1))
    builder.forbid([0, 1], np.arange(4).reshape(2, 2) > 0)
    graph = builder.build()
    with pytest.raises(ValueError, match="no labelling|states"):
        slackline.predict(graph, None, given, potentials=np.zeros(4))


def test_callbacks_end_training_and_keep_its_result():
    chain = Chain()
    data = chain.dataset()
    stopped = slackline.train(data, lam=1e-3, tol=1e-9, callbacks=lambda record: True)
    assert stopped.termination == "interrupted" and stopped.gap > 0
    assert len(stopped.history) >= 1

    def fails(record):
        raise RuntimeError(f"pass {record['pass']}")

    with pytest.raises(RuntimeError, match="pass") as raised:
        slackline.train(data, lam=1e-3, tol=1e-9, callbacks=fails)
    assert raised.traceback[-1].name == "fails"
    assert raised.value.result.termination == "interrupted"
    assert raised.value.result.weights["taste"].shape == (3, 2)


def test_ctrl_c_keeps_the_result():
    chain = Chain(length=8)
    data = chain.dataset(60)
    killer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    killer.start()
    with pytest.raises(KeyboardInterrupt) as raised:
        slackline.train(data, lam=1e-7, tol=1e-14, learner="ssg", max_iter=10**8)
    killer.join()
    assert raised.value.result.termination == "interrupted"
    assert np.isfinite(raised.value.result.primal)


def test_training_releases_the_gil():
    chain = Chain(length=8)
    data = chain.dataset(60)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slackline.train(data, lam=1e-7, tol=1e-14, learner="ssg", time_limit=0.5, max_iter=10**8)
    done.set()
    thread.join()
    assert len(ticks) > 10


def test_verbose_prints_progress(capfd):
    slackline.train(Chain().dataset(3), lam=0.1, verbose=True)
    assert "gap" in capfd.readouterr().err
