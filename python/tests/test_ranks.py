# SPDX-License-Identifier: BSD-3-Clause
"""Estimators that several processes fit together: the model of one process with as many shards, and
errors of one rank on all ranks. The ranks are threads, with a communicator of their own."""
import copy
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

from shipped_data import run_program, write_arff, yeast, DATA
from slackline import (ImageSegmenter, Matcher, MulticlassClassifier, MultiLabelClassifier,
                       SequenceLabeler, _core, share_of)
from slackline._ranks import Team
from thread_comm import Aborted, fit_on_ranks, on_ranks

RANKS = (2, 3)
SHORT = {"tol": 1e-4, "max_iter": 8}
pytestmark = pytest.mark.filterwarnings("ignore::slackline._base.ConvergenceWarning",
                                        "ignore::sklearn.exceptions.ConvergenceWarning")


def same_model(one, other):
    assert sorted(one.weights_) == sorted(other.weights_)
    for name, block in one.weights_.items():
        assert block.tolist() == other.weights_[name].tolist(), name
    for name in ("primal_", "dual_", "gap_", "lam_", "n_iter_", "termination_", "scaling_",
                 "learner_", "n_features_in_"):
        assert getattr(one, name, None) == getattr(other, name, None), name
    assert [(check["pass"], check["primal"], check["dual"]) for check in one.history_] == \
        [(check["pass"], check["primal"], check["dual"]) for check in other.history_]


def random_tags(count=60):
    random = np.random.default_rng(2)
    X, y = [], []
    for _ in range(count):
        words = random.integers(0, 40, random.integers(1, 7))
        X.append([{"word": f"w{word}", "long": float(word > 20)} for word in words])
        y.append([f"tag{(word + random.integers(0, 2)) % 4}" for word in words])
    return X, y


def random_letters(count=40, zeros=0.7):
    random = np.random.default_rng(3)
    X = [random.random((length, 12)) * (random.random((length, 12)) > zeros)
         for length in random.integers(1, 6, count)]
    y = [(sequence.sum(axis=1) * 2).astype(int) for sequence in X]
    return X, y


def random_classes(count=90):
    random = np.random.default_rng(4)
    X = random.normal(size=(count, 5)) * [1, 50, 1, 1, 1]
    scores = X[:, :3] + random.normal(size=(count, 3))
    y = np.array(["red", "blue", "green"])[np.argmax(scores, axis=1)]
    return X, y


def random_matchings(count=24, names=True):
    random = np.random.default_rng(5)
    X, y = [], []
    for _ in range(count):
        left, right = random.integers(1, 4, 2)
        edges = [(a, b) for a in range(left) for b in range(right)]
        values = random.random((len(edges), 3))
        true = [int(a == b) for a, b in edges]
        values[:, 1] += true
        features = [{f"f{k}": value for k, value in enumerate(row) if value > 0.3}
                    for row in values] if names else values
        X.append((int(left), int(right), edges, features))
        y.append(true)
    return X, y


# The part of a rank.


def test_share_of_covers_all_examples_in_order():
    for n in (0, 1, 2, 3, 10, 11):
        for size in (1, 2, 3):
            for shards in (1, 2, 4, 7):
                parts = on_ranks(size, lambda comm: share_of(n, comm, shards=shards))
                joined = [k for part in parts for k in range(n)[part]]
                assert joined == list(range(n))




# Communication.


@pytest.mark.parametrize("most", [1 << 30, 3])
def test_bytes_travel_in_pieces(monkeypatch, most):
    monkeypatch.setattr("slackline._ranks._MOST_BYTES", most)

    def work(comm):
        team = Team(comm)
        lengths = [5, 0, 8]
        everything = bytearray(13)
        mine = bytes([65 + team.rank]) * lengths[team.rank]
        team.gather_bytes(memoryview(mine), lengths, memoryview(everything))
        assert bytes(everything) == b"A" * 5 + b"C" * 8
        to = [memoryview(bytes([10 * team.rank + q]) * (team.rank + q)) for q in range(3)]
        come = [memoryview(bytearray(team.rank + q)) for q in range(3)]
        team.exchange_bytes(to, come)
        assert [bytes(view) for view in come] == \
            [bytes([10 * q + team.rank]) * (team.rank + q) for q in range(3)]
        content = bytearray(b"abcdefg" if team.rank == 0 else b"-------")
        team.broadcast_bytes(memoryview(content))
        assert bytes(content) == b"abcdefg"
        return "good"

    assert on_ranks(3, work) == ["good"] * 3


