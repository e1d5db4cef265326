# SPDX-License-Identifier: BSD-3-Clause
"""Prediction on own graphs with trained weights."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from ._core import graphs as _core
from ._graph import Graph, prepare_inputs, prepare_labels, prepare_vector
from ._graph_training import TrainResult
from ._inference import _seconds
from .factors import _number

__all__ = ["Marginals", "Prediction", "Predictor", "k_best", "marginals", "max_marginals",
           "predict", "score"]

Weights = Mapping[str, Any]


@dataclass(frozen=True)
class Prediction:
    """A labelling, its score, an upper bound on the scores of all labellings, and whether the
    labelling reaches the bound up to rounding."""

    labels: np.ndarray
    score: float
    bound: float
    optimal: bool


@dataclass(frozen=True)
class Marginals:
    """`probabilities`: one array per variable, with the probability of each of its states;
    `log_partition`: temperature · log Σ_y exp(score(y)/temperature)."""

    probabilities: list[np.ndarray]
    log_partition: float


class Predictor:
    """Predicts examples of one graph with fixed weights, and keeps its work space between calls.
    One object per thread.

    Which answers are exact on which graphs, and which graphs are refused with a ValueError:

    - :meth:`predict`: any graph. Exact on forests, on small graphs (at most 65 536 labellings)
      without counts, matchings and chains as one factor, on graphs where such factors share no
      variable and stand alone, and on all graphs with at most 4096 labellings; elsewhere `bound`
      and `optimal` say how good the labelling is.
    - :meth:`max_marginals`: as above, upper bounds on other graphs without such factors.
    - :meth:`k_best`, :meth:`marginals`: forests and small graphs only.

    Parameters
    ----------
    graph : Graph
    weights : dict of arrays by name, or TrainResult
    method : {"auto", "exact", "lp", "messages", "expansion"}, default="auto"
        For :meth:`predict`; as for :func:`infer`.
    time_limit : float, optional
        Seconds for a call. A call that is not finished by then has the best labels so far and a
        bound that holds; ValueError where no allowed labels were found.
    """

    def __init__(self, graph: Graph, weights: Union[Weights, TrainResult], *, method: str = "auto",
                 time_limit: Optional[float] = None):
        if not isinstance(graph, Graph):
            raise ValueError("a Predictor needs a Graph")
        self.graph = graph
        self._core = _core.Predictor(graph._core, graph.model._core, graph.model._flat(weights),
                                     str(method), _seconds(time_limit))

    def _given(self, inputs: Any, potentials: Any) -> tuple[list[Any], np.ndarray]:
        if potentials is None and self.graph.n_potentials:
            raise ValueError(f"the graph needs {self.graph.n_potentials} potentials")
        return (prepare_inputs(inputs, self.graph),
                prepare_vector("potentials", potentials, self.graph.n_potentials))

    def predict(self, inputs: Any = None, *, potentials: Any = None) -> Prediction:
        """The best labelling."""
        return Prediction(*self._core.predict(*self._given(inputs, potentials)))

    def score(self, inputs: Any, labels: Any, *, potentials: Any = None) -> float:
        """The score of a labelling; −inf if the graph forbids it."""
        given = self._given(inputs, potentials)
        return self._core.score(*given, prepare_labels(labels, self.graph))

    def scores(self, inputs: Any = None, *, potentials: Any = None) -> list[np.ndarray]:
        """The scores of the states of each variable alone, without the factors that join them."""
        return self._core.scores(*self._given(inputs, potentials))

    def max_marginals(self, inputs: Any = None, *, potentials: Any = None) -> list[np.ndarray]:
        """For each state of each variable, the largest score of a labelling with it."""
        return self._core.max_marginals(*self._given(inputs, potentials))

    def k_best(self, inputs: Any = None, k: int = 10, *,
               potentials: Any = None) -> list[tuple[np.ndarray, float]]:
        """At most k labellings with their scores, the best first."""
        given = self._given(inputs, potentials)
        return self._core.k_best(*given, _number("k", k, 1))

    def marginals(self, inputs: Any = None, *, temperature: float = 1.0,
                  potentials: Any = None) -> Marginals:
        """Marginals of the distribution in proportion to exp(score/temperature)."""
        given = self._given(inputs, potentials)
        return Marginals(*self._core.marginals(*given, float(temperature)))


def predict(graph: Graph, inputs: Any, weights: Union[Weights, TrainResult], *,
            potentials: Any = None, method: str = "auto",
            time_limit: Optional[float] = None) -> Prediction:
    """The best labelling of a graph; :class:`Predictor` says where it is exact.

    Parameters
    ----------
    graph : Graph
    inputs : array or sparse matrix of shape (n_inputs, n_features), list of rows, or None
    weights : dict of arrays by name, or TrainResult
    potentials : array of shape (n_potentials,), optional
    method, time_limit
        As for :class:`Predictor`.
    """
    return Predictor(graph, weights, method=method, time_limit=time_limit).predict(inputs, potentials=potentials)


def score(graph: Graph, inputs: Any, labels: Any, weights: Union[Weights, TrainResult], *,
          potentials: Any = None) -> float:
    """The score w·φ of a labelling; −inf if the graph forbids it."""
    return Predictor(graph, weights).score(inputs, labels, potentials=potentials)


def max_marginals(graph: Graph, inputs: Any, weights: Union[Weights, TrainResult], *,
                  potentials: Any = None) -> list[np.ndarray]:
    """For each state of each variable, the largest score of a labelling with it."""
    return Predictor(graph, weights).max_marginals(inputs, potentials=potentials)


def k_best(graph: Graph, inputs: Any, weights: Union[Weights, TrainResult], k: int = 10, *,
           potentials: Any = None) -> list[tuple[np.ndarray, float]]:
    """At most k labellings with their scores, the best first. Forests and small graphs only."""
    return Predictor(graph, weights).k_best(inputs, k, potentials=potentials)


def marginals(graph: Graph, inputs: Any, weights: Union[Weights, TrainResult], *,
              temperature: float = 1.0, potentials: Any = None) -> Marginals:
    """Marginals of the distribution in proportion to exp(score/temperature). Forests and small
    graphs only."""
    return Predictor(graph, weights).marginals(inputs, temperature=temperature,
                                               potentials=potentials)
