# SPDX-License-Identifier: BSD-3-Clause
"""MulticlassClassifier: the optimum, scikit-learn's contract, files, bad arguments."""
import json
import pickle
import warnings

import numpy as np
import pytest

import slackline
from shipped_data import run_program
from slackline import MulticlassClassifier

sparse = pytest.importorskip("scipy.sparse")


def blobs(count=60, classes=4, features=5, seed=1, spread=1.2):
    random = np.random.RandomState(seed)
    centres = random.randn(classes, features) * 2
    y = random.randint(classes, size=count)
    return centres[y] + spread * random.randn(count, features), y


def objective(classifier, X, y, costs=None, weights=None):
    """The objective by its definition, for scale="none" and at least three classes."""
    coef, constants = classifier.coef_, classifier.intercept_
    size = len(coef)
    costs = 1 - np.eye(size) if costs is None else costs
    scores = X @ coef.T + constants
    numbers = np.searchsorted(classifier.classes_, y)
    hinge = (costs[numbers] + scores - scores[np.arange(len(y)), numbers][:, None]).max(axis=1)
    weights = np.ones(len(y)) if weights is None else weights
    norm = np.sum(coef ** 2) + np.sum(constants ** 2)
    return classifier.lam_ / 2 * norm + np.mean(weights * hinge)


@pytest.mark.parametrize("parameters", [
    {}, {"C": 0.5}, {"lam": 0.01}, {"fit_intercept": False}, {"learner": "al", "tol": 0.01},
    {"costs": [[0, 1, 2, 3], [1, 0, 1, 1], [5, 1, 0, 1], [1, 1, 0.5, 0]]},
])
def test_primal_is_the_objective(parameters):
    X, y = blobs()
    classifier = MulticlassClassifier(scale="none", **parameters).fit(X, y)
    costs = np.array(parameters["costs"]) if "costs" in parameters else None
    assert objective(classifier, X, y, costs) == pytest.approx(classifier.primal_, rel=1e-9)
    assert classifier.dual_ <= classifier.primal_
    assert classifier.relative_gap_ <= classifier.tol
    if not parameters.get("fit_intercept", True):
        assert not classifier.intercept_.any() and list(classifier.weights_) == ["classes"]


def test_optimum_of_an_independent_solver():
    """A quadratic program with a slack per example, by SLSQP."""
    optimize = pytest.importorskip("scipy.optimize")
    X, y = blobs(count=12, classes=3, features=2)
    costs = np.array([[0, 2, 1], [1, 0, 3], [0.5, 1, 0]])
    weights = np.linspace(0.3, 2, 12)
    lam = 0.2
    inputs = np.hstack([X, np.ones((12, 1))])

    def value(z):
        return lam / 2 * np.sum(z[:9] ** 2) + np.mean(weights * z[9:])

    constraints = []
    for m in range(12):
        for label in range(3):
            row = np.zeros(21)
            row[9 + m] = 1
            row[3 * y[m]:3 * y[m] + 3] += inputs[m]
            row[3 * label:3 * label + 3] -= inputs[m]
            constraints.append((row, costs[y[m], label]))
    rows = np.array([row for row, _ in constraints])
    least = np.array([cost for _, cost in constraints])
    solution = optimize.minimize(
        value, np.zeros(21), method="SLSQP", options={"maxiter": 1000, "ftol": 1e-12},
        constraints={"type": "ineq", "fun": lambda z: rows @ z - least, "jac": lambda z: rows})
    assert solution.success
    classifier = MulticlassClassifier(lam=lam, scale="none", costs=costs, tol=1e-8, max_iter=100000)
    classifier.fit(X, y, sample_weight=weights)
    assert classifier.primal_ == pytest.approx(solution.fun, rel=1e-6)
    assert classifier.dual_ <= solution.fun * (1 + 1e-7)
    assert objective(classifier, X, y, costs, weights) == pytest.approx(classifier.primal_,
                                                                       rel=1e-9)
    assert np.allclose(classifier.coef_, solution.x[:9].reshape(3, 3)[:, :2], atol=1e-3)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 5, 2: 0.1}])
