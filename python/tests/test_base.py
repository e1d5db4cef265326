# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: callbacks, interruption, threads, processes, memory."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types

import numpy as np
import pytest

import slackline
from slackline import MultiLabelClassifier
from slackline._base import ConvergenceWarning, NotFittedError, available_if, option_parameters

RANDOM = np.random.RandomState(0)
X = RANDOM.standard_normal((80, 6))
Y = (X @ RANDOM.standard_normal((6, 4)) > 0).astype(int)


def run_script(text, **options):
    """Runs a script that can import slackline; returns its output."""
    environment = dict(os.environ)
    paths = [os.path.dirname(os.path.dirname(slackline.__file__)), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env=environment,
                          capture_output=True, text=True, timeout=120, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(one, other):
    return all((block == other.weights_[name]).all() for name, block in one.weights_.items())


# Callbacks and progress.


def test_callbacks_see_every_check():
    seen = []
    model = MultiLabelClassifier(tol=1e-5).fit(X, Y, callbacks=seen.append)
    assert seen == model.history_ and len(seen) >= 2
    assert {"pass", "seconds", "primal", "dual", "gap", "relative_gap"} <= set(seen[0])
    passes = [record["pass"] for record in seen]
    assert passes == sorted(set(passes))
    assert all(record["dual"] <= record["primal"] for record in seen)


def test_several_callbacks():
    first, second = [], []
    MultiLabelClassifier().fit(X, Y, callbacks=[first.append, second.append])
    assert first == second != []
    assert MultiLabelClassifier().fit(X, Y, callbacks=()).termination_ == "converged"


@pytest.mark.parametrize("answer", [True, np.True_])
def test_a_callback_that_returns_true_ends_training(answer):
    model = MultiLabelClassifier(tol=0).fit(X, Y, callbacks=lambda record: answer)
    assert model.termination_ == "interrupted" and len(model.history_) <= 2
    assert model.predict(X).shape == Y.shape


@pytest.mark.parametrize("answer", [None, False, 1, "yes", np.ones(3)], ids=str)
def test_other_answers_of_callbacks_do_not(answer):
    model = MultiLabelClassifier().fit(X, Y, callbacks=lambda record: answer)
    assert model.termination_ == "converged"


def test_a_callback_that_raises():
    class Stop(Exception):
        pass

    error = Stop("enough")

    def callback(record):
        raise error

    model = MultiLabelClassifier(tol=0)
    with pytest.raises(Stop) as caught:
        model.fit(X, Y, callbacks=callback)
    assert caught.value is error
    assert model.termination_ == "interrupted" and model.predict(X).shape == Y.shape


@pytest.mark.parametrize("callbacks", [3, [None], "text"])
def test_callbacks_must_be_callable(callbacks):
    with pytest.raises(ValueError, match="callbacks: .* is not callable"):
        MultiLabelClassifier().fit(X, Y, callbacks=callbacks)


def test_a_callback_may_train():
    inner = []

    def callback(record):
        inner.append(MultiLabelClassifier().fit(X, Y))
        return True

    model = MultiLabelClassifier(tol=0).fit(X, Y, callbacks=callback)
    assert model.termination_ == "interrupted" and inner[0].termination_ == "converged"


def test_verbose_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    model = MultiLabelClassifier(verbose=True).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(model.history_)
    assert lines[-1].startswith(f"[MultiLabelClassifier] pass {model.n_iter_}, objective ")
    assert "lower bound" in lines[-1] and "gap" in lines[-1]
    MultiLabelClassifier().fit(X, Y)
    assert capsys.readouterr().err == ""


def test_verbose_with_tqdm(monkeypatch):
    bars = []

    class Bar:
        def __init__(self, total, desc, bar_format):
            self.total, self.desc, self.n, self.closed, self.texts = total, desc, 0, False, []
            bars.append(self)

        def set_postfix_str(self, text):
            self.texts.append(text)

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    model = MultiLabelClassifier(verbose=True, tol=1e-2).fit(X, Y)
    assert len(bars) == 1 and bars[0].closed and bars[0].desc == "MultiLabelClassifier"
    assert bars[0].n == bars[0].total == 2 and len(bars[0].texts) == len(model.history_)
    with pytest.raises(ValueError):
        MultiLabelClassifier(verbose=True, loss="f1").fit(X, Y)
    assert bars[1].closed


# Interruption.

LONG = """
    import os, signal, sys, threading, time
    import numpy as np
    from slackline import MultiLabelClassifier
    random = np.random.RandomState(0)
    X = random.standard_normal((400, 20))
    Y = (X @ random.standard_normal((20, 12)) + random.standard_normal((400, 12)) > 0).astype(int)
    model = MultiLabelClassifier(tol=0, max_iter=10**9 // 2, n_jobs=2)
"""


def test_ctrl_c_keeps_the_best_model():
    out = run_script(LONG + """
    def press(record):
        if record["pass"] >= 3:
            os.kill(os.getpid(), signal.SIGINT)
    begin = time.monotonic()
    try:
        model.fit(X, Y, callbacks=press)
    except KeyboardInterrupt:
        print("interrupted", model.termination_, model.predict(X).shape, model.dual_ > 0)
    print(model.fit(X, Y, callbacks=lambda record: True).termination_)
    """)
    assert out.splitlines() == ["interrupted interrupted (400, 12) True", "interrupted"]


def test_ctrl_c_between_checks():
    """The signal arrives from outside, at any time."""
    out = run_script(LONG + """
    begun = threading.Event()
    def press():
        begun.wait()
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=press).start()
    try:
        model.fit(X, Y, callbacks=lambda record: begun.set())
        print("not interrupted")
    except KeyboardInterrupt:
        print(model.termination_, model.score(X, Y) > 0)
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """)
    assert out.splitlines() == ["interrupted True", "True"]


def test_ctrl_c_before_training_leaves_the_estimator_unfitted():
    out = run_script(LONG + """
    model.set_params(graph="auto", tol=1e-9)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        model.fit(X, Y)
        print("not interrupted")
    except KeyboardInterrupt:
        print(hasattr(model, "n_labels_"))
    """)
    assert out.splitlines() == ["False"]


def test_signal_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT)
    MultiLabelClassifier().fit(X, Y)
    assert signal.getsignal(signal.SIGINT) is before
    hits = []
    signal.signal(signal.SIGINT, lambda number, frame: hits.append(number))
    try:
        model = MultiLabelClassifier(tol=0, max_iter=10**8)
        model.fit(X, Y, callbacks=lambda record: os.kill(os.getpid(), signal.SIGINT))
        assert model.termination_ == "interrupted" and hits == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


