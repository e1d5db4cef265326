# SPDX-License-Identifier: BSD-3-Clause
"""Training on examples of own graphs that are not kept."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._arrays import shown
from ._base import _integer, _positive, _seed, option_texts
from ._core import graphs as _core
from ._graph import Model
from ._graph_training import Dataset, prepare_loss

__all__ = ["OnlineSummary", "OnlineTrainer"]


@dataclass
class OnlineSummary:
    """Figures of the examples that an :class:`OnlineTrainer` has learned from.

    Attributes
    ----------
    n_examples : int
    mean_objective : float
        The mean of ``lam/2 ||w||²`` and the hinge of an example, at the weights before it.
    regret_bound : float
        `mean_objective` exceeds the optimum of :func:`train` on the same examples by at most this,
        if oracles are exact.
    mean_loss : float
        The mean loss of the predictions that the newest weights made for each example before it was
        learned from: an honest estimate of their loss on new ones. NaN without `predict_first`.
    """

    n_examples: int
    mean_objective: float
    regret_bound: float
    mean_loss: float


class OnlineTrainer:
    """Learns from examples that come one after the other and are not kept.

    Each example is visited once, in the order in which it comes. There is no certificate, since the
    optimum of examples that are gone cannot be bounded from below; :meth:`summary` has the loss of
    predictions that were made before examples were learned from.

    Parameters
    ----------
    model : Model
    lam : float
        λ > 0. There is no default, since a default needs all examples.
    samples : int, default=10
        Labellings in every update.
    average : {"weighted", "uniform", "suffix", "none"}, default="weighted"
        Which weights `weights` holds: an average of those after every example, or the newest ones.
        Averages often predict much better.
    predict_first : bool, default=True
        Whether examples are predicted before they are learned from, which costs a second oracle
        call.
    random_state : int or generator, optional
    learner_options : dict, optional
        Further options of the learner ``multi-sample`` by the names of the command line.
    loss, variable_weights, costs
        As those of :func:`train`.

    Examples
    --------
    >>> import slackline
    >>> model = slackline.Model()
    >>> look = model.add_weights("look", 2, 2)
    >>> builder = slackline.GraphBuilder(model)
    >>> variable = builder.add_variables(1, 2)[0]
    >>> builder.add_input(variable, look, 0)
    >>> graph = builder.build()
    >>> trainer = slackline.OnlineTrainer(model, lam=0.1)
    >>> for hour in range(6):
    ...     data = slackline.Dataset(model)
    ...     _ = data.add(graph, [[1.0, hour % 2]], [hour % 2])
    ...     _ = trainer.learn(data)
    >>> trainer.summary().n_examples
    6
    >>> slackline.predict(graph, [[1.0, 1.0]], trainer.weights).labels
    array([1], dtype=int32)
    """

    def __init__(self, model: Model, *, lam: float, samples: int = 10, average: str = "weighted",
                 predict_first: bool = True, random_state: Any = None,
                 learner_options: Optional[Mapping[str, Any]] = None, loss: str = "mean",
                 variable_weights: Any = None, costs: Any = None):
        if not isinstance(model, Model):
            raise ValueError("an OnlineTrainer needs a Model")
        if average not in ("weighted", "uniform", "suffix", "none"):
            raise ValueError(
                f"average must be 'weighted', 'uniform', 'suffix' or 'none', not {shown(average)}")
        self.model = model
        self._core = _core.OnlineTrainer(
            model._core, float(_positive("lam", lam)), int(_integer("samples", samples, 1)),
            average, bool(predict_first), _seed(random_state),
            *prepare_loss(loss, variable_weights, costs), option_texts(learner_options))

    def learn(self, data: Dataset) -> OnlineTrainer:
        """Learn from the examples of a data set, in their order.

        The result does not depend on how examples are divided into calls; larger calls are faster.
        Ctrl-C ends a call after an example, with a KeyboardInterrupt unless the program handles the
        signal in another way; ``summary().n_examples`` then says how many have been learned from.

        Parameters
        ----------
        data : Dataset
            Of the trainer's model. It may be forgotten afterwards.

        Returns
        -------
        OnlineTrainer
            Itself.
        """
        if not isinstance(data, Dataset) or data.model is not self.model:
            raise ValueError("data must be a Dataset of the trainer's model")
        self._core.learn(data._core)
        return self

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The weights that `average` asks for, by the names of the model's blocks."""
        return self._core.weights()

    def summary(self) -> OnlineSummary:
        """Figures of the examples so far."""
        return OnlineSummary(*self._core.summary())
