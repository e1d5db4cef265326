# SPDX-License-Identifier: BSD-3-Clause
"""Label sets of users as the extension module takes them."""
from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from ._arrays import is_sparse, shown

__all__ = ["decide_negatives", "prepare_labels", "require_known"]

_MINUS = -2  # a label that is written as -1

_ADVICE = ("multi-label classification needs a matrix with a column per label and values 0 or 1; "
           "sklearn.preprocessing.MultiLabelBinarizer makes one of collections of labels")


def prepare_labels(labels: Any) -> tuple[np.ndarray, Optional[list[str]]]:
    """The labels as a C-contiguous array of int8 with 1, 0, -1 (unknown) and -2 (written as -1, of
    which decide_negatives says what it means), and the names of the columns of a data frame. Masked
    labels are unknown.

    Raises ValueError, with the row and column where one is to blame.
    """
    if labels is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if is_sparse(labels):
        return _from_sparse(labels), None
    if isinstance(labels, np.ma.MaskedArray):
        labels = np.ma.filled(labels.astype(float), np.nan)
    columns = getattr(labels, "columns", None)
    names = None if columns is None or callable(columns) else [str(name) for name in columns]
    array = _to_array(labels)
    if array.ndim != 2:
        advice = "" if array.ndim != 1 else "; for a single label use Y.reshape(-1, 1)"
        raise ValueError(f"Unknown label type: Y has shape {array.shape}, but {_ADVICE}{advice}")
    if array.shape[1] == 0:
        raise ValueError("Y has no columns: there are no labels")
    return _to_flags(array), names


def _to_array(labels: Any) -> np.ndarray:
    try:
        array = np.asarray(labels)
    except ValueError:
        raise ValueError(f"Y has rows of different lengths, but {_ADVICE}") from None
    if array.dtype.kind in "USV":
        raise ValueError(f"Y has texts, but {_ADVICE}")
    if array.dtype.kind != "O":
        return array
    if array.ndim != 2:
        raise ValueError(f"Y has collections, but {_ADVICE}")
    numbers = np.empty(array.shape)
    for place, value in np.ndenumerate(array):
        numbers[place] = _number(value, place)
    return numbers


def _number(value: Any, place: tuple[int, ...]) -> float:
    # pandas.NA is missing, but has neither a truth value nor a number.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return np.nan
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"Y: row {place[0]}, column {place[1]} is {shown(value)}; {_ADVICE}")


def _to_flags(array: np.ndarray) -> np.ndarray:
    flags = np.zeros(array.shape, dtype=np.int8)
    if array.dtype.kind == "b":
        flags[array] = 1
        return flags
    flags[array == 1] = 1
    flags[array == -1] = _MINUS
    if array.dtype.kind == "f":
        flags[np.isnan(array)] = -1
    bad = np.flatnonzero((flags == 0) & (array != 0))
    if bad.size:
        row, column = divmod(int(bad[0]), array.shape[1])
        _refuse(array[row, column], row, column)
    return flags


def decide_negatives(flags: np.ndarray, team: Any = None) -> None:
    """Makes 0 of -2 where no process has a 0 beside -2 and 1, with a warning; else -1."""
    minus = flags == _MINUS
    facts = (minus.any(), (flags == 1).any(), (flags == 0).any())
    some_minus, some_one, some_zero = np.any(
        [facts] if team is None else team.gather(facts), axis=0)
    negative = some_minus and some_one and not some_zero
    if negative:
        warnings.warn("Y has -1 and 1 and no 0: -1 is taken for the negative class. Write NaN where "
                      "a label is not known", UserWarning, stacklevel=3)
    flags[minus] = 0 if negative else -1


def require_known(flags: np.ndarray, names: list[str], team: Any) -> None:
    """Raises ValueError, which names it, for a label without a known value on any process."""
    of_all = team.gather((flags >= 0).any(axis=0))
    if len({len(known) for known in of_all}) > 1:
        return  # the numbers of labels differ, which training refuses
    known = np.any(of_all, axis=0)
    missing = np.flatnonzero(~known)
    if missing.size == known.size:
        raise ValueError("no example has a known label: all are -1 or NaN")
    if missing.size:
        raise ValueError(f"label {shown(names[missing[0]])} has no known value: all are -1 or NaN")


def _refuse(value: Any, row: int, column: int) -> None:
    text = "infinity" if value in (np.inf, -np.inf) else repr(value.item())
    raise ValueError(f"Y: row {row}, column {column} is {text}; labels are 0 or 1, and -1 or NaN "
                     "where they are not known")


def _from_sparse(labels: Any) -> np.ndarray:
    if labels.shape[1] == 0:
        raise ValueError("Y has no columns: there are no labels")
    matrix = labels.tocoo(copy=True)
    matrix.sum_duplicates()
    values = matrix.data.astype(float)
    good = (values == 0) | (values == 1) | (values == -1) | np.isnan(values)
    if not good.all():
        k = int(np.flatnonzero(~good)[0])
        _refuse(values[k], int(matrix.row[k]), int(matrix.col[k]))
    flags = np.zeros(matrix.shape, dtype=np.int8)
    flags[matrix.row, matrix.col] = np.where(np.isnan(values), -1, values)
    return flags
