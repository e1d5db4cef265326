# SPDX-License-Identifier: BSD-3-Clause
"""MultiLabelClassifier: parameters, inputs, outputs, and scikit-learn's conventions."""
import copy
import pickle
import warnings

import numpy as np
import pytest

from shipped_data import yeast
from slackline import MultiLabelClassifier
from slackline._base import ConvergenceWarning, NotFittedError


def small(count=60, features=5, labels=4, seed=0):
    """Labels that follow from the features, and depend on each other."""
    random = np.random.RandomState(seed)
    X = random.standard_normal((count, features))
    Y = (X @ random.standard_normal((features, labels)) > 0.3).astype(int)
    Y[:, 1] |= Y[:, 0]
    return X, Y


X, Y = small()


def fitted(**parameters):
    return MultiLabelClassifier(**parameters).fit(X, Y)


def same(one, other):
    return (sorted(one.weights_) == sorted(other.weights_) and
            all((block == other.weights_[name]).all() for name, block in one.weights_.items()))


# Results.


def test_attributes_after_fit():
    model = fitted(graph="tree")
    assert model.n_labels_ == 4 and model.n_features_in_ == 5
    assert model.label_names_ == ["0", "1", "2", "3"]
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.graph_ == "tree" and model.label_pairs_.shape == (3, 2)
    assert not hasattr(model, "feature_names_in_")
    assert model.weights_["labels"].shape == (4, 6) and model.weights_["pairs"].shape == (3, 1)
    assert model.coef_.shape == (4, 5) and model.intercept_.shape == (4,)
    assert model.pair_weights_.shape == (4, 4)
    assert (model.pair_weights_ == model.pair_weights_.T).all()
    for (a, b), weight in zip(model.label_pairs_, model.weights_["pairs"][:, 0]):
        assert model.pair_weights_[a, b] == weight
    assert np.count_nonzero(model.pair_weights_) == 2 * np.count_nonzero(model.weights_["pairs"])
    assert model.scaling_ in ("none", "standard")
    assert model.dual_ <= model.primal_ and model.gap_ == model.primal_ - model.dual_
    assert model.relative_gap_ <= 1e-3 and model.termination_ == "converged"
    assert model.history_[-1]["primal"] == model.primal_
    assert model.history_[-1]["pass"] == model.n_iter_ >= 1
    assert model.lam_ > 0 and model.learner_ and model.message_ and model.fit_seconds_ > 0


def test_objective_is_that_of_the_weights():
    model = fitted(graph="none", scale="none", label_counts="any", lam=0.05)
    scores = X @ model.coef_.T + model.intercept_
    # Without pairs, the hinge of an example is the sum of those of its labels.
    hinge = np.maximum(0, 1 / 4 + np.where(Y == 1, -scores, scores)).sum(axis=1).mean()
    squares = sum((block**2).sum() for block in model.weights_.values())
    assert model.primal_ == pytest.approx(0.025 * squares + hinge, rel=1e-9)


@pytest.mark.parametrize("scale", ["none", "standard", "max-abs"])
def test_coefficients_are_of_unscaled_features(scale):
    model = fitted(graph="none", scale=scale, label_counts="any")
    stretched = X * [1, 10, 1, 0.1, 1] + [0, 3, 0, 0, 0]
    model = MultiLabelClassifier(graph="none", scale=scale, label_counts="any", tol=0.01).fit(
        stretched, Y)
    assert model.scaling_ == scale
    scores = stretched @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(stretched), scores, atol=1e-9)
    assert (model.predict(stretched) == (scores > 0)).all()
    assert (model.scaling_divisor_ is None) == (scale == "none")
    assert (model.scaling_shift_ is None) == (scale != "standard")


def test_decision_function_by_all_label_sets():
    model = fitted(graph="full", label_counts="any")
    unary = X @ model.coef_.T + model.intercept_
    sets = np.array([[k >> i & 1 for i in range(4)] for k in range(16)])
    values = unary @ sets.T + np.einsum("ki,ij,kj->k", sets, np.triu(model.pair_weights_), sets)
    for label in range(4):
        on = sets[:, label] == 1
        difference = values[:, on].max(axis=1) - values[:, ~on].max(axis=1)
        np.testing.assert_allclose(model.decision_function(X)[:, label], difference, atol=1e-9)
    assert (model.predict(X) == sets[values.argmax(axis=1)]).all()


