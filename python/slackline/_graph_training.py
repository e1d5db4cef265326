# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of own graphs, and training on them."""
from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from ._arrays import shown
from ._base import Callbacks, StructuredEstimator, warn_of_limit
from ._core import graphs as _core
from ._graph import Graph, Model, prepare_inputs, prepare_labels, prepare_vector

__all__ = ["Dataset", "TrainResult", "train"]


class Dataset:
    """Examples of graphs of one model.

    Parameters
    ----------
    model : Model
    rows_folder : str, default=""
        Where to keep the rows of inputs: in memory, or in nameless files in this folder, so that
        they may be more than the machine's memory. Training gives the same results.
    """

    def __init__(self, model: Model, *, rows_folder: str = ""):
        if not isinstance(model, Model):
            raise ValueError("a Dataset needs a Model")
        self.model = model
        try:
            self._core = _core.Dataset(model._core, str(rows_folder))
        except ValueError as error:
            raise ValueError(f"rows_folder: {error}") from None

    def __len__(self) -> int:
        return len(self._core)

    def add(self, graph: Graph, inputs: Any = None, labels: Any = None, *, potentials: Any = None,
            loss_weights: Any = None, losses: Any = None) -> int:
        """Add an example; its inputs are copied.

        Parameters
        ----------
        graph : Graph
        inputs : array or sparse matrix of shape (n_inputs, n_features), or list of rows
            A list may mix arrays and sparse matrices of one row, of different lengths.
        labels : array of int of shape (n_variables,)
            The true states. Where one is −1, the variable and its factors are left out of training.
        potentials : array of shape (n_potentials,), optional
        loss_weights : array of shape (n_variables,), optional
            Factors ≥ 0 of the loss of each variable.
        losses : array or list of arrays, optional
            The cost ≥ 0 of each state of each variable, variable after variable, 0 for the true
            states: the example's own loss, in place of that of :func:`train`.

        Returns
        -------
        int
            The example's number.
        """
        self._check(graph)
        if labels is None:
            raise ValueError("an example to train on needs labels")
        if losses is not None and not isinstance(losses, np.ndarray):
            losses = np.concatenate([np.ravel(part) for part in losses]) if len(losses) else []
        return self._core.add(
            graph._core, prepare_inputs(inputs, graph), prepare_labels(labels, graph),
            prepare_vector("potentials", potentials, graph.n_potentials),
            prepare_vector("loss_weights", loss_weights, graph.n_variables),
            prepare_vector("losses", losses, int(graph.n_states.sum())))

    def _check(self, graph: Any) -> None:
        if not isinstance(graph, Graph) or graph.model is not self.model:
            raise ValueError("graph must be a Graph of the data set's model")


@dataclass
class TrainResult:
    """What :func:`train` has found. The optimum lies between `dual` and `primal`.

    Attributes
    ----------
    weights : dict of arrays of shape (rows, columns)
        By the names of the model's blocks.
    lam : float
        λ.
    primal, dual, gap, relative_gap : float
        The objective of the weights, a lower bound on the optimum, their difference, and the
        difference relative to `primal`.
    certified_problem : {"exact", "relaxed"}
        Whether the bounds are those of the structured SVM or of its LP relaxation.
    termination : {"converged", "max-passes", "time-limit", "interrupted", "stalled"}
    message : str
        The rule that ended the run, with both numbers that it compares.
    n_iter : int
        Passes over the data.
    seconds : float
    oracle_calls : int
        Maximisations over whole examples, without those of the checks.
    n_examples : int
    learner, reason : str
        The learner, and why it was chosen.
    notes : list of str
    history : list of dict
        The figures of each check.
    """

    weights: dict[str, np.ndarray]
    lam: float
    primal: float
    dual: float
    gap: float
    relative_gap: float
    certified_problem: str
    termination: str
    message: str
    n_iter: int
    seconds: float
    oracle_calls: int
    n_examples: int
    learner: str
    reason: str
    notes: list[str]
    history: list[dict[str, Any]] = field(repr=False)
    _report: str = field(default="", repr=False)

    def report(self) -> str:
        """A summary in a few lines of text."""
        return self._report


def prepare_loss(loss: str, variable_weights: Any, costs: Any) -> tuple[str, Any, Any]:
    """The three arguments that say what an error costs."""
    if loss not in ("mean", "count", "f1"):
        raise ValueError(f"loss must be 'mean', 'count' or 'f1', not {shown(loss)}")
    if costs is not None and (np.ndim(costs) != 2 or np.shape(costs)[0] != np.shape(costs)[1]):
        raise ValueError(f"costs must have the shape (K, K), not {np.shape(costs)}")
    return (loss, prepare_vector("variable_weights", variable_weights),
            prepare_vector("costs", costs))