@pytest.mark.parametrize("classes", [2, 4])
def test_objective_of_linear_svc(class_weight, classes):
    """LinearSVC with multi_class="crammer_singer" has the same objective, times C*M."""
    svm = pytest.importorskip("sklearn.svm")
    X, y = blobs(classes=classes)
    if isinstance(class_weight, dict) and classes == 2:
        class_weight = {0: 5}
    weights = np.random.RandomState(0).rand(len(y)) + 0.2
    theirs = svm.LinearSVC(C=0.3, multi_class="crammer_singer", tol=1e-8, max_iter=1000000,
                           class_weight=class_weight).fit(X, y, sample_weight=weights)
    ours = MulticlassClassifier(C=0.3, scale="none", tol=1e-8, max_iter=100000,
                                class_weight=class_weight).fit(X, y, sample_weight=weights)
    assert np.allclose(theirs.coef_, ours.coef_, atol=1e-4)
    assert np.allclose(theirs.intercept_, ours.intercept_, atol=1e-4)
    if classes > 2:
        theirs.lam_ = ours.lam_
        factors = ours._class_weights(ours.classes_, np.bincount(y))
        total = weights if factors is None else weights * factors[y]
        assert objective(theirs, X, y, weights=total) == pytest.approx(ours.primal_, rel=1e-7)
    assert (theirs.predict(X) == ours.predict(X)).all()
    assert np.allclose(theirs.decision_function(X), ours.decision_function(X), atol=1e-3)


def test_check_estimator():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks.check_estimator(MulticlassClassifier())


def test_scores_and_predictions():
    X, y = blobs()
    names = np.array(["ant", "bee", "cat", "dog"])[y]
    classifier = MulticlassClassifier(C=1).fit(X, names)
    scores = classifier.decision_function(X)
    assert scores.shape == (60, 4)
    assert np.allclose(scores, X @ classifier.coef_.T + classifier.intercept_)
    assert (classifier.predict(X) == classifier.classes_[scores.argmax(axis=1)]).all()
    assert classifier.score(X, names) == np.mean(classifier.predict(X) == names) > 0.8
    assert classifier.score(X, names, sample_weight=np.arange(60) == 3) in (0, 1)


@pytest.mark.parametrize("scale", ["none", "standard", "max-abs", "auto"])
def test_coefficients_belong_to_the_inputs_as_given(scale):
    X, y = blobs()
    X = X * np.array([1, 100, 0.01, 1, 1]) + np.array([0, 3, 0, 1, 5])
    classifier = MulticlassClassifier(C=1, scale=scale, tol=1, max_iter=20).fit(X, y)
    scores = classifier.decision_function(X)
    assert np.allclose(scores, X @ classifier.coef_.T + classifier.intercept_)
    two = y < 2
    classifier.fit(X[two], y[two])
    assert classifier.coef_.shape == (1, 5) and classifier.intercept_.shape == (1,)
    assert np.allclose(classifier.decision_function(X),
                       X @ classifier.coef_[0] + classifier.intercept_)


def test_no_coefficients_where_scores_are_not_linear():
    X, y = blobs()
    with pytest.raises(AttributeError, match="scale='norm'"):
        MulticlassClassifier(scale="norm").fit(X, y).coef_
    kernel = MulticlassClassifier(C=10, learner_options={"kernel": "rbf", "kernel_gamma": 0.3})
    kernel.fit(X, y)
    assert kernel.score(X, y) > 0.9
    assert not hasattr(kernel, "coef_") and not hasattr(MulticlassClassifier(), "coef_")
    copy = pickle.loads(pickle.dumps(kernel))
    assert np.array_equal(copy.decision_function(X), kernel.decision_function(X))
    with pytest.raises(ValueError, match="not possible with a kernel"):
        kernel.fit(X, y, sample_weight=np.full(60, 2.0))


def test_inputs_of_all_kinds_agree():
    X, y = blobs()
    X[np.abs(X) < 1] = 0
    first = MulticlassClassifier(C=1).fit(sparse.csr_matrix(X), y)
    for other in (sparse.csc_matrix(X), sparse.coo_matrix(X)):
        again = MulticlassClassifier(C=1).fit(other, y)
        assert np.array_equal(first.coef_, again.coef_)
    assert np.allclose(first.decision_function(X), first.decision_function(sparse.csr_matrix(X)))
    dense = MulticlassClassifier(C=1).fit(X, y)
    for other in (X.tolist(), np.asfortranarray(X)):
        assert np.array_equal(dense.coef_, MulticlassClassifier(C=1).fit(other, y).coef_)
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcde"))
    named = MulticlassClassifier(C=1).fit(frame, y)
    assert named.feature_names_in_.tolist() == list("abcde")
    assert np.array_equal(named.coef_, dense.coef_)
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(frame[list("bacde")])