def test_ways_to_find_label_sets():
    model = fitted(graph="full", label_counts="any")
    found = model.predict(X)
    assert model.set_params(decode="lp").predict(X).shape == found.shape
    with pytest.raises(ValueError, match="decode 'guess'"):
        model.set_params(decode="guess").predict(X)


def test_predictions_are_integers_of_the_shape_of_the_labels():
    model = fitted()
    predicted = model.predict(X)
    assert predicted.dtype == np.int64 and predicted.shape == Y.shape
    assert set(np.unique(predicted)) <= {0, 1}
    assert model.decision_function(X).shape == Y.shape
    assert model.score(X, Y) > 0.5


def test_score_is_subset_accuracy_of_the_known_labels():
    model = fitted()
    right = (model.predict(X) == Y).all(axis=1)
    assert model.score(X, Y) == right.mean()
    weights = np.arange(len(X)) + 1.0
    assert model.score(X, Y, sample_weight=weights) == np.average(right, weights=weights)
    unknown = np.where(model.predict(X) == Y, Y.astype(float), np.nan)
    assert model.score(X, unknown) == 1
    with pytest.raises(ValueError, match=r"Y has shape \(60, 3\)"):
        model.score(X, Y[:, :3])


def test_score_agrees_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    model = fitted()
    assert model.score(X, Y) == metrics.accuracy_score(Y, model.predict(X))


@pytest.mark.parametrize("parameters", [
    {}, {"graph": "tree"}, {"calibrate": True, "graph": "none"},
    {"learner_options": {"kernel": "rbf"}}, {"scale": "standard"},
], ids=str)
def test_threads_do_not_change_results(parameters):
    train, labels, _ = yeast()
    train, labels = train[:200], labels[:200]
    one = MultiLabelClassifier(n_jobs=1, **parameters).fit(train, labels)
    for jobs in (2, 3, -1):
        other = MultiLabelClassifier(n_jobs=jobs, **parameters).fit(train, labels)
        assert same(one, other)
        assert one.dual_ == other.dual_
        assert (one.decision_function(train) == other.decision_function(train)).all()
        if one.calibrate:
            assert (one.predict_proba(train) == other.predict_proba(train)).all()


def test_probabilities():
    model = fitted(calibrate=True, graph="tree")
    probabilities = model.predict_proba(X)
    assert probabilities.shape == Y.shape
    assert ((probabilities > 0) & (probabilities < 1)).all()
    scores = model.decision_function(X)
    for label in range(4):
        order = np.argsort(scores[:, label])
        assert (np.diff(probabilities[order, label]) >= 0).all()
    plain = fitted(graph="tree")
    assert same(model, plain)
    assert not hasattr(plain, "predict_proba")
    with pytest.raises(AttributeError, match="calibrate=True"):
        plain.predict_proba(X)
    assert hasattr(MultiLabelClassifier(calibrate=True), "predict_proba")
    with pytest.raises(NotFittedError):
        MultiLabelClassifier(calibrate=True).predict_proba(X)


def test_label_counts_bound_predictions():
    for counts, low, high in ((2, 2, 2), ((1, 3), 1, 3), ("2-", 2, 4), ((None, 1), 0, 1)):
        counted = fitted(label_counts=counts).predict(X).sum(axis=1)
        assert counted.min() >= low and counted.max() <= high


def test_kernel_learns_what_is_not_linear():
    inputs = np.random.RandomState(0).uniform(-1, 1, (120, 2))
    labels = np.stack([inputs[:, 0] * inputs[:, 1] > 0, np.hypot(*inputs.T) < 0.7], axis=1)
    model = MultiLabelClassifier(C=50, learner_options={"kernel": "rbf", "kernel_gamma": 2.0})
    assert model.fit(inputs, labels).score(inputs, labels) > 0.9
    assert model.weights_["support"].shape[1] == 2
    with pytest.raises(AttributeError, match="kernel"):
        model.coef_
    assert not hasattr(model, "intercept_")
    assert model.pair_weights_.shape == (2, 2)
    assert pickle.loads(pickle.dumps(model)).predict(inputs).tolist() == model.predict(
        inputs).tolist()


# Label sets.