# Threads and processes.


def test_fits_in_several_threads():
    alone = [MultiLabelClassifier(random_state=k + 1).fit(X, Y) for k in range(4)]
    models = [MultiLabelClassifier(random_state=k + 1, n_jobs=2) for k in range(4)]
    threads = [threading.Thread(target=model.fit, args=(X, Y)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(same(one, other) for one, other in zip(alone, models))


def test_other_threads_run_during_training():
    """The lock of the interpreter is free while the engine works."""
    counts = []
    stop = threading.Event()

    def count():
        number = 0
        while not stop.is_set():
            number += 1
            time.sleep(0.001)
        counts.append(number)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.warns(ConvergenceWarning):
        MultiLabelClassifier(tol=0, time_limit=0.5,
                             learner_options={"check_every": 10**6}).fit(X, Y)
    stop.set()
    thread.join()
    assert counts[0] > 20


def test_one_model_predicts_in_several_threads():
    model = MultiLabelClassifier(graph="full").fit(X, Y)
    want = model.decision_function(X)
    got = [None] * 8

    def predict(k):
        got[k] = model.decision_function(X)

    threads = [threading.Thread(target=predict, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all((scores == want).all() for scores in got)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_after_a_fit_with_threads():
    out = run_script("""
    import os, signal, sys
    import numpy as np
    from slackline import MultiLabelClassifier
    random = np.random.RandomState(0)
    X = random.standard_normal((3000, 10))
    Y = (X @ random.standard_normal((10, 5)) > 0).astype(int)
    model = MultiLabelClassifier(n_jobs=2).fit(X, Y)
    want = model.predict(X)
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # a child that hangs is killed
        good = (model.predict(X) == want).all()
        again = MultiLabelClassifier(n_jobs=2).fit(X, Y)
        good = good and (again.coef_ == model.coef_).all()
        os._exit(0 if good else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print((model.predict(X) == want).all())

    import multiprocessing
    def work(seed):
        signal.alarm(30)
        return MultiLabelClassifier(n_jobs=2, random_state=seed).fit(X, Y).coef_
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(work, [1, 2]).get(30)
    print((results[0] == model.coef_).all(), (results[0] == results[1]).all())
    """)
    assert out.split() == ["0", "True", "True", "False"]


def test_processes_of_joblib():
    joblib = pytest.importorskip("joblib")
    base = pytest.importorskip("sklearn.base")
    model = MultiLabelClassifier(graph="tree")
    fits = joblib.Parallel(n_jobs=2)(
        joblib.delayed(base.clone(model).fit)(X, Y) for _ in range(2))
    model.fit(X, Y)
    assert all(same(model, other) for other in fits)
    flags = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(X) for _ in range(2))
    assert all((part == model.predict(X)).all() for part in flags)


def test_searches_with_processes():
    selection = pytest.importorskip("sklearn.model_selection")
    search = selection.GridSearchCV(MultiLabelClassifier(graph="none"), {"C": [0.1, 1]}, cv=2,
                                    n_jobs=2).fit(X, Y)
    alone = selection.GridSearchCV(MultiLabelClassifier(graph="none"), {"C": [0.1, 1]}, cv=2).fit(
        X, Y)
    assert (search.cv_results_["mean_test_score"] == alone.cv_results_["mean_test_score"]).all()


# Memory.


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow_over_many_fits():
    out = run_script("""
    import warnings
    import numpy as np
    from slackline import MultiLabelClassifier
    random = np.random.RandomState(0)
    X = random.standard_normal((20, 60))
    Y = (X[:, :5] > 0).astype(int)
    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * 4096
    def fit(k):
        model = MultiLabelClassifier(graph="tree", tol=0.05, warm_start=True,
                                     n_jobs=2 if k % 100 == 0 else 1)
        model.fit(X, Y, callbacks=lambda record: None).predict(X)
        model.weights_, model.history_
        try:
            MultiLabelClassifier(loss="f1").fit(X, Y)
        except ValueError:
            pass
    for k in range(200):
        fit(k)
    before = resident()
    for k in range(1000):
        fit(k)
    print(resident() - before)
    """)
    assert int(out) < 3_000_000


def test_inputs_are_freed_before_training():
    """A converted matrix lives no longer than its conversion."""
    import tracemalloc
    inputs = np.asfortranarray(RANDOM.standard_normal((300, 400)))
    labels = (inputs[:, :3] > 0).astype(int)
    held = []
    tracemalloc.start()
    MultiLabelClassifier(graph="none").fit(
        inputs, labels, callbacks=lambda record: held.append(tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    assert held and max(held) < 0.5 * inputs.nbytes


def test_results_do_not_keep_inputs_alive():
    import weakref
    inputs = X.copy()
    reference = weakref.ref(inputs)
    model = MultiLabelClassifier().fit(inputs, Y)
    del inputs
    assert reference() is None and model.predict(X).shape == Y.shape


# What needs no other package.


def test_numpy_is_enough():
    out = run_script("""
    import sys
    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("sklearn", "scipy", "pandas", "tqdm", "matplotlib", "joblib"):
                raise ImportError(name + " is blocked")
    sys.meta_path.insert(0, Blocked())
    import copy, pickle
    import numpy as np
    from slackline import MultiLabelClassifier
    from slackline._base import NotFittedError
    X = np.array([[0., 1.], [1., 0.], [1., 1.], [0., 0.]] * 5)
    Y = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]] * 5)
    model = MultiLabelClassifier(graph="tree", C=10, verbose=True)
    try:
        model.predict(X)
    except NotFittedError as error:
        print("not fitted")
    model.fit(X, Y)
    print((model.predict(X) == Y).all(), model.score(X, Y))
    print((pickle.loads(pickle.dumps(model)).predict(X) == Y).all())
    print(model, model.get_params()["C"], copy.copy(model).set_params(C=2).C)
    try:
        model.set_params(D=2)
    except ValueError as error:
        print(str(error)[:38])
    print([name for name in ("sklearn", "scipy", "pandas") if name in sys.modules])
    """)
    assert out.splitlines() == [
        "not fitted", "True 1.0", "True",
        "MultiLabelClassifier(C=10, graph='tree', verbose=True) 10 2",
        "Invalid parameter 'D' for estimator Mu", "[]"
    ]


def test_large_packages_are_imported_only_where_used():
    out = run_script("""
    import sys
    import slackline
    print([name for name in ("pandas", "matplotlib", "tqdm", "torch") if name in sys.modules])
    """)
    assert out.splitlines() == ["[]"]


# Small parts.


def test_version():
    assert slackline.__version__.count(".") == 2


def test_errors_are_those_of_scikit_learn():
    exceptions = pytest.importorskip("sklearn.exceptions")
    assert NotFittedError is exceptions.NotFittedError
    assert ConvergenceWarning is exceptions.ConvergenceWarning


def test_methods_under_a_condition():
    class Thing:
        def __init__(self, has):
            self._has = has

        def _can(self):
            return self._has

        @available_if("_can", "cannot")
        def call(self, x):
            """Doubles."""
            return 2 * x

    assert Thing(True).call(3) == 6 and not hasattr(Thing(False), "call")
    assert Thing.call.__doc__ == "Doubles."
    with pytest.raises(AttributeError, match="cannot"):
        Thing(False).call(3)


def test_parameters_from_options():
    texts = {"learner": "bcfw", "gap-tolerance": "0.01", "max-passes": "100000", "threads": "0",
             "seed": "5", "lambda": "0.25", "step": "pairwise", "graph": "full",
             "time-limit": "auto"}
    assert option_parameters(texts) == {
        "learner": "bcfw", "tol": 0.01, "n_jobs": -1, "random_state": 5,
        "learner_options": {"step": "pairwise"}
    }
    assert option_parameters({}) == {}
