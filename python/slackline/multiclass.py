# SPDX-License-Identifier: BSD-3-Clause
"""One class per example, by the joint margin of Crammer and Singer."""
from __future__ import annotations

import numbers
import os
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _core
from ._arrays import (column_names, Features, num_columns, num_rows, prepare_matrix,
                      shown, take_rows)
from ._base import Callbacks, StructuredEstimator, option_parameters
from ._classes import (checked_cost, class_type_options, classes_of, cost_matrix,
                       recorded_costs)
from ._ranks import Team

try:
    from sklearn.base import ClassifierMixin as _Classifier
except ImportError:

    class _Classifier:  # type: ignore[no-redef]
        """The part of scikit-learn's ClassifierMixin that needs no scikit-learn."""

        _estimator_type = "classifier"


__all__ = ["MulticlassClassifier"]


class MulticlassClassifier(_Classifier, Features, StructuredEstimator):
    """A linear classifier for two or more classes, trained on all of them at once.

    It minimises

        lam/2 ||w||^2 + (1/M) sum_m max_y [cost(y_m, y) + w_y.x_m - w_{y_m}.x_m]

    (Crammer and Singer, 2001), where w has a row and a constant for every class, all regularised.
    With lam = 1/(C*M) this is the objective of
    ``sklearn.svm.LinearSVC(multi_class="crammer_singer")``, divided by C*M.

    Parameters
    ----------
    C : float, optional
        Weight of the loss against the regulariser: lam = 1 / (C * number of examples).
    lam : float, optional
        The weight of the regulariser. Without C and lam, it is chosen from the data.
    costs : array of shape (K, K) or dict, optional
        The costs of errors, ``costs[true, predicted]`` in the order of the sorted classes, or
        ``{(true, predicted): cost}``, where errors without an entry cost 1.
    class_weight : dict or "balanced", optional
        Factors of the loss of examples by class, 1 for classes without an entry; "balanced" takes
        n / (K * count).
    fit_intercept : bool, default=True
        Whether every class has a constant.
    scale : {"auto", "none", "standard", "max-abs", "norm"}, default="auto"
        How features are scaled; the model keeps the scaling.
    learner, tol, max_iter, time_limit, n_jobs, random_state, learner_options, warm_start, verbose
        As in :class:`MultiLabelClassifier`. With ``learner_options={"kernel": "rbf"}`` the model
        is not linear, and has no ``coef_``.
    shards, comm
        As in :class:`MultiLabelClassifier`. The classes are those of all processes.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    coef_ : ndarray of shape (K, n_features), or (1, n_features) for two classes
        The weights of the features as they are given, before scaling.
    intercept_ : ndarray of shape (K,) or (1,)
        The constants.
    scaling_ : str
        The kind of scaling.
    n_features_in_ : int
        Number of features.
    primal_, dual_, gap_, relative_gap_ : float
        The objective of the weights, a proven lower bound on the optimum, and their difference.
    lam_, n_iter_, learner_, termination_, message_, notes_, history_
        The regulariser, the number of passes, and how training went.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [2, 0], [2, 1], [0, 5], [1, 6]]
    >>> y = ["left", "left", "right", "right", "top", "top"]
    >>> classifier = MulticlassClassifier(C=10).fit(X, y)
    >>> classifier.predict([[2, 0.5], [0.5, 5]]).tolist()
    ['right', 'top']
    """

    def __init__(self, C: Optional[float] = None, *, lam: Optional[float] = None,
                 costs: Any = None, class_weight: Any = None, fit_intercept: bool = True,
                 scale: str = "auto", learner: str = "auto", tol: float = 1e-3,
                 max_iter: int = 100000, time_limit: Optional[float] = None,
                 n_jobs: Optional[int] = None, random_state: Any = None,
                 learner_options: Optional[Mapping[str, Any]] = None, shards: int = 1,
                 comm: Any = None, warm_start: bool = False, verbose: bool = False):
        self.C = C
        self.lam = lam
        self.costs = costs
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None,
            callbacks: Callbacks = None) -> "MulticlassClassifier":
        """Train on examples with known classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
        y : array of shape (n,)
            Classes: integers or strings.
        sample_weight : array of shape (n,), optional
            Factors >= 0 of the loss of examples. Those with 0 are left out.
        callbacks : callable or list of callables, optional
            Called with a dict of figures after every check; returning True ends training.

        Returns
        -------
        MulticlassClassifier
            This object.
        """
        with self._processes() as team:
            train, holder, labels, weights, features = team.together(
                lambda: self._prepare(X, y, sample_weight, may_be_empty=not team.alone))
            del X
            team.require_some(len(labels), "no process has examples")
            names = [] if features is None else [str(name) for name in features]
            team.require_same({"the number of features": num_columns(holder[0]),
                               "the names of the features": names,
                               "whether X is sparse": isinstance(holder[0], tuple)})
            classes, numbers_of = _number_classes(labels, team)
            if len(classes) < 2:
                raise ValueError("This classifier needs samples of at least 2 classes in the data, "
                                 f"but the data contains only one class: {shown(classes[0])}")
            counts = np.sum(team.gather(np.bincount(numbers_of, minlength=len(classes))), axis=0)
            options, costs, factors = team.together(
                lambda: self._costs_and_weights(weights, classes, numbers_of, counts))
            self._agree(team, options, train, **{"the costs of errors": costs})
            # The extension takes the matrix out of the list, and frees it before training.
            model, result = self._run(
                callbacks, options, train, lambda arguments: _core.fit_multiclass(
                    holder, np.ascontiguousarray(numbers_of, dtype=np.int32),
                    _class_names(classes), names, costs, factors, arguments), team)
            self._take_model(model, classes)
            self._set_features(model.num_features, features)
            self._finish(result, team)
        return self

    def _prepare(self, X: Any, y: Any, sample_weight: Any, may_be_empty: bool) -> tuple[
            dict, list, np.ndarray, Optional[np.ndarray], Optional[np.ndarray]]:
        """The options of training, a list with the matrix, the classes of the examples, their
        weights and the names of the features, both None if there are none."""
        train = self._train_options()
        features = column_names(X)
        holder = [prepare_matrix(X, estimator=type(self).__name__, may_be_empty=may_be_empty)]
        rows = num_rows(holder[0])
        labels = _label_vector(y)
        if len(labels) != rows:
            raise ValueError("Found input variables with inconsistent numbers of samples: "
                             f"[{rows}, {len(labels)}]")
        weights = _sample_weights(sample_weight, rows)
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            holder[0], labels, weights = take_rows(holder[0], kept), labels[kept], weights[kept]
        return train, holder, labels, weights, features

    def _costs_and_weights(self, weights: Optional[np.ndarray], classes: np.ndarray,
                           numbers_of: np.ndarray, counts: np.ndarray) -> tuple[
                               dict[str, str], list[float], list[float]]:
        """The options of the application, the costs of errors, and the weights of examples."""
        costs = cost_matrix(self.costs, classes, "class", "classes")
        factors = self._weights(weights, classes, numbers_of, counts)
        options = {"bias": "1" if self.fit_intercept else "0", "scale": str(self.scale),
                   **class_type_options(classes, _class_names(classes))}
        if self.class_weight is not None:
            options["class-weight"] = self._class_weight_text(classes)
        return options, costs, factors

    def _take_model(self, model: Any, classes: np.ndarray) -> None:
        self._model = model
        self.classes_ = classes
        self.n_features_in_ = model.num_features
        self.scaling_ = model.scaling

    def _weights(self, sample_weights: Optional[np.ndarray], classes: np.ndarray,
                 numbers_of: np.ndarray, counts: np.ndarray) -> list[float]:
        """The weight of every example; empty: all 1. counts: of the examples of every class, on all
        processes."""
        factors = self._class_weights(classes, counts)
        weights = sample_weights
        if factors is not None:
            of_class = factors[numbers_of]
            weights = of_class if weights is None else of_class * weights
        return [] if weights is None else [float(weight) for weight in weights]

    def _class_weight_text(self, classes: np.ndarray) -> str:
        """What the model file says: "balanced", or the factors of all classes in their order."""
        if isinstance(self.class_weight, str):
            return self.class_weight
        return ",".join(repr(float(factor)) for factor in self._class_weights(classes, None))

    def _class_weights(self, classes, counts):
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, str):
            if given != "balanced":
                raise ValueError(f"class_weight == {shown(given)}; it must be a dict or 'balanced'")
            return counts.sum() / (len(classes) * counts)
        if not isinstance(given, Mapping):
            raise ValueError(f"class_weight must be a dict or 'balanced', not {shown(given)}")
        factors = np.ones(len(classes))
        for label, factor in given.items():
            place = np.flatnonzero(classes == label)
            if place.size != 1:
                raise ValueError(f"class_weight: there is no class {shown(label)} in y")
            factors[place] = checked_cost("class_weight", factor, label)
            if factor == 0:
                raise ValueError(f"class_weight: the weight of {shown(label)} must be > 0")
        return factors

    def predict(self, X: Any) -> np.ndarray:
        """The class of each example.

        Returns
        -------
        ndarray of shape (n,)
        """
        labels = self._decode(X)[0]
        return self.classes_[labels]

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the classes.

        Returns
        -------
        ndarray of shape (n, K), or (n,) for two classes
            For two classes, the score of the second minus that of the first.
        """
        scores = self._decode(X)[1]
        return scores if scores.shape[1] > 2 else scores[:, 1] - scores[:, 0]

    def _decode(self, X):
        self._check_fitted("_model")
        return self._model.predict(self._check_features(X), self._threads())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of the examples whose class is right."""
        right = self.predict(X) == _label_vector(y)
        return float(np.average(right, weights=sample_weight))

    # The model

    @property
    def weights_(self) -> dict[str, np.ndarray]:
        """The weights by block, for scaled features: "classes" (K, n_features), "bias" (K, 1)."""
        self._check_fitted("_model")
        return self._model.weights

    @property
    def coef_(self) -> np.ndarray:
        return self._linear()[0]

    @property
    def intercept_(self) -> np.ndarray:
        return self._linear()[1]

    def _linear(self):
        """coef_ and intercept_."""
        if not hasattr(self, "_model"):
            raise AttributeError(f"this {type(self).__name__} is not fitted")
        if self._model.kernelized:
            raise AttributeError("a model with a kernel has no coef_ and intercept_")
        if self.scaling_ == "norm":
            raise AttributeError("with scale='norm' scores are not linear in X, so that there are "
                                 "no coef_ and intercept_; see weights_")
        weights = self._model.weights
        shift, divisor = self._model.scaling_numbers
        coef = weights["classes"] if divisor is None else weights["classes"] / divisor
        constants = weights["bias"][:, 0] if "bias" in weights else np.zeros(len(coef))
        if shift is not None:
            constants = constants - coef @ shift
        if len(coef) > 2:
            return coef, constants
        return coef[1:] - coef[:1], constants[1:] - constants[:1]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write a model file, which `slackline info` shows."""
        self._check_fitted("_model")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "MulticlassClassifier":
        """Read a model file.

        Returns
        -------
        MulticlassClassifier
            A fitted estimator, with the parameters that the file records: all that training
            depends on, except sample weights and, in files of earlier builds, costs and
            class_weight. Its classes are of the type that the file records; without one (command
            line, earlier builds), integers if all their names are, else strings.
        """
        model = _core.MulticlassModel.load(os.fspath(path))
        record = model.record
        classes = classes_of(model.class_names, record)
        classifier = cls(lam=record["lam"] or None, fit_intercept=model.has_constant,
                         scale=record["options"].get("scale", "auto"),
                         costs=recorded_costs(record, classes),
                         class_weight=_recorded_class_weight(record, classes),
                         **option_parameters(record["options"]))
        if model.feature_names:
            classifier.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
        classifier._take_model(model, classes)
        classifier._set_record(record)
        return classifier

    def _more_tags(self):
        return {
            "requires_y": True,
            "X_types": ["2darray", "sparse"],
            "_xfail_checks": {
                "check_sample_weights_invariance":
                    "this check shuffles the examples; results of other orders agree up to tol, "
                    "and the check wants more digits",
            },
        }


def _recorded_class_weight(record: Mapping[str, Any], classes: np.ndarray) -> Any:
    """The parameter class_weight, from what fit has put into the record of a model."""
    text = record["options"].get("class-weight")
    if text is None or text == "balanced":
        return text
    factors = [float(factor) for factor in text.split(",")]
    return dict(zip(classes.tolist(), factors))


def _label_vector(y: Any) -> np.ndarray:
    """Classes as a vector."""
    import warnings
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y is a masked array with masked classes: leave their rows out, by "
                         "X[~y.mask], y[~y.mask]")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        try:
            from sklearn.exceptions import DataConversionWarning as Category
        except ImportError:
            Category = UserWarning  # type: ignore[misc]
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change "
                      "the shape of y to (n_samples,), for example using ravel().", Category,
                      stacklevel=3)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"Unknown label type: y has shape {labels.shape}, where (n,) was expected")
    if labels.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(labels))
        if bad.size:
            kind = "NaN" if np.isnan(labels[bad[0]]) else "infinity"
            raise ValueError(f"Input y contains {kind}: row {bad[0]}.")
        bad = np.flatnonzero(labels != np.floor(labels))
        if bad.size:
            raise ValueError(f"Unknown label type: y[{bad[0]}] is {shown(float(labels[bad[0]]))}; "
                             "classes are integers or strings")
    elif labels.dtype.kind == "O":
        texts = [isinstance(label, str) for label in labels]
        for row, label in enumerate(labels):
            if not isinstance(label, (str, numbers.Integral)):
                raise ValueError(f"Unknown label type: y[{row}] is {shown(label)}; classes are "
                                 "integers or strings")
        if any(texts) and not all(texts):
            raise ValueError("Unknown label type: y mixes strings and numbers")
    elif labels.dtype.kind == "S":
        raise ValueError("Unknown label type: y has bytes; decode them to strings, for example by "
                         "np.char.decode(y)")
    elif labels.dtype.kind not in "biuU":
        raise ValueError(f"Unknown label type: y has type {labels.dtype}")
    return labels


def _number_classes(labels: np.ndarray, team: Team) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes of all processes, and the number of every label among them."""
    classes, numbers_of = np.unique(labels, return_inverse=True)
    if team.alone:
        return classes, numbers_of
    # An empty array says nothing about the kind of the classes.
    of_ranks = {rank: known for rank, known in enumerate(team.gather(classes)) if known.size}
    kinds = {rank: _kind(known) for rank, known in of_ranks.items()}
    first = next(iter(kinds))
    for rank, kind in kinds.items():
        if kind != kinds[first]:
            raise ValueError(f"the classes are {kinds[first]} on rank {first} and {kind} on rank "
                             f"{rank}")
    classes = np.unique(np.concatenate(list(of_ranks.values())))
    return classes, np.searchsorted(classes, labels) if labels.size else numbers_of


def _kind(classes: np.ndarray) -> str:
    texts = classes.dtype.kind == "U" or isinstance(classes[0], str)
    return "strings" if texts else "numbers"


def _sample_weights(given: Any, rows: int) -> Optional[np.ndarray]:
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"sample_weight[{bad[0]}] is {shown(float(weights[bad[0]]))}; it must "
                         f"be a "
                         "finite number >= 0")
    if rows and not weights.any():
        raise ValueError("all sample weights are 0")
    return weights


def _class_names(classes: np.ndarray) -> list[str]:
    if classes.dtype.kind == "f":
        return [str(int(label)) for label in classes]
    return [str(label) for label in classes]