@pytest.mark.parametrize("kind", [bool, np.int8, np.int64, np.uint8, float, np.float32, object])
def test_kinds_of_label_arrays(kind):
    assert same(MultiLabelClassifier().fit(X, Y.astype(kind)), fitted())


def test_lists_and_orders_of_labels():
    assert same(MultiLabelClassifier().fit(X.tolist(), Y.tolist()), fitted())
    assert same(MultiLabelClassifier().fit(X, np.asfortranarray(Y)), fitted())


def test_sparse_labels():
    sparse = pytest.importorskip("scipy.sparse")
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.lil_matrix):
        given = make(Y)
        before = given.copy()
        model = MultiLabelClassifier().fit(X, given)
        assert same(model, fitted()) and (given != before).nnz == 0
        assert model.score(X, given) == model.score(X, Y)
    twice = sparse.coo_matrix(([1, 1], ([0, 0], [2, 2])), shape=Y.shape)
    with pytest.raises(ValueError, match="row 0, column 2 is 2"):
        MultiLabelClassifier().fit(X, twice)
    assert twice.nnz == 2


def test_unknown_labels_are_nan_or_minus_one():
    unknown = Y.astype(float)
    unknown[::3, 1] = np.nan
    unknown[5] = np.nan
    minus = np.where(np.isnan(unknown), -1, unknown).astype(int)
    missing = np.where(np.isnan(unknown), None, Y.astype(object))
    one = MultiLabelClassifier(graph="tree").fit(X, unknown)
    assert same(one, MultiLabelClassifier(graph="tree").fit(X, minus))
    assert same(one, MultiLabelClassifier(graph="tree").fit(X, missing))
    assert not same(one, fitted(graph="tree"))
    with pytest.raises(ValueError, match="no example has a known label"):
        MultiLabelClassifier().fit(X, np.full(Y.shape, np.nan))


def test_frames_of_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(Y, columns=["a", "b", "c", "d"])
    model = MultiLabelClassifier().fit(X, frame)
    assert model.label_names_ == ["a", "b", "c", "d"] and same(model, fitted())
    nullable = frame.astype("boolean")
    nullable.loc[::3, "b"] = pandas.NA
    unknown = Y.copy()
    unknown[::3, 1] = -1
    assert same(MultiLabelClassifier().fit(X, nullable), MultiLabelClassifier().fit(X, unknown))
    renamed = MultiLabelClassifier().fit(X, frame, label_names=["p", "q", "r", "s"])
    assert renamed.label_names_ == ["p", "q", "r", "s"]
    frame.columns = ["a", "b", "a", "d"]
    with pytest.raises(ValueError, match="two labels have the name 'a'"):
        MultiLabelClassifier().fit(X, frame)


@pytest.mark.parametrize("labels, message", [
    (None, "requires y to be passed, but the target y is None"),
    (Y[:, 0], r"Y has shape \(60,\).*Y.reshape\(-1, 1\)"),
    (Y[None], r"Y has shape \(1, 60, 4\)"),
    (Y[:-1], r"inconsistent numbers of samples: \[60, 59\]"),
    (Y[:, :0], "there are no labels"),
    (Y + 1, "row .*, column .* is 2"),
    (np.where(Y == 1, -2, Y), "row .*, column .* is -2"),
    (np.where(Y == 1, 0.5, Y), "row .*, column .* is 0.5"),
    (np.where(Y == 1, np.inf, Y), "row .*, column .* is infinity"),
    ([["a"], ["b", "c"]] * 30, "different lengths.*MultiLabelBinarizer"),
    ([{"a"}, {"b", "c"}] * 30, "MultiLabelBinarizer"),
    ([("a", "b"), ("b", "c")] * 30, "texts.*MultiLabelBinarizer"),
    (np.array([["x", 1]] * 60, dtype=object), "row 0, column 0 is 'x'"),
    (np.array([[1, [2]]] * 60, dtype=object), r"row 0, column 1 is \[2\]"),
], ids=str)
@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged")
def test_bad_labels(labels, message):
    with pytest.raises(ValueError, match=f"(?s){message}"):
        MultiLabelClassifier().fit(X, labels)