def test_a_rank_that_fails_alone_ends_all(monkeypatch, capsys):
    monkeypatch.setattr("slackline._ranks._TIME_TO_FAIL", 0.2)
    from slackline._ranks import team_of

    def work(comm):
        with team_of(comm) as team:
            if team.rank == 1:
                raise KeyError("only here")
            team.gather(1)

    answers = on_ranks(3, work)
    assert all(isinstance(answer, (Aborted, KeyError)) for answer in answers)
    assert "rank 1 has failed alone" in capsys.readouterr().err


# The same model as one process.


@pytest.mark.parametrize("size", RANKS)
@pytest.mark.parametrize("options", [
    {}, {"graph": "tree", "loss_weights": "inverse-frequency"}, {"scale": "standard", "C": 0.5},
    {"scale": "max-abs", "graph": "none"}, {"loss": "f1", "graph": "none"}, {"n_jobs": 2},
    {"graph": "auto"},
    {"learner": "al"}, {"learner": "soft"}],
    ids=lambda options: " ".join(map(str, options.values())) or "defaults")
def test_multilabel(size, options):
    X, Y, _ = yeast()
    X, Y = X[:200], Y[:200]
    one = MultiLabelClassifier(shards=4, **SHORT, **options).fit(X, Y)
    for model in fit_on_ranks(
            size, lambda comm: MultiLabelClassifier(shards=4, comm=comm, **SHORT, **options), X, Y,
            shards=4):
        same_model(one, model)
        assert model.label_pairs_.tolist() == one.label_pairs_.tolist()
        assert model.predict(X).tolist() == one.predict(X).tolist()


def test_sparse_multilabel():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X, Y, _ = yeast()
    X, Y = scipy_sparse.csr_matrix(np.where(X[:150] > 0.05, X[:150], 0)), Y[:150]
    one = MultiLabelClassifier(shards=2, **SHORT).fit(X, Y)
    for model in fit_on_ranks(2, lambda comm: MultiLabelClassifier(comm=comm, **SHORT), X, Y):
        same_model(one, model)


def test_one_shard_per_rank_is_the_default():
    X, Y, _ = yeast()
    X, Y = X[:100], Y[:100]
    one = MultiLabelClassifier(shards=3, **SHORT).fit(X, Y)
    models = fit_on_ranks(3, lambda comm: MultiLabelClassifier(comm=comm, **SHORT), X, Y)
    for model in models:
        same_model(one, model)
    plain = MultiLabelClassifier(**SHORT).fit(X, Y)
    assert plain.weights_["labels"].tolist() != one.weights_["labels"].tolist()


def test_the_program_trains_the_same_model(tmp_path):
    X, Y, _ = yeast()
    X, Y = X[:150], Y[:150]
    data = write_arff(tmp_path / "part.arff", slice(0, 150))
    run_program("multilabel", "train", data, "--labels", DATA / "yeast" / "yeast.xml", "-q",
                "--shards", 3, "--max-passes", 8, "--gap-tolerance", 1e-4, "--model",
                tmp_path / "m.slk")
    loaded = MultiLabelClassifier.load(tmp_path / "m.slk")
    assert loaded.shards == 3
    for model in fit_on_ranks(3, lambda comm: MultiLabelClassifier(comm=comm, **SHORT), X, Y):
        for name, block in loaded.weights_.items():
            assert block.tolist() == model.weights_[name].tolist()


@pytest.mark.parametrize("size", RANKS)
@pytest.mark.parametrize("options", [{}, {"min_count": 3}, {"hash_bits": 6}, {"loss": "count"}],
                         ids=lambda options: " ".join(options) or "defaults")
