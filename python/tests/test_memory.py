# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that are read where they are, and inputs that are copied."""
import gc
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from slackline import MulticlassClassifier, MultiLabelClassifier

needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")

BEGIN = """
import re
import sys
import warnings
import numpy as np
from slackline import MulticlassClassifier, MultiLabelClassifier
warnings.simplefilter("ignore")  # one pass does not converge

def bytes_of(field):
    with open("/proc/self/status") as file:
        return 1024 * int(re.search(field + r":\\s+(\\d+)", file.read())[1])

def dense():
    X = np.empty((9000, 2000))
    np.random.default_rng(0).standard_normal(out=X)
    return X, X.nbytes

def sparse():
    from scipy.sparse import csr_matrix
    rows, stored, columns = 12500, 1000, 5000
    values = np.empty(rows * stored)
    np.random.default_rng(0).standard_normal(out=values)
    indices = np.empty((rows, stored), np.int32)
    indices[:] = np.arange(0, columns, columns // stored)
    starts = np.arange(0, rows * stored + 1, stored, dtype=np.int32)
    X = csr_matrix((values, indices.reshape(-1), starts), shape=(rows, columns))
    return X, values.nbytes + indices.nbytes

def labels(count):
    y = np.arange(count) % 2
    return y if Model is MulticlassClassifier else np.stack([y, 1 - y], axis=1)
"""

FIT = """
model = Model(scale=sys.argv[3], fit_intercept=sys.argv[4] == "constant", max_iter=1, tol=1e-9)
model.fit(np.eye(4), labels(4))  # loads what training needs
X, size = {"dense": dense, "sparse": sparse}[sys.argv[2]]()
y = labels(X.shape[0])
sample = np.asarray(X[17:20].sum(axis=0)).copy()
before = bytes_of("VmRSS")
model.fit(X, y)
assert (np.asarray(X[17:20].sum(axis=0)) == sample).all()
trained = bytes_of("VmHWM") - before
before = bytes_of("VmHWM")
model.predict(X)
print(trained / size, (bytes_of("VmHWM") - before) / size)
"""


def growth(model, kind, scale="none", constant="plain"):
    """How the peak of the process grows by fit, and by predict after it, in units of the size of
    the matrix."""
    script = BEGIN + f"Model = {model}\n" + textwrap.dedent(FIT)
    out = subprocess.run([sys.executable, "-c", script, model, kind, scale, constant], check=True,
                         capture_output=True, text=True).stdout
    return [float(number) for number in out.split()]


@needs_proc
@pytest.mark.parametrize("model", ["MulticlassClassifier", "MultiLabelClassifier"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_inputs_are_not_copied(model, kind):
    if kind == "sparse":
        pytest.importorskip("scipy.sparse")
    fit, predict = growth(model, kind)
    assert fit < 0.15 and predict < 0.15


@needs_proc
def test_a_constant_takes_one_copy_and_so_does_scaling():
    fit, _ = growth("MulticlassClassifier", "dense", constant="constant")
    assert 0.9 < fit < 1.2
    fit, _ = growth("MulticlassClassifier", "dense", scale="max-abs")
    assert 0.9 < fit < 1.2


# Views.

RANDOM = np.random.RandomState(3)
X = RANDOM.standard_normal((60, 8))
X[np.abs(X) < 0.4] = 0
Y = (X[:, :3] - X[:, 4:7] > 0).astype(int)
WITHOUT_CONSTANT = {"fit_intercept": False, "scale": "none"}


def same(one, other):
    return all((block == other.weights_[name]).all() for name, block in one.weights_.items())


@pytest.mark.parametrize("options", [WITHOUT_CONSTANT, {"learner_options": {"kernel": "rbf"}}])
def test_inputs_stay_as_they_are_and_models_do_not_need_them(options):
    inputs = X.copy()
    model = MultiLabelClassifier(**options).fit(inputs, Y)
    assert (inputs == X).all()
    scores = model.decision_function(X)
    inputs[:] = 7  # support vectors must be copies
    del inputs
    gc.collect()
    assert (model.decision_function(X) == scores).all()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_inputs_may_be_deleted_during_training(kind):
    inputs = X.copy()
    if kind == "sparse":
        inputs = pytest.importorskip("scipy.sparse").csr_matrix(X)
    wanted = MultiLabelClassifier(tol=1e-6, **WITHOUT_CONSTANT).fit(inputs, Y)
    held = [inputs]
    del inputs
    rubbish = []

    def forget(record):
        held.clear()
        gc.collect()
        rubbish.append(np.full(X.shape, np.nan))  # takes the memory, if it is free

    model = MultiLabelClassifier(tol=1e-6, **WITHOUT_CONSTANT)
    model.fit(held.pop(), Y, callbacks=forget)
    assert rubbish and same(model, wanted)


def test_inputs_are_let_go_of_by_threads_without_the_gil():
    inputs = [X.copy() for _ in range(4)]
    references = [sys.getrefcount(array) for array in inputs]
    models = [MultiLabelClassifier(scale=scale, fit_intercept=False)
              for scale in ("none", "max-abs", "none", "max-abs")]
    threads = [threading.Thread(target=model.fit, args=(array, Y))
               for model, array in zip(models, inputs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads
    gc.collect()
    assert [sys.getrefcount(array) for array in inputs] == references
    assert same(models[0], models[2]) and same(models[1], models[3])


def test_arrays_that_are_not_aligned_are_copied():
    record = np.zeros(60, dtype=np.dtype([("tag", "i1"), ("row", "f8", 8)], align=False))
    record["row"] = X
    shifted = np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape)
    assert not shifted.flags.aligned
    plain = MultiLabelClassifier(**WITHOUT_CONSTANT).fit(X, Y)
    for array in (record["row"], shifted):
        assert same(MultiLabelClassifier(**WITHOUT_CONSTANT).fit(array, Y), plain)


@pytest.mark.parametrize("classifier", [MulticlassClassifier, MultiLabelClassifier])
def test_sparse_matrices_without_values(classifier):
    sparse = pytest.importorskip("scipy.sparse")
    empty = sparse.csr_matrix((4, 3))
    y = np.array([0, 1, 0, 1])
    model = classifier(**WITHOUT_CONSTANT).fit(
        empty, y if classifier is MulticlassClassifier else y[:, None])
    assert len(model.predict(empty)) == 4
