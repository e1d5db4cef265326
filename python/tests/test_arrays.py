# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of users: arrays, sparse matrices and data frames, good and bad."""
import numpy as np
import pytest

from slackline import MultiLabelClassifier
from slackline._arrays import (column_names, is_sparse, num_columns, num_rows, prepare_matrix)

RANDOM = np.random.RandomState(0)
X = RANDOM.standard_normal((40, 6))
X[np.abs(X) < 0.5] = 0
Y = (X[:, :3] + X[:, 3:] > 0).astype(int)


@pytest.fixture(name="sparse")
def sparse_module():
    return pytest.importorskip("scipy.sparse")


def fit(matrix):
    return MultiLabelClassifier(graph="tree", scale="none").fit(matrix, Y)


def same(one, other):
    return all((block == other.weights_[name]).all() for name, block in one.weights_.items())


class Frame:
    """What data frames of other packages have: names of columns, and the array protocol."""

    def __init__(self, values, columns):
        self.columns = columns
        self.shape = values.shape
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


# Memory.


def test_arrays_in_c_order_are_not_copied():
    prepared = prepare_matrix(X)
    assert np.shares_memory(prepared, X) and prepared.dtype == np.float64
    locked = X.copy()
    locked.setflags(write=False)
    assert np.shares_memory(prepare_matrix(locked), locked)


def test_csr_matrices_are_not_copied(sparse):
    matrix = sparse.csr_matrix(X)
    values, columns, starts, count = prepare_matrix(matrix)
    assert np.shares_memory(values, matrix.data) and np.shares_memory(columns, matrix.indices)
    assert starts.dtype == np.int64 and starts.tolist() == matrix.indptr.tolist() and count == 6


def test_conversion_makes_one_copy():
    import tracemalloc
    large = np.asfortranarray(np.ones((2000, 500)))
    tracemalloc.start()
    prepared = prepare_matrix(large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert prepared.flags.c_contiguous and not np.shares_memory(prepared, large)
    assert large.nbytes <= peak < 1.2 * large.nbytes
    tracemalloc.start()
    prepare_matrix(prepared)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * large.nbytes


def test_sizes():
    assert num_rows(prepare_matrix(X)) == 40 and num_columns(prepare_matrix(X)) == 6


def test_sizes_of_sparse_matrices(sparse):
    prepared = prepare_matrix(sparse.csr_matrix(X))
    assert num_rows(prepared) == 40 and num_columns(prepared) == 6
    assert is_sparse(sparse.coo_matrix(X)) and not is_sparse(X) and not is_sparse([[0]])


# The same numbers in other forms give the same model.


@pytest.mark.parametrize("change", [
    lambda x: x.tolist(),
    np.asfortranarray,
    lambda x: np.repeat(x, 2, axis=0)[::2],
    lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    lambda x: x[::-1][::-1],
    lambda x: x.astype(object),
    lambda x: x.astype(">f8"),
    lambda x: np.asmatrix(x),
    lambda x: Frame(x, None),
], ids=["list", "fortran", "rows", "columns", "negative strides", "object", "big endian", "matrix",
        "protocol"])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_forms_of_dense_matrices(change):
    assert same(fit(change(X)), fit(X))


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint16, bool])
def test_kinds_of_numbers(kind, sparse):
    rounded = np.abs(3 * X).astype(kind)
    exact = rounded.astype(np.float64)
    assert same(fit(rounded), fit(exact))
    if kind != np.float16:  # which scipy does not have
        assert same(fit(sparse.csr_matrix(rounded)), fit(sparse.csr_matrix(exact)))


@pytest.mark.parametrize("name", ["csc_matrix", "coo_matrix", "lil_matrix", "dok_matrix",
                                  "bsr_matrix", "csr_array", "coo_array"])
def test_forms_of_sparse_matrices(sparse, name):
    if not hasattr(sparse, name):
        pytest.skip(f"this scipy has no {name}")
    given = getattr(sparse, name)(X)
    model = fit(given)
    assert same(model, fit(sparse.csr_matrix(X)))
    assert (model.predict(given) == model.predict(sparse.csr_matrix(X))).all()
    assert (given.toarray() == X).all()


def test_sparse_and_dense_reach_the_same_optimum(sparse):
    one = MultiLabelClassifier(graph="tree", scale="none", tol=1e-6).fit(X, Y)
    other = MultiLabelClassifier(graph="tree", scale="none", tol=1e-6).fit(sparse.csr_matrix(X), Y)
    assert max(one.dual_, other.dual_) <= min(one.primal_, other.primal_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-2)
    np.testing.assert_allclose(one.decision_function(X),
                               one.decision_function(sparse.csr_matrix(X)), atol=1e-12)


