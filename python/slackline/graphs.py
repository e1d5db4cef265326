# SPDX-License-Identifier: BSD-3-Clause
"""Own graphs: models with named weights, graphs over any variables and factors, training with a
certificate, prediction, and inference with scores from anywhere.

Examples
--------
Three days, two choices each; the choice of a day depends on its weather and on the day before:

>>> import slackline
>>> model = slackline.Model()
>>> taste = model.add_weights("taste", 2, 2)     # 2 choices, 2 features
>>> change = model.add_weights("change")         # one weight
>>> builder = slackline.GraphBuilder(model)
>>> day = builder.add_variables(3, 2)
>>> for t in range(3):
...     builder.add_input(day[t], taste, t)
>>> for t in range(1, 3):
...     builder.add_factor([day[t - 1], day[t]], slackline.factors.potts(2), change)
>>> trip = builder.build()
>>> data = slackline.Dataset(model)
>>> data.add(trip, [[1, 0], [0, 1], [0, 1]], [0, 1, 1])
0
>>> data.add(trip, [[0, 1], [1, 0], [1, 1]], [1, 0, 0])
1
>>> result = slackline.train(data, lam=0.1, tol=1e-6)
>>> round(result.primal, 4), round(result.dual, 4)
(0.0139, 0.0139)
>>> slackline.predict(trip, [[0, 1], [0, 1], [1, 0]], result.weights).labels
array([1, 1, 0], dtype=int32)
"""
from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from ._arrays import is_sparse, prepare_matrix
from ._base import Callbacks, ConvergenceWarning, StructuredEstimator, _integer
from ._core import graphs as _core
from .factors import Factor, _core_of, _number

__all__ = ["Dataset", "Graph", "GraphBuilder", "InferResult", "Marginals", "Model", "Prediction",
           "Predictor", "TrainResult", "WeightBlock", "infer", "k_best", "marginals",
           "max_marginals", "predict", "score", "structured_hinge", "train"]

Weights = Mapping[str, Any]


@dataclass(frozen=True)
class WeightBlock:
    """A block of weights of a model (rows × columns), or some rows of one."""

    model: "Model" = field(repr=False)
    name: str
    rows: int
    columns: int
    first_row: int = 0
    _number: int = field(default=-1, repr=False)

    def slice(self, first: int, count: int = 1) -> "WeightBlock":
        """Rows first … first + count − 1, for several factors whose weights share one block."""
        first, count = _number("first", first, 0), _number("count", count, 1)
        if first + count > self.rows:
            raise ValueError(f"block {self.name!r} has {self.rows} rows, not {first + count}")
        return WeightBlock(self.model, self.name, count, self.columns, self.first_row + first,
                           self._number)

    def _place(self) -> tuple[int, int, int, int]:
        return (self._number, self.rows, self.columns, self.first_row)


class Model:
    """A list of named blocks of weights. Graphs say where the weights are used; training finds
    their values. Add all blocks before making data sets.

    Examples
    --------
    >>> model = Model()
    >>> model.add_weights("taste", 3, 5)
    WeightBlock(name='taste', rows=3, columns=5, first_row=0)
    >>> model.num_weights
    15
    """

    def __init__(self) -> None:
        self._core = _core.Model()
        self._blocks: dict[str, WeightBlock] = {}

    def add_weights(self, name: str, rows: int = 1, columns: int = 1) -> WeightBlock:
        """Add a block with a new name.

        Parameters
        ----------
        name : str
        rows : int, default=1
            One for each state, for inputs; as many as a factor has weights, for factors.
        columns : int, default=1
            One for each feature of an input; 1 for factors and potentials.
        """
        if not isinstance(name, str) or not name:
            raise ValueError(f"a block of weights needs a name, not {name!r}")
        rows, columns = _number("rows", rows, 1), _number("columns", columns, 1)
        number = self._core.add_weights(name, rows, columns)
        block = WeightBlock(self, name, rows, columns, 0, number)
        self._blocks[name] = block
        return block

    def __reduce__(self) -> Any:
        return _model_of, ([(block.name, block.rows, block.columns)
                            for block in self._blocks.values()],)

    @property
    def blocks(self) -> dict[str, WeightBlock]:
        """The blocks by name."""
        return dict(self._blocks)

    @property
    def num_weights(self) -> int:
        """The number of entries of all blocks."""
        return sum(block.rows * block.columns for block in self._blocks.values())

    def zeros(self) -> dict[str, np.ndarray]:
        """Weights of 0, as arrays by name."""
        return {name: np.zeros((block.rows, block.columns))
                for name, block in self._blocks.items()}

    def _flat(self, weights: Any) -> np.ndarray:
        """All weights in one row: block after block, within a block column after column."""
        if isinstance(weights, TrainResult):
            weights = weights.weights
        if not isinstance(weights, Mapping):
            raise ValueError("weights must be a dict of arrays by name, or a TrainResult")
        for name in weights:
            if name not in self._blocks:
                raise ValueError(f"the model has no weights {name!r}; it has "
                                 f"{', '.join(map(repr, self._blocks)) or 'none'}")
        parts = []
        for name, block in self._blocks.items():
            if name not in weights:
                raise ValueError(f"weights {name!r} are missing")
            array = np.asarray(weights[name], dtype=np.float64)
            if array.ndim < 2 and array.size == block.rows * block.columns:
                array = array.reshape(block.rows, block.columns)
            if array.shape != (block.rows, block.columns):
                raise ValueError(f"weights {name!r} have the shape {array.shape}, not "
                                 f"{(block.rows, block.columns)}")
            if not np.isfinite(array).all():
                row, column = np.argwhere(~np.isfinite(array))[0]
                raise ValueError(f"weights {name!r}: row {row}, column {column} is not finite")
            parts.append(array.ravel(order="F"))
        return np.concatenate(parts) if parts else np.empty(0)


