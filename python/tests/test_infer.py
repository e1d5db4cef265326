# SPDX-License-Identifier: BSD-3-Clause
"""Inference with given scores against enumeration."""
import itertools
import signal
import threading
import time

import numpy as np
import pytest

import slackline
from slackline import factors

METHODS = ("auto", "exact", "lp", "messages")


def cycle(states, tables=()):
    """Variables in a cycle, joined by tables, and further tables."""
    builder = slackline.GraphBuilder(slackline.Model())
    for s in states:
        builder.add_variable(s)
    n = len(states)
    for i in range(n - (n == 2)):
        builder.add_factor([i, (i + 1) % n])
    for scope in tables:
        builder.add_factor(scope)
    return builder.build()


def labellings(graph):
    return [np.array(y) for y in itertools.product(*map(range, graph.n_states))]


def values(graph, scores):
    """The scores of all labellings, from the places that the graph names."""
    found = {}
    for y in labellings(graph):
        total = sum(scores[place][y[i]] for i, place in enumerate(graph.variable_slices))
        for scope, place in graph.table_slices:
            table = scores[place].reshape(graph.n_states[list(scope)])
            total += table[tuple(y[list(scope)])]
        found[tuple(y)] = total
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_with_enumeration(seed, method):
    rng = np.random.default_rng(seed)
    graph = cycle(rng.integers(2, 4, size=5), [[0, 2, 4]] if seed % 2 else [])
    scores = rng.normal(size=graph.n_scores)
    found = values(graph, scores)
    best = max(found.values())
    result = slackline.infer(graph, scores, method=method, marginals=True, max_marginals=True)
    assert isinstance(result.score, float) and isinstance(result.optimal, bool)
    assert result.labels.shape == (5,) and result.marginals.shape == (graph.n_scores,)
    assert found[tuple(result.labels)] == pytest.approx(result.score)
    assert result.bound >= best - 1e-9 and result.score <= best + 1e-9
    if method in ("auto", "exact"):
        assert result.optimal and result.score == pytest.approx(best)
    if result.fractional:
        assert result.score <= scores @ result.marginals + 1e-9
        assert scores @ result.marginals <= result.bound + 1e-6
    else:
        assert np.array_equal(result.marginals, graph.features(result.labels))
        assert scores @ result.marginals == pytest.approx(result.score)
    for i, place in enumerate(graph.variable_slices):
        assert result.marginals[place].sum() == pytest.approx(1)
        for s in range(graph.n_states[i]):
            assert result.max_marginals[place][s] == pytest.approx(
                max(v for y, v in found.items() if y[i] == s))


def test_binary_relaxation_is_half_integral_and_below_the_bound():
    graph = cycle([2, 2, 2])
    scores = np.zeros(graph.n_scores)
    for _, place in graph.table_slices:
        scores[place] = [0, 1, 1, 0]  # all neighbours want to differ
    result = slackline.infer(graph, scores, method="lp", marginals=True)
    assert result.fractional and not result.optimal
    assert result.bound == pytest.approx(3) == pytest.approx(scores @ result.marginals)
    assert np.allclose(result.marginals[:6], 0.5)
    assert slackline.infer(graph, scores, method="exact").score == pytest.approx(2)
    without = slackline.infer(graph, scores, method="lp")
    assert without.marginals is None and without.max_marginals is None


@pytest.mark.parametrize("length, states, rows", [(5, 4, 40), (40, 8, 2)])
def test_marginals_of_cycles_with_many_states(length, states, rows):
    """Whether the build has an LP solver or not; the second graph is too large for it."""
    rng = np.random.default_rng(4)
    graph = cycle([states] * length, [[i, i + 3] for i in range(0, length - 3, 2)])
    scores = rng.normal(size=(rows, graph.n_scores))
    scores[:, :states * length] *= 0.1
    result = slackline.infer(graph, scores, method="lp", marginals=True)
    reached = (scores * result.marginals).sum(axis=1)
    assert result.fractional.any()
    assert (reached <= result.bound + 1e-9).all() and (reached >= result.score - 1e-9).all()
    # The limit on the work ends the second at some thousandths.
    tolerance = 1e-3 if length == 5 else 5e-3
    assert (result.bound - reached <= tolerance * np.abs(result.bound) + 1e-9).all()
    for scope, place in graph.table_slices:
        tables = result.marginals[:, place].reshape(-1, states, states)
        for axis, variable in enumerate(scope):
            own = result.marginals[:, graph.variable_slices[variable]]
            assert np.allclose(tables.sum(axis=2 - axis), own, rtol=0, atol=1e-9)


