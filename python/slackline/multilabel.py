# SPDX-License-Identifier: BSD-3-Clause
"""Multi-label classification: several labels per example, which may depend on each other."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import column_names, Features, num_columns, num_rows, prepare_matrix, shown
from ._base import (Callbacks, StructuredEstimator, available_if, option_parameters)
from ._labels import decide_negatives, prepare_labels, require_known

__all__ = ["MultiLabelClassifier"]

_NAMED_GRAPHS = ("full", "none", "tree", "auto")


class MultiLabelClassifier(Features, StructuredEstimator):
    """Structured SVM for multi-label classification.

    Every label is a binary variable with a linear score of the features; every joined pair of
    labels adds a weight if both are present. The label set with the largest sum is predicted.
    Training minimises ``lam/2 ||w||^2`` plus the mean structured hinge loss, and proves how close
    the result is: the optimum lies between ``dual_`` and ``primal_``.

    Parameters
    ----------
    C : float, optional
        Weight of the losses: ``lam = 1 / (C * n_samples)``. Excludes `lam`. Without both, `lam`
        follows from the data (its value is ``lam_``).
    lam : float, optional
        Weight of the regulariser.
    graph : {"full", "none", "tree", "auto"}, list of pairs or path, default "full"
        Pairs of labels that are joined: all pairs; none; a maximum spanning tree of the labels'
        mutual information; or the best of these three by cross-validation ("auto"; or of a list
        such as "none,full"). Pairs are given by label numbers from 0 or by label names, or by the
        path of a file with a pair per line.
    loss : {"mean", "count", "f1"}, default "mean"
        Hamming loss of an example: share or number of its labels that are wrong; or 1 - F1 of its
        label set ("f1", for graphs without cycles).
    loss_weights : "equal", "inverse-frequency[:P]", array, dict or path, default "equal"
        Cost of an error on a label. "inverse-frequency": a missed label costs (largest frequency /
        its frequency) ** P, where P is 0.25 by default, and a false alarm 1. An array of shape
        (n_labels, 2) has the cost of missing each label and that of a false alarm; a dict does so
        for some labels, by number or name, with a pair or with the cost of missing alone. A path
        is that of a file with a label per line.
    scale : {"auto", "none", "standard", "max-abs", "norm"}, default "auto"
        Scaling of the features, kept in the model. "auto": none if features have similar sizes,
        else "standard", or "max-abs" for sparse matrices.
    label_counts : "auto", "any", "MIN-MAX" or (min, max), default "auto"
        Bounds on the number of labels of a prediction; None in a pair means no bound. "auto": at
        least the smallest number of any training example.
    fit_intercept : bool, default True
        Whether every label has a constant besides the features.
    calibrate : bool, default False
        Whether to learn the map from scores to probabilities (Platt scaling on held-out examples),
        which :meth:`predict_proba` needs. This takes one more training for each of five folds.
    decode : {"auto", "lp"}, default "auto"
        How label sets are found if the graph has cycles. "lp": by the rounded solution of a linear
        program; "auto": the same, improved by local search, or by branch and bound where there are
        few label sets.
    learner : str, default "auto"
        Training algorithm, by its name on the command line.
    tol : float, default 1e-3
        Training ends when the certified duality gap is at most this part of the objective.
    max_iter : int, default 100000
        Largest number of passes over the examples.
    time_limit : float, optional
        Longest time of training in seconds.
    n_jobs : int, optional
        Number of threads; None means 1, and -1 all processors. Results do not depend on it.
    random_state : int or generator, optional
        Seed of the order of examples; None means 1, as on the command line.
    learner_options : dict, optional
        Further options of training, by their names on the command line; for example
        ``{"kernel": "rbf", "kernel_gamma": 0.5}``.
    shards : int, default 1
        Parts into which the examples are dealt, which are trained side by side on `n_jobs` threads
        or several processes. The model depends on their number, but not on where they are trained.
        With ``learner`` ``"auto"``, ``"bcfw"``, ``"prox-sdca"``, ``"soft"`` or ``"al"``.
    comm : communicator of mpi4py, optional
        Processes that fit together: all of them call `fit` with the same parameters, each with its
        own examples (:func:`slackline.share_of`), and all get the same model. There are at least as
        many shards as processes; 1 stands for one per process. With fewer examples than processes,
        some have none, as :func:`slackline.share_of` deals them: arrays with 0 rows. Invalid input
        on one process is an exception on all, with its rank. Not with a kernel or `warm_start`.
        With `calibrate`, all processes have all examples for that time. Pickles of a fitted
        estimator do not contain it.
    warm_start : bool, default False
        Whether a further call of `fit` on the same data continues the last training, for example
        with a smaller `tol`, or begins with its solution where `C` or `lam` differ.
    verbose : bool, default False
        Whether to show the progress of training on the standard error stream.

    Attributes
    ----------
    n_labels_ : int
        Number of labels.
    label_names_ : list of str
        Names of the labels; "0", "1", … if `fit` was given none.
    classes_ : ndarray of shape (n_labels,)
        Numbers of the labels, as ``OneVsRestClassifier`` has them.
    graph_ : str
        The graph that was trained: "full", "none", "tree", "given", or a path.
    label_pairs_ : ndarray of shape (n_pairs, 2)
        The joined pairs, by label numbers.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the features in the scores of single labels. Scaling is undone:
        ``X @ coef_.T + intercept_`` are these scores (with ``scale="norm"`` for rows of length 1).
        Models with a kernel have none.
    intercept_ : ndarray of shape (n_labels,)
        Constants of these scores.
    pair_weights_ : ndarray of shape (n_labels, n_labels)
        Symmetric matrix: what is added to the score of a label set that has both labels.
    weights_ : dict of str to ndarray
        Weights as the model file has them, of scaled features: "labels" (n_labels, n_features; one
        more column with an intercept) and "pairs" (n_pairs, 1). With a kernel, "support"
        (n_support_vectors, n_labels) and "bias" (n_labels, 1) take the place of "labels".
    scaling_ : {"none", "standard", "max-abs", "norm"}
        The scaling of the features.
    scaling_shift_, scaling_divisor_ : ndarray of shape (n_features,) or None
        What is subtracted from the features, and by what they are then divided.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the training data or the model file had some.
    primal_, dual_ : float
        Objective of the weights, and certified lower bound on the optimum. If the graph has
        cycles, both belong to the relaxed problem (see ``certified_problem_``).
    gap_, relative_gap_ : float
        ``primal_ - dual_``, and the same as part of the objective.
    lam_ : float
        The weight of the regulariser that was used.
    n_iter_ : int
        Number of passes over the examples.
    learner_, termination_, message_, notes_ : str, str, str, list of str
        The algorithm, why training ended, and what is worth knowing about it.
    history_ : list of dict
        Figures of every check: "pass", "seconds", "primal", "dual", "relative_gap" and others.

    Notes
    -----
    Results are those of the command-line program ``slackline multilabel train``, bit for bit, if
    the data are the same: dense arrays correspond to dense rows of ARFF files, and sparse matrices
    to the rows of LIBSVM files, with the same explicit zeros and with as many columns as the
    largest feature number of the file. (The CSV reader stores tables of mostly zeros as sparse
    rows.) Dense and sparse input of the same values lead to the same optimum, but sums are rounded
    differently, and ``scale="standard"`` does not centre sparse matrices.

    Ctrl-C during `fit` raises KeyboardInterrupt; if training had begun, the estimator is fitted
    with the best weights found so far.

    Examples
    --------
    >>> import numpy as np
    >>> from slackline import MultiLabelClassifier
    >>> X = np.array([[0., 1.], [1., 0.], [1., 1.], [0., 0.]] * 5)
    >>> Y = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]] * 5)
    >>> model = MultiLabelClassifier(graph="tree", C=10).fit(X, Y)
    >>> model.predict([[0., 1.], [1., 1.]])
    array([[0, 1, 1],
           [1, 1, 1]])
    >>> model.score(X, Y)
    1.0
    >>> bool(model.dual_ <= model.primal_ and model.relative_gap_ <= 1e-3)
    True
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        C: Optional[float] = None,
        *,
        lam: Optional[float] = None,
        graph: Union[str, os.PathLike, Sequence[Sequence[Any]]] = "full",
        loss: str = "mean",
        loss_weights: Any = "equal",
        scale: str = "auto",
        label_counts: Union[str, int, Sequence[Optional[int]]] = "auto",
        fit_intercept: bool = True,
        calibrate: bool = False,
        decode: str = "auto",
        learner: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 100000,
        time_limit: Optional[float] = None,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        learner_options: Optional[Mapping[str, Any]] = None,
        shards: int = 1,
        comm: Any = None,
        warm_start: bool = False,
        verbose: Union[bool, int] = False,
    ):
        self.C = C
        self.lam = lam
        self.graph = graph
        self.loss = loss
        self.loss_weights = loss_weights
        self.scale = scale
        self.label_counts = label_counts
        self.fit_intercept = fit_intercept
        self.calibrate = calibrate
        self.decode = decode
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

    # Training.

    def fit(self,
            X: Any,
            Y: Any,
            *,
            callbacks: Callbacks = None,
            label_names: Optional[Sequence[str]] = None) -> "MultiLabelClassifier":
        """Train on examples with known label sets.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features. String names of columns become ``feature_names_in_``.
        Y : array, sparse matrix or data frame of shape (n_samples, n_labels)
            1 where an example has a label, 0 where it does not, and NaN or -1 where this is not
            known. Names of columns become ``label_names_``.
        callbacks : callable or list of callables, optional
            Called with a dict of figures at every check, as ``history_`` has them; training ends
            when one returns True. An exception ends training, too, and is raised again when the
            best weights so far are stored.
        label_names : sequence of str, optional
            Names of the labels, instead of those of Y.

        Returns
        -------
        MultiLabelClassifier
            The estimator itself.
        """
        with self._processes() as team:
            train, options, given = team.together(
                lambda: self._prepare(X, Y, label_names, may_be_empty=not team.alone))
            del X, Y
            holder, flags, names, features, pairs, weights = given
            team.require_some(num_rows(holder[0]), "no process has examples")
            decide_negatives(flags, team)
            require_known(flags, names, team)
            num_features = num_columns(holder[0])
            feature_names = [] if features is None else features.tolist()
            self._agree(team, options, train, calibrate=bool(self.calibrate),
                        **{"the pairs of the graph": pairs,
                           "the costs of labels": weights,
                           "the names of the labels": names,
                           "the number of features": num_features,
                           "the names of the features": feature_names,
                           "whether X is sparse": isinstance(holder[0], tuple)})
            # The extension takes the matrix out of the list, and frees it before training.
            model, result = self._run(
                callbacks, options, train, lambda arguments: _core.fit_multilabel(
                    holder, flags, names, feature_names, pairs, weights, bool(self.calibrate),
                    arguments), team)
            # A call that fails leaves the estimator as it was.
            self._set_features(num_features, features)
            self._set_model(model)
            self.graph_ = result["graph"]
            self._finish(result, team)
        return self

    def _prepare(self, X: Any, Y: Any, label_names: Optional[Sequence[str]],
                 may_be_empty: bool) -> tuple[dict, dict, tuple]:
        """The options of training and of the application, and (a list with the matrix, flags of the
        labels, their names, names of the features or None, pairs of the graph if they are given,
        costs of labels if they are given)."""
        train = self._train_options()
        features = column_names(X)
        holder = [prepare_matrix(X, estimator=type(self).__name__, may_be_empty=may_be_empty)]
        flags, columns = prepare_labels(Y)
        if flags.shape[0] != num_rows(holder[0]):
            raise ValueError("Found input variables with inconsistent numbers of samples: "
                             f"[{num_rows(holder[0])}, {flags.shape[0]}]")
        names = _label_names(label_names, columns, flags.shape[1])
        graph, pairs = self._graph_argument(names)
        weights_text, weights = self._loss_weights_argument(names)
        options = {
            "graph": graph,
            "loss": str(self.loss),
            "bias": "1" if self.fit_intercept else "0",
            "scale": str(self.scale),
            "label-counts": _counts_text(self.label_counts),
            "loss-weights": weights_text,
        }
        _core.check_decode(str(self.decode))
        return train, options, (holder, flags, names, features, pairs, weights)

    def _graph_argument(self, names: list[str]) -> tuple[str, Optional[list]]:
        """The name of the graph, and its pairs if they are given."""
        if isinstance(self.graph, (str, os.PathLike)):
            return os.fspath(self.graph), None
        numbers = {name: k for k, name in enumerate(names)}
        try:
            pairs = [tuple(pair) for pair in self.graph]
        except TypeError:
            raise ValueError(f"graph must be one of {', '.join(_NAMED_GRAPHS)}, a path or a list "
                             f"of pairs of labels, not {shown(self.graph)}") from None
        for pair in pairs:
            if len(pair) != 2:
                raise ValueError(f"graph: {shown(pair)} is not a pair of labels")
        return "given", [tuple(_label_number("graph", label, numbers) for label in pair)
                         for pair in pairs]

    def _loss_weights_argument(self, names: list[str]) -> tuple[str, list[float]]:
        """The text of the option, and two costs per label (false alarm, missed) if given."""
        given = self.loss_weights
        if isinstance(given, (str, os.PathLike)):
            return os.fspath(given), []
        costs = np.ones((len(names), 2))
        if isinstance(given, Mapping):
            numbers = {name: k for k, name in enumerate(names)}
            for label, cost in given.items():
                pair = np.atleast_1d(np.asarray(cost, dtype=float))
                if pair.shape not in ((1,), (2,)):
                    raise ValueError(f"loss_weights: label {shown(label)} needs the cost of "
                                     f"missing it, "
                                     f"or a pair with that of a false alarm, not {shown(cost)}")
                costs[_label_number("loss_weights", label, numbers), :pair.size] = pair
        else:
            try:
                costs[:] = _two_columns(given, len(names))
            except (TypeError, ValueError):
                raise ValueError(
                    f"loss_weights must be equal, inverse-frequency, a path, a dict or an array of "
                    f"shape ({len(names)}, 2), not {shown(given)}") from None
        bad = np.argwhere(~(np.isfinite(costs) & (costs >= 0)))
        if bad.size:
            row, column = bad[0]
            raise ValueError(f"loss_weights: row {row}, column {column} is "
                             f"{shown(costs[row, column])}, "
                             "not a finite number >= 0")
        return "given", costs[:, ::-1].ravel().tolist()

    def _set_model(self, model: Any) -> None:
        self._model = model
        self.label_names_ = list(model.label_names)
        self.n_labels_ = len(self.label_names_)
        self.classes_ = np.arange(self.n_labels_)
        self.label_pairs_ = np.asarray(model.pairs, dtype=np.int64).reshape(-1, 2)
        self.scaling_ = model.scaling
        self.scaling_shift_, self.scaling_divisor_ = model.scaling_numbers

    # Prediction.

    def predict(self, X: Any) -> np.ndarray:
        """The best label set of each example.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, of shape (n_samples, n_labels)
            1 for the labels of the set, else 0.
        """
        self._check_fitted("_model")
        flags = self._model.predict(self._check_features(X), str(self.decode), self._threads())
        return flags.astype(np.int64)

    def decision_function(self, X: Any) -> np.ndarray:
        """Differences of max-marginals: the best value of a label set with the label, minus that
        of one without it. A label with a positive difference is in the best set, if no bounds on
        the number of labels apply.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64, of shape (n_samples, n_labels)
        """
        self._check_fitted("_model")
        return self._model.scores(self._check_features(X), str(self.decode), self._threads())

    def _has_probabilities(self) -> bool:
        model = getattr(self, "_model", None)
        return bool(self.calibrate) if model is None else model.calibrated

    @available_if("_has_probabilities", "predict_proba needs a model fitted with calibrate=True")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Calibrated probabilities of the single labels. Only models that were trained with
        ``calibrate=True`` (or ``--calibrate``) have them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64, of shape (n_samples, n_labels)
        """
        self._check_fitted("_model")
        return self._model.probabilities(self._check_features(X), str(self.decode),
                                         self._threads())

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Subset accuracy: the share of examples whose label set is predicted without any error.
        Labels that are not known (NaN or -1) are left out.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Y : array, sparse matrix or data frame of shape (n_samples, n_labels)
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        float
        """
        flags, _ = prepare_labels(Y)
        decide_negatives(flags)
        predicted = self.predict(X)
        if flags.shape != predicted.shape:
            raise ValueError(f"Y has shape {flags.shape}, but {predicted.shape} was expected")
        right = ((flags == predicted) | (flags < 0)).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    # The model.

    @property
    def weights_(self) -> dict[str, np.ndarray]:
        self._check_fitted("_model")
        return self._model.weights

    @property
    def coef_(self) -> np.ndarray:
        labels = self._label_weights()[:, :self.n_features_in_]
        return labels if self.scaling_divisor_ is None else labels / self.scaling_divisor_

    @property
    def intercept_(self) -> np.ndarray:
        labels = self._label_weights()
        constants = (labels[:, -1].copy()
                     if self._model.has_constant else np.zeros(self.n_labels_))
        if self.scaling_shift_ is not None:
            constants -= (labels[:, :self.n_features_in_] / self.scaling_divisor_
                          ) @ self.scaling_shift_
        return constants

    @property
    def pair_weights_(self) -> np.ndarray:
        self._check_model()
        matrix = np.zeros((self.n_labels_, self.n_labels_))
        if len(self.label_pairs_):
            a, b = self.label_pairs_.T
            matrix[a, b] = matrix[b, a] = self._model.weights["pairs"][:, 0]
        return matrix

    def _check_model(self) -> None:
        if not hasattr(self, "_model"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")

    def _label_weights(self) -> np.ndarray:
        self._check_model()
        if self._model.kernelized:
            raise AttributeError("a model with a kernel has no weights of features")
        return self._model.weights["labels"]

    # Files.

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write the model to a file of the command-line program.

        Parameters
        ----------
        path : str or path
            By convention with the ending ``.slk``.
        """
        self._check_fitted("_model")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> "MultiLabelClassifier":
        """Read a model file, of this class or of the command-line program.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        MultiLabelClassifier
            A fitted estimator, with the parameters that the file records.
        """
        model = _core.MultiLabelModel.load(os.fspath(path))
        record = model.record
        texts = record["options"]
        estimator = cls(**_task_parameters(model, texts), lam=record["lam"] or None,
                        **option_parameters(texts))
        names = np.asarray(model.feature_names, dtype=object) if model.feature_names else None
        estimator._set_features(model.num_features, names)
        estimator._set_model(model)
        estimator.graph_ = texts.get("graph", "given")
        estimator._set_record(record)
        return estimator

    def _more_tags(self) -> dict[str, Any]:
        values = "Y of this check has values other than 0 and 1, which do not say what is a label"
        exceptions = dict.fromkeys(_CHECKS_WITH_OTHER_VALUES, values)
        exceptions["check_classifiers_classes"] = "Y of this check is a vector of texts"
        exceptions["check_classifiers_train"] = (
            "this check wants a vector as prediction, not a matrix with a column per label")
        return {
            "binary_only": True,
            "multilabel": True,
            "multioutput": True,
            "multioutput_only": True,
            "requires_y": True,
            "X_types": ["2darray", "sparse"],
            "_xfail_checks": exceptions,
        }


    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 and later
        from sklearn.utils import ClassifierTags
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        return tags


# Checks of sklearn.utils.estimator_checks that fail for this reason alone: with Y made 0 or 1, they
# pass.
_CHECKS_WITH_OTHER_VALUES = (
    "check_classifier_data_not_an_array",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_data",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
)


def _label_names(given: Optional[Sequence[str]], columns: Optional[list[str]],
                 count: int) -> list[str]:
    """The names of the labels: those given, those of the columns, or numbers."""
    chosen = columns if given is None else given
    if chosen is None:
        return [str(k) for k in range(count)]
    names = [str(name) for name in chosen]
    if len(names) != count:
        raise ValueError(f"label_names has {len(names)} names, but Y has {count} labels")
    if len(set(names)) < count:
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"two labels have the name {shown(twice)}")
    return names


def _label_number(parameter: str, label: Any, numbers: Mapping[str, int]) -> int:
    """The number of a label that is given by its name or number."""
    import numbers as kinds
    if isinstance(label, str):
        if label in numbers:
            return numbers[label]
    elif isinstance(label, kinds.Integral) and not isinstance(label, bool):
        if 0 <= int(label) < len(numbers):
            return int(label)
    raise ValueError(f"{parameter}: there is no label {shown(label)}; labels have numbers from 0 "
                     f"to "
                     f"{len(numbers) - 1}" + _some_names(numbers))


def _some_names(numbers: Mapping[str, int]) -> str:
    names = list(numbers)
    if names == [str(k) for k in range(len(names))]:
        return ""
    more = ", …" if len(names) > 5 else ""
    return f" or the names {', '.join(map(repr, names[:5]))}{more}"


def _two_columns(costs: Any, count: int) -> np.ndarray:
    array = np.asarray(costs, dtype=float)
    if array.shape != (count, 2):
        raise ValueError
    return array


def _counts_text(counts: Any) -> str:
    """"MIN-MAX" of a pair, a number or a text."""
    import numbers
    if isinstance(counts, str):
        return counts
    if isinstance(counts, numbers.Integral) and not isinstance(counts, bool):
        return str(int(counts))
    try:
        low, high = (None if bound is None else int(bound) for bound in counts)
    except (TypeError, ValueError):
        raise ValueError("label_counts must be auto, any, MIN-MAX or a pair (min, max), not "
                         f"{shown(counts)}") from None
    return f"{low or 0}-" + ("" if high is None else str(high))


def _task_parameters(model: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of the model itself, from the options of its record."""
    graph: Any = texts.get("graph", "given")
    if graph not in _NAMED_GRAPHS:
        graph = [tuple(pair) for pair in model.pairs]
    weights: Any = texts.get("loss-weights", "equal")
    if weights != "equal" and not weights.startswith("inverse-frequency"):
        given = np.asarray(model.loss_weights, dtype=float).reshape(-1, 2)
        weights = given[:, ::-1].copy() if given.size else "equal"
    return {
        "graph": graph,
        "loss": texts.get("loss", "mean"),
        "loss_weights": weights,
        "scale": texts.get("scale", model.scaling),
        "label_counts": texts.get("label-counts", "any"),
        "fit_intercept": model.has_constant,
        "calibrate": model.calibrated,
    }
