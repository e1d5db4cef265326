# SPDX-License-Identifier: BSD-3-Clause
"""Labels of sequences: chains trained and predicted exactly."""
from __future__ import annotations

import numbers
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import is_sparse, num_columns, prepare_matrix, shown
from ._base import Callbacks, StructuredEstimator, option_parameters
from ._classes import class_type_options, classes_of, cost_matrix, recorded_costs
from ._ranks import Team

__all__ = ["SequenceLabeler"]

#: The text of an unknown label in the files of the command line.
_UNKNOWN = "?"


class SequenceLabeler(StructuredEstimator):
    """Labels the tokens of sequences by a chain model, trained as a structured SVM.

    The score of a labelling is the sum of weights for every feature and label, for labels at the
    ends, and for every pair of neighbouring labels. Training maximises the margin by which the
    true labelling beats all others; training and prediction are exact.

    Parameters
    ----------
    C : float, optional
        Weight of the loss against the regulariser: lam = 1 / (C * number of sequences).
    lam : float, optional
        The weight of the regulariser, lam/2 ||w||^2. Without C and lam, it is chosen from the data.
    loss : {"mean", "count"}, default="mean"
        The loss of a labelling: the share, or the number, of the tokens that are wrong.
    costs : dict or array of shape (K, K), optional
        Costs of errors in the loss: ``{(true, predicted): cost}``, where errors without an entry
        cost 1, or a matrix ``costs[true, predicted]`` in the order of the sorted labels.
    constraints : {"none", "bio"}, default="none"
        "bio" allows, in training and in all predictions, only labellings where I-X follows B-X or
        I-X.
    scale : {"auto", "none", "standard", "max-abs", "norm"}, default="auto"
        How features are scaled; the model keeps the scaling.
    min_count : int, default=1
        Features by name that occur fewer than this many times in the training data are left out.
    hash_bits : int, optional
        2**hash_bits hashed features instead of a dictionary of names; for features by name.
    learner : str, default="auto"
        The training algorithm, by the name of the command line.
    tol : float, default=1e-3
        Training ends when the gap between the objective and its proven lower bound is at most this
        fraction of the objective.
    max_iter : int, default=100000
        Largest number of passes over the data.
    time_limit : float, optional
        Seconds after which training ends.
    n_jobs : int, optional
        Number of threads; -1 for all processors. Results do not depend on it.
    random_state : int or random generator, optional
        The seed of the learner.
    learner_options : dict, optional
        Further training options by the names of the command line.
    shards : int, default=1
        Parts into which the sequences are dealt, which are trained side by side on `n_jobs` threads
        or several processes. The model depends on their number, but not on where they are trained.
    comm : communicator of mpi4py, optional
        Processes that fit together, each with its own sequences, as in
        :class:`MultiLabelClassifier`.
    warm_start : bool, default=False
        Whether fit continues where the last fit on the same data ended, also with another C or lam.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, sorted.
    format_ : {"letters", "attributes", "conll"}
        The kind of features: numbers without names, features by name, or templates over columns
        (models of the command line only).
    n_features_in_ : int
        Number of features.
    scaling_ : str
        The kind of scaling.
    primal_, dual_, gap_, relative_gap_ : float
        The objective of the weights, a proven lower bound on the optimum, and their difference.
    lam_, n_iter_, learner_, termination_, message_, notes_, history_
        The regulariser, the number of passes, and how training went.

    Notes
    -----
    X is a list of sequences, each of which is one of

    - an array or sparse matrix of shape (length, n_features). Where at most half of the values
      are other than 0, arrays are stored as sparse matrices are;
    - a list with the features of each token, as python-crfsuite takes them: a dict
      ``{"word": "dog", "upper": True, "length": 3.5}``, which stands for the features "word=dog"
      and "upper" with the value 1 and "length" with 3.5, or a list of names. In nested dicts
      and lists, as in ``{"next": {"word": "runs"}, "tags": ["a", "b"]}``, names are joined by
      colons: "next:word=runs", "tags:a", "tags:b".
    - for models of the command line with templates: a list of tuples of strings, the columns of
      each token without its label.

    Examples
    --------
    >>> X = [[{"word": "the"}, {"word": "cat"}, {"word": "sleeps"}],
    ...      [{"word": "a"}, {"word": "dog"}, {"word": "runs"}]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = SequenceLabeler(C=10).fit(X, y)
    >>> tagger.predict([[{"word": "the"}, {"word": "dog"}, {"word": "sleeps"}]])[0].tolist()
    ['DET', 'NOUN', 'VERB']
    """

    def __init__(self, C: Optional[float] = None, *, lam: Optional[float] = None,
                 loss: str = "mean", costs: Any = None, constraints: str = "none",
                 scale: str = "auto", min_count: int = 1, hash_bits: Optional[int] = None,
                 learner: str = "auto", tol: float = 1e-3, max_iter: int = 100000,
                 time_limit: Optional[float] = None, n_jobs: Optional[int] = None,
                 random_state: Any = None, learner_options: Optional[Mapping[str, Any]] = None,
                 shards: int = 1, comm: Any = None, warm_start: bool = False,
                 verbose: bool = False):
        self.C = C
        self.lam = lam
        self.loss = loss
        self.costs = costs
        self.constraints = constraints
        self.scale = scale
        self.min_count = min_count
        self.hash_bits = hash_bits
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

    # Training

    def fit(self, X: Sequence[Any], y: Sequence[Sequence[Any]],
            callbacks: Callbacks = None) -> "SequenceLabeler":
        """Train on labelled sequences.

        Parameters
        ----------
        X : list of sequences
            See the notes of the class.
        y : list of sequences of labels
            One label per token, all strings or all integers; None for an unknown label. Empty
            sequences are left out.
        callbacks : callable or list of callables, optional
            Called with a dict of figures after every check; returning True ends training.

        Returns
        -------
        SequenceLabeler
            This object.
        """
        with self._processes() as team:
            train, options, sequences, kind, lists = team.together(lambda: self._prepare_fit(X, y))
            team.require_some(_empty(sequences).count(False), "X has no sequences")
            kind, width = _agree_on_features(sequences, kind, team)
            labels, begin, classes = _number_labels(lists, team)
            costs = team.together(lambda: cost_matrix(self.costs, classes, "label", "labels"))
            options.update(class_type_options(classes, [str(label) for label in classes]))
            self._agree(team, options, train,
                        **{"the costs of errors": costs, "the kind of the features": kind,
                           "the number of features": width})
            model, result = self._run(
                callbacks, options, train, lambda arguments: _core.fit_sequence(
                    kind, sequences, labels, begin, [str(label) for label in classes], costs,
                    arguments), team)
            self._take_model(model, classes)
            self._finish(result, team)
        return self

    def _prepare_fit(self, X: Any, y: Any) -> tuple[dict, dict, list, str, list[list]]:
        """The options of training and of the application, the sequences, the kind of their
        features, and their labels."""
        train = self._train_options()
        options = self._options()
        sequences, kind = _prepare(X)
        return train, options, sequences, kind, _label_list(y)

    def _options(self) -> dict[str, str]:
        options = {"loss": str(self.loss), "constraints": str(self.constraints),
                   "scale": str(self.scale), "min-count": "1", "hash-bits": ""}
        count = self.min_count
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"min_count == {shown(count)}; it must be an integer >= 1")
        options["min-count"] = str(int(count))
        bits = self.hash_bits
        if bits is None:
            return options
        if isinstance(bits, bool) or not isinstance(bits, numbers.Integral) or not 1 <= bits <= 30:
            raise ValueError(f"hash_bits == {shown(bits)}; it must be an integer from 1 to 30")
        if count != 1:
            raise ValueError("hash_bits: hashed features are not counted; leave out min_count")
        options["hash-bits"] = str(int(bits))
        return options

    def _take_model(self, model: Any, classes: np.ndarray) -> None:
        self._model = model
        self.classes_ = classes
        self.format_ = model.format
        self.n_features_in_ = model.num_features
        self.scaling_ = model.scaling

    # Predictions

    def predict(self, X: Sequence[Any]) -> list[np.ndarray]:
        """The best labelling of each sequence.

        Returns
        -------
        list of ndarray of shape (length,)
            Empty for an empty sequence.
        """
        begin, labels, _, _ = self._decode(X)
        return _split(self.classes_[labels], begin)

    def predict_nbest(self, X: Sequence[Any], n: int) -> list[list[tuple[np.ndarray, float]]]:
        """The n best labellings of each sequence, the best first.

        Returns
        -------
        list of lists of (ndarray of shape (length,), float)
            Labels and their score, w.phi(x, y); fewer than n where there are fewer labellings.
        """
        if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 1:
            raise ValueError(f"n == {shown(n)}; it must be an integer >= 1")
        best = self._decode(X, best=int(n))[3]
        return [[(self.classes_[labels], score) for labels, score in labellings]
                for labellings in best]

    def decision_function(self, X: Sequence[Any]) -> list[np.ndarray]:
        """For every token and label: the best score of a labelling with that label, minus the
        best score of all.

        Returns
        -------
        list of ndarray of shape (length, K)
            0 at the predicted label, never positive; -inf where the constraints allow no labelling.
        """
        begin, _, scores, _ = self._decode(X, scores=True)
        return _split(scores, begin)

    def predict_marginals(self, X: Sequence[Any], temperature: float = 1.0) -> list[np.ndarray]:
        """Marginals of the distribution p(y) ~ exp(score(y) / temperature), by sum-product.

        They are no calibrated probabilities, since training maximises margins instead of
        likelihood.

        Returns
        -------
        list of ndarray of shape (length, K)
            Each row sums to 1.
        """
        self._check_fitted("_model")
        if isinstance(temperature, bool) or not isinstance(temperature, numbers.Real) or \
                not 0 < temperature < np.inf:
            raise ValueError(f"temperature == {shown(temperature)}; it must be a number > 0")
        sequences, _ = _prepare(X, self.format_)
        begin, marginals = self._model.marginals(sequences, float(temperature), self._threads())
        return _split(marginals, _with_empty(begin, _empty(sequences)))

    def _decode(self, X, scores=False, best=0):
        self._check_fitted("_model")
        sequences, _ = _prepare(X, self.format_)
        empty = _empty(sequences)
        begin, labels, values, ranked = self._model.predict(sequences, scores, best,
                                                            self._threads())
        if best > 0:  # an empty sequence has one labelling, without labels
            nothing = [(np.zeros(0, dtype=np.int32), 0.0)]
            answers = iter(ranked)
            ranked = [nothing if is_empty else next(answers) for is_empty in empty]
        return _with_empty(begin, empty), labels, values, ranked

    # Measures

    def score(self, X: Sequence[Any], y: Sequence[Sequence[Any]]) -> float:
        """The fraction of the tokens with known labels that are right."""
        return self.metrics(X, y)["token_accuracy"]

    def f1(self, X: Sequence[Any], y: Sequence[Sequence[Any]]) -> float:
        """The F1 of chunks (BIO and related labels), as the conlleval script computes it."""
        return self.metrics(X, y)["chunks"]["f1"]

    def metrics(self, X: Sequence[Any], y: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """All measures of agreement with the true labels.

        Returns
        -------
        dict
            token_accuracy, sequence_accuracy, hamming_loss (mean over sequences of the share of
            wrong tokens), tokens, sequences, and for chunks (first and last token and type must be
            right) "chunks" and, by type, "chunk_types": dicts with precision, recall, f1, true,
            predicted, right.
        """
        begin, predicted, _, _ = self._decode(X)
        names = [str(label) for label in self.classes_]
        truth = _numbers_of(y, begin, names)
        return _core.sequence_metrics(np.unique(begin), truth,
                                      np.asarray(predicted, dtype=np.int32), names)

    # The model

    @property
    def weights_(self) -> dict[str, np.ndarray]:
        """The weights by block: token (K, n_features), bias, start, end (K, 1), transition
        (K*K, 1). With a kernel, those of "token" are 0."""
        self._check_fitted("_model")
        return self._model.weights

    @property
    def transition_weights_(self) -> np.ndarray:
        """The weight of every pair of neighbouring labels, of shape (K, K): [from, to]."""
        size = len(self.classes_) if hasattr(self, "_model") else 0
        return self.weights_["transition"].reshape(size, size)

    @property
    def state_features_(self) -> list[tuple[Any, Any, float]]:
        """(feature, label, weight) of all weights of "token" other than 0, the largest absolute
        value first. Features without names are column numbers."""
        token = self.weights_["token"]
        names = self._model.feature_names
        labels, features = np.nonzero(token)
        values = token[labels, features]
        order = np.argsort(-np.abs(values), kind="stable")
        return [(int(features[k]) if names is None else names[features[k]],
                 self.classes_[labels[k]], float(values[k])) for k in order]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the model file of the command line (slackline sequence predict)."""
        self._check_fitted("_model")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "SequenceLabeler":
        """Read a model file, also one that the command line has trained.

        Returns
        -------
        SequenceLabeler
            A fitted estimator, with the parameters that the file records: all that training
            depends on, except costs in files of earlier builds. Its labels are of the type that
            the file records; without one (command line, earlier builds), integers if all labels
            are, else strings.
        """
        model = _core.SequenceModel.load(os.fspath(path))
        record = model.record
        texts = record["options"]
        own = {name: texts[name] for name in ("loss", "scale") if name in texts}
        if model.format == "attributes":
            own.update({name.replace("-", "_"): int(texts[name])
                        for name in ("min-count", "hash-bits") if name in texts})
        classes = classes_of(model.label_names, record)
        labeler = cls(constraints=model.constraints, lam=record["lam"] or None,
                      costs=recorded_costs(record, classes), **own, **option_parameters(texts))
        labeler._take_model(model, classes)
        labeler._set_record(record)
        return labeler

    def _more_tags(self):
        return {"X_types": ["list of sequences"], "no_validation": True}


def _split(values: np.ndarray, begin: np.ndarray) -> list[np.ndarray]:
    return [values[begin[m]:begin[m + 1]] for m in range(len(begin) - 1)]


def _empty(sequences: list) -> list[bool]:
    """Which ones have no tokens: slackline._core leaves them out."""
    return [isinstance(sequence, (list, tuple)) and len(sequence) == 0 for sequence in sequences]


def _with_empty(begin: np.ndarray, empty: list[bool]) -> np.ndarray:
    """Where sequences begin, from where those with tokens do."""
    lengths = np.zeros(len(empty), dtype=np.asarray(begin).dtype)
    lengths[[m for m, is_empty in enumerate(empty) if not is_empty]] = np.diff(begin)
    return np.concatenate([np.asarray(begin)[:1], np.cumsum(lengths)])


def _is_matrix(sequence: Any) -> bool:
    return is_sparse(sequence) or hasattr(sequence, "__array__") or \
        hasattr(sequence, "__array_interface__")


def _prepare(X: Any, kind: Optional[str] = None) -> tuple[list, str]:
    """The sequences as slackline._core takes them, and the kind of their features, which is found
    from the first sequence unless it is given."""
    if isinstance(X, (str, bytes, dict)) or is_sparse(X) or not hasattr(X, "__iter__"):
        raise ValueError(f"X must be a list of sequences, not {type(X).__name__}")
    sequences = list(X)
    if kind is None:
        first = next((sequence for sequence in sequences if not _has_no_tokens(sequence)), None)
        kind = "letters" if first is not None and _is_numeric(first) else "attributes"
    if kind == "letters":
        return [_prepare_sequence(sequence, m) for m, sequence in enumerate(sequences)], kind
    return [_as_list(sequence, m) for m, sequence in enumerate(sequences)], kind


def _is_numeric(sequence: Any) -> bool:
    """Whether the tokens of a sequence are rows of numbers."""
    if is_sparse(sequence):
        return True
    if _is_matrix(sequence):
        array = np.asarray(sequence)
        return array.dtype != object or array.ndim != 1
    if not isinstance(sequence, (list, tuple)) or not sequence:
        return False
    token = sequence[0]
    if _is_matrix(token):
        return True
    return isinstance(token, (list, tuple)) and len(token) > 0 and \
        isinstance(token[0], numbers.Number)


def _has_no_tokens(sequence: Any) -> bool:
    if is_sparse(sequence):
        return sequence.shape[0] == 0
    return hasattr(sequence, "__len__") and len(sequence) == 0


def _prepare_sequence(sequence: Any, m: int) -> Any:
    name = f"X[{m}]"
    if _has_no_tokens(sequence):
        return []
    if not is_sparse(sequence):
        array = np.asarray(sequence)
        if array.ndim != 2:
            raise ValueError(f"{name} must have shape (length, n_features), not {array.shape}")
        sequence = array
    if 0 in sequence.shape:
        raise ValueError(f"{name} has no features")
    return prepare_matrix(sequence, name, "SequenceLabeler")


def _as_list(sequence: Any, m: int) -> Any:
    if isinstance(sequence, (list, tuple)):
        return sequence
    if isinstance(sequence, (str, bytes, dict)) or not hasattr(sequence, "__iter__"):
        raise ValueError(f"X[{m}] must be a list of tokens, not {type(sequence).__name__}")
    return list(sequence)


def _label_list(y: Any) -> list[list]:
    if isinstance(y, (str, bytes, dict)) or not hasattr(y, "__iter__"):
        raise ValueError("y must be a list of sequences of labels")
    lists = []
    for m, labels in enumerate(y):
        if isinstance(labels, (str, bytes, dict)) or not hasattr(labels, "__iter__"):
            raise ValueError(f"y[{m}] must be a sequence of labels, not {type(labels).__name__}")
        lists.append(list(labels.tolist() if isinstance(labels, np.ndarray) else labels))
    return lists


def _agree_on_features(sequences: list, kind: str, team: Team) -> tuple[str, int]:
    """The kind of the features, and their number where they are numbers (else 0); those of the
    first process with sequences where this one has none."""
    first = next((sequence for sequence, empty in zip(sequences, _empty(sequences)) if not empty),
                 None)
    mine = None if first is None else (kind, num_columns(first) if kind == "letters" else 0)
    known = [of_rank for of_rank in team.gather(mine) if of_rank is not None]
    return known[0] if mine is None else mine


def _known_labels(lists: list[list]) -> set:
    """The different labels but for None, each a string or an integer."""
    known = set()
    for labels in lists:
        known.update(labels)
    known.discard(None)
    if all(isinstance(label, (str, numbers.Integral)) for label in known):
        return known
    bad = next((m, i, label) for m, labels in enumerate(lists) for i, label in enumerate(labels)
               if label is not None and not isinstance(label, (str, numbers.Integral)))
    raise ValueError(f"y[{bad[0]}][{bad[1]}] is {shown(bad[2])}; labels must be strings or "
                     f"integers, or "
                     "None if they are unknown")


def _number_labels(lists: list[list], team: Team) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of labels, -1 for unknown ones; where sequences begin; and the sorted labels of all
    processes."""
    begin = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(labels) for labels in lists], out=begin[1:])
    known = set().union(*team.gather(team.together(lambda: _known_labels(lists))))
    integers = [isinstance(label, numbers.Integral) for label in known]
    if any(integers) and not all(integers):
        raise ValueError("y mixes strings and integers as labels")
    if not known:
        raise ValueError("y has no known labels")
    if _UNKNOWN in known:
        raise ValueError("y: the label '?' stands for an unknown label in files; use None")
    if "" in known:
        raise ValueError("y: an empty label")
    ordered = sorted(int(label) for label in known) if all(integers) else sorted(known)
    number: dict[Any, int] = {label: k for k, label in enumerate(ordered)}
    number[None] = -1
    flat = [number[label] for labels in lists for label in labels]
    classes = np.array(ordered) if all(integers) else np.array(ordered, dtype=object)
    return np.array(flat, dtype=np.int32), begin, classes


def _numbers_of(y: Any, begin: np.ndarray, names: list[str]) -> np.ndarray:
    """Numbers of true labels; those that the model does not know are added to the names."""
    lists = _label_list(y)
    if len(lists) != len(begin) - 1:
        raise ValueError(f"X has {len(begin) - 1} sequences, but y has {len(lists)}")
    number = {name: k for k, name in enumerate(names)}
    flat = []
    for m, labels in enumerate(lists):
        length = int(begin[m + 1] - begin[m])
        if len(labels) != length:
            raise ValueError(f"X[{m}] has {length} tokens, but y[{m}] has {len(labels)} labels")
        for label in labels:
            if label is None:
                flat.append(-1)
                continue
            name = str(label)
            if name not in number:
                number[name] = len(names)
                names.append(name)
            flat.append(number[name])
    return np.array(flat, dtype=np.int32)
