# SPDX-License-Identifier: BSD-3-Clause
"""Trainings that continue where another one has ended, also with another regulariser."""
import pickle

import numpy as np
import pytest

from slackline import MultiLabelClassifier

RANDOM = np.random.RandomState(0)
X = RANDOM.standard_normal((80, 6))
Y = (X @ RANDOM.standard_normal((6, 4)) > 0).astype(int)


def same(one, other):
    return all((block == other.weights_[name]).all() for name, block in one.weights_.items())


def test_warm_start_continues():
    model = MultiLabelClassifier(tol=0.1, warm_start=True).fit(X, Y)
    first = model.n_iter_
    assert model.set_params(tol=1e-5).fit(X, Y).n_iter_ > first
    assert model.relative_gap_ <= 1e-5 and model.termination_ == "converged"
    fresh = MultiLabelClassifier(tol=1e-5).fit(X, Y)
    assert max(model.dual_, fresh.dual_) <= min(model.primal_, fresh.primal_)
    passes = [record["pass"] for record in model.history_]
    assert passes[0] > first  # only the passes of the last call
    at_once = model.fit(X, Y)
    assert at_once.n_iter_ <= passes[-1] + 1


def test_warm_start_after_an_interruption():
    model = MultiLabelClassifier(tol=1e-6, warm_start=True)
    model.fit(X, Y, callbacks=lambda record: True)
    assert model.termination_ == "interrupted"
    assert model.fit(X, Y).termination_ == "converged"


def test_warm_start_on_other_data_begins_anew():
    model = MultiLabelClassifier(warm_start=True).fit(X, Y)
    model.fit(X[:70], Y[:70])
    assert any("begins anew" in note for note in model.notes_)
    assert same(model, MultiLabelClassifier().fit(X[:70], Y[:70]))
    model.set_params(loss="count").fit(X[:70], Y[:70])
    assert any("begins anew" in note for note in model.notes_)


def test_warm_start_follows_another_lambda():
    model = MultiLabelClassifier(C=1, tol=1e-4, warm_start=True).fit(X, Y)
    passes = {"warm": 0, "cold": 0}
    before = model.lam_
    for C in (1.5, 2, 3, 4):
        model.set_params(C=C).fit(X, Y)
        assert model.lam_ == pytest.approx(1 / (C * len(X)))
        assert any(f"continues from the solution for lambda {before:.6g}" in note
                   for note in model.notes_)
        before = model.lam_
        cold = MultiLabelClassifier(C=C, tol=1e-4).fit(X, Y)
        assert not any("warm start" in note for note in cold.notes_)
        # Both are certified, so that their intervals have the optimum in common.
        assert model.relative_gap_ <= 1e-4 and cold.relative_gap_ <= 1e-4
        assert max(model.dual_, cold.dual_) <= min(model.primal_, cold.primal_) + 1e-12
        assert model.history_[0]["pass"] <= model.n_iter_
        passes["warm"] += model.n_iter_
        passes["cold"] += cold.n_iter_
    assert passes["warm"] < passes["cold"]
    same_again = model.fit(X, Y)
    assert not any("warm start" in note for note in same_again.notes_)  # resumed


def test_warm_start_follows_lambda_and_a_tolerance_but_no_other_option():
    model = MultiLabelClassifier(lam=0.05, tol=0.01, warm_start=True).fit(X, Y)
    model.set_params(lam=0.04, tol=1e-5, n_jobs=2).fit(X, Y)
    assert any("continues from" in note for note in model.notes_) and model.relative_gap_ <= 1e-5
    model.set_params(lam=0.03, random_state=7).fit(X, Y)
    assert any("begins anew" in note for note in model.notes_)


@pytest.mark.parametrize("learner", ["al", "soft", "bcfw", "cutting-plane-1", "prox-sdca"])
def test_learners_follow_lambda(learner):
    parameters = {"learner": learner, "tol": 0.01, "graph": "tree"}
    model = MultiLabelClassifier(lam=0.1, warm_start=True, **parameters).fit(X, Y)
    model.set_params(lam=0.08).fit(X, Y)
    cold = MultiLabelClassifier(lam=0.08, **parameters).fit(X, Y)
    assert any("continues from the solution for lambda 0.1" in note for note in model.notes_)
    assert max(model.dual_, cold.dual_) <= min(model.primal_, cold.primal_) + 1e-9
    assert model.n_iter_ <= cold.n_iter_


@pytest.mark.parametrize("learner", ["fw", "kernel-bcfw"])
def test_learners_without_a_state_have_no_warm_start(learner):
    model = MultiLabelClassifier(learner=learner, warm_start=True, graph="tree")
    with pytest.raises(ValueError, match=f"warm_start: learner {learner} saves no state"):
        model.fit(X, Y)


def test_states_of_other_versions_are_not_used():
    model = MultiLabelClassifier(warm_start=True).fit(X, Y)
    model._state_ = b"state" * 100
    model.fit(X, Y)
    assert any("another version, so training begins anew" in note for note in model.notes_)


def test_warm_start_survives_pickling():
    model = MultiLabelClassifier(tol=0.1, warm_start=True).fit(X, Y)
    other = pickle.loads(pickle.dumps(model)).set_params(tol=1e-4)
    model.set_params(tol=1e-4)
    assert same(model.fit(X, Y), other.fit(X, Y)) and model.n_iter_ == other.n_iter_
