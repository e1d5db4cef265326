# SPDX-License-Identifier: BSD-3-Clause
"""Bipartite matchings: which candidate edges between two sides belong together."""
from __future__ import annotations

import numbers
import os
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import column_names, is_sparse, num_columns, num_rows, prepare_matrix, shown
from ._base import Callbacks, StructuredEstimator, option_parameters
from ._ranks import Team

__all__ = ["Matcher", "MatchingExample"]

_MOST_NODES = 1_000_000  # as in the files of the command line


@dataclass
class MatchingExample:
    """Two sides of nodes, and candidate edges between them.

    Parameters
    ----------
    n_left, n_right : int
        Numbers of nodes of the sides.
    edges : array of shape (E, 2)
        The left and the right node of each candidate edge, from 0. No edge occurs twice.
    features : array or sparse matrix of shape (E, F), data frame, or list of dicts
        The features of the edges. Dicts are as those of :class:`SequenceLabeler`.
    """

    n_left: int
    n_right: int
    edges: Any
    features: Any


class Matcher(StructuredEstimator):
    """Finds matchings between two sides of nodes, trained as a structured SVM.

    All candidate edges share one weight per feature and a constant. The prediction is the matching
    with the largest sum of edge scores, in which no node has more edges than its capacity; it is
    found exactly by minimum-cost flow, in training as in prediction.

    Parameters
    ----------
    C : float, optional
        Weight of the loss against the regulariser: lam = 1 / (C * number of examples).
    lam : float, optional
        The weight of the regulariser, lam/2 ||w||^2. Without C and lam, it is chosen from the data.
    left_capacity, right_capacity : int or None, default=1
        Most edges of a left and of a right node; None for any number.
    precision_cost : float, default=1
        The cost of a false edge in the loss.
    recall_cost : float, default=3
        The cost of a missed edge in the loss.
    loss : {"count", "mean"}, default="count"
        The costs of the wrong edges of an example, or this sum divided by the number of its
        candidate edges.
    scale : {"auto", "none", "standard", "max-abs", "norm"}, default="auto"
        How features are scaled; the model keeps the scaling.
    learner, tol, max_iter, time_limit, n_jobs, random_state, learner_options, warm_start, verbose
        As in :class:`MultiLabelClassifier`.
    shards, comm
        As in :class:`MultiLabelClassifier`.

    Attributes
    ----------
    feature_names_ : list of str
        Names of the features; "0", "1", ... for columns of arrays.
    scaling_ : str
        The kind of scaling.
    primal_, dual_, gap_, relative_gap_ : float
        The objective of the weights, a proven lower bound on the optimum, and their difference.
    lam_, n_iter_, learner_, termination_, message_, notes_, history_
        The regulariser, the number of passes, and how training went.

    Notes
    -----
    X is a list of examples, each a :class:`MatchingExample` or a tuple (n_left, n_right, edges,
    features). Features of all examples are either arrays, with the same columns, or lists of dicts.
    y is a list of arrays of shape (E,): 1 for edges in the matching, 0 for others, 2 for possible
    edges (Och and Ney 2003), which are neither right nor wrong, and -1 or None where it is not
    known. Training leaves out edges with 2 or -1.

    Examples
    --------
    >>> edges = [(0, 0), (0, 1), (1, 0), (1, 1)]
    >>> X = [(2, 2, edges, [{"same": 1}, {"same": 0}, {"same": 0.2}, {"same": 0.9}]),
    ...      (2, 2, edges, [{"same": 0.1}, {"same": 1}, {"same": 0.8}, {}])]
    >>> matcher = Matcher(C=10).fit(X, [[1, 0, 0, 1], [0, 1, 1, 0]])
    >>> matcher.predict([(1, 2, [(0, 0), (0, 1)], [{"same": 0.9}, {"same": 0.3}])])[0].tolist()
    [1, 0]
    """

    def __init__(self, C: Optional[float] = None, *, lam: Optional[float] = None,
                 left_capacity: Optional[int] = 1, right_capacity: Optional[int] = 1,
                 precision_cost: float = 1, recall_cost: float = 3, loss: str = "count",
                 scale: str = "auto", learner: str = "auto", tol: float = 1e-3,
                 max_iter: int = 100000, time_limit: Optional[float] = None,
                 n_jobs: Optional[int] = None, random_state: Any = None,
                 learner_options: Optional[Mapping[str, Any]] = None, shards: int = 1,
                 comm: Any = None, warm_start: bool = False, verbose: bool = False):
        self.C = C
        self.lam = lam
        self.left_capacity = left_capacity
        self.right_capacity = right_capacity
        self.precision_cost = precision_cost
        self.recall_cost = recall_cost
        self.loss = loss
        self.scale = scale
        self.learner = learner
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learner_options = learner_options
        self.shards = shards
        self.comm = comm
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Sequence[Any], y: Sequence[Any], callbacks: Callbacks = None) -> "Matcher":
        """Train on examples with known matchings.

        Parameters
        ----------
        X : list of examples
            See the notes of the class.
        y : list of arrays of shape (E,)
            1, 0, 2 (possible) or -1 (unknown) per edge.
        callbacks : callable or list of callables, optional
            Called with a dict of figures after every check; returning True ends training.

        Returns
        -------
        Matcher
            This object.
        """
        with self._processes() as team:
            train, options, examples, labels = team.together(lambda: self._prepare(X, y))
            team.require_some(len(examples.sizes), "X has no examples")
            self._agree(team, options, train)
            examples.agree(team)
            model, result = self._run(
                callbacks, options, train, lambda arguments: _core.fit_matching(
                    examples.prepared(labels), examples.names, arguments), team)
            self._take_model(model)
            self._finish(result, team)
        return self

    def _prepare(self, X: Any, y: Any) -> tuple[dict, dict, "_Examples", np.ndarray]:
        """The options of training and of the application, the examples and the labels of their
        edges."""
        train = self._train_options()
        options = self._options()
        examples = _Examples(X)
        labels = examples.labels(y)
        examples.check_capacities(labels, self.left_capacity, self.right_capacity)
        return train, options, examples, labels

    def _options(self) -> dict[str, str]:
        return {
            "left-capacity": _capacity("left_capacity", self.left_capacity),
            "right-capacity": _capacity("right_capacity", self.right_capacity),
            "precision-cost": _cost("precision_cost", self.precision_cost),
            "recall-cost": _cost("recall_cost", self.recall_cost),
            "loss": str(self.loss),
            "scale": str(self.scale),
        }

    def _take_model(self, model: Any) -> None:
        self._model = model
        self.feature_names_ = list(model.feature_names)
        self.n_features_in_ = len(self.feature_names_)
        self.scaling_ = model.scaling

    def predict(self, X: Sequence[Any]) -> list[np.ndarray]:
        """The best matching of each example.

        Returns
        -------
        list of ndarray of shape (E,)
            1 for the edges of the matching, 0 for others.
        """
        examples = self._inputs(X)
        return examples.split(self._decode(examples)[0])

    def decision_function(self, X: Sequence[Any]) -> list[np.ndarray]:
        """The score of each edge on its own, w.phi(x_e): what it adds to that of a matching.

        Returns
        -------
        list of ndarray of shape (E,)
        """
        examples = self._inputs(X)
        return examples.split(self._decode(examples)[1])

    def _inputs(self, X: Any) -> "_Examples":
        self._check_fitted("_model")
        return _Examples(X, self.feature_names_)

    def _decode(self, examples):
        return self._model.predict(examples.prepared(np.zeros(0, dtype=np.int32)), self._threads())

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """The F1 of the predicted edges, over all examples."""
        return self.metrics(X, y)["f1"]

    def metrics(self, X: Sequence[Any], y: Sequence[Any]) -> dict[str, float]:
        """All measures of agreement, over the edges with labels 1, 0 and 2.

        Returns
        -------
        dict
            precision (share of the predicted edges with label 1 or 2), recall (share of the edges
            with label 1 that are predicted), f1, error_rate (the alignment error rate; 1 - f1 if no
            edge is possible), exact (share of the examples without a wrong edge), mean_loss (per
            example), and the numbers examples, edges, true, possible, predicted, right (with label
            1), tolerated (with label 2).
        """
        examples = self._inputs(X)
        labels = examples.labels(y)
        predicted = self._decode(examples)[0]
        return self._model.metrics(examples.prepared(labels),
                                   np.ascontiguousarray(predicted, dtype=np.int32))

    @property
    def weights_(self) -> dict[str, np.ndarray]:
        """The weights by block, for scaled features: "edge" (1, F), "bias" (1, 1)."""
        self._check_fitted("_model")
        return self._model.weights

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the model file of the command line (slackline matching predict)."""
        self._check_fitted("_model")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "Matcher":
        """Read a model file, also one that the command line has trained.

        Returns
        -------
        Matcher
            A fitted estimator, with the parameters that the file records.
        """
        model = _core.MatchingModel.load(os.fspath(path))
        record = model.record
        texts = record["options"]
        left, right = (capacity or None for capacity in model.capacities)
        precision, recall = model.costs
        own = {name: texts[name] for name in ("loss", "scale") if name in texts}
        matcher = cls(left_capacity=left, right_capacity=right, precision_cost=precision,
                      recall_cost=recall, lam=record["lam"] or None, **own,
                      **option_parameters(texts))
        matcher._take_model(model)
        matcher._set_record(record)
        return matcher

    def _more_tags(self):
        return {"X_types": ["list of examples"], "no_validation": True}


class _Examples:
    """Checked examples. `known`: the names of a model's features; None in training."""

    def __init__(self, X: Any, known: Optional[list[str]] = None):
        if isinstance(X, (str, bytes, dict, MatchingExample)) or not hasattr(X, "__iter__"):
            raise ValueError(f"X must be a list of examples, not {type(X).__name__}")
        self.sizes: list[tuple[int, int, int]] = []
        self.edges: list[np.ndarray] = []
        self.features: list[Any] = []
        self.names: list[str] = []
        self.by_name: Optional[bool] = None
        for m, example in enumerate(X):
            n_left, n_right, edges, features = _parts(example, m)
            pairs = _edges(edges, n_left, n_right, m)
            self.sizes.append((n_left, n_right, len(pairs)))
            self.edges.append(pairs)
            self._add_features(features, len(pairs), m, known)
        self.begin = np.zeros(len(self.sizes) + 1, dtype=np.int64)
        np.cumsum([size[2] for size in self.sizes], out=self.begin[1:])

    def _add_features(self, features, count, m, known):
        by_name = not (is_sparse(features) or hasattr(features, "__array__")) and \
            not _is_rows(features)
        if count == 0 and by_name:
            self.features.append([])
            return  # no features to tell names from columns by
        if self.by_name is None:
            self.by_name = by_name
        if by_name != self.by_name:
            raise ValueError(f"X[{m}] has features of another kind than the examples before: all "
                             "must be arrays, or all lists of dicts")
        if by_name:
            rows = list(features)
            if len(rows) != count:
                raise ValueError(f"X[{m}] has {count} edges, but features of {len(rows)}")
            self.features.append(rows)
            return
        if count == 0:
            self.features.append([])
            return
        names = column_names(features)
        matrix = prepare_matrix(features, f"features of X[{m}]", "Matcher")
        if num_rows(matrix) != count:
            raise ValueError(f"X[{m}] has {count} edges, but features of {num_rows(matrix)}")
        texts = [str(k) for k in range(num_columns(matrix))] if names is None else \
            [str(name) for name in names]
        if not self.names:
            self.names = texts
            if len(set(texts)) != len(texts):
                raise ValueError(f"X[{m}]: two columns of features have the same name")
        expected = self.names if known is None else known
        if texts != expected:
            raise ValueError(_other_columns(m, texts, expected))
        self.features.append(matrix)

    def agree(self, team: Team) -> None:
        """Takes over the kind of the features, and the names of columns, from other processes where
        all examples of this one are without edges. Raises ValueError if they differ."""
        if team.alone:
            return
        for by_name, names in team.gather((self.by_name, self.names)):
            if self.by_name is None:
                self.by_name = by_name
            if not self.names and self.by_name is False:
                self.names = names
        team.require_same({"the kind of the features": "lists" if self.by_name else "arrays",
                           "the names of the features": self.names})

    def labels(self, y: Any) -> np.ndarray:
        """Labels of all edges: 1, 0, 2, -1."""
        if isinstance(y, (str, bytes, dict)) or not hasattr(y, "__iter__"):
            raise ValueError("y must be a list of arrays of labels")
        lists = list(y)
        if len(lists) != len(self.sizes):
            raise ValueError(f"X has {len(self.sizes)} examples, but y has {len(lists)}")
        parts = [_labels(labels, self.sizes[m][2], m) for m, labels in enumerate(lists)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)

    def check_capacities(self, labels: np.ndarray, left: Optional[int],
                         right: Optional[int]) -> None:
        for m, pairs in enumerate(self.edges):
            true = pairs[labels[self.begin[m]:self.begin[m + 1]] == 1]
            for side, column, capacity in (("left", 0, left), ("right", 1, right)):
                if not capacity or not len(true):
                    continue
                counts = np.bincount(true[:, column])
                bad = np.flatnonzero(counts > capacity)
                if bad.size:
                    raise ValueError(
                        f"y[{m}]: {side} node {bad[0]} has {counts[bad[0]]} edges with label 1, "
                        f"and {side}_capacity is {capacity}")

    def prepared(self, labels: np.ndarray) -> Any:
        """The examples as slackline._core takes them."""
        by_name = self.by_name is not False
        sizes = np.array(self.sizes, dtype=np.int64).reshape(-1, 3)
        edges = np.concatenate([np.zeros((0, 2), dtype=np.int32), *self.edges])
        features = [part for part, size in zip(self.features, self.sizes) if by_name or size[2]]
        return _core.MatchingExamples(sizes, np.ascontiguousarray(edges, dtype=np.int32), labels,
                                      features, by_name)

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        return [values[self.begin[m]:self.begin[m + 1]] for m in range(len(self.sizes))]