class _Options(StructuredEstimator):
    """The parameters of a run, checked and turned into options as those of estimators are."""

    def __init__(self, C, lam, learner, tol, max_iter, time_limit, n_jobs, random_state,
                 learner_options, verbose):
        self.C = C
        self.lam = lam
        self.learner = learner
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learner_options = learner_options
        self.warm_start = False
        self.verbose = verbose


def train(data: Dataset, *, lam: Optional[float] = None, C: Optional[float] = None,
          tol: float = 1e-3, max_iter: int = 100000, time_limit: Optional[float] = None,
          n_jobs: Optional[int] = None, random_state: Any = None, learner: str = "auto",
          learner_options: Optional[Mapping[str, Any]] = None, certify: str = "auto",
          loss: str = "mean", variable_weights: Any = None, costs: Any = None,
          callbacks: Callbacks = None, verbose: bool = False) -> TrainResult:
    """Train the weights of a model.

    Minimises ``lam/2 ||w||² + mean_m max_y [loss_m(y) + w·φ_m(y) − w·φ_m(y_m)]``, or the same with
    the LP relaxation of the maximum.

    Parameters
    ----------
    data : Dataset
    lam : float, optional
        λ > 0. By default one that fits the sizes of inputs and losses.
    C : float, optional
        In place of `lam`: λ = 1/(C·M) for M examples.
    tol : float, default=1e-3
        The certified gap, relative to the objective, at which training ends.
    max_iter : int, default=100000
        The largest number of passes.
    time_limit : float, optional
        In seconds.
    n_jobs : int, optional
        Threads for checks of the certificate; −1 for all processors. Results do not depend on it.
    random_state : int or generator, optional
    learner : str, default="auto"
    learner_options : dict, optional
        Further options by the names of the command line.
    certify : {"auto", "exact", "relaxed", "tightened"}, default="auto"
        Which problem the learner "auto" trains and certifies on graphs with cycles: that of
        labellings, its LP relaxation, or the first one while that is cheap.
    loss : {"mean", "count", "f1"}, default="mean"
        The share of wrong variables, their number, or 1 − F1 of binary labels. Not for examples
        with losses of their own.
    variable_weights : array, optional
        Where all graphs have the same number of variables: a factor ≥ 0 of the loss of each.
    costs : array of shape (K, K), optional
        Where all variables have K states: ``costs[truth, predicted]``, 0 on the diagonal.
    callbacks : callable or list of callables, optional
        Called after each check with a dict of its figures. Training ends when one returns True.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    TrainResult

    Raises
    ------
    ValueError
        When arguments do not fit.
    BaseException
        What a callback has raised, or KeyboardInterrupt after Ctrl-C. Training ends, and the best
        weights so far are in the attribute ``result`` of the exception.
    """
    if not isinstance(data, Dataset):
        raise ValueError("train needs a Dataset")
    if len(data) == 0:
        raise ValueError("the data set has no examples")
    loss_arguments = prepare_loss(loss, variable_weights, costs)
    if certify not in ("auto", "exact", "relaxed", "tightened"):
        raise ValueError("certify must be 'auto', 'exact', 'relaxed' or 'tightened', not "
                         f"{shown(certify)}")
    settings = _Options(C, lam, learner, tol, max_iter, time_limit, n_jobs, random_state,
                        learner_options, verbose)
    options = settings._train_options()
    if certify != "auto":
        options["certify"] = certify
    callback, progress = settings._callback(callbacks)
    try:
        found = _core.train(data._core, options, settings._cost(), *loss_arguments, callback)
    finally:
        if progress is not None:
            progress.close()
    result = TrainResult(
        weights=found["weights"], lam=found["lam"], primal=found["primal"], dual=found["dual"],
        gap=found["gap"], relative_gap=found["relative_gap"], certified_problem=found["problem"],
        termination=found["termination"], message=found["message"], n_iter=found["passes"],
        seconds=found["seconds"], oracle_calls=found["oracle_calls"], n_examples=found["examples"],
        learner=found["learner"], reason=found["reason"], notes=list(found["notes"]),
        history=found["history"], _report=found["report"])
    if found["exception"] is not None:
        with contextlib.suppress(AttributeError):  # not all exceptions take attributes
            found["exception"].result = result
        raise found["exception"]
    warn_of_limit(result.termination, result.relative_gap, tol, result.message, stacklevel=3)
    return result