def test_tags(size, options):
    X, y = random_tags()
    one = SequenceLabeler(shards=size, **SHORT, **options).fit(X, y)
    for model in fit_on_ranks(size, lambda comm: SequenceLabeler(comm=comm, **SHORT, **options), X,
                              y):
        same_model(one, model)
        assert model.classes_.tolist() == one.classes_.tolist()
        assert model.state_features_ == one.state_features_ or options.get("hash_bits")


@pytest.mark.parametrize("zeros", [0.3, 0.7])
@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_letters(zeros, scale):
    X, y = random_letters(zeros=zeros)
    X[:14] = [np.where(sequence > 0, sequence, 0.5) for sequence in X[:14]]  # rank 0: dense
    one = SequenceLabeler(shards=3, scale=scale, **SHORT).fit(X, y)
    for model in fit_on_ranks(3, lambda comm: SequenceLabeler(comm=comm, scale=scale, **SHORT), X,
                              y):
        same_model(one, model)


@pytest.mark.parametrize("size", RANKS)
def test_one_word_per_token(size):
    # Such inputs are at the border where their inner products are worth keeping.
    random = np.random.default_rng(0)
    words = [random.integers(0, 30, 5) for _ in range(30)]
    X = [[[f"w{word}"] for word in sentence] for sentence in words]
    y = [(sentence % 10).tolist() for sentence in words]
    one = SequenceLabeler(shards=3).fit(X, y)
    for model in fit_on_ranks(size, lambda comm: SequenceLabeler(shards=3, comm=comm), X, y,
                              shards=3):
        same_model(one, model)


def test_labels_that_only_one_rank_has():
    X, y = random_tags(20)
    y[0] = ["rare"] * len(X[0])
    y[-1] = ["alone"] * len(X[-1])
    one = SequenceLabeler(shards=2, **SHORT).fit(X, y)
    for model in fit_on_ranks(2, lambda comm: SequenceLabeler(comm=comm, **SHORT), X, y):
        assert model.classes_.tolist() == one.classes_.tolist()
        same_model(one, model)


@pytest.mark.parametrize("options", [
    {}, {"class_weight": "balanced"}, {"class_weight": {"red": 2}}, {"costs": {("red", "blue"): 3}},
    {"scale": "norm", "fit_intercept": False}], ids=lambda options: " ".join(options) or "defaults")
def test_classes(options):
    X, y = random_classes()
    order = np.argsort(y, kind="stable")  # ranks have other classes
    X, y = X[order], y[order]
    one = MulticlassClassifier(shards=3, **SHORT, **options).fit(X, y)
    for model in fit_on_ranks(3, lambda comm: MulticlassClassifier(comm=comm, **SHORT, **options),
                              X, y):
        same_model(one, model)
        assert model.classes_.tolist() == one.classes_.tolist()


def test_sample_weights():
    X, y = random_classes()
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    one = MulticlassClassifier(shards=2, **SHORT).fit(X, y, weights)
    for model in fit_on_ranks(2, lambda comm: MulticlassClassifier(comm=comm, **SHORT), X, y,
                              weights):
        same_model(one, model)


@pytest.mark.parametrize("names", [False, True])
def test_matchings(names):
    X, y = random_matchings(names=names)
    one = Matcher(shards=3, **SHORT).fit(X, y)
    for model in fit_on_ranks(3, lambda comm: Matcher(comm=comm, **SHORT), X, y):
        same_model(one, model)
        assert model.feature_names_ == one.feature_names_


