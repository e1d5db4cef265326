# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of users as the extension module takes them.

Arrays of doubles in C order and CSR matrices of doubles with sorted columns are passed on without
a copy. Where no constant is appended to them, the extension module reads them where they are.
"""
from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, Optional

import numpy as np

# Rows and columns have numbers of 32 bits, and a constant may be added to the columns.
_MOST = np.iinfo(np.int32).max - 1

__all__ = ["Features", "column_names", "is_sparse", "prepare_matrix", "num_columns", "num_rows",
           "refuse_masked", "shown"]


def shown(value: Any) -> str:
    """repr without the types of numpy's numbers: 0.5, not np.float64(0.5), alone or in a tuple, list
    or dict."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) is dict:
        return "{" + ", ".join(f"{shown(k)}: {shown(v)}" for k, v in value.items()) + "}"
    if type(value) in (list, tuple):
        items = ", ".join(shown(item) for item in value)
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    return repr(value)


def is_sparse(matrix: Any) -> bool:
    """Whether this is a matrix or array of scipy.sparse, without loading scipy."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(matrix)


def column_names(matrix: Any) -> Optional[np.ndarray]:
    """The names of the columns of a data frame, if all are strings; None for anything else."""
    columns = getattr(matrix, "columns", None)
    if columns is None or callable(columns):
        return None
    names = list(columns)
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True}:
        return np.asarray(names, dtype=object)
    if True in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            "input has mixed types of column names. Use X.columns = X.columns.astype(str), for "
            "example.")
    return None


_PIECE = 1 << 16  # values that are checked at once, so that the check needs little memory


def _refuse_values(values: np.ndarray, name: str,
                   place: Callable[[int], tuple[int, int]]) -> None:
    """Raises ValueError for the first value that is not finite; place(k) is its row and column.
    Requires a C-contiguous array."""
    flat = values.reshape(-1)
    for begin in range(0, flat.size, _PIECE):
        good = np.isfinite(flat[begin:begin + _PIECE])
        if good.all():
            continue
        bad = begin + int(np.argmin(good))
        row, column = place(bad)
        kind = "NaN" if np.isnan(flat[bad]) else "infinity"
        raise ValueError(f"Input {name} contains {kind}: row {row}, column {column}.")


def refuse_masked(array: Any, name: str) -> None:
    """Raises ValueError for a masked array with masked values."""
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(f"{name} is a masked array with {int(np.ma.count_masked(array))} masked "
                         "values, which are missing: fill them, for example by their column's mean")


def _as_array(matrix: Any, name: str) -> np.ndarray:
    """np.asarray, with the row to blame where rows have different lengths."""
    try:
        array = np.asarray(matrix)
    except ValueError as error:
        _refuse_ragged(matrix, name)
        raise ValueError(f"{name}: {error}") from None
    if array.dtype.kind == "O" and array.ndim == 1 and not hasattr(matrix, "dtype"):
        _refuse_ragged(matrix, name)
    return array


def _refuse_ragged(rows: Any, name: str) -> None:
    lengths = [len(row) for row in rows if hasattr(row, "__len__") and not isinstance(row, str)]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            raise ValueError(f"{name} has rows of different lengths: row 0 has {lengths[0]} "
                             f"values, and row {row} has {length}.") from None


def _in_order(array: Any, dtype: Any) -> np.ndarray:
    """A C-contiguous array of this type whose elements are aligned, of the same memory where
    possible."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED", "ENSUREARRAY"])


def _to_doubles(array: np.ndarray, name: str) -> np.ndarray:
    """A C-contiguous array of float64, of the same memory where possible."""
    try:
        return _in_order(array, np.float64)
    except (TypeError, ValueError) as error:
        for (row, column), value in np.ndenumerate(array):
            try:
                float(value)
            except (TypeError, ValueError) as cause:
                # The kinds of exceptions are those of scikit-learn.
                raise type(error)(
                    f"{name}: row {row}, column {column} is not a number: {cause}") from None
        raise type(error)(f"{name}: {error}") from None