def test_the_place_of_a_bad_label():
    bad = Y.copy()
    bad[7, 2] = 3
    with pytest.raises(ValueError, match="row 7, column 2 is 3"):
        MultiLabelClassifier().fit(X, bad)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="row 7, column 2 is 3"):
        MultiLabelClassifier().fit(X, sparse.csc_matrix(bad))
    with pytest.raises(ValueError, match="there are no labels"):
        MultiLabelClassifier().fit(X, sparse.csr_matrix((60, 0)))


def test_label_names():
    model = MultiLabelClassifier(graph=[("sun", "rain"), ("snow", 1)]).fit(
        X, Y, label_names=["sun", "rain", "snow", "fog"])
    assert model.label_pairs_.tolist() == [[0, 1], [1, 2]]
    assert model.graph_ == "given" and model.label_names_[3] == "fog"
    with pytest.raises(ValueError, match="label_names has 3 names, but Y has 4 labels"):
        MultiLabelClassifier().fit(X, Y, label_names=["a", "b", "c"])
    with pytest.raises(ValueError, match="two labels have the name 'a'"):
        MultiLabelClassifier().fit(X, Y, label_names=["a", "b", "c", "a"])


# Parameters.


@pytest.mark.parametrize("parameters, message", [
    ({"C": 1, "lam": 1}, "lam and C exclude each other"),
    ({"C": 0}, "C == 0; it must be > 0"),
    ({"C": "big"}, "C must be a number, not 'big'"),
    ({"C": 1e40}, "C: .*must be a number of at least"),
    ({"lam": -1}, "lam == -1"),
    ({"lam": np.nan}, "lam == nan"),
    ({"graph": "star"}, "star"),
    ({"graph": 3}, "graph must be one of full, none, tree, auto, a path or a list"),
    ({"graph": [(0, 1, 2)]}, r"graph: \(0, 1, 2\) is not a pair"),
    ({"graph": [(0, 4)]}, "graph: there is no label 4; labels have numbers from 0 to 3"),
    ({"graph": [(-1, 2)]}, "graph: there is no label -1"),
    ({"graph": [("a", 2)]}, "graph: there is no label 'a'"),
    ({"graph": [(0.5, 2)]}, "graph: there is no label 0.5"),
    ({"graph": [(1, 1)]}, "1"),
    ({"graph": [(1, 2), (2, 1)]}, "twice|repeated|again|given"),
    ({"loss": "square"}, "loss: .*square"),
    ({"loss": "f1"}, "1 - F1 .* use graph none or tree"),
    ({"loss": "f1", "graph": "tree", "loss_weights": "inverse-frequency"}, "loss_weights"),
    ({"loss_weights": "no such file"}, "no such file"),
    ({"loss_weights": "inverse-frequency:2"}, "the power must be above 0 and at most 1"),
    ({"loss_weights": np.ones((3, 2))}, r"array of shape \(4, 2\)"),
    ({"loss_weights": 7}, r"array of shape \(4, 2\)"),
    ({"loss_weights": {9: 1}}, "loss_weights: there is no label 9"),
    ({"loss_weights": {0: (1, 2, 3)}}, "label 0 needs the cost of missing it"),
    ({"loss_weights": {1: (1, -2)}}, "loss_weights: row 1, column 1 is -2.0"),
    ({"loss_weights": {1: np.nan}}, "loss_weights: row 1, column 0 is nan"),
    ({"loss_weights": {1: 1e9}}, "1e6"),
    ({"scale": "big"}, "scale: .*big"),
    ({"label_counts": "many"}, "label_counts: .*many"),
    ({"label_counts": (3, 2)}, "label_counts"),
    ({"label_counts": (5, 9)}, "label"),
    ({"label_counts": (1, 2, 3)}, "label_counts must be"),
    ({"label_counts": 1.5}, "label_counts must be"),
    ({"decode": "guess"}, "decode 'guess'"),
    ({"learner": "magic"}, "learner: .*magic"),
    ({"tol": -1}, "tol == -1"),
    ({"max_iter": 0}, "max_iter == 0; it must be >= 1"),
    ({"max_iter": 1.5}, "max_iter must be an integer, not 1.5"),
    ({"time_limit": 0}, "time_limit == 0"),
    ({"n_jobs": 0}, "n_jobs == 0"),
    ({"n_jobs": -2}, "n_jobs == -2"),
    ({"random_state": "x"}, "random_state must be"),
    ({"random_state": -1}, "random_state == -1"),
    ({"learner_options": {"stepp": 1}}, "no training option 'stepp'; did you mean"),
    ({"learner_options": {"check_every": "often"}}, "check_every"),
], ids=str)
def test_bad_parameters(parameters, message):
    estimator = MultiLabelClassifier(**parameters)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, Y)
    assert not hasattr(estimator, "n_labels_")