def _model_of(blocks: list[tuple[str, int, int]]) -> Model:
    model = Model()
    for name, rows, columns in blocks:
        model.add_weights(name, rows, columns)
    return model


class Graph:
    """An immutable graph, made by :meth:`GraphBuilder.build`. Examples of the same shape share one.

    Attributes
    ----------
    model : Model
    n_variables, n_factors : int
    n_states : array of int of shape (n_variables,)
    n_inputs, n_potentials : int
        How many input rows and potentials an example must bring.
    n_scores : int
        How many scores :func:`infer` needs.
    is_forest : bool
        Whether all factors have tables and form no cycle.
    """

    def __init__(self, core: Any, model: Model, steps: Sequence[tuple[Any, ...]]):
        self._core = core
        self.model = model
        self._steps = steps  # of the builder, for pickle
        self.n_variables = core.num_variables
        self.n_factors = core.num_factors
        self.n_states = np.array([core.num_states(i) for i in range(self.n_variables)],
                                 dtype=np.int32)
        self.n_inputs = core.num_inputs
        self.n_potentials = core.num_potentials
        self.is_forest = core.is_forest
        self.n_scores, variables, tables, oracles = core.layout()
        self._variables = [slice(begin, begin + size) for _, begin, size in variables]
        self._tables = [(tuple(scope), slice(begin, begin + size))
                        for scope, begin, size in tables]
        self._oracles = [(tuple(scope), slice(begin, begin + size))
                         for scope, begin, size in oracles]

    def __reduce__(self) -> Any:
        return _graph_of, (self.model, list(self._steps))

    def __repr__(self) -> str:
        return f"Graph(n_variables={self.n_variables}, n_factors={self.n_factors})"

    @property
    def variable_slices(self) -> list[slice]:
        """For each variable, where the scores of its states are among those of :func:`infer`."""
        return list(self._variables)

    @property
    def table_slices(self) -> list[tuple[tuple[int, ...], slice]]:
        """Scope and place of the scores of each factor with a table, in the order in which they
        were added. A table has a score for each joint state, the last variable fastest."""
        return list(self._tables)

    @property
    def oracle_slices(self) -> list[tuple[tuple[int, ...], slice]]:
        """Scope and place of the weights of each factor that has its own maximum and no table:
        counts, matchings, chains and trees as one factor."""
        return list(self._oracles)

    def features(self, labels: Any) -> np.ndarray:
        """The numbers by which scores are multiplied in the score of a labelling.

        Parameters
        ----------
        labels : array of int of shape (n_variables,)

        Returns
        -------
        array of shape (n_scores,)
            1 for the states and joint states of the labelling, the features of factors without a
            table, 0 elsewhere. ``scores @ graph.features(labels)`` is the score of the labelling.
        """
        return self._core.features(_labels(labels, self))


def _graph_of(model: Model, steps: list[tuple[Any, ...]]) -> Graph:
    builder = GraphBuilder(model)
    for name, *arguments in steps:
        getattr(builder, name)(*arguments)
    return builder.build()


