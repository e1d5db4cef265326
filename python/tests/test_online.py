# SPDX-License-Identifier: BSD-3-Clause
"""Training on examples that are not kept, against the learner on data that are."""
import os
import signal
import threading

import numpy as np
import pytest

import slackline

SHAPES = {"taste": (2, 2), "change": (1, 1)}


class Days:
    """Chains of three variables whose states depend on their inputs."""

    def __init__(self, count=30):
        self.model = slackline.Model()
        taste = self.model.add_weights("taste", 2, 2)
        change = self.model.add_weights("change")
        builder = slackline.GraphBuilder(self.model)
        days = builder.add_variables(3, 2)
        for t in range(3):
            builder.add_input(days[t], taste, t)
        for t in range(1, 3):
            builder.add_factor([days[t - 1], days[t]], slackline.factors.potts(2), change)
        self.graph = builder.build()
        rng = np.random.default_rng(4)
        self.inputs = rng.normal(size=(count, 3, 2))
        self.labels = (self.inputs[:, :, 0] > 0).astype(int)

    def part(self, begin, end):
        data = slackline.Dataset(self.model)
        for x, y in zip(self.inputs[begin:end], self.labels[begin:end]):
            data.add(self.graph, x, y)
        return data


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("average", ["weighted", "uniform", "suffix", "none"])
def test_parts_of_any_size_give_the_same_weights(average):
    days = Days()
    whole = slackline.OnlineTrainer(days.model, lam=0.1, average=average)
    assert {name: w.shape for name, w in whole.weights.items()} == SHAPES
    assert not any(w.any() for w in whole.weights.values())
    assert whole.summary().n_examples == 0
    assert whole.learn(days.part(0, 30)) is whole
    for size in (1, 7):
        parts = slackline.OnlineTrainer(days.model, lam=0.1, average=average)
        for begin in range(0, 30, size):
            parts.learn(days.part(begin, begin + size))
        assert same(parts.weights, whole.weights)
        assert parts.summary() == whole.summary()
        assert parts.summary().n_examples == 30


def test_ctrl_c_ends_a_call_after_an_example():
    model = slackline.Model()
    taste = model.add_weights("taste", 12, 2)
    change = model.add_weights("change")
    builder = slackline.GraphBuilder(model)
    days = builder.add_variables(1000, 12)
    for t in range(1000):
        builder.add_input(days[t], taste, t)
    for t in range(1, 1000):
        builder.add_factor([days[t - 1], days[t]], slackline.factors.potts(12), change)
    graph = builder.build()
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(1000, 2))
    labels = rng.integers(12, size=(20, 1000))

    def part(begin, end):
        data = slackline.Dataset(model)
        for m in range(begin, end):
            data.add(graph, inputs, labels[m % 20])
        return data

    trainer = slackline.OnlineTrainer(model, lam=0.1)
    data = part(0, 1500)  # some seconds
    killer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    killer.start()
    with pytest.raises(KeyboardInterrupt):
        trainer.learn(data)
    killer.join()
    first = trainer.summary().n_examples
    assert first < 1500
    trainer.learn(part(first, first + 5))
    whole = slackline.OnlineTrainer(model, lam=0.1)
    assert same(trainer.weights, whole.learn(part(0, first + 5)).weights)


def test_the_learner_on_kept_data_makes_the_same_pass():
    days = Days()
    trainer = slackline.OnlineTrainer(days.model, lam=0.1, average="none", predict_first=False,
                                      random_state=5)
    trainer.learn(days.part(0, 30))
    with pytest.warns(UserWarning):
        kept = slackline.train(days.part(0, 30), lam=0.1, learner="multi-sample", max_iter=1,
                               random_state=5, learner_options={"order": "cyclic"})
    assert same(trainer.weights, kept.weights)
    assert np.isnan(trainer.summary().mean_loss)


def test_figures_are_within_their_bounds_and_weights_predict():
    days = Days(200)
    trainer = slackline.OnlineTrainer(days.model, lam=0.05).learn(days.part(0, 200))
    summary = trainer.summary()
    best = slackline.train(days.part(0, 200), lam=0.05, tol=1e-6, learner="bcfw")
    assert best.dual <= summary.mean_objective <= best.primal + summary.regret_bound
    assert summary.mean_loss <= summary.mean_objective
    wrong = [slackline.predict(days.graph, x, trainer.weights).labels != y
             for x, y in zip(days.inputs, days.labels)]
    assert np.mean(wrong) < 0.1


def test_costs_and_options():
    days = Days()
    plain = slackline.OnlineTrainer(days.model, lam=0.1, samples=1).learn(days.part(0, 30))
    costly = slackline.OnlineTrainer(days.model, lam=0.1, samples=1,
                                     costs=[[0, 1], [5, 0]]).learn(days.part(0, 30))
    assert not same(plain.weights, costly.weights)
    rounds = slackline.OnlineTrainer(days.model, lam=0.1, samples=5,
                                     learner_options={"update_rounds": 3, "expand_first": True})
    assert rounds.learn(days.part(0, 30)).summary().n_examples == 30


@pytest.mark.parametrize("arguments, message", [
    ({"lam": 0}, "lam"),
    ({"lam": 1, "samples": 0}, "samples == 0"),
    ({"lam": 1, "average": "mean"}, "average must be"),
    ({"lam": 1, "loss": "hinge"}, "loss must be"),
    ({"lam": 1, "costs": [1, 2]}, r"costs must have the shape \(K, K\)"),
    ({"lam": 1, "random_state": -1}, "random_state"),
    ({"lam": 1, "learner_options": {"revisit": True}}, "revisit does not apply"),
    ({"lam": 1, "learner_options": {"max_passes": 3}}, "max-passes does not apply"),
    ({"lam": 1, "learner_options": {"rhoo": 3}}, "rhoo"),
])
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        slackline.OnlineTrainer(Days(1).model, **arguments)


def test_other_models_are_refused():
    trainer = slackline.OnlineTrainer(Days(1).model, lam=1)
    with pytest.raises(ValueError, match="Dataset of the trainer's model"):
        trainer.learn(Days(1).part(0, 1))
    with pytest.raises(ValueError, match="needs a Model"):
        slackline.OnlineTrainer("model", lam=1)
    assert trainer.summary().n_examples == 0