def test_costs_of_errors():
    weights = np.ones((4, 2))
    weights[2] = 5, 0.5
    array = fitted(loss_weights=weights)
    assert same(array, fitted(loss_weights={2: (5, 0.5)}))
    assert same(fitted(loss_weights={2: 5}), fitted(loss_weights={2: (5, 1)}))
    assert not same(array, fitted())
    assert same(fitted(loss_weights=np.ones((4, 2))), fitted())
    assert array.predict(X)[:, 2].sum() >= fitted().predict(X)[:, 2].sum()


def test_pairs_are_given_in_any_form():
    pairs = [(0, 1), (1, 3)]
    model = fitted(graph=pairs)
    assert model.label_pairs_.tolist() == [[0, 1], [1, 3]]
    for graph in (np.array(pairs), [[3, 1], [1, 0]], (("0", "1"), ("1", "3")), iter(pairs)):
        assert same(model, fitted(graph=graph))
    assert fitted(graph=[]).label_pairs_.shape == (0, 2)
    assert same(fitted(graph=[]), fitted(graph="none"))


def test_graph_by_cross_validation():
    model = fitted(graph="auto")
    assert model.graph_ in ("none", "tree", "full")
    assert any("by cross-validation" in note for note in model.notes_)
    assert same(model, fitted(graph=model.graph_))


def test_generators_as_random_state():
    assert same(fitted(random_state=None), fitted(random_state=1))
    assert not same(fitted(random_state=2), fitted(random_state=1))
    assert same(fitted(random_state=np.random.RandomState(3)),
                fitted(random_state=np.random.RandomState(3)))
    assert fitted(random_state=np.random.default_rng(3)).termination_ == "converged"


def test_one_label_one_feature_one_example():
    model = MultiLabelClassifier().fit(X[:, :1], Y[:, :1])
    assert model.predict(X[:, :1]).shape == (60, 1)
    assert model.pair_weights_.shape == (1, 1)
    single = MultiLabelClassifier().fit(X[:1], Y[:1])
    assert single.predict(X[:1]).tolist() == Y[:1].tolist()


def test_a_fit_that_fails_changes_nothing():
    pandas = pytest.importorskip("pandas")
    model = MultiLabelClassifier().fit(pandas.DataFrame(X, columns=list("pqrst")), Y)
    want = model.predict(pandas.DataFrame(X, columns=list("pqrst")))
    with pytest.raises(ValueError):
        model.set_params(loss="f1").fit(X[:, :3], Y)
    assert model.n_features_in_ == 5 and model.feature_names_in_.tolist() == list("pqrst")
    assert (model.predict(pandas.DataFrame(X, columns=list("pqrst"))) == want).all()


# Files, copies and scikit-learn.


def test_files(tmp_path):
    model = fitted(graph=[(0, 2)], calibrate=True, loss="count", scale="max-abs")
    model.save(tmp_path / "m.slk")
    loaded = MultiLabelClassifier.load(str(tmp_path / "m.slk"))
    assert same(model, loaded)
    for figure in ("primal_", "dual_", "gap_", "relative_gap_", "lam_", "n_iter_", "learner_",
                   "termination_", "message_", "certified_problem_", "graph_", "scaling_",
                   "label_names_", "n_features_in_"):
        assert getattr(loaded, figure) == getattr(model, figure), figure
    assert loaded.history_[-1]["dual"] == model.dual_
    assert loaded.graph == [(0, 2)] and loaded.loss == "count" and loaded.calibrate is True
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    loaded.save(tmp_path / "again.slk")
    assert (tmp_path / "again.slk").read_bytes() == (tmp_path / "m.slk").read_bytes()


