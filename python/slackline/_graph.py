# SPDX-License-Identifier: BSD-3-Clause
"""Models, graphs, and the arrays of their examples."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from ._arrays import is_sparse, prepare_matrix, shown
from ._core import graphs as _core
from .factors import Factor, _core_of, _number

__all__ = ["Graph", "GraphBuilder", "Model", "WeightBlock", "prepare_inputs", "prepare_labels",
           "prepare_vector"]


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
            raise ValueError(f"block {shown(self.name)} has {self.rows} rows, not {first + count}")
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
            raise ValueError(f"a block of weights needs a name, not {shown(name)}")
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
        weights = getattr(weights, "weights", weights)  # of a TrainResult
        if not isinstance(weights, Mapping):
            raise ValueError("weights must be a dict of arrays by name, or a TrainResult")
        for name in weights:
            if name not in self._blocks:
                raise ValueError(f"the model has no weights {shown(name)}; it has "
                                 f"{', '.join(map(repr, self._blocks)) or 'none'}")
        parts = []
        for name, block in self._blocks.items():
            if name not in weights:
                raise ValueError(f"weights {shown(name)} are missing")
            array = np.asarray(weights[name], dtype=np.float64)
            if array.ndim < 2 and array.size == block.rows * block.columns:
                array = array.reshape(block.rows, block.columns)
            if array.shape != (block.rows, block.columns):
                raise ValueError(f"weights {shown(name)} have the shape {array.shape}, not "
                                 f"{(block.rows, block.columns)}")
            if not np.isfinite(array).all():
                row, column = np.argwhere(~np.isfinite(array))[0]
                raise ValueError(f"weights {shown(name)}: row {row}, column {column} is not finite")
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
        return self._core.features(prepare_labels(labels, self))


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


def prepare_labels(labels: Any, graph: Graph) -> np.ndarray:
    """One int32 per variable."""
    array = np.asarray(labels)
    if array.shape != (graph.n_variables,) or (array.dtype.kind not in "iub" and array.size):
        raise ValueError(f"labels must be {graph.n_variables} integers, not an array of "
                         f"{array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int32)


def prepare_vector(name: str, values: Any, size: Optional[int] = None) -> np.ndarray:
    """Finite numbers in one row, `size` of them if given; none for None."""
    if values is None:
        return np.empty(0)
    array = np.ascontiguousarray(values, dtype=np.float64).ravel()
    if size is not None and array.size != size:
        raise ValueError(f"{name}: {array.size} numbers, but the graph needs {size}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: number {int(np.argmin(np.isfinite(array)))} is not finite")
    return array


def prepare_inputs(inputs: Any, graph: Graph) -> list[Any]:
    """Inputs as a list of prepared matrices (_arrays.py), whose rows follow one another."""
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