def unsorted(sparse):
    """X with the columns of each row in descending order."""
    matrix = sparse.csr_matrix(X)
    for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:]):
        matrix.indices[begin:end] = matrix.indices[begin:end][::-1].copy()
        matrix.data[begin:end] = matrix.data[begin:end][::-1].copy()
    return sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=X.shape)


def test_unsorted_rows_are_sorted_in_a_copy(sparse):
    matrix = unsorted(sparse)
    before = matrix.indices.copy(), matrix.data.copy()
    model = fit(matrix)
    assert same(model, fit(sparse.csr_matrix(X)))
    assert (model.predict(matrix) == model.predict(X)).all()
    assert (matrix.indices == before[0]).all() and (matrix.data == before[1]).all()


def test_values_given_twice_are_added_in_a_copy(sparse):
    row, column = np.nonzero(X)
    twice = sparse.csr_matrix((40, 6))
    twice.indptr = np.concatenate([[0], np.cumsum(2 * np.bincount(row, minlength=40))])
    twice.indices = np.repeat(column, 2)
    twice.data = np.repeat(X[row, column], 2)
    twice = sparse.csr_matrix((twice.data, twice.indices, twice.indptr), shape=(40, 6))
    assert same(fit(twice), fit(sparse.csr_matrix(2 * X)))
    assert twice.nnz == 2 * len(row)
    coordinates = sparse.coo_matrix((np.repeat(X[row, column], 2),
                                     (np.repeat(row, 2), np.repeat(column, 2))), shape=(40, 6))
    assert same(fit(coordinates), fit(sparse.csr_matrix(2 * X)))
    assert coordinates.nnz == 2 * len(row)


def test_indices_of_64_bits(sparse):
    matrix = sparse.csr_matrix(X)
    wide = sparse.csr_matrix(X)
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    assert same(fit(wide), fit(matrix)) and wide.indices.dtype == np.int64


def test_sparse_matrices_are_not_densified(sparse):
    resource = pytest.importorskip("resource")
    columns = np.sort(RANDOM.randint(0, 100_000, 2000))
    wide = sparse.csr_matrix((np.ones(2000), columns, np.arange(2001)), shape=(2000, 100_000))
    labels = np.arange(6000).reshape(2000, 3) % 2
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = MultiLabelClassifier(graph="none", tol=0.1).fit(wide, labels)
    assert model.predict(wide).shape == (2000, 3)
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert growth < 200_000  # kB; 1.6 GB if it were dense