def test_files_have_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrst"))
    model = MultiLabelClassifier().fit(frame, Y, label_names=list("abcd"))
    model.save(tmp_path / "m.slk")
    loaded = MultiLabelClassifier.load(tmp_path / "m.slk")
    assert loaded.feature_names_in_.tolist() == list("pqrst")
    assert loaded.label_names_ == list("abcd")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (loaded.predict(frame) == model.predict(frame)).all()
    with pytest.raises(ValueError, match="same order"):
        loaded.predict(frame[list("tsrqp")])
    with pytest.raises(ValueError, match="unseen at fit time:\n- x"):
        loaded.predict(frame.rename(columns={"p": "x"}))


def test_bad_files(tmp_path):
    with pytest.raises(ValueError, match="missing.slk"):
        MultiLabelClassifier.load(tmp_path / "missing.slk")
    (tmp_path / "text.slk").write_text("no model")
    with pytest.raises(ValueError, match="not a Slackline model"):
        MultiLabelClassifier.load(tmp_path / "text.slk")
    with pytest.raises(ValueError, match="no/such/folder"):
        fitted().save(tmp_path / "no/such/folder/m.slk")
    with pytest.raises(NotFittedError):
        MultiLabelClassifier().save(tmp_path / "m.slk")


@pytest.mark.parametrize("parameters", [{}, {"calibrate": True, "graph": "tree"},
                                        {"learner_options": {"kernel": "rbf"}}], ids=str)
def test_pickles_and_copies(parameters):
    model = fitted(**parameters)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert same(model, other) and other.get_params() == model.get_params()
        assert (other.decision_function(X) == model.decision_function(X)).all()
        assert other.history_ == model.history_
    with pytest.raises(ValueError, match="pickle"):
        type(model._model).__setstate__(type(model._model).__new__(type(model._model)), b"damaged")


def test_before_fit():
    model = MultiLabelClassifier()
    for call in (model.predict, model.decision_function, lambda X: model.score(X, Y)):
        with pytest.raises(NotFittedError, match="not fitted"):
            call(X)
    for name in ("coef_", "intercept_", "pair_weights_", "weights_"):
        assert not hasattr(model, name)


def test_parameters_are_kept_as_given():
    parameters = {"C": 2.0, "graph": [(0, 1)], "learner_options": {"step": "pairwise"}}
    model = MultiLabelClassifier(**parameters)
    for name, value in parameters.items():
        assert getattr(model, name) is value and model.get_params()[name] is value
    assert model.set_params(C=3) is model and model.C == 3
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(c=3)
    text = repr(MultiLabelClassifier(C=2, graph="tree"))
    assert text == "MultiLabelClassifier(C=2, graph='tree')"


def test_clones():
    base = pytest.importorskip("sklearn.base")
    model = fitted(graph=[(0, 1)], lam=0.1)
    other = base.clone(model)
    assert other.get_params() == model.get_params() and not hasattr(other, "n_labels_")
    assert same(model, other.fit(X, Y))
    assert base.is_classifier(model)


def test_pipelines_and_searches():
    pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    pipeline = make_pipeline(StandardScaler(), MultiLabelClassifier(scale="none"))
    scores = cross_val_score(pipeline, X, Y, cv=3)
    assert scores.shape == (3,) and scores.mean() > 0.3
    for scoring in ("f1_micro", "roc_auc", "average_precision"):
        assert cross_val_score(pipeline, X, Y, cv=3, scoring=scoring).mean() > 0.5
    search = GridSearchCV(MultiLabelClassifier(), {"C": [0.1, 1], "graph": ["none", [(0, 1)]]},
                          cv=3, scoring="f1_macro").fit(X, Y)
    assert search.best_params_["C"] in (0.1, 1) and len(search.cv_results_["params"]) == 4
    assert search.predict(X).shape == Y.shape
    held = cross_val_predict(MultiLabelClassifier(calibrate=True), X, Y, cv=3,
                             method="predict_proba")
    assert held.shape == Y.shape and ((held > 0) & (held < 1)).all()


class Encoded(MultiLabelClassifier):
    """Takes labels with any two values, so that scikit-learn's checks reach what they check."""

    def fit(self, X, Y, *, callbacks=None, label_names=None):
        labels = None if Y is None else np.asarray(Y)
        self.values_ = np.array([0, 1])
        if labels is not None and labels.ndim == 2 and not (
                labels.dtype.kind == "f" and not np.isfinite(labels).all()):
            found = np.unique(labels)
            self.values_ = found if len(found) == 2 else np.array([0, 1])
            Y = (labels == self.values_[1]).astype(int)
        return super().fit(X, Y, callbacks=callbacks, label_names=label_names)

    def predict(self, X):
        flags = super().predict(X)
        return self.values_[flags]

    def score(self, X, Y, sample_weight=None):
        return super().score(X, np.asarray(Y) == self.values_[1], sample_weight)

    def _more_tags(self):
        tags = super()._more_tags()
        tags["_xfail_checks"] = {
            name: reason for name, reason in tags["_xfail_checks"].items()
            if "values other than 0 and 1" not in reason}
        return tags