def test_weights_of_examples():
    X, y = blobs()
    doubled = np.ones(60)
    doubled[:20] = 2
    repeated = np.r_[np.arange(60), np.arange(20)]
    one = MulticlassClassifier(lam=0.1 * 80 / 60, scale="none", tol=1e-9, max_iter=100000)
    one.fit(X, y, sample_weight=doubled)
    two = MulticlassClassifier(lam=0.1, scale="none", tol=1e-9, max_iter=100000)
    two.fit(X[repeated], y[repeated])
    assert one.primal_ * 60 == pytest.approx(two.primal_ * 80, rel=1e-8)
    assert np.allclose(one.coef_, two.coef_, atol=1e-4)
    zero = np.ones(60)
    zero[10:30] = 0
    for inputs in (X, sparse.csr_matrix(X)):
        some = MulticlassClassifier(C=1).fit(inputs, y, sample_weight=zero)
        kept = MulticlassClassifier(C=1).fit(inputs[zero > 0], y[zero > 0])
        assert np.allclose(some.coef_, kept.coef_, atol=1e-12)


def test_costs_as_a_dict():
    X, y = blobs()
    matrix = 1 - np.eye(4)
    matrix[1, 2] = 7
    one = MulticlassClassifier(C=1, costs=matrix).fit(X, y)
    two = MulticlassClassifier(C=1, costs={(1, 2): 7}).fit(X, y)
    assert np.array_equal(one.coef_, two.coef_)
    assert one.primal_ != MulticlassClassifier(C=1).fit(X, y).primal_