def _parts(example: Any, m: int) -> tuple[int, int, Any, Any]:
    if isinstance(example, (tuple, list)):
        if len(example) != 4:
            raise ValueError(f"X[{m}] has {len(example)} parts; an example is n_left, n_right, "
                             "edges, features")
        n_left, n_right, edges, features = example
    else:
        try:
            n_left, n_right = example.n_left, example.n_right
            edges, features = example.edges, example.features
        except AttributeError:
            raise ValueError(f"X[{m}] must be a tuple (n_left, n_right, edges, features) or a "
                             f"MatchingExample, not {type(example).__name__}") from None
    for name, count in (("n_left", n_left), ("n_right", n_right)):
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or \
                not 0 <= int(count) <= _MOST_NODES:
            raise ValueError(f"X[{m}]: {name} == {shown(count)}; it must be an integer from 0 to "
                             f"{_MOST_NODES}")
    return int(n_left), int(n_right), edges, features


def _edges(edges: Any, n_left: int, n_right: int, m: int) -> np.ndarray:
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return np.zeros((0, 2), dtype=np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"X[{m}]: edges must be integers of shape (E, 2), not {pairs.dtype} of "
                         f"shape {pairs.shape}")
    for side, column, count in (("left", 0, n_left), ("right", 1, n_right)):
        bad = np.flatnonzero((pairs[:, column] < 0) | (pairs[:, column] >= count))
        if bad.size:
            raise ValueError(f"X[{m}]: edge {bad[0]} has {side} node {pairs[bad[0], column]}, but "
                             f"n_{side} is {count}")
    codes = pairs[:, 0].astype(np.int64) * n_right + pairs[:, 1].astype(np.int64)
    _, first = np.unique(codes, return_index=True)
    if len(first) != len(codes):
        repeated = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        raise ValueError(f"X[{m}]: edge {repeated} from {pairs[repeated, 0]} to "
                         f"{pairs[repeated, 1]} is given twice")
    return np.ascontiguousarray(pairs, dtype=np.int32)


