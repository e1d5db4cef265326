# SPDX-License-Identifier: BSD-3-Clause
"""Classes and labels of data, and the costs of confusing them."""
from __future__ import annotations

import numbers
from typing import Any, Mapping, Optional

import numpy as np

from ._arrays import shown

__all__ = ["checked_cost", "class_type_options", "classes_of", "cost_matrix", "recorded_costs"]

_CLASS_TYPE = "class-type"


def _are_integers(names: list[str]) -> bool:
    return all(name.lstrip("-").isascii() and name.lstrip("-").isdigit() and
               str(int(name)) == name for name in names)


def _type_of(classes: np.ndarray) -> str:
    """The type of classes in model files."""
    kind = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(classes.dtype.kind)
    if kind is not None:
        return kind
    if all(isinstance(label, (bool, np.bool_)) for label in classes):
        return "bool"
    return "int" if all(isinstance(label, numbers.Integral) for label in classes) else "str"


def class_type_options(classes: np.ndarray, names: list[str]) -> dict[str, str]:
    """The option of a model's record that says of which type the classes are, where the names do
    not tell."""
    kind = _type_of(classes)
    return {} if kind == ("int" if _are_integers(names) else "str") else {_CLASS_TYPE: kind}


def classes_of(names: list[str], record: Mapping[str, Any]) -> np.ndarray:
    """The classes that a model file names, of the type that it records. Files of the command line
    and of earlier builds record none: integers if all names are decimal numbers, else strings."""
    default = "int" if _are_integers(names) else "str"
    kind = record["options"].get(_CLASS_TYPE, default)
    if kind == "int":
        return np.array([int(name) for name in names])
    if kind == "float":
        return np.array([float(name) for name in names])
    if kind == "bool":
        return np.array([name == "True" for name in names])
    return np.array(names, dtype=object)


def cost_matrix(costs: Any, classes: np.ndarray, noun: str, plural: str) -> list[float]:
    """The costs of errors by rows, [true, predicted], from a matrix or a dict (true, predicted) ->
    cost, where other errors cost 1; empty without costs. noun, plural: "label", "labels"."""
    if costs is None:
        return []
    size = len(classes)
    if isinstance(costs, Mapping):
        number = {label: k for k, label in enumerate(classes)}
        matrix = 1.0 - np.eye(size)
        for pair, cost in costs.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(f"costs: {shown(pair)} is not a pair (true, predicted)")
            for label in pair:
                if label not in number:
                    raise ValueError(f"costs: there is no {noun} {shown(label)} in y")
            matrix[number[pair[0]], number[pair[1]]] = checked_cost("costs", cost, pair)
    else:
        matrix = np.array(costs, dtype=np.float64)
        if matrix.shape != (size, size):
            raise ValueError(f"costs has shape {matrix.shape}, but there are {size} {plural}")
        for a, b in np.ndindex(size, size):
            checked_cost("costs", float(matrix[a, b]), (classes[a], classes[b]))
    wrong = np.flatnonzero(np.diagonal(matrix))
    if wrong.size:
        raise ValueError(f"costs: {noun} {shown(classes[wrong[0]])} itself must cost nothing")
    return matrix.ravel().tolist()


def recorded_costs(record: Mapping[str, Any], classes: np.ndarray) -> Optional[np.ndarray]:
    """The costs of errors that a model file records, [true, predicted]; None without any."""
    costs, size = record["costs"], len(classes)
    return costs.reshape(size, size).copy() if costs.size == size * size else None


def checked_cost(name: str, cost: Any, key: Any) -> float:
    """The cost of `key` in the parameter `name`, if it is a number from 0 to 1e50."""
    if isinstance(cost, bool) or not isinstance(cost, numbers.Real) or \
            not 0 <= float(cost) <= 1e50:
        raise ValueError(f"{name}: {shown(cost)} of {shown(key)} is not a number >= 0")
    return float(cost)