@pytest.mark.parametrize("parameters, message", [
    ({"C": 1, "lam": 1}, "exclude each other"),
    ({"C": 0}, "C == 0"),
    ({"scale": "big"}, "scale: 'big' is not allowed"),
    ({"costs": np.ones((4, 4))}, "itself must cost nothing"),
    ({"costs": np.zeros((2, 2))}, r"shape \(2, 2\), but there are 4 classes"),
    ({"costs": -1 + np.eye(4)}, "not a number >= 0"),
    ({"costs": {(0, 9): 1}}, "no class 9"),
    ({"costs": {3: 1}}, "not a pair"),
    ({"costs": {(0, 1): "x"}}, "not a number >= 0"),
    ({"class_weight": "even"}, "must be a dict or 'balanced'"),
    ({"class_weight": 3}, "must be a dict or 'balanced'"),
    ({"class_weight": {9: 1}}, "no class 9"),
    ({"class_weight": {0: -1}}, "not a number >= 0"),
    ({"class_weight": {0: 0}}, "must be > 0"),
    ({"learner": "best"}, "best"),
    ({"learner_options": {"nothing": 1}}, "no training option 'nothing'"),
])
def test_bad_parameters(parameters, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        MulticlassClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("y, message", [
    (None, "requires y to be passed"),
    ([0] * 60, "contains only one class"),
    ([0, 1], "inconsistent numbers of samples"),
    ([0.5] + [1] * 59, r"Unknown label type: y\[0\] is 0.5"),
    ([np.nan] + [1] * 59, "y contains NaN: row 0"),
    (np.ones((60, 2)), r"y has shape \(60, 2\)"),
    (np.array([None] + [1] * 59, dtype=object), r"y\[0\] is None"),
    (np.array(["a"] + [1] * 59, dtype=object), "mixes strings and numbers"),
    (np.zeros(60, dtype=complex), "y has type complex128"),
])
def test_bad_classes(y, message):
    with pytest.raises(ValueError, match=message):
        MulticlassClassifier().fit(blobs()[0], y)


@pytest.mark.parametrize("weights, message", [
    (np.zeros(60), "all sample weights are 0"),
    (np.full(60, -1.0), r"sample_weight\[0\] is -1.0"),
    (np.r_[1, np.nan, np.ones(58)], r"sample_weight\[1\] is nan"),
    (np.ones(3), r"sample_weight.shape == \(3,\), expected \(60,\)"),
])
def test_bad_weights(weights, message):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        MulticlassClassifier().fit(X, y, sample_weight=weights)


def test_bad_inputs_of_predict():
    X, y = blobs()
    classifier = MulticlassClassifier().fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but MulticlassClassifier is expecting"):
        classifier.predict(X[:, :2])
    with pytest.raises(ValueError, match="contains NaN: row 0, column 1"):
        classifier.predict([[0, np.nan, 0, 0, 0]])
    with pytest.raises(slackline._base.NotFittedError):
        MulticlassClassifier().predict(X)


def test_files(tmp_path):
    X, y = blobs()
    frame = pytest.importorskip("pandas").DataFrame(X * [1, 1, 1, 1, 500], columns=list("abcde"))
    for labels in (y * 10, np.array(["x", "y z", "é", "w"])[y]):
        classifier = MulticlassClassifier(C=2, tol=1e-4).fit(frame, labels)
        classifier.save(tmp_path / "m.slk")
        loaded = MulticlassClassifier.load(tmp_path / "m.slk")
        assert loaded.classes_.tolist() == classifier.classes_.tolist()
        assert loaded.feature_names_in_.tolist() == list("abcde")
        assert np.array_equal(loaded.decision_function(frame), classifier.decision_function(frame))
        assert loaded.primal_ == classifier.primal_ and loaded.lam_ == classifier.lam_
        assert loaded.tol == 1e-4 and loaded.scaling_ == classifier.scaling_ != "none"
        assert np.array_equal(loaded.fit(frame, labels).coef_, classifier.coef_)
    with pytest.raises(ValueError, match="No such file"):
        MulticlassClassifier.load(tmp_path / "none")
    with pytest.raises(ValueError, match="task"):
        slackline.SequenceLabeler.load(tmp_path / "m.slk")


def test_the_program_shows_models(tmp_path):
    X, y = blobs()
    classifier = MulticlassClassifier(C=2).fit(X, y)
    classifier.save(tmp_path / "m.slk")
    facts = json.loads(run_program("info", tmp_path / "m.slk", "--json"))
    assert facts["task"] == "multiclass" and facts["classes"] == ["0", "1", "2", "3"]
    assert facts["primal"] == classifier.primal_ and facts["constant"] is True
    assert "multiclass" in run_program("info", tmp_path / "m.slk")
    weights = run_program("info", tmp_path / "m.slk", "--weights")
    assert "feature 1" in weights and "constant" in weights


@pytest.mark.parametrize("costs", [None, [[0, 3, 1], [1, 0, 1], [0.5, 1, 0]]])
def test_models_of_the_program_are_the_same(tmp_path, costs):
    pandas = pytest.importorskip("pandas")
    X, y = blobs(classes=3, features=2)
    names = np.array(["cat", "dog", "wolf"])[y]
    frame = pandas.DataFrame(X, columns=["x", "y"])
    frame.assign(kind=names).to_csv(tmp_path / "t.csv", index=False)
    options = []
    if costs:
        matrix = pandas.DataFrame(costs, index=np.unique(names), columns=np.unique(names))
        matrix.to_csv(tmp_path / "costs.csv")
        options = ["--costs", tmp_path / "costs.csv"]
    run_program("multiclass", "train", tmp_path / "t.csv", "--label-column", "kind", "--model",
                tmp_path / "p.slk", "--lambda", 0.05, "-q", *options)
    classifier = MulticlassClassifier(lam=0.05, costs=costs).fit(frame, names)
    theirs = MulticlassClassifier.load(tmp_path / "p.slk")
    for block, weights in classifier.weights_.items():
        assert np.array_equal(weights, theirs.weights_[block])
    assert theirs.predict(frame).tolist() == classifier.predict(frame).tolist()
    again = theirs.fit(frame, names)
    assert again.primal_ == classifier.primal_

    # The program reads the model of the data frame by the names of its columns.
    classifier.save(tmp_path / "m.slk")
    text = run_program("multiclass", "predict", tmp_path / "t.csv", "--model", tmp_path / "m.slk",
                       "-q")
    assert text.splitlines() == classifier.predict(frame).tolist()
    metrics = json.loads(run_program("multiclass", "evaluate", tmp_path / "t.csv", "--model",
                                     tmp_path / "m.slk", "--label-column", "kind", "--json"))
    assert metrics["error_rate"] == pytest.approx(1 - classifier.score(frame, names))
    wrong = np.array(costs or 1 - np.eye(3))
    classes = classifier.classes_.tolist()
    mean = np.mean([wrong[classes.index(a), classes.index(b)]
                    for a, b in zip(names, classifier.predict(frame))])
    assert metrics["mean_cost"] == (pytest.approx(mean) if costs else None)


def test_warm_start_and_callbacks():
    X, y = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = MulticlassClassifier(C=10, max_iter=3, tol=1e-9, warm_start=True).fit(X, y)
        first = classifier.gap_
        classifier.set_params(max_iter=30).fit(X, y)
        assert classifier.gap_ < first and classifier.n_iter_ == 30
        whole = MulticlassClassifier(C=10, max_iter=30, tol=1e-9).fit(X, y)
    assert np.array_equal(whole.coef_, classifier.coef_)
    seen = []
    stopped = MulticlassClassifier(C=10, tol=1e-12)
    stopped.fit(X, y, callbacks=lambda record: not seen.append(record))
    assert len(seen) == 1
    with pytest.raises(ZeroDivisionError):
        MulticlassClassifier().fit(X, y, callbacks=lambda record: 1 / 0)


def test_a_fit_that_fails_leaves_the_classifier_as_it_was():
    X, y = blobs()
    classifier = MulticlassClassifier(C=1).fit(X, y)
    before = classifier.predict(X)
    with pytest.raises(ValueError, match="only one class"):
        classifier.fit(X[:, :2], np.zeros(60))
    assert classifier.n_features_in_ == 5 and (classifier.predict(X) == before).all()


def test_in_a_pipeline_and_a_grid():
    selection = pytest.importorskip("sklearn.model_selection")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    X, y = blobs()
    grid = selection.GridSearchCV(
        pipeline.make_pipeline(preprocessing.StandardScaler(), MulticlassClassifier()),
        {"multiclassclassifier__C": [0.01, 1]}, cv=3)
    assert grid.fit(X, y).best_score_ > 0.8


@pytest.mark.parametrize("parameters", [
    {"class_weight": {"a": 2.0, "c": 0.25}},
    {"class_weight": "balanced"},
    {"costs": {("a", "b"): 4, ("c", "a"): 0.5}},
    {"costs": np.array([[0, 2, 1], [1, 0, 3], [7, 1, 0]]), "class_weight": {"b": 1 / 3}},
])
def test_files_know_costs_and_class_weights(tmp_path, parameters):
    X, numbers = blobs(classes=3)
    y = np.array(list("abc"))[numbers]
    classifier = MulticlassClassifier(C=0.1, tol=1e-5, **parameters).fit(X, y)
    classifier.save(tmp_path / "m.slk")
    loaded = MulticlassClassifier.load(tmp_path / "m.slk")
    assert (loaded.costs is None) == ("costs" not in parameters)
    assert (loaded.class_weight is None) == ("class_weight" not in parameters)
    again = loaded.fit(X, y)
    assert np.array_equal(again.coef_, classifier.coef_) and again.primal_ == classifier.primal_
    plain = MulticlassClassifier(C=0.1, tol=1e-5).fit(X, y)
    assert parameters == {"class_weight": "balanced"} or plain.primal_ != classifier.primal_
    again.save(tmp_path / "again.slk")
    third = MulticlassClassifier.load(tmp_path / "again.slk")
    assert np.array_equal(third.fit(X, y).coef_, classifier.coef_)


@pytest.mark.parametrize("y", [
    np.array(["1", "2", "1", "2"]), np.array(["3", "10", "3", "10"], dtype=object),
    np.array([True, False, True, False]), np.array([7, -1, 7, -1]), np.array(["a", "b", "a", "b"]),
    np.array(["01", "2", "01", "2"]), np.array([1., 2., 1., 2.])])
def test_classes_keep_their_type_in_files(y, tmp_path):
    X = np.eye(4)
    model = slackline.MulticlassClassifier(C=100).fit(X, y)
    model.save(tmp_path / "m.slk")
    loaded = slackline.MulticlassClassifier.load(tmp_path / "m.slk")
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(label) for label in loaded.classes_.tolist()] == \
        [type(label) for label in model.classes_.tolist()]
    assert loaded.score(X, y) == model.score(X, y) == 1


def test_bytes_and_masked_classes_are_refused():
    with pytest.raises(ValueError, match="y has bytes; decode them"):
        slackline.MulticlassClassifier().fit(np.eye(2), np.array([b"a", b"b"]))
    with pytest.raises(ValueError, match="masked classes: leave their rows out"):
        slackline.MulticlassClassifier().fit(np.eye(3), np.ma.masked_array([0, 1, 1], [0, 0, 1]))