@pytest.mark.skipif(not _core.has_vision, reason="built without images")
def test_images(tmp_path):
    random = np.random.default_rng(0)
    labels = [np.repeat([[0] * 24, [1] * 24], k, axis=0) for k in (8, 10, 12, 9, 11)]
    images = [random.integers(0, 80, (*y.shape, 3)) + 160 * y[..., None] for y in labels]
    options = {"superpixels": 12, "coarse": 3, "features": "small", **SHORT}
    path = tmp_path / "images.fea"
    one = ImageSegmenter(shards=3, **options)
    one.prepare_features(path, images, labels)
    one.fit_features(path)
    whole = ImageSegmenter(shards=3, **options).fit(images, labels)
    same_model(one, whole)
    for model in on_ranks(
            3, lambda comm: ImageSegmenter(comm=comm, **options).fit_features(path)):
        same_model(one, model)
    refused = on_ranks(2, lambda comm: ImageSegmenter(comm=comm, **options).fit(images, labels))
    assert all(isinstance(answer, NotImplementedError) for answer in refused)
    # One process has no image, and there are as many shards as images.
    five = ImageSegmenter(shards=5, **options).fit_features(path)
    for model in on_ranks(
            6, lambda comm: ImageSegmenter(comm=comm, **options).fit_features(path)):
        same_model(five, model)


@pytest.mark.parametrize("size", RANKS)
def test_calibration(size):
    X, Y, _ = yeast()
    X, Y = X[:120], Y[:120]
    options = {"calibrate": True, "graph": "tree", "random_state": 3, **SHORT}
    one = MultiLabelClassifier(shards=3, **options).fit(X, Y)
    for model in fit_on_ranks(
            size, lambda comm: MultiLabelClassifier(shards=3, comm=comm, **options), X, Y,
            shards=3):
        same_model(one, model)
        assert model.predict_proba(X).tolist() == one.predict_proba(X).tolist()


def test_an_exception_on_one_rank_prevents_the_calibration_on_all():
    def work(comm):
        def stop(record):
            raise KeyError("only here")

        part = share_of(60, comm)
        X, Y, _ = yeast()
        MultiLabelClassifier(comm=comm, calibrate=True, **SHORT).fit(
            X[part], Y[part], callbacks=stop if comm.Get_rank() == 1 else None)

    answers = on_ranks(2, work)
    assert all("only here" in str(answer) for answer in answers)


# Processes without examples.


def few_examples(kind):
    """An estimator, and two examples for it."""
    if kind == "labels":
        X, Y, _ = yeast()
        return MultiLabelClassifier, X[:2], Y[:2]
    if kind == "sparse labels":
        X, Y, _ = yeast()
        return MultiLabelClassifier, pytest.importorskip("scipy.sparse").csr_matrix(X[:2]), Y[:2]
    if kind == "classes":
        X, y = random_classes()
        two = [0, int(np.flatnonzero(y != y[0])[0])]
        return MulticlassClassifier, X[two], y[two]
    if kind == "tags":
        return SequenceLabeler, *random_tags(2)
    if kind == "letters":
        return SequenceLabeler, *random_letters(2)
    return Matcher, *random_matchings(2, names=kind == "named matchings")


@pytest.mark.parametrize("kind", ["labels", "sparse labels", "classes", "tags", "letters",
                                  "matchings", "named matchings"])
@pytest.mark.parametrize("size", [3, 5])
def test_fewer_examples_than_processes(kind, size):
    estimator, X, y = few_examples(kind)
    one = estimator(shards=2, **SHORT).fit(X, y)
    for model in fit_on_ranks(size, lambda comm: estimator(comm=comm, **SHORT), X, y):
        same_model(one, model)


def test_a_process_without_examples_where_share_of_gives_some():
    X, Y, _ = yeast()
    parts = [slice(0, 3), slice(3, 3), slice(3, 9)]
    error = errors(3, lambda comm: MultiLabelClassifier(comm=comm).fit(
        X[parts[comm.Get_rank()]], Y[parts[comm.Get_rank()]]))
    assert "rank 1 has no examples" in str(error)


@pytest.mark.parametrize("kind", ["labels", "classes", "tags", "letters", "matchings"])
def test_no_process_has_examples(kind):
    estimator, X, y = few_examples(kind)
    error = errors(3, lambda comm: estimator(comm=comm).fit(X[:0], y[:0]))
    assert isinstance(error, ValueError)
    assert "no process has examples" in str(error) or "X has no" in str(error)