def _is_rows(features: Any) -> bool:
    """Whether this is a list of rows of numbers."""
    if not isinstance(features, (list, tuple)):
        return False
    if not features:
        return False
    first = features[0]
    if hasattr(first, "__array__"):
        return True
    return isinstance(first, (list, tuple)) and len(first) > 0 and \
        isinstance(first[0], numbers.Number)


def _other_columns(m: int, texts: list[str], expected: list[str]) -> str:
    if len(texts) != len(expected):
        return f"X[{m}] has {len(texts)} features, where {len(expected)} are expected"
    k = next(k for k in range(len(texts)) if texts[k] != expected[k])
    advice = "" if texts[k] != str(k) else "; pass dicts, or data frames with the names as columns"
    return f"X[{m}]: feature {k} is named {shown(texts[k])}, where {shown(expected[k])} is " \
           f"expected{advice}"


def _labels(labels: Any, count: int, m: int) -> np.ndarray:
    array = np.asarray(labels)
    if array.shape != (count,):
        raise ValueError(f"y[{m}] must have shape ({count},), one label per edge, not "
                         f"{array.shape}")
    if array.dtype == object:
        array = np.array([-1 if label is None else label for label in array])
    if array.size and array.dtype.kind not in "biuf":
        raise ValueError(f"y[{m}] must hold numbers, not {array.dtype}")
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1, array)
    bad = np.flatnonzero((array != 0) & (array != 1) & (array != 2) & (array != -1))
    if bad.size:
        raise ValueError(f"y[{m}][{bad[0]}] is {shown(array[bad[0]].item())}; labels are 0, 1, 2 "
                         "(possible), and -1 where they are not known")
    return array.astype(np.int32)


def _capacity(name: str, capacity: Any) -> str:
    if capacity is None:
        return "0"
    if isinstance(capacity, bool) or not isinstance(capacity, numbers.Integral) or \
            not 1 <= int(capacity) < 2 ** 31:
        raise ValueError(f"{name} == {shown(capacity)}; it must be an integer >= 1, or None")
    return str(int(capacity))


def _cost(name: str, cost: Any) -> str:
    if isinstance(cost, bool) or not isinstance(cost, numbers.Real) or \
            not 0 <= float(cost) <= 1e50:
        raise ValueError(f"{name} == {shown(cost)}; it must be a number >= 0")
    # As the command line writes it.
    return f"{cost:d}" if isinstance(cost, numbers.Integral) else repr(float(cost))