def test_batches_are_single_calls_for_every_number_of_threads():
    rng = np.random.default_rng(1)
    graph = cycle([3] * 12, [[0, 6], [3, 9]])
    scores = rng.normal(size=(25, graph.n_scores))
    for method in METHODS[:1] + METHODS[2:]:
        alone = [slackline.infer(graph, row, method=method, marginals=True) for row in scores]
        for n_jobs in (None, 2, -1):
            batch = slackline.infer(graph, scores, method=method, marginals=True, n_jobs=n_jobs)
            assert batch.labels.shape == (25, 12) and batch.marginals.shape == scores.shape
            for r, one in enumerate(alone):
                assert np.array_equal(batch.labels[r], one.labels)
                assert np.array_equal(batch.marginals[r], one.marginals)
                assert batch.score[r] == one.score and batch.bound[r] == one.bound
                assert batch.optimal[r] == one.optimal and batch.fractional[r] == one.fractional
    other = cycle([2, 3, 2])
    mixed = slackline.infer([graph, other, graph],
                            [scores[0], np.ones(other.n_scores), scores[1]], n_jobs=2,
                            max_marginals=True)
    assert np.array_equal(mixed[0].labels, slackline.infer(graph, scores[0]).labels)
    assert mixed[1].max_marginals.shape == (7,) and mixed[2].score == slackline.infer(
        graph, scores[1]).score
    assert slackline.infer([], []) == []
    empty = slackline.infer(graph, np.empty((0, graph.n_scores)), marginals=True)
    assert empty.labels.shape == (0, 12) and empty.marginals.shape == (0, graph.n_scores)


def test_types_of_arrays():
    graph = cycle([2, 2, 2])
    scores = np.arange(2 * graph.n_scores).reshape(2, -1) % 7
    wanted = slackline.infer(graph, scores)
    locked = scores.astype(float)
    locked.flags.writeable = False
    for given in (scores.astype(np.float32), np.asfortranarray(scores), scores.tolist(), locked,
                  np.repeat(scores, 2, axis=1)[:, ::2]):
        assert np.array_equal(slackline.infer(graph, given).score, wanted.score)


def test_several_threads_may_call_at_once():
    rng = np.random.default_rng(2)
    graph = cycle([3] * 10)
    scores = rng.normal(size=(200, graph.n_scores))
    wanted = slackline.infer(graph, scores).score
    found = [None] * 4

    def work(k):
        found[k] = slackline.infer(graph, scores, n_jobs=2).score

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(scores_found, wanted) for scores_found in found)


def test_factors_without_tables():
    model = slackline.Model()
    builder = slackline.GraphBuilder(model)
    label = builder.add_variables(4, 2)
    counts = model.add_weights("counts", 5)
    builder.add_factor(label, factors.count(), counts)
    builder.add_factor(label, factors.count(), counts)
    builder.add_factor(label, factors.at_most(3))
    builder.add_factor([0, 1])
    graph = builder.build()
    assert [place.stop - place.start for _, place in graph.oracle_slices] == [5, 5, 0]
    assert graph.n_scores == 8 + 4 + 10
    rng = np.random.default_rng(3)
    scores = rng.normal(size=graph.n_scores)
    first, second = (place for _, place in graph.oracle_slices[:2])
    best = -np.inf
    for y, value in values(graph, scores).items():
        value += scores[first][sum(y)] + scores[second][sum(y)]
        if sum(y) <= 3:
            assert scores @ graph.features(y) == pytest.approx(value)
            best = max(best, value)
    for method in ("auto", "exact"):
        result = slackline.infer(graph, scores, method=method, marginals=True)
        assert result.optimal and result.score == pytest.approx(best)
        assert scores @ result.marginals == pytest.approx(best)
    assert slackline.infer(graph, scores, method="lp").bound >= best - 1e-9


def test_minus_infinity_forbids():
    rng = np.random.default_rng(4)
    graph = cycle([3, 3, 3])
    scores = rng.normal(size=graph.n_scores)
    scores[graph.variable_slices[1]][:] = [-np.inf, 0, 0]
    place = graph.table_slices[0][1]
    scores[place] = np.where(np.eye(3).ravel() > 0, -np.inf, scores[place])
    found = values(graph, scores)
    result = slackline.infer(graph, scores, max_marginals=True)
    assert result.score == pytest.approx(max(found.values()))
    assert result.max_marginals[3] == -np.inf
    for method in ("lp", "messages", "exact"):
        other = slackline.infer(graph, scores, method=method)
        assert other.bound >= result.score - 1e-9
        assert other.score > -np.inf
    scores[graph.variable_slices[1]] = -np.inf
    with pytest.raises(ValueError, match="labelling"):
        slackline.infer(graph, scores)