def checks():
    """Pairs of an estimator and a check; one pair without scikit-learn."""
    try:
        from sklearn.utils.estimator_checks import check_estimator
    except ImportError:
        return [(None, None)]
    return [pair for estimator in (MultiLabelClassifier(), Encoded())
            for pair in check_estimator(estimator, generate_only=True)]


def name_of(value):
    return getattr(getattr(value, "func", value), "__name__", type(value).__name__)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("estimator, check", checks(), ids=name_of)
def test_checks_of_scikit_learn(estimator, check):
    if estimator is None:
        pytest.skip("scikit-learn is not installed")
    try:
        check(estimator)
    except Exception as error:
        if type(error).__name__ != "SkipTest":
            raise
        pytest.skip(str(error))


def test_format_of_probabilities():
    checks_module = pytest.importorskip("sklearn.utils.estimator_checks")
    check = getattr(checks_module, "check_classifiers_multilabel_output_format_predict_proba", None)
    if check is None:
        pytest.skip("this scikit-learn has no such check")
    check("MultiLabelClassifier", MultiLabelClassifier(calibrate=True))


def test_exceptions_to_the_checks_are_needed():
    """Checks that pass must not be among the exceptions."""
    pytest.importorskip("sklearn")
    from sklearn.utils import estimator_checks
    for name, reason in MultiLabelClassifier()._more_tags()["_xfail_checks"].items():
        assert reason
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                getattr(estimator_checks, name)("MultiLabelClassifier", MultiLabelClassifier())
                failed = False
            except Exception:
                failed = True
        assert failed, name


def test_unfinished_training_warns():
    with pytest.warns(ConvergenceWarning, match="certified gap of .* where 0 % was wanted"):
        model = fitted(tol=0, max_iter=2)
    assert model.termination_ == "max-passes" and model.n_iter_ == 2
    with pytest.warns(ConvergenceWarning):
        assert fitted(tol=0, time_limit=0.05).termination_ == "time-limit"


def test_plus_and_minus_one_are_labels_without_any_zero():
    X, Y = shipped()
    zero_one = MultiLabelClassifier(C=1).fit(X, Y)
    with pytest.warns(UserWarning, match="-1 is taken for the negative class"):
        plus_minus = MultiLabelClassifier(C=1).fit(X, 2 * Y - 1)
    assert np.array_equal(plus_minus.coef_, zero_one.coef_)
    unknown = Y.copy()
    unknown[0, 0] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MultiLabelClassifier(C=1).fit(X, unknown)


def test_a_label_without_a_known_value_is_named():
    X, Y = shipped()
    Y = Y.astype(float)
    Y[:, 1] = np.nan
    with pytest.raises(ValueError, match="label '1' has no known value"):
        MultiLabelClassifier().fit(X, Y)


def test_masked_labels_are_unknown_and_masked_inputs_refused():
    X, Y = shipped()
    mask = np.zeros(Y.shape, dtype=bool)
    mask[::3, 0] = True
    unknown = Y.astype(float)
    unknown[mask] = np.nan
    masked = MultiLabelClassifier(C=1).fit(X, np.ma.masked_array(Y, mask))
    assert np.array_equal(masked.coef_, MultiLabelClassifier(C=1).fit(X, unknown).coef_)
    inputs = np.ma.masked_array(X, np.zeros(X.shape, dtype=bool))
    MultiLabelClassifier().fit(inputs, Y)
    inputs[0, 0] = np.ma.masked
    with pytest.raises(ValueError, match="X is a masked array with 1 masked value"):
        MultiLabelClassifier().fit(inputs, Y)


def shipped():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 4))
    return X, (X @ rng.normal(size=(4, 3)) + 0.3 * rng.normal(size=(40, 3)) > 0).astype(int)