def test_uneven_parts_train_together():
    X, Y, _ = yeast()
    cuts = [0, 20, 90, 150]
    models = on_ranks(3, lambda comm: MultiLabelClassifier(comm=comm, tol=0.01).fit(
        X[cuts[comm.Get_rank()]:cuts[comm.Get_rank() + 1]],
        Y[cuts[comm.Get_rank()]:cuts[comm.Get_rank() + 1]]))
    for model in models:
        same_model(models[0], model)
    one = MultiLabelClassifier(tol=0.01).fit(X[:150], Y[:150])
    assert models[0].lam_ == pytest.approx(one.lam_)
    assert max(models[0].dual_, one.dual_) <= min(models[0].primal_, one.primal_)


# Errors.


def errors(size, work):
    """The text of the error that all ranks have."""
    answers = on_ranks(size, work)
    assert all(isinstance(answer, Exception) for answer in answers), answers
    assert not any(isinstance(answer, Aborted) for answer in answers), answers
    assert len({(type(answer), str(answer)) for answer in answers}) == 1, answers
    return answers[0]


def small(comm, change=None):
    """Data of this rank; change(X, Y) on rank 1."""
    X, Y, _ = yeast()
    part = share_of(60, comm)
    X, Y = X[part].copy(), Y[part].astype(float)
    if comm.Get_rank() == 1 and change is not None:
        X, Y = change(X, Y)
    return X, Y


def with_nan(X, Y):
    X[3, 5] = np.nan
    return X, Y


def with_two(X, Y):
    Y[2, 1] = 2
    return X, Y


@pytest.mark.parametrize("change, text", [
    (with_nan, "rank 1: Input X contains NaN: row 3, column 5."),
    (with_two, "rank 1: Y: row 2, column 1 is 2.0"),
    (lambda X, Y: (X[:-1], Y), "rank 1: Found input variables with inconsistent numbers"),
    (lambda X, Y: (X[:, :-1], Y), "the number of features must be the same on all processes, but "
                                  "is 103 on rank 0 and 102 on rank 1"),
    (lambda X, Y: (X, Y[:, :-1]), "the names of the labels must be the same"),
    (lambda X, Y: (X[:0], Y), "rank 1: Found input variables with inconsistent numbers"),
    (lambda X, Y: (X[:, :0], Y), "rank 1: Found array with 0 feature(s)"),
    (lambda X, Y: (None, Y), "rank 1: "),
    (lambda X, Y: (X, np.full_like(Y, np.nan)), "without a known label"),
], ids=str)
def test_bad_multilabel_data_on_one_rank(change, text):
    error = errors(3, lambda comm: MultiLabelClassifier(comm=comm).fit(*small(comm, change)))
    assert isinstance(error, ValueError)
    assert text in str(error)


@pytest.mark.parametrize("options, text", [
    ({"warm_start": True}, "warm_start"),
    ({"learner_options": {"kernel": "rbf"}}, "kernel, which compares every example with all others, needs a single"),
    ({"learner": "ssg"}, "ssg"),
    ({"shards": 2}, "shards == 2, but each of the 3 processes needs a shard"),
    ({"shards": 0}, "shards == 0"),
    ({"shards": 2, "learner_options": {"shards": 3}}, "shards"),
    ({"scale": "xx"}, "scale"),
    ({"graph": "/no/such/file"}, "/no/such/file"),
])
def test_what_several_processes_cannot_do(options, text):
    error = errors(3, lambda comm: MultiLabelClassifier(comm=comm, **options).fit(*small(comm)))
    assert isinstance(error, ValueError)
    assert text in str(error)