def test_expansion_needs_associative_pairs():
    rng = np.random.default_rng(5)
    graph = cycle([3] * 8)
    scores = rng.normal(size=graph.n_scores)
    with pytest.raises(ValueError, match="not associative"):
        slackline.infer(graph, scores, method="expansion")
    for _, place in graph.table_slices:
        scores[place] = 0.7 * np.eye(3).ravel()
    moved = slackline.infer(graph, scores, method="expansion")
    exact = slackline.infer(graph, scores, method="exact")
    assert exact.optimal and moved.score <= exact.score + 1e-9 <= moved.bound + 2e-9
    with pytest.raises(ValueError, match="same number of states"):
        slackline.infer(cycle([2, 3, 2]), np.zeros(23), method="expansion")


def test_arguments_that_do_not_fit():
    graph = cycle([2, 2, 2])
    good = np.zeros(graph.n_scores)
    nan, infinite = good.copy(), np.zeros((2, graph.n_scores))
    nan[4] = np.nan
    infinite[1, 5] = np.inf
    large, given = slackline.GraphBuilder(slackline.Model()), None
    label = large.add_variables(20, 2)
    large.add_factor(label, factors.at_most(2))
    large.add_factor([0, 1])
    counts = large.build()
    refused = [
        (graph, good[:-1], {}, r"\(18,\) or \(n_rows, 18\)"),
        (graph, np.zeros((2, 3, 18)), {}, "shape"),
        (graph, 3.0, {}, "shape"),
        (graph, nan, {}, "score 4 is not a number"),
        (graph, infinite, {}, "row 1: score 5"),
        (graph, good, dict(method="exakt"), "did you mean 'exact'"),
        (graph, good, dict(n_jobs=0), "n_jobs"),
        (graph, good, dict(n_jobs=1.5), "n_jobs"),
        ([graph], [good, good], {}, "2 rows of scores for 1 graphs"),
        ([graph], [good[1:]], {}, r"scores\[0\]"),
        ([graph, 3], [good, good], {}, r"graph\[1\]"),
        (counts, np.zeros(counts.n_scores), dict(method="exact"), "no exact method"),
        (counts, np.zeros(counts.n_scores), dict(method="messages"), "global|own maximum|factors"),
    ]
    del given
    for one, scores, options, words in refused:
        with pytest.raises(ValueError, match=words):
            slackline.infer(one, scores, **options)
    with pytest.raises((ValueError, TypeError)):
        slackline.infer(3, good)
    empty = slackline.GraphBuilder(slackline.Model()).build()
    for scores in ([], np.empty((3, 0))):
        with pytest.raises(ValueError, match="no variables"):
            slackline.infer(empty, scores)


def hinge_case(seed, states=(2, 3, 2)):
    rng = np.random.default_rng(seed)
    graph = cycle(states)
    return (rng, graph, rng.normal(size=(4, graph.n_scores)),
            np.array([rng.integers(graph.n_states) for _ in range(4)]))


@pytest.mark.parametrize("own_losses", [False, True])
def test_hinges_are_those_of_enumeration(own_losses):
    rng, graph, scores, labels = hinge_case(0)
    losses = None
    if own_losses:
        losses = rng.random((4, 7))
        for r in range(4):
            losses[r, graph.features(labels[r])[:7] > 0] = 0
    hinges, gradients = slackline.graphs.structured_hinge(graph, scores, labels, losses)
    for r in range(4):
        found = values(graph, scores[r])

        def loss(y):
            if losses is None:
                return np.mean(y != labels[r])
            return losses[r] @ graph.features(y)[:7]

        wanted = max(value + loss(np.array(y)) for y, value in found.items())
        assert hinges[r] == pytest.approx(wanted - found[tuple(labels[r])])
    assert gradients.shape == scores.shape and (hinges >= 0).all()


@pytest.mark.parametrize("method", ["exact", "lp"])
def test_gradients_agree_with_finite_differences(method):
    step = 1e-6
    for seed in range(3):
        _, graph, scores, labels = hinge_case(seed, (2, 2, 2, 2))
        _, gradients = slackline.graphs.structured_hinge(graph, scores, labels, method=method)
        for k in range(graph.n_scores):
            moved = np.zeros(graph.n_scores)
            moved[k] = step
            above, _ = slackline.graphs.structured_hinge(graph, scores + moved, labels,
                                                         method=method)
            below, _ = slackline.graphs.structured_hinge(graph, scores - moved, labels,
                                                         method=method)
            assert (above - below) / (2 * step) == pytest.approx(gradients[:, k], abs=1e-6)