class GraphBuilder:
    """Builds graphs of a model. Variables are numbers, counted from 0, and positions of the labels.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model):
        if not isinstance(model, Model):
            raise ValueError("a GraphBuilder needs a Model")
        self.model = model
        self._core = _core.GraphBuilder(model._core)
        self._states: list[int] = []
        self._steps: list[tuple[Any, ...]] = []

    def add_variable(self, states: int) -> int:
        """Add a variable with the states 0 … states − 1; returns its number."""
        return self.add_variables(1, states)[0]

    def add_variables(self, count: int, states: int) -> range:
        """Add variables with the same number of states; returns their numbers."""
        count, states = _number("count", count, 0), _number("states", states, 1)
        first = len(self._states)
        self._core.add_variables(count, states)
        self._states += [states] * count
        self._steps.append(("add_variables", count, states))
        return range(first, first + count)

    def add_input(self, variable: int, weights: WeightBlock, input: int) -> None:
        """Add ``weights[s] @ x`` to the score of each state s, where x is row `input` of an
        example's inputs. At most once per variable.

        A block with one row is that of state 1 of a variable with two states.
        """
        self._core.add_input(self._scope(variable)[0], self._place(weights),
                             _number("input", input, 0))
        self._steps.append(("add_input", variable, weights, input))

    def add_input_factor(self, scope: Sequence[int], weights: WeightBlock, input: int) -> None:
        """Add a factor over the scope whose joint states have such scores: a row of weights for
        each joint state, the last variable fastest."""
        self._core.add_input_factor(self._scope(scope), self._place(weights),
                                    _number("input", input, 0))
        self._steps.append(("add_input_factor", tuple(scope), weights, input))

    def add_potentials(self, variable: int, weights: WeightBlock) -> int:
        """Add ``weights · p_s`` to the score of each state s, where the potential p_s is a number
        that the example brings.

        The block has one column, and one row for all states or one for each. An example lists its
        potentials in the order of these calls. Returns the position of the first one.
        """
        first = self._core.add_potentials(self._scope(variable)[0], self._place(weights))
        self._steps.append(("add_potentials", variable, weights))
        return first

    def add_potential_factor(self, scope: Sequence[int], weights: WeightBlock) -> int:
        """Add a factor over the scope with a potential for each joint state."""
        first = self._core.add_potential_factor(self._scope(scope), self._place(weights))
        self._steps.append(("add_potential_factor", tuple(scope), weights))
        return first

    def add_factor(self, scope: Union[int, Sequence[int]], factor: Optional[Factor] = None,
                   weights: Optional[WeightBlock] = None) -> None:
        """Add a factor over the scope.

        Parameters
        ----------
        scope : int or sequence of int
            The variables, in the order of the factor's axes.
        factor : Factor, optional
            One of :mod:`slackline.factors`. Without it, the joint states have no scores of their
            own: for :func:`infer`, which is given them.
        weights : WeightBlock, optional
            One column, and as many rows as the factor has weights. None for factors without
            weights (matchings) and for hard bounds on counts.
        """
        core = None if factor is None else _core_of(factor)
        place = (-1, 0, 0, 0) if weights is None else self._place(weights)
        if core is None and weights is not None:
            raise ValueError("weights need a factor that reads them")
        numbers = self._scope(scope)
        self._core.add_factor(numbers, core, place)
        self._steps.append(("add_factor", tuple(numbers), factor, weights))

    def forbid(self, scope: Union[int, Sequence[int]], forbidden: Any) -> None:
        """Forbid states of a variable, or joint states of several.

        Parameters
        ----------
        scope : int or sequence of int
        forbidden : array of bool with one axis per variable
            True for joint states that no labelling may have.
        """
        numbers = self._scope(scope)
        array = np.asarray(forbidden)
        shape = tuple(self._states[i] for i in numbers)
        if array.dtype != bool or array.shape != shape:
            raise ValueError(f"forbidden must be an array of bool of shape {shape}, not "
                             f"{array.dtype} of shape {array.shape}")
        self._core.forbid(numbers, np.ascontiguousarray(array, dtype=np.int8))
        self._steps.append(("forbid", tuple(numbers), array.copy()))

    def build(self) -> Graph:
        """The finished graph. The builder can be used further."""
        return Graph(self._core.build(), self.model, tuple(self._steps))

    def _scope(self, scope: Any) -> list[int]:
        numbers = [scope] if np.ndim(scope) == 0 else list(scope)
        if not numbers:
            raise ValueError("a factor needs at least one variable")
        result = []
        for number in numbers:
            result.append(_number("a variable", number, 0))
            if number >= len(self._states):
                raise ValueError(f"the graph has no variable {number}")
        return result

    def _place(self, weights: Any) -> tuple[int, int, int, int]:
        if not isinstance(weights, WeightBlock) or weights.model is not self.model:
            raise ValueError("weights must be a block of the graph's model (Model.add_weights)")
        return weights._place()


def _labels(labels: Any, graph: Graph) -> np.ndarray:
    array = np.asarray(labels)
    if array.shape != (graph.n_variables,) or (array.dtype.kind not in "iub" and array.size):
        raise ValueError(f"labels must be {graph.n_variables} integers, not an array of "
                         f"{array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _vector(name: str, values: Any, size: Optional[int] = None) -> np.ndarray:
    if values is None:
        return np.empty(0)
    array = np.ascontiguousarray(values, dtype=np.float64).ravel()
    if size is not None and array.size != size:
        raise ValueError(f"{name}: {array.size} numbers, but the graph needs {size}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: number {int(np.argmin(np.isfinite(array)))} is not finite")
    return array


def _inputs(inputs: Any, graph: Graph) -> list[Any]:
    """Inputs as a list of matrices, one after the other."""
    if inputs is None:
        matrices = []
    elif is_sparse(inputs):
        matrices = [prepare_matrix(inputs, "inputs")]
    elif isinstance(inputs, np.ndarray) and inputs.dtype != object:
        matrices = [prepare_matrix(inputs, "inputs")] if inputs.size or inputs.ndim != 1 else []
    else:
        matrices = []
        for k, row in enumerate(inputs):
            if not is_sparse(row):
                row = np.asarray(row)
                if row.ndim != 1:
                    raise ValueError(f"inputs: row {k} has {row.ndim} axes, not one")
                row = row.reshape(1, -1)
            elif row.shape[0] != 1:
                raise ValueError(f"inputs: element {k} is a sparse matrix of {row.shape[0]} rows, "
                                 "not of one")
            matrices.append(prepare_matrix(row, f"inputs[{k}]"))
    rows = sum(len(matrix[2]) - 1 if isinstance(matrix, tuple) else len(matrix)
               for matrix in matrices)
    if rows != graph.n_inputs:
        raise ValueError(f"the graph needs {graph.n_inputs} input rows, not {rows}")
    return matrices


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
            graph._core, _inputs(inputs, graph), _labels(labels, graph),
            _vector("potentials", potentials, graph.n_potentials),
            _vector("loss_weights", loss_weights, graph.n_variables),
            _vector("losses", losses, int(graph.n_states.sum())))

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
    termination : {"converged", "max-passes", "time-limit", "interrupted"}
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
          learner_options: Optional[Mapping[str, Any]] = None, loss: str = "mean",
          variable_weights: Any = None, costs: Any = None, callbacks: Callbacks = None,
          verbose: bool = False) -> TrainResult:
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
    if loss not in ("mean", "count", "f1"):
        raise ValueError(f"loss must be 'mean', 'count' or 'f1', not {loss!r}")
    settings = _Options(C, lam, learner, tol, max_iter, time_limit, n_jobs, random_state,
                        learner_options, verbose)
    options = settings._train_options()
    callback, progress = settings._callback(callbacks)
    if costs is not None and (np.ndim(costs) != 2 or np.shape(costs)[0] != np.shape(costs)[1]):
        raise ValueError(f"costs must have the shape (K, K), not {np.shape(costs)}")
    try:
        found = _core.train(data._core, options, settings._cost(), loss,
                            _vector("variable_weights", variable_weights), _vector("costs", costs),
                            callback)
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
        found["exception"].result = result
        raise found["exception"]
    if result.termination in ("max-passes", "time-limit"):
        warnings.warn(
            f"training ended with a certified gap of {100 * result.relative_gap:.3g} %, where "
            f"{100 * tol:.3g} % was wanted: {result.message}", ConvergenceWarning, stacklevel=2)
    return result


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
    """

    def __init__(self, graph: Graph, weights: Union[Weights, TrainResult]):
        if not isinstance(graph, Graph):
            raise ValueError("a Predictor needs a Graph")
        self.graph = graph
        self._core = _core.Predictor(graph._core, graph.model._core, graph.model._flat(weights))

    def _given(self, inputs: Any, potentials: Any) -> tuple[list[Any], np.ndarray]:
        if potentials is None and self.graph.n_potentials:
            raise ValueError(f"the graph needs {self.graph.n_potentials} potentials")
        return (_inputs(inputs, self.graph),
                _vector("potentials", potentials, self.graph.n_potentials))

    def predict(self, inputs: Any = None, *, potentials: Any = None) -> Prediction:
        """The best labelling."""
        return Prediction(*self._core.predict(*self._given(inputs, potentials)))

    def score(self, inputs: Any, labels: Any, *, potentials: Any = None) -> float:
        """The score of a labelling; −inf if the graph forbids it."""
        given = self._given(inputs, potentials)
        return self._core.score(*given, _labels(labels, self.graph))

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
            potentials: Any = None) -> Prediction:
    """The best labelling of a graph; :class:`Predictor` says where it is exact.

    Parameters
    ----------
    graph : Graph
    inputs : array or sparse matrix of shape (n_inputs, n_features), list of rows, or None
    weights : dict of arrays by name, or TrainResult
    potentials : array of shape (n_potentials,), optional
    """
    return Predictor(graph, weights).predict(inputs, potentials=potentials)


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
        it is fractional, else ``graph.features(labels)``.
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
          n_jobs: Optional[int] = None) -> Union[InferResult, list[InferResult]]:
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
        "lp": the LP relaxation, rounded. "messages": message passing on its dual.
        "expansion": α-expansion, for associative factors over pairs.
    marginals : bool, default=False
        Whether to return the marginals of the relaxation, which are the gradient of its value.
    max_marginals : bool, default=False
        Whether to return max-marginals.
    n_jobs : int, optional
        Threads for batches; −1 for all processors. Results do not depend on it.

    Returns
    -------
    InferResult or list of InferResult
        A list for a list of graphs.

    Raises
    ------
    ValueError
        When a method does not support the graph or its scores, or no labelling is allowed.

    Examples
    --------
    >>> builder = GraphBuilder(Model())
    >>> a, b = builder.add_variables(2, 2)
    >>> builder.add_factor([a, b])
    >>> pair = builder.build()
    >>> infer(pair, [0.5, 0, 0, 0.2, 0, 0, 0, 1]).labels
    array([1, 1], dtype=int32)
    """
    threads = _jobs(n_jobs)
    wanted = (bool(marginals), bool(max_marginals))
    if isinstance(graph, Graph):
        array = _scores(scores, (1, 2), graph.n_scores, "scores")
        single = array.ndim == 1
        rows = array.reshape(1, -1) if single else array
        if graph.n_scores == 0 and not single:
            raise ValueError("a graph without scores has no rows of them")
        found = _core.infer_rows(graph._core, rows, str(method), *wanted, threads)
        if graph.n_scores == 0:
            return InferResult(np.empty(0, dtype=np.int32), 0.0, 0.0, True)
        return _result(found, wanted, single)
    graphs = list(graph)
    rows = list(scores)
    for k, one in enumerate(graphs):
        if not isinstance(one, Graph):
            raise ValueError(f"graph[{k}] is not a Graph")
    if len(graphs) != len(rows):
        raise ValueError(f"{len(rows)} rows of scores for {len(graphs)} graphs")
    rows = [_scores(row, (1,), one.n_scores, f"scores[{k}]")
            for k, (one, row) in enumerate(zip(graphs, rows))]
    found = _core.infer_graphs([one._core for one in graphs], rows, str(method), *wanted, threads)
    return [_result(arrays, wanted, True) for arrays in found]


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
        loss, exact where graphs are forests. "auto" and "messages" may miss the best labelling of
        large graphs with cycles, and then give a lower bound.
    n_jobs : int, optional
        Threads; −1 for all processors. Results do not depend on it.

    Returns
    -------
    hinges : array of shape (n_rows,)
    gradients : array of shape (n_rows, n_scores)

    Examples
    --------
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
    found = infer(graph, augmented, method=method, marginals=True, n_jobs=n_jobs)
    gradients = found.marginals - true_features  # type: ignore[union-attr, operator]
    hinges = (found.marginals * augmented).sum(axis=1)  # type: ignore[union-attr, operator]
    return hinges - (true_features * array).sum(axis=1), gradients