def test_other_parameters_on_one_rank():
    for name, values in {"C": (1.0, 2.0), "tol": (0.1, 0.2), "graph": ("tree", "none"),
                         "fit_intercept": (True, False), "loss_weights": ({1: 2}, {1: 3}),
                         "warm_start": (True, False), "calibrate": (False, True),
                         "learner_options": ({}, {"step": "away"})}.items():
        error = errors(2, lambda comm: MultiLabelClassifier(
            comm=comm, **{name: values[comm.Get_rank()]}).fit(*small(comm)))
        assert "must be the same on all processes" in str(error)
    error = errors(2, lambda comm: MultiLabelClassifier(
        comm=comm, C=-comm.Get_rank() or None).fit(*small(comm)))
    assert "rank 1: C == -1" in str(error)
    good = on_ranks(2, lambda comm: MultiLabelClassifier(
        comm=comm, n_jobs=1 + comm.Get_rank(), tol=0.1, random_state=np.random.RandomState(
            comm.Get_rank())).fit(*small(comm)))
    same_model(*good)


def test_plus_and_minus_one_are_labels_only_where_no_rank_has_a_zero():
    def fit(comm, signs):
        X, Y = small(comm, None)
        if signs(comm.Get_rank()):
            Y = 2 * Y - 1
        return MultiLabelClassifier(comm=comm, max_iter=2, tol=0.9).fit(X, Y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixed = on_ranks(2, lambda comm: fit(comm, lambda rank: rank == 1))
    zero_one = on_ranks(2, lambda comm: fit(comm, lambda rank: False))
    with pytest.warns(UserWarning, match="-1 is taken for the negative class"):
        signed = on_ranks(2, lambda comm: fit(comm, lambda rank: True))
    same_model(signed[0], zero_one[0])
    assert not np.array_equal(mixed[0].coef_, zero_one[0].coef_)


def test_bad_sequences_on_one_rank():
    def fit(change):
        def work(comm):
            X, y = random_tags(12)
            part = share_of(12, comm)
            X, y = X[part], y[part]
            if comm.Get_rank() == 1:
                X, y = change(X, y)
            return SequenceLabeler(comm=comm).fit(X, y)
        return str(errors(3, work))

    assert "rank 1: X has 0 sequences, but y has 4" in fit(lambda X, y: ([], y))
    assert "rank 1: X[0][0]" in fit(lambda X, y: ([[3.5 + 1j]], [["tag1"]]))
    assert "rank 1: X has 4 sequences, but y has 3" in fit(lambda X, y: (X, y[:-1]))
    assert "strings and integers" in fit(lambda X, y: (X, [[1] * len(of) for of in y]))
    assert "rank 1: y[0][0]" in fit(lambda X, y: (X, [[2.5] * len(of) for of in y]))
    assert "kind of the features" in fit(lambda X, y: ([np.ones((len(of), 2)) for of in y], y))


def test_bad_classes_on_one_rank():
    def fit(change, **options):
        def work(comm):
            X, y = random_classes(30)
            part = share_of(30, comm)
            data = (X[part], y[part], None)
            if comm.Get_rank() == 1:
                data = change(*data)
            return MulticlassClassifier(comm=comm, **options).fit(*data)
        return str(errors(2, work))

    assert "rank 1: y mixes" not in fit(lambda X, y, w: (X, np.arange(len(y)), w))
    assert "strings on rank 0 and numbers on rank 1" in \
        fit(lambda X, y, w: (X, np.arange(len(y)), w))
    assert "rank 1: all sample weights are 0" in \
        fit(lambda X, y, w: (X, y, np.zeros(len(y))))
    assert "pink" in fit(lambda *data: data, class_weight={"pink": 2})


def test_bad_matchings_on_one_rank():
    def work(comm):
        X, y = random_matchings(9)
        part = share_of(9, comm)
        X, y = X[part], y[part]
        if comm.Get_rank() == 2:
            X[1] = (*X[1][:3], [{"f": float("nan")}] * len(X[1][2]))
        return Matcher(comm=comm).fit(X, y)

    assert "rank 2: features of X[1], edge 0" in str(errors(3, work))

    def other_kind(comm):
        X, y = random_matchings(9, names=comm.Get_rank() == 0)
        part = share_of(9, comm)
        return Matcher(comm=comm).fit(X[part], y[part])

    assert "kind of the features" in str(errors(3, other_kind))


def test_a_callback_ends_all_ranks():
    def work(comm):
        calls = []

        def stop(record):
            calls.append(record)
            return comm.Get_rank() == 1 and record["pass"] >= 2

        model = MultiLabelClassifier(comm=comm, tol=0, max_iter=10000)
        return model.fit(*small(comm), callbacks=stop)

    models = on_ranks(3, work)
    for model in models:
        assert model.termination_ == "interrupted"
        same_model(models[0], model)


def test_an_exception_of_a_callback_is_raised_on_all_ranks():
    def work(comm):
        def fail(record):
            if comm.Get_rank() == 1:
                raise KeyError("here")

        model = MultiLabelClassifier(comm=comm, tol=0, max_iter=10000)
        try:
            model.fit(*small(comm), callbacks=fail)
        except Exception as error:
            return model, error
        return None

    answers = on_ranks(2, work)
    assert isinstance(answers[1][1], KeyError)
    assert isinstance(answers[0][1], RuntimeError)
    assert str(answers[0][1]) == "rank 1: KeyError: 'here'"
    for model, _ in answers:
        assert model.termination_ == "interrupted"


def test_only_rank_0_shows_progress(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    on_ranks(2, lambda comm: MultiLabelClassifier(
        comm=comm, verbose=comm.Get_rank() == 1, max_iter=3).fit(*small(comm)))
    assert capsys.readouterr().err == ""
    on_ranks(2, lambda comm: MultiLabelClassifier(comm=comm, verbose=True, max_iter=3).fit(
        *small(comm)))
    assert capsys.readouterr().err.count("pass 3") == 1


# The estimator.


def test_shards_are_those_of_learner_options():
    X, Y, _ = yeast()
    X, Y = X[:100], Y[:100]
    one = MultiLabelClassifier(shards=3, **SHORT).fit(X, Y)
    same_model(one, MultiLabelClassifier(learner_options={"shards": 3}, **SHORT).fit(X, Y))
    with pytest.raises(ValueError, match="learner_options"):
        MultiLabelClassifier(shards=3, learner_options={"shards": 3}).fit(X, Y)
    with pytest.raises(ValueError, match="comm must be a communicator"):
        raise_value(lambda: MultiLabelClassifier(comm=3).fit(X, Y))


def raise_value(work):
    try:
        work()
    except TypeError as error:
        raise ValueError(str(error)) from error


def test_a_communicator_of_one_process_changes_nothing():
    X, Y, _ = yeast()
    X, Y = X[:100], Y[:100]
    plain = MultiLabelClassifier(**SHORT).fit(X, Y)
    model, = on_ranks(1, lambda comm: MultiLabelClassifier(comm=comm, **SHORT).fit(X, Y))
    same_model(plain, model)


def test_clones_have_the_communicator_and_pickles_do_not():
    clone = pytest.importorskip("sklearn.base").clone

    def work(comm):
        model = MultiLabelClassifier(comm=comm, shards=4, **SHORT)
        again = clone(model)
        assert again.comm is comm and again.shards == 4
        assert model.get_params()["comm"] is comm
        assert copy.deepcopy(model).comm is comm
        with pytest.raises(TypeError, match="comm"):
            pickle.dumps(model)
        again.fit(*small(comm))
        fitted = pickle.loads(pickle.dumps(again))
        assert fitted.comm is None and again.comm is comm
        same_model(again, fitted)
        return "good"

    assert on_ranks(2, work) == ["good"] * 2


def test_grid_search_needs_no_communicator():
    search = pytest.importorskip("sklearn.model_selection").GridSearchCV
    X, Y, _ = yeast()
    found = search(MultiLabelClassifier(tol=0.1, graph="none"), {"shards": [1, 2]}, cv=2).fit(
        X[:60], Y[:60])
    assert found.best_params_["shards"] in (1, 2)


# MPI itself.


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    script = pathlib.Path(__file__).with_name("mpi_ranks.py")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1",
                       PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none",
                       PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(["mpirun", "-n", "3", sys.executable, str(script)], env=environment,
                          capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == 3, done.stdout + done.stderr