def prepare_matrix(matrix: Any, name: str = "X", estimator: str = "this estimator",
                   may_be_empty: bool = False) -> Any:
    """The matrix as slackline._core.Matrix takes it: a C-contiguous array of float64, or the tuple
    (values, columns, row starts, number of columns) of a CSR matrix. It may have no rows if
    may_be_empty says so.

    Raises ValueError, with the row and column where one is to blame.
    """
    if is_sparse(matrix):
        return _prepare_sparse(matrix, name, estimator, may_be_empty)
    refuse_masked(matrix, name)
    array = _as_array(matrix, name)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{shown(array)}\n")
    if array.ndim != 2:
        advice = ""
        if array.ndim == 1:
            advice = (" Reshape your data either using array.reshape(-1, 1) if your data has a "
                      "single feature or array.reshape(1, -1) if it contains a single sample.")
        shape = "scalar" if array.ndim == 0 else f"{array.ndim}D"
        raise ValueError(f"Expected 2D array, got {shape} array instead.{advice}")
    _check_shape(array.shape, estimator, may_be_empty)
    array = _to_doubles(array, name)
    columns = array.shape[1]
    _refuse_values(array, name, lambda k: (k // columns, k % columns))
    return array


def _check_shape(shape: tuple[int, ...], estimator: str, may_be_empty: bool) -> None:
    for size, noun in zip(shape, ("sample", "feature")):
        if size == 0 and not (may_be_empty and noun == "sample"):
            raise ValueError(f"Found array with 0 {noun}(s) (shape={tuple(shape)}) while a minimum "
                             f"of 1 is required by {estimator}.")
        if size > _MOST:
            raise ValueError(f"Found array with {size} {noun}s, more than {_MOST}.")


def _check_indices(matrix: Any, name: str) -> None:
    """Raises ValueError on indices that do not fit the matrix: scipy does not check them where
    users have set them."""
    if matrix.format not in ("csr", "csc"):
        return
    starts, indices = matrix.indptr, matrix.indices
    lines, width = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    if len(starts) != lines + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ValueError(f"{name}: the row starts (indptr) of the sparse matrix do not ascend "
                         "from 0, or there are not as many as rows and one more")
    if starts[-1] > min(len(indices), len(matrix.data)):
        raise ValueError(f"{name}: the sparse matrix has fewer values than its row starts (indptr) "
                         "say")
    used = indices[:starts[-1]]
    for begin in range(0, used.size, _PIECE):
        piece = used[begin:begin + _PIECE]
        bad = np.flatnonzero((piece < 0) | (piece >= width))
        if not bad.size:
            continue
        line = int(np.searchsorted(starts, begin + bad[0], side="right")) - 1
        kind = "row {} has the column" if matrix.format == "csr" else "column {} has the row"
        raise ValueError(f"{name}: {kind.format(line)} {piece[bad[0]]}, outside the shape "
                         f"{matrix.shape}")


def _prepare_sparse(matrix: Any, name: str, estimator: str, may_be_empty: bool) -> tuple:
    if matrix.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{shown(matrix)}\n")
    _check_shape(matrix.shape, estimator, may_be_empty)
    _check_indices(matrix, name)
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()  # the caller's matrix stays as it is
        csr.sum_duplicates()
    starts = _in_order(csr.indptr, np.int64)
    indices = _in_order(csr.indices, np.int32)
    values = _in_order(csr.data[:starts[-1]], np.float64)
    _refuse_values(
        values, name,
        lambda k: (int(np.searchsorted(starts, k, side="right")) - 1, int(indices[k])))
    return values, indices, starts, int(csr.shape[1])


def take_rows(prepared: Any, rows: np.ndarray) -> Any:
    """Some rows of what prepare_matrix returns, by their numbers in ascending order."""
    if not isinstance(prepared, tuple):
        return np.ascontiguousarray(prepared[rows])
    values, indices, starts, columns = prepared
    kept = np.zeros(len(starts) - 1, dtype=bool)
    kept[rows] = True
    lengths = np.diff(starts)
    used = np.repeat(kept, lengths)
    begin = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths[rows], out=begin[1:])
    return (np.ascontiguousarray(values[:starts[-1]][used]),
            np.ascontiguousarray(indices[:starts[-1]][used]), begin, columns)


def num_rows(prepared: Any) -> int:
    """The number of rows of what prepare_matrix returns."""
    return len(prepared[2]) - 1 if isinstance(prepared, tuple) else prepared.shape[0]


def num_columns(prepared: Any) -> int:
    """The number of columns of what prepare_matrix returns."""
    return prepared[3] if isinstance(prepared, tuple) else prepared.shape[1]


class Features:
    """Mixin: remembers number and names of the features in fit, and checks them in prediction."""

    def _fit_features(self, matrix: Any) -> Any:
        names = column_names(matrix)
        prepared = prepare_matrix(matrix, estimator=type(self).__name__)
        self._set_features(num_columns(prepared), names)
        return prepared

    def _set_features(self, count: int, names: Optional[np.ndarray]) -> None:
        self.n_features_in_ = count
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_features(self, matrix: Any) -> Any:
        names = column_names(matrix)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None:
            self._compare_names(names, known)
        elif names is not None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without "
                          "feature names", UserWarning, stacklevel=3)
        elif known is not None:
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was "
                          "fitted with feature names", UserWarning, stacklevel=3)
        prepared = prepare_matrix(matrix, estimator=type(self).__name__)
        if num_columns(prepared) != self.n_features_in_:
            raise ValueError(f"X has {num_columns(prepared)} features, but {type(self).__name__} "
                             f"is expecting {self.n_features_in_} features as input")
        return prepared

    @staticmethod
    def _compare_names(names: np.ndarray, known: np.ndarray) -> None:
        if len(names) == len(known) and np.all(names == known):
            return
        message = ("The feature names should match those that were passed during fit.\n")
        unexpected = sorted(set(names) - set(known))
        missing = sorted(set(known) - set(names))
        for title, some in (("Feature names unseen at fit time", unexpected),
                            ("Feature names seen at fit time, yet now missing", missing)):
            if some:
                message += f"{title}:\n" + "".join(f"- {name}\n" for name in some[:5])
                if len(some) > 5:
                    message += "- ...\n"
        if not unexpected and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)