def test_hinges_of_the_relaxation_are_upper_bounds():
    _, graph, scores, labels = hinge_case(5, (2, 2, 2))
    exact, _ = slackline.graphs.structured_hinge(graph, 3 * scores, labels, method="exact")
    relaxed, _ = slackline.graphs.structured_hinge(graph, 3 * scores, labels, method="lp", n_jobs=2)
    assert (relaxed >= exact - 1e-9).all()


@pytest.mark.parametrize("change, words", [
    (dict(scores=np.zeros(23)), "shape"), (dict(scores=np.full((4, 23), np.inf)), "row 0, column 0"),
    (dict(labels=np.zeros((4, 2), int)), "shape"), (dict(labels=np.full((4, 3), 5)), "no state 5"),
    (dict(labels=np.zeros((4, 3))), "integers"), (dict(losses=np.ones(7)), "true state"),
    (dict(losses=np.full((4, 7), -1)), ">= 0"), (dict(method="none"), "unknown method"),
])
def test_hinges_refuse_what_does_not_fit(change, words):
    _, graph, scores, labels = hinge_case(0)
    with pytest.raises(ValueError, match=words):
        slackline.graphs.structured_hinge(**{**dict(graph=graph, scores=scores, labels=labels),
                                             **change})


def test_the_torch_layer_has_these_gradients():
    torch = pytest.importorskip("torch")
    import pathlib
    import runpy
    path = pathlib.Path(__file__).resolve().parents[1] / "examples" / "torch_layer.py"
    layer = runpy.run_path(str(path))["structured_hinge"]
    _, graph, scores, labels = hinge_case(1)
    given = torch.tensor(scores, requires_grad=True)
    hinges = layer(graph, given, torch.tensor(labels))
    wanted, gradients = slackline.graphs.structured_hinge(graph, scores, labels, method="lp")
    assert hinges.detach().numpy() == pytest.approx(wanted)
    (hinges * torch.arange(4)).sum().backward()
    assert given.grad.numpy() == pytest.approx(gradients * np.arange(4)[:, None])


def hard_grid(side=24):
    builder = slackline.GraphBuilder(slackline.Model())
    builder.add_variables(side * side, 2)
    for i in range(side * side):
        if i % side + 1 < side:
            builder.add_factor([i, i + 1])
        for step in (side, 2 * side + 1):
            if i + step < side * side:
                builder.add_factor([i, i + step])
    graph = builder.build()
    scores = np.random.default_rng(3).normal(size=graph.n_scores)
    scores[:2 * side * side] = 0  # which makes it hard
    return graph, scores


def test_a_time_limit_ends_a_call():
    graph, scores = hard_grid()
    relaxed = slackline.infer(graph, scores, method="lp")
    result = slackline.infer(graph, scores, method="exact", time_limit=0.1)
    assert not result.optimal
    assert result.score <= relaxed.bound + 1e-9
    assert result.bound >= relaxed.score
    both = slackline.infer([graph, graph], [scores, scores], method="exact", time_limit=0.1)
    assert all(one.bound >= relaxed.score for one in both)
    with pytest.raises(ValueError, match="time_limit"):
        slackline.infer(graph, scores, time_limit=0)


def test_control_c_ends_a_call():
    graph, scores = hard_grid()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            slackline.infer(graph, scores, method="exact")
    assert time.monotonic() - began < 10


def test_predictors_have_methods_and_limits():
    model = slackline.Model()
    look = model.add_weights("look", 3, 2)
    same = model.add_weights("same")
    builder = slackline.GraphBuilder(model)
    grid = builder.add_variables(16, 3)
    for i in range(16):
        builder.add_input(grid[i], look, i)
        if i % 4 < 3:
            builder.add_factor([grid[i], grid[i + 1]], factors.potts(3), same)
        if i < 12:
            builder.add_factor([grid[i], grid[i + 4]], factors.potts(3), same)
    graph = builder.build()
    random = np.random.default_rng(1)
    weights = {"look": random.normal(size=(3, 2)), "same": np.array([[0.3]])}
    inputs = random.normal(size=(16, 2))
    best = slackline.predict(graph, inputs, weights, method="exact")
    assert best.optimal
    for method in METHODS:
        found = slackline.predict(graph, inputs, weights, method=method, time_limit=5)
        assert found.score <= best.score + 1e-9 <= found.bound + 2e-9
    with pytest.raises(ValueError, match="exakt"):
        slackline.Predictor(graph, weights, method="exakt")