def test_read_only_inputs_stay_as_they_are(sparse):
    dense = X.copy()
    matrix = unsorted(sparse)
    for array in (dense, matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    assert same(fit(dense), fit(X)) and (dense == X).all()
    assert same(fit(matrix), fit(sparse.csr_matrix(X)))


# Names.


def test_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = fit(frame)
    assert model.feature_names_in_.tolist() == list("abcdef") and same(model, fit(X))
    mixed = frame.astype({"a": np.float32, "b": object})
    assert model.predict(mixed).shape == Y.shape
    numbered = fit(pandas.DataFrame(X))
    assert not hasattr(numbered, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without"):
        numbered.predict(frame)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_frames_by_the_array_protocol():
    frame = Frame(X, list("abcdef"))
    model = fit(frame)
    assert model.feature_names_in_.tolist() == list("abcdef") and same(model, fit(X))
    assert (model.predict(frame) == fit(X).predict(X)).all()
    labels = Frame(Y, ["p", "q", "r"])
    named = MultiLabelClassifier(graph=[("p", "r")]).fit(frame, labels)
    assert named.label_names_ == ["p", "q", "r"] and named.label_pairs_.tolist() == [[0, 2]]
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- f"):
        model.predict(Frame(X, list("abcdeg")))


def test_names_that_are_not_texts():
    assert column_names(Frame(X, [0, 1, 2, 3, 4, 5])) is None
    assert column_names(X) is None and column_names([[1]]) is None
    assert column_names(Frame(X, list("abcdef"))).tolist() == list("abcdef")
    with pytest.raises(TypeError, match="mixed types of column names"):
        fit(Frame(X, ["a", "b", 2, 3, 4, 5]))


# What is refused.


def with_value(value, row, column):
    changed = X.copy()
    changed[row, column] = value
    return changed


@pytest.mark.parametrize("value, text", [(np.nan, "NaN"), (np.inf, "infinity"),
                                         (-np.inf, "infinity")])
def test_values_that_are_not_finite(sparse, value, text):
    message = f"Input X contains {text}: row 7, column 5"
    bad = with_value(value, 7, 5)
    model = fit(X)
    for matrix in (bad, np.asfortranarray(bad), bad.tolist(), sparse.csr_matrix(bad),
                   sparse.csc_matrix(bad), bad.astype(np.float32), bad.astype(object)):
        with pytest.raises(ValueError, match=message):
            fit(matrix)
        with pytest.raises(ValueError, match=message):
            model.predict(matrix)
        with pytest.raises(ValueError, match=message):
            model.decision_function(matrix)


def test_the_first_bad_value_of_a_large_matrix():
    large = np.zeros((3000, 50))
    large[2900, 3] = large[2100, 49] = np.nan
    with pytest.raises(ValueError, match="row 2100, column 49"):
        prepare_matrix(large)


@pytest.mark.parametrize("matrix, message", [
    (X[0], r"Expected 2D array, got 1D array instead. Reshape your data"),
    (3.0, r"Expected 2D array, got scalar array instead."),
    (X[None], r"Expected 2D array, got 3D array instead."),
    ([], r"Expected 2D array, got 1D array"),
    (X[:0], r"Found array with 0 sample\(s\) \(shape=\(0, 6\)\) while a minimum of 1 is required "
            "by MultiLabelClassifier"),
    (X[:, :0], r"Found array with 0 feature\(s\) \(shape=\(40, 0\)\)"),
    (X + 1j, "Complex data not supported"),
    ([[1, 2], [3]], "X has rows of different lengths: row 0 has 2 values, and row 1 has 1"),
    ([[1.0, "a"], [2, 3]], "X"),
    (np.array([[1.0, "a"], [2, 3]], dtype=object), "X: row 0, column 1 is not a number: .*'a'"),
    (np.array([["1", "x"]]), "X: row 0, column 1 is not a number"),
], ids=str)
@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged")
def test_other_shapes_and_kinds(matrix, message):
    with pytest.raises(ValueError, match=message):
        fit(matrix)


def test_other_objects():
    with pytest.raises(TypeError, match="X: row 0, column 0 is not a number"):
        fit(np.array([[{}]], dtype=object))
    with pytest.raises(ValueError, match="Expected 2D array, got scalar"):
        fit(None)


def test_bad_sparse_matrices(sparse):
    for empty in (sparse.csr_matrix((0, 6)), sparse.csr_matrix((40, 0))):
        with pytest.raises(ValueError, match="Found array with 0"):
            fit(empty)
    with pytest.raises(ValueError, match="Complex data not supported"):
        fit(sparse.csr_matrix(X + 1j))
    for make, message in ((sparse.csr_matrix, "row 39 has the column 9"),
                          (sparse.csc_matrix, "column 5 has the row 99")):
        beyond = make(X)
        beyond.indices[-1] = 9 if make is sparse.csr_matrix else 99
        with pytest.raises(ValueError, match=message):
            fit(beyond)
        negative = make(X)
        negative.indices[0] = -1
        with pytest.raises(ValueError, match="0 has the .* -1, outside the shape"):
            fit(negative)
        cut = make(X)
        cut.indptr[-1] += 100
        with pytest.raises(ValueError, match="fewer values than its row starts"):
            fit(cut)
        for place, start in ((0, 1), (3, 10_000)):
            backwards = make(X)
            backwards.indptr[place] = start
            with pytest.raises(ValueError, match="row starts .* do not ascend from 0"):
                fit(backwards)


def test_spare_room_of_sparse_matrices(sparse):
    matrix = sparse.csr_matrix(X)
    roomy = sparse.csr_matrix(X)
    roomy.data = np.append(roomy.data, [np.nan])
    roomy.indices = np.append(roomy.indices, [77]).astype(np.int32)
    assert same(fit(roomy), fit(matrix))


def test_other_numbers_of_features_in_prediction(sparse):
    model = fit(X)
    for matrix in (X[:, :5], np.hstack([X, X]), sparse.csr_matrix(X[:, :5])):
        message = f"X has {matrix.shape[1]} features, but MultiLabelClassifier is expecting 6"
        for call in (model.predict, model.decision_function, lambda x: model.score(x, Y)):
            with pytest.raises(ValueError, match=message):
                call(matrix)
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(X[:0])


def test_values_too_large():
    with pytest.raises(ValueError, match="squared norm is not a finite number"):
        fit(with_value(1e200, 3, 3))


def test_messages_show_numbers_without_the_types_of_numpy():
    from slackline._arrays import shown
    assert shown(np.float64(0.5)) == "0.5"
    assert shown((np.int64(3), [np.float32(1.5)], {"a": np.bool_(True)})) == \
        "(3, [1.5], {'a': True})"
    assert shown((np.int64(3),)) == "(3,)"
    assert shown("a") == "'a'"
