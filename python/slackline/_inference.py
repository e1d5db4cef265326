# SPDX-License-Identifier: BSD-3-Clause
"""Inference on graphs with scores from anywhere."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from ._base import _integer, _positive
from ._core import graphs as _core
from ._graph import Graph

__all__ = ["InferResult", "infer", "structured_hinge"]


@dataclass(frozen=True)
class InferResult:
    """What :func:`infer` has found: for one row of scores, or arrays with a first axis for the
    rows.

    Attributes
    ----------
    labels : array of int of shape (n_variables,) or (n_rows, n_variables)
    score : float or array of shape (n_rows,)
        Of the labels.
    bound : float or array of shape (n_rows,)
        No labelling has a larger score.
    optimal : bool or array of shape (n_rows,)
        Whether the labels reach the bound, up to rounding.
    marginals : array of shape (n_scores,) or (n_rows, n_scores), or None
        In the places of the scores: the solution of the relaxation where the method solves one and
        it is fractional, else ``graph.features(labels)``. Without GLPK, or on graphs that are large
        for it, method "lp" gives a feasible point near the optimum: ``bound - scores @ marginals``
        tells how near: a thousandth of the bound, or up to a hundredth on hard and large graphs.
    fractional : bool or array of shape (n_rows,)
        Whether the marginals are those of a fractional solution (False if not asked for).
    max_marginals : array of shape (n_states,) or (n_rows, n_states), or None
        For each state of each variable, the largest score of a labelling with it.
    """

    labels: np.ndarray
    score: Any
    bound: Any
    optimal: Any
    marginals: Optional[np.ndarray] = None
    fractional: Any = False
    max_marginals: Optional[np.ndarray] = None


def _jobs(n_jobs: Optional[int]) -> int:
    if n_jobs is None:
        return 1
    jobs = int(_integer("n_jobs", n_jobs, -1))
    if jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; it must be a positive number or -1")
    return 0 if jobs < 0 else jobs


def _seconds(time_limit: Optional[float]) -> float:
    return 0 if time_limit is None else float(_positive("time_limit", time_limit))


def _scores(scores: Any, axes: tuple[int, ...], size: int, name: str) -> np.ndarray:
    array = np.ascontiguousarray(scores, dtype=np.float64)
    if array.ndim not in axes or array.shape[-1] != size:
        wanted = " or ".join(f"({'n_rows, ' if n == 2 else ''}{size}{',' if n == 1 else ''})"
                             for n in axes)
        raise ValueError(f"{name} must have the shape {wanted}, not {array.shape}")
    return array


def _result(arrays: Mapping[str, np.ndarray], wanted: tuple[bool, bool],
            single: bool) -> InferResult:
    def take(name: str) -> Any:
        return arrays[name][0] if single else arrays[name]

    def number(name: str) -> Any:
        return arrays[name][0].item() if single else arrays[name]

    return InferResult(take("labels"), number("score"), number("bound"), number("optimal"),
                       take("marginals") if wanted[0] else None, number("fractional"),
                       take("max_marginals") if wanted[1] else None)


def infer(graph: Union[Graph, Sequence[Graph]], scores: Any, *, method: str = "auto",
          marginals: bool = False, max_marginals: bool = False,
          n_jobs: Optional[int] = None,
          time_limit: Optional[float] = None) -> Union[InferResult, list[InferResult]]:
    """Inference with given scores (potentials): no weights, no inputs, no training.

    Parameters
    ----------
    graph : Graph or list of Graph
    scores : array of shape (n_scores,) or (n_rows, n_scores), or list of arrays
        One row: a score for each state of each variable, then a score for each joint state of each
        factor with a table (:attr:`Graph.table_slices`), then the weights of each factor without
        one (:attr:`Graph.oracle_slices`). −inf forbids a state. For a list of graphs, a list of
        such rows. A chain whose neighbours are joined by tables takes
        ``np.concatenate([unary.ravel(), pairs.ravel()])``.
    method : {"auto", "exact", "lp", "messages", "expansion"}, default="auto"
        "auto": exact where that is cheap, else the LP relaxation, rounded and improved.
        "exact": an exact method whatever it costs; ValueError where there is none.
        "lp": the LP relaxation, rounded: by roof duality for binary pairs, else by GLPK on small
        graphs if the build has it, else by message passing. "messages": message passing on the
        dual of the relaxation, which ends with labels.
        "expansion": α-expansion, for associative factors over pairs.
    marginals : bool, default=False
        Whether to return the marginals of the relaxation, which are the gradient of its value.
        Where "lp" has no LP solver they take much longer than labels, up to seconds on large
        graphs.
    max_marginals : bool, default=False
        Whether to return max-marginals.
    n_jobs : int, optional
        Threads for batches; −1 for all processors. Results do not depend on it.
    time_limit : float, optional
        Seconds for the call, rows and graphs together. What is not finished by then has the best
        labels so far and a bound that holds; ValueError where no allowed labels were found.

    Returns
    -------
    InferResult or list of InferResult
        A list for a list of graphs.

    Raises
    ------
    ValueError
        When a method does not support the graph or its scores, or no labelling is allowed.
    KeyboardInterrupt
        After Ctrl-C, within a second.

    Examples
    --------
    >>> from slackline import GraphBuilder, Model
    >>> builder = GraphBuilder(Model())
    >>> a, b = builder.add_variables(2, 2)
    >>> builder.add_factor([a, b])
    >>> pair = builder.build()
    >>> infer(pair, [0.5, 0, 0, 0.2, 0, 0, 0, 1]).labels
    array([1, 1], dtype=int32)
    """
    threads = _jobs(n_jobs)
    wanted = (bool(marginals), bool(max_marginals))
    limit = _seconds(time_limit)
    if isinstance(graph, Graph):
        return _infer_rows(graph, scores, str(method), wanted, threads, limit)
    graphs = list(graph)
    given = list(scores)
    for k, one in enumerate(graphs):
        if not isinstance(one, Graph):
            raise ValueError(f"graph[{k}] is not a Graph")
    if len(graphs) != len(given):
        raise ValueError(f"{len(given)} rows of scores for {len(graphs)} graphs")
    rows = [_scores(row, (1,), one.n_scores, f"scores[{k}]")
            for k, (one, row) in enumerate(zip(graphs, given))]
    found = _core.infer_graphs([one._core for one in graphs], rows, str(method), *wanted, threads,
                               limit)
    return [_result(arrays, wanted, True) for arrays in found]


def _infer_rows(graph: Graph, scores: Any, method: str, wanted: tuple[bool, bool],
                threads: int, limit: float = 0) -> InferResult:
    array = _scores(scores, (1, 2), graph.n_scores, "scores")
    single = array.ndim == 1
    if graph.n_scores == 0:
        raise ValueError("the graph has no variables, and nothing to infer")
    found = _core.infer_rows(graph._core, array.reshape(-1, graph.n_scores), method, *wanted,
                             threads, limit)
    return _result(found, wanted, single)


def structured_hinge(graph: Graph, scores: Any, labels: Any, losses: Any = None, *,
                     method: str = "auto",
                     n_jobs: Optional[int] = None) -> tuple[np.ndarray, np.ndarray]:
    """The structured hinge loss of scores, and its gradient: what stands behind a network.

        hinge(θ) = max_y [loss(y) + score(y; θ)] − score(truth; θ)

    It is convex in the scores θ. The gradient is that of the maximum, its marginals, minus the
    features of the true labels; where several labellings are best, it is a subgradient.

    Parameters
    ----------
    graph : Graph
    scores : array of shape (n_rows, n_scores)
        As :func:`infer` takes them; finite.
    labels : array of int of shape (n_rows, n_variables)
        The true states.
    losses : array of shape (n_states,) or (n_rows, n_states), optional
        The cost ≥ 0 of each state of each variable, variable after variable, 0 for the true states.
        By default 1/n_variables for each wrong state.
    method : {"auto", "exact", "lp", "messages"}, default="auto"
        With "lp", the maximum is that of the LP relaxation, which is an upper bound of the hinge
        loss, exact where graphs are forests; by message passing (:func:`infer`) it may fall short
        by a thousandth or more. "auto" and "messages" may miss the best labelling of
        large graphs with cycles, and then give a lower bound.
    n_jobs : int, optional
        Threads; −1 for all processors. Results do not depend on it.

    Returns
    -------
    hinges : array of shape (n_rows,)
    gradients : array of shape (n_rows, n_scores)

    Examples
    --------
    >>> from slackline import GraphBuilder, Model
    >>> builder = GraphBuilder(Model())
    >>> a, b = builder.add_variables(2, 2)
    >>> builder.add_factor([a, b])
    >>> pair = builder.build()
    >>> hinges, gradients = structured_hinge(pair, np.zeros((1, 8)), [[0, 1]])
    >>> hinges
    array([1.])
    >>> gradients
    array([[-1.,  1.,  1., -1.,  0., -1.,  1.,  0.]])
    """
    array = _scores(scores, (2,), graph.n_scores, "scores")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"scores: row {row}, column {column} is not finite")
    truth = np.asarray(labels)
    if truth.shape != (len(array), graph.n_variables):
        raise ValueError(f"labels must have the shape {(len(array), graph.n_variables)}, not "
                         f"{truth.shape}")
    states = int(graph.n_states.sum())
    true_features = np.array([graph.features(row) for row in truth]).reshape(array.shape)
    wrong = 1 - true_features[:, :states]
    if losses is None:
        costs = wrong / max(1, graph.n_variables)
    else:
        costs = np.broadcast_to(np.asarray(losses, dtype=np.float64), (len(array), states))
        if not np.isfinite(costs).all() or (costs < 0).any():
            raise ValueError("losses must be finite and >= 0")
        if (costs[wrong == 0] != 0).any():
            raise ValueError("the loss of a true state must be 0")
    augmented = array.copy()
    augmented[:, :states] += costs
    marginals_found = _infer_rows(graph, augmented, str(method), (True, False),
                                  _jobs(n_jobs)).marginals
    assert marginals_found is not None
    gradients = marginals_found - true_features
    hinges = (marginals_found * augmented).sum(axis=1)
    return hinges - (true_features * array).sum(axis=1), gradients
