# SPDX-License-Identifier: BSD-3-Clause
"""Factors: scores of the joint states of several variables, ``w·φ(y)``.

:meth:`slackline.GraphBuilder.add_factor` puts a factor over variables and says in which block of
weights its weights are. A factor object has no weights of its own; any number of scopes may share
one.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence, TypeVar, cast

import numpy as np

from ._arrays import shown
from ._core import graphs as _core

__all__ = ["Factor", "agreement", "at_least", "at_most", "chain", "count", "exactly",
           "feature_table", "matching", "potts", "table", "tied_table", "tree"]


class Factor:
    """What the functions of this module return."""

    def __init__(self, core: Any, text: str):
        self._core = core
        self._text = text
        self._made: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> Any:
        return _again, self._made


_F = TypeVar("_F", bound=Callable[..., Factor])


def _remembered(function: _F) -> _F:
    """Decorator: the factor keeps the arguments that it was made with, for pickle."""

    @functools.wraps(function)
    def make(*arguments: Any, **named: Any) -> Factor:
        factor = function(*arguments, **named)
        factor._made = (function.__name__, arguments, named)
        return factor

    return cast(_F, make)


def _again(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Factor:
    return globals()[name](*arguments, **named)


def _number(name: str, value: Any, smallest: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer, not {shown(value)}")
    if not smallest <= value < 2**31:
        raise ValueError(f"{name} == {value}; it must be >= {smallest} and < 2**31")
    return int(value)


def _numbers(name: str, values: Any, smallest: int) -> list[int]:
    return [_number(f"{name}[{k}]", value, smallest) for k, value in enumerate(values)]


@_remembered
def potts(states: int) -> Factor:
    """φ(y) = 1 where two variables with `states` states each differ, else 0.

    One weight; a negative one favours equal neighbours.

    Examples
    --------
    >>> potts(3)
    potts(3)
    """
    return Factor(_core.potts(_number("states", states, 1)), f"potts({states})")


@_remembered
def agreement(states: int) -> Factor:
    """φ_k(y) = 1 where two variables with `states` states each are both in state k, else 0.

    One weight per state; a positive one rewards agreement in this state. Training with
    ``learner_options={"associative": True}`` keeps these weights from becoming negative.

    Examples
    --------
    >>> agreement(3)
    agreement(3)
    """
    return Factor(_core.agreement(_number("states", states, 1)), f"agreement({states})")


@_remembered
def table(states: Sequence[int]) -> Factor:
    """A weight for each joint state.

    Parameters
    ----------
    states : sequence of int
        The number of states of each variable. ``table([3])`` is a bias, ``table([3, 3])`` a full
        table of pairs with 9 weights, of which weight ``3*a + b`` is that of the states a and b.
    """
    numbers = _numbers("states", states, 1)
    return Factor(_core.table(numbers), f"table({numbers})")


@_remembered
def tied_table(rows: Any, values: Any = None, num_weights: Optional[int] = None) -> Factor:
    """A table in which joint states share weights.

    Parameters
    ----------
    rows : array of int, one axis per variable
        The weight that each joint state reads; −1 for none.
    values : array of float of the same shape, optional
        By what the weight is multiplied; 1 if not given.
    num_weights : int, optional
        The number of weights; by default the largest row + 1.

    Examples
    --------
    One weight for equal and one for neighbouring states of three:

    >>> tied_table([[0, 1, -1], [1, 0, 1], [-1, 1, 0]])
    tied_table(states=[3, 3], num_weights=2)
    """
    array = np.asarray(rows)
    if array.ndim == 0 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError("rows must be an array of integers with one axis per variable")
    if array.min() < -1:
        raise ValueError("rows must be >= -1")
    numbers: np.ndarray = np.empty(0)
    if values is not None:
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != array.shape:
            raise ValueError(f"values has the shape {numbers.shape}, but rows has {array.shape}")
        if not np.isfinite(numbers).all():
            raise ValueError("values must be finite")
    size = int(array.max()) + 1 if num_weights is None else _number("num_weights", num_weights, 0)
    if array.max() >= size:
        raise ValueError(f"rows has the entry {array.max()}, but there are {size} weights")
    states = list(array.shape)
    core = _core.tied_table(states, size, array.ravel().tolist(), np.ascontiguousarray(
        numbers.ravel()))
    return Factor(core, f"tied_table(states={states}, num_weights={size})")


@_remembered
def feature_table(features: Any) -> Factor:
    """A table with any features for each joint state.

    Parameters
    ----------
    features : array of float
        ``features[y_0, …, y_k]`` is the feature vector φ(y): one axis per variable, and a last one
        whose length is the number of weights.

    Examples
    --------
    The distance of two positions, at most 2, as one feature:

    >>> import numpy as np
    >>> positions = np.arange(5)
    >>> feature_table(np.minimum(2, abs(positions[:, None] - positions))[:, :, None])
    feature_table(states=[5, 5], num_weights=1)
    """
    array = np.ascontiguousarray(features, dtype=np.float64)
    if array.ndim < 2 or array.size == 0:
        raise ValueError("features must have one axis per variable and one for the weights, and no "
                         f"axis of length 0; its shape is {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("features must be finite")
    states = list(array.shape[:-1])
    core = _core.feature_table(states, array.reshape(-1, array.shape[-1]))
    return Factor(core, f"feature_table(states={states}, num_weights={array.shape[-1]})")


def _bound(name: str, function: Any, number: int, state: int) -> Factor:
    core = function(_number(name, number, 0), _number("state", state, 0))
    return Factor(core, f"{function.__name__}({number}, state={state})")


@_remembered
def at_most(number: int, state: int = 1) -> Factor:
    """At most `number` variables of the scope have the state.

    Added without weights, the factor forbids all other labellings. Added with one weight, it is
    soft: φ is the number of variables by which the count misses the bound.
    """
    return _bound("number", _core.at_most, number, state)


@_remembered
def at_least(number: int, state: int = 1) -> Factor:
    """At least `number` variables have the state; see :func:`at_most`."""
    return _bound("number", _core.at_least, number, state)


@_remembered
def exactly(number: int, state: int = 1) -> Factor:
    """Exactly `number` variables have the state; see :func:`at_most`."""
    return _bound("number", _core.exactly, number, state)


@_remembered
def count(state: int = 1) -> Factor:
    """A weight for each number of variables with the state, from 0 to the size of the scope."""
    return Factor(_core.count(_number("state", state, 0)), f"count(state={state})")


def _pairs(name: str, pairs: Any) -> list[tuple[int, int]]:
    array = np.asarray(pairs)
    if array.size == 0:
        return []
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be pairs of integers")
    if array.min() < 0:
        raise ValueError(f"{name} must not be negative")
    return [(int(a), int(b)) for a, b in array]


@_remembered
def matching(edges: Any, left_capacity: Any = 1, right_capacity: Any = 1,
             num_left: Optional[int] = None, num_right: Optional[int] = None) -> Factor:
    """A bipartite matching over the whole scope, which forbids all other labellings. No weights.

    Variable e of the scope, with two states, is 1 where edge e is chosen. Each node has at most as
    many chosen edges as its capacity.

    Parameters
    ----------
    edges : array of int of shape (n_edges, 2)
        Left and right node of each edge; nodes count from 0 on each side.
    left_capacity, right_capacity : int or array of int, default=1
        For all nodes of the side, or one for each.
    num_left, num_right : int, optional
        The number of nodes; by default, the largest node of the edges + 1.
    """
    pairs = _pairs("edges", edges)
    if not pairs:
        raise ValueError("a matching needs edges")

    def capacities(name: str, given: Any, side: int, number: Optional[int]) -> list[int]:
        nodes = max(pair[side] for pair in pairs) + 1
        if number is not None:
            nodes = _number(f"num_{name}", number, nodes)
        if np.ndim(given) == 0:
            return [_number(f"{name}_capacity", given, 0)] * nodes
        numbers = _numbers(f"{name}_capacity", given, 0)
        if len(numbers) < nodes:
            raise ValueError(f"{name}_capacity has {len(numbers)} entries for {nodes} nodes")
        return numbers

    left = capacities("left", left_capacity, 0, num_left)
    right = capacities("right", right_capacity, 1, num_right)
    return Factor(_core.matching(pairs, left, right), f"matching({len(pairs)} edges)")


@_remembered
def chain(length: int, pair: Factor) -> Factor:
    """A chain over the whole scope as one factor, maximised by dynamic programming.

    Parameters
    ----------
    length : int
        The number of variables.
    pair : Factor
        A table over two variables, which joins neighbours.
    """
    return Factor(_core.chain(_number("length", length, 1), _core_of(pair)),
                  f"chain({length}, {shown(pair)})")


@_remembered
def tree(states: Sequence[int], edges: Any, pair: Factor) -> Factor:
    """A tree over the whole scope as one factor, maximised by dynamic programming.

    Parameters
    ----------
    states : sequence of int
        The number of states of each variable.
    edges : array of int of shape (n_edges, 2)
        Positions in the scope.
    pair : Factor
        A table over two variables, which joins the ends of each edge.
    """
    core = _core.tree(_numbers("states", states, 1), _pairs("edges", edges), _core_of(pair))
    return Factor(core, f"tree({list(states)}, {shown(pair)})")


def _core_of(factor: Any) -> Any:
    if not isinstance(factor, Factor):
        raise ValueError(f"{shown(factor)} is not a factor")
    return factor._core
