# SPDX-License-Identifier: BSD-3-Clause
"""SequenceLabeler: inputs of all kinds, predictions against brute force, bad arguments."""
import itertools
import pickle
import warnings

import numpy as np
import pytest

import slackline
from shipped_data import DATA, run_program
from slackline import SequenceLabeler

sparse = pytest.importorskip("scipy.sparse")


def words(count, seed=0):
    """Sentences with parts of speech as chunks: tokens as dicts, and BIO labels."""
    random = np.random.RandomState(seed)
    X, y = [], []
    for _ in range(count):
        tokens, labels = [], []
        for _ in range(random.randint(1, 3)):
            phrase = [("the", "DT", "B-NP")]
            phrase += [(f"big{random.randint(3)}", "JJ", "I-NP")] * random.randint(0, 3)
            phrase += [(f"noun{random.randint(5)}", "NN", "I-NP"),
                       (f"verb{random.randint(4)}", "VB", "B-VP")]
            for word, part, label in phrase:
                tokens.append({"word": word, "part": part, "length": len(word) / 4,
                               "article": word == "the", "suffix": {"two": word[-2:]},
                               "tags": [part, part[:1]]})
                labels.append(label)
        X.append(tokens)
        y.append(labels)
    return X, y


def letters(count=60):
    """The first words of the shipped letters."""
    import gzip
    path = DATA / "letters" / "letter-fold0.data.gz"
    if not path.exists():
        pytest.skip("the data of the repository are not there")
    X, y, rows, labels, lines = [], [], [], [], []
    with gzip.open(path, "rt", encoding="ascii") as file:
        for line in file:
            fields = line.rstrip("\t\n").split("\t")
            rows.append([float(text) for text in fields[6:]])
            labels.append(fields[1])
            lines.append(line)
            if fields[2] == "-1":
                X.append(np.array(rows))
                y.append(labels)
                rows, labels = [], []
                if len(X) == count:
                    return X, y, "".join(lines)
    raise AssertionError("the file is too short")


def numbers(count=12, labels=3, features=4, seed=3):
    random = np.random.RandomState(seed)
    X, y = [], []
    for _ in range(count):
        length = random.randint(1, 6)
        X.append(random.randn(length, features))
        y.append(np.argmax(X[-1][:, :labels] + 0.3 * random.randn(length, labels), axis=1))
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = words(30)
    return SequenceLabeler(C=1).fit(X, y), X, y


def brute_force(labeler, x):
    """All labellings of a sequence of numbers with their scores, by the weights."""
    weights = labeler.weights_
    size = len(labeler.classes_)
    transition = labeler.transition_weights_
    unary = x @ weights["token"].T + weights["bias"].ravel()
    unary[0] += weights["start"].ravel()
    unary[-1] += weights["end"].ravel()
    scores = {}
    for labels in itertools.product(range(size), repeat=len(x)):
        score = sum(unary[i, label] for i, label in enumerate(labels))
        score += sum(transition[a, b] for a, b in zip(labels, labels[1:]))
        scores[labels] = score
    return scores


class TestPredictions:
    def setup_method(self):
        X, y = numbers()
        self.X = X
        self.labeler = SequenceLabeler(C=1, scale="none").fit(X, y)

    def test_predict_and_nbest_agree_with_brute_force(self):
        best = self.labeler.predict_nbest(self.X, 4)
        predicted = self.labeler.predict(self.X)
        for x, labels, ranked in zip(self.X, predicted, best):
            scores = sorted(brute_force(self.labeler, x).items(), key=lambda item: -item[1])
            assert tuple(labels) == scores[0][0]
            assert len(ranked) == min(4, len(scores))
            for (own, value), (_, expected) in zip(ranked, scores):
                assert value == pytest.approx(expected, abs=1e-10)
                assert brute_force(self.labeler, x)[tuple(own)] == pytest.approx(value, abs=1e-10)

    def test_scores_are_max_marginals(self):
        for x, got in zip(self.X, self.labeler.decision_function(self.X)):
            scores = brute_force(self.labeler, x)
            top = max(scores.values())
            for i, label in np.ndindex(*got.shape):
                expected = max(value for labels, value in scores.items() if labels[i] == label)
                assert got[i, label] == pytest.approx(expected - top, abs=1e-10)

    @pytest.mark.parametrize("temperature", [0.5, 1, 4.0])
    def test_marginals_agree_with_brute_force(self, temperature):
        for x, got in zip(self.X, self.labeler.predict_marginals(self.X, temperature)):
            scores = brute_force(self.labeler, x)
            weights = {labels: np.exp(value / temperature) for labels, value in scores.items()}
            total = sum(weights.values())
            for i, label in np.ndindex(*got.shape):
                expected = sum(w for labels, w in weights.items() if labels[i] == label) / total
                assert got[i, label] == pytest.approx(expected, abs=1e-10)

    def test_objective_is_that_of_the_weights(self):
        X, y = numbers()
        loss = 0.0
        for x, labels in zip(X, y):
            scores = brute_force(self.labeler, x)
            wrong = {own: value + np.mean(np.array(own) != labels) for own, value in scores.items()}
            loss += max(wrong.values()) - scores[tuple(labels)]
        norm = sum(np.sum(block ** 2) for block in self.labeler.weights_.values())
        primal = self.labeler.lam_ / 2 * norm + loss / len(X)
        assert primal == pytest.approx(self.labeler.primal_, rel=1e-9)
        assert self.labeler.lam_ == pytest.approx(1 / len(X))

    def test_nothing_to_predict(self):
        assert self.labeler.predict([]) == []
        assert self.labeler.predict_nbest([], 2) == []
        assert self.labeler.predict_marginals([]) == []


def test_fit_proves_its_gap(fitted):
    labeler, X, y = fitted
    assert labeler.classes_.tolist() == ["B-NP", "B-VP", "I-NP"]
    assert labeler.format_ == "attributes"
    assert labeler.score(X, y) == 1
    assert labeler.f1(X, y) == 1
    assert 0 <= labeler.primal_ - labeler.dual_ == labeler.gap_
    assert labeler.relative_gap_ <= labeler.tol
    assert labeler.history_ and labeler.termination_ == "converged"
    assert labeler.weights_["token"].shape == (3, labeler.n_features_in_)
    assert labeler.transition_weights_.shape == (3, 3)


def test_names_of_features_are_those_of_python_crfsuite(fitted):
    labeler, _, _ = fitted
    names = {name for name, _, _ in labeler.state_features_}
    assert {"word=the", "article", "length", "suffix:two=he", "tags:DT", "tags:D"} <= names
    weights = [abs(weight) for _, _, weight in labeler.state_features_]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0
    assert {label for _, label, _ in labeler.state_features_} <= set(labeler.classes_)


def test_lists_and_dicts_that_say_the_same_are_the_same():
    y = [["A", "B"], ["B"]]
    one = [[["x", "y"], {"z": 2}], [{"y": True, "no": False, "p": {"q": "r"}}]]
    two = [[{"x": 1.0, "y": 1}, {"z": np.float32(2)}], [["y", "p:q=r"]]]
    three = [[("y", b"x"), {"z": 2, "zero": 0}], [{"y": 1, "p": ["q=r"]}]]
    weights = []
    for X in (one, two, three):
        labeler = SequenceLabeler(lam=0.1, scale="none").fit(X, y)
        assert labeler.n_features_in_ == 4
        weights.append(sorted(labeler.state_features_))
    assert weights[0] == weights[1]
    assert sorted(f[:2] for f in weights[2]) == sorted(f[:2] for f in weights[0])


def test_unknown_features_are_left_out(fitted):
    labeler, X, _ = fitted
    extended = [[dict(token, unknown="new") for token in tokens] for tokens in X[:3]]
    for one, two in zip(labeler.predict(extended), labeler.predict(X[:3])):
        assert one.tolist() == two.tolist()


def test_min_count_and_hash_bits():
    X, y = words(20)
    everything = SequenceLabeler(lam=0.1).fit(X, y).n_features_in_
    assert SequenceLabeler(lam=0.1, min_count=10).fit(X, y).n_features_in_ < everything
    hashed = SequenceLabeler(lam=0.1, hash_bits=8).fit(X, y)
    assert hashed.n_features_in_ == 256
    assert isinstance(hashed.state_features_[0][0], int)
    assert hashed.score(X, y) == 1


def test_arrays_sparse_matrices_and_frames_give_one_model():
    X, y, _ = letters(30)
    kinds = {
        "arrays": X,
        "float32 in Fortran order": [np.asfortranarray(x, dtype=np.float32) for x in X],
        "csr": [sparse.csr_matrix(x) for x in X],
        "csc": [sparse.csc_matrix(x) for x in X],
        "lists": [x.tolist() for x in X],
    }
    models = {}
    for name, inputs in kinds.items():
        models[name] = SequenceLabeler(lam=0.01).fit(inputs, y)
        assert models[name].format_ == "letters" and models[name].n_features_in_ == 128
    first = models["arrays"]
    for name, model in models.items():
        for block, weights in model.weights_.items():
            assert np.array_equal(weights, first.weights_[block]), (name, block)
    one = first.decision_function(X)
    two = first.decision_function(kinds["csr"])
    alone = [first.decision_function([x])[0] for x in X]
    assert all(np.allclose(a, b, atol=1e-12) for a, b in zip(one, two))
    assert all(np.array_equal(a, b) for a, b in zip(one, alone))


def test_labels_may_be_integers_and_unknown():
    X, y = numbers()
    as_lists = [[None if i == 1 else int(label) * 10 for i, label in enumerate(labels)]
                for labels in y]
    labeler = SequenceLabeler(C=1).fit(X, as_lists)
    assert labeler.classes_.tolist() == [0, 10, 20]
    assert labeler.predict(X)[0].dtype.kind == "i"
    metrics = labeler.metrics(X, as_lists)
    assert metrics["tokens"] == sum(len(labels) - (len(labels) > 1) for labels in y)
    assert metrics["token_accuracy"] == labeler.score(X, as_lists)


def test_measures_count_labels_that_the_model_does_not_know():
    X, y = numbers()
    labeler = SequenceLabeler(C=1).fit(X, y)
    strange = [[7] * len(labels) for labels in y]
    metrics = labeler.metrics(X, strange)
    assert metrics["token_accuracy"] == 0 and metrics["hamming_loss"] == 1
    assert metrics["sequences"] == len(X)


def test_bio_constraints():
    X, y = words(12, seed=5)
    labeler = SequenceLabeler(C=1, constraints="bio").fit(X, y)
    scores = labeler.decision_function(X[:1])[0]
    inside = labeler.classes_.tolist().index("I-NP")
    assert scores[0, inside] == -np.inf
    assert labeler.predict_marginals(X[:1])[0][0, inside] == 0
    for labels in labeler.predict(X):
        assert labels[0] != "I-NP"
        assert all(b != "I-NP" or a.endswith("NP") for a, b in zip(labels, labels[1:]))
    numeric = [sparse.csr_matrix(np.eye(6)[np.arange(len(tokens)) % 6]) for tokens in X]
    assert SequenceLabeler(lam=0.1, constraints="bio").fit(numeric, y).format_ == "letters"
    with pytest.raises(ValueError, match=r"y\[0\]\[0\]: constraints='bio' does not allow 'I-NP' to "
                                         "begin"):
        SequenceLabeler(constraints="bio").fit([[["a"], ["b"]]], [["I-NP", "B-NP"]])
    with pytest.raises(ValueError, match=r"y\[0\]\[2\]: .* 'I-NP' after 'O'"):
        SequenceLabeler(constraints="bio").fit([[["a"], ["b"], ["c"]]], [["B-NP", "O", "I-NP"]])
    with pytest.raises(ValueError, match="constraints='bio' needs BIO labels, but"):
        SequenceLabeler(constraints="bio").fit([[["a"], ["b"]]], [["x", "y"]])


def test_costs(tmp_path):
    X, y = numbers()
    matrix = np.array([[0, 2, 1], [5, 0, 1], [1, 1, 0]])
    one = SequenceLabeler(C=1, costs=matrix).fit(X, y)
    two = SequenceLabeler(C=1, costs={(0, 1): 2, (1, 0): 5}).fit(X, y)
    plain = SequenceLabeler(C=1).fit(X, y)
    assert one.primal_ == two.primal_ != plain.primal_
    assert np.array_equal(one.weights_["token"], two.weights_["token"])
    one.save(tmp_path / "m.slk")
    loaded = SequenceLabeler.load(tmp_path / "m.slk")
    assert np.array_equal(loaded.costs, matrix)
    assert np.array_equal(loaded.fit(X, y).weights_["token"], one.weights_["token"])
    plain.save(tmp_path / "plain.slk")
    assert SequenceLabeler.load(tmp_path / "plain.slk").costs is None
    for costs, message in [({(0, 9): 1}, "no label 9"), ({(0, 1): -1}, "number >= 0"),
                           ({0: 1}, "not a pair"), ({(1, 1): 1}, "itself must cost nothing"),
                           (np.eye(3), "itself must cost nothing"),
                           (np.zeros((2, 2)), r"shape \(2, 2\), but there are 3 labels"),
                           (np.full((3, 3), np.nan), "number >= 0")]:
        with pytest.raises(ValueError, match=message):
            SequenceLabeler(costs=costs).fit(X, y)


@pytest.mark.parametrize("X, message", [
    ([], "X has no sequences"),
    ("text", "X must be a list of sequences, not str"),
    (7, "X must be a list of sequences"),
    ([np.zeros((2, 0))], r"X\[0\] has no features"),
    ([np.zeros(2)], r"X\[0\] must have shape \(length, n_features\)"),
    ([np.array([[1, np.nan], [0, 1]])], r"X\[0\] contains NaN: row 0, column 1"),
    ([np.array([[1, 2], [0, np.inf]])], r"X\[0\] contains infinity: row 1, column 1"),
    ([[{"a": 1}, {"b": float("nan")}]], r"X\[0\]\[1\]: feature 'b' is NaN"),
    ([[{"a": 1}, {"b": None}]], r"X\[0\]\[1\]: feature 'b' is neither a number nor a string but "
                                "NoneType"),
    ([[{"a": 1}, {3: 1}]], r"X\[0\]\[1\]: names of features must be strings, not int"),
    ([[["a"], [3]]], r"X\[0\]\[1\]: a list of features must hold strings, not int"),
    ([[["a"], "b"]], r"X\[0\]\[1\]: features must be a dict or a list of strings, not str"),
    ([[["a\nb"], ["c"]]], r"X\[0\]\[0\]: feature .* contains a line end"),
    ([["a"]], r"X\[0\]\[0\]: features must be a dict"),
    ([{"a": 1}], r"X\[0\] must be a list of tokens, not dict"),
    ([[["a"]]], r"X\[0\] has 1 tokens, but y\[0\] has 2 labels"),
    ([[["a"], ["b"]], [["a"]]], "X has 2 sequences, but y has 1"),
])
def test_bad_inputs(X, message):
    with pytest.raises(ValueError, match=message):
        SequenceLabeler().fit(X, [["x", "y"]])


def test_recursive_features_are_refused():
    token = {}
    token["again"] = token
    with pytest.raises(ValueError, match="nested more than 50 times"):
        SequenceLabeler().fit([[token]], [["x"]])


@pytest.mark.parametrize("y, message", [
    ([["x", 1]], "y mixes strings and integers"),
    ([["x", 1.5]], r"y\[0\]\[1\] is 1.5; labels must be strings or integers"),
    ([["x", "?"]], "use None"),
    ([["x", ""]], "an empty label"),
    ([[None, None]], "y has no known labels"),
    (["xy"], r"y\[0\] must be a sequence of labels, not str"),
    ([3], r"y\[0\] must be a sequence of labels, not int"),
    ("xy", "y must be a list of sequences of labels"),
    (None, "y must be a list of sequences of labels"),
])
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        SequenceLabeler().fit([[["a"], ["b"]]], y)


@pytest.mark.parametrize("parameters, message", [
    ({"C": 1, "lam": 1}, "exclude each other"),
    ({"C": -1}, "C == -1"),
    ({"loss": "f1"}, "loss: 'f1' is not allowed"),
    ({"constraints": "iob"}, "constraints: 'iob' is not allowed"),
    ({"scale": "big"}, "scale: 'big' is not allowed"),
    ({"min_count": 0}, "min_count == 0"),
    ({"min_count": 1.5}, "min_count == 1.5"),
    ({"hash_bits": 31}, "hash_bits == 31"),
    ({"hash_bits": 3, "min_count": 2}, "leave out min_count"),
    ({"min_count": 5}, "no feature occurs 5 times"),
    ({"learner": "best"}, "best"),
    ({"constraints": "bio", "learner": "al"}, 'constraints: bio needs learner="bcfw"'),
])
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        SequenceLabeler(**parameters).fit([[["a"], ["b"]]], [["B-x", "I-x"]])


def test_bad_calls_of_a_fitted_labeler(fitted):
    labeler, X, y = fitted
    with pytest.raises(ValueError, match="n == 0"):
        labeler.predict_nbest(X, 0)
    with pytest.raises(ValueError, match="temperature == 0"):
        labeler.predict_marginals(X, 0)
    with pytest.raises(ValueError, match="X has 30 sequences, but y has 1"):
        labeler.score(X, y[:1])
    with pytest.raises(ValueError, match=r"X\[0\] has .* tokens, but y\[0\] has 1 labels"):
        labeler.score(X, [["O"]] * 30)
    with pytest.raises(ValueError, match=r"X\[0\]\[0\]: features must be a dict"):
        labeler.predict([np.zeros((2, 3))])
    with pytest.raises(slackline._base.NotFittedError):
        SequenceLabeler().predict(X)
    X, y = numbers()
    numeric = SequenceLabeler(C=1).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but the model was trained with 4"):
        numeric.predict([np.zeros((3, 2))])
    with pytest.raises(ValueError, match=r"X\[1\] has 2 features, but X\[0\] has 4"):
        numeric.predict([np.zeros((3, 4)), np.zeros((3, 2))])


def test_pickle_clone_and_files(fitted, tmp_path):
    labeler, X, y = fitted
    copy = pickle.loads(pickle.dumps(labeler))
    labeler.save(tmp_path / "m.slk")
    loaded = SequenceLabeler.load(tmp_path / "m.slk")
    for other in (copy, loaded):
        assert other.classes_.tolist() == labeler.classes_.tolist()
        assert other.primal_ == labeler.primal_ and other.lam_ == labeler.lam_
        for one, two in zip(labeler.predict(X), other.predict(X)):
            assert one.tolist() == two.tolist()
        assert other.state_features_ == labeler.state_features_
    assert loaded.lam == labeler.lam_
    again = loaded.fit(X, y)
    assert np.array_equal(again.weights_["token"], labeler.weights_["token"])
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.clone(labeler).get_params() == labeler.get_params()
    with pytest.raises(ValueError, match="No such file"):
        SequenceLabeler.load(tmp_path / "none.slk")
    numeric, labels = numbers()
    SequenceLabeler(C=1).fit(numeric, labels).save(tmp_path / "n.slk")
    assert SequenceLabeler.load(tmp_path / "n.slk").classes_.dtype.kind == "i"


def test_warm_start_continues():
    X, y = words(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labeler = SequenceLabeler(lam=0.001, max_iter=5, tol=1e-6, warm_start=True).fit(X, y)
        first = labeler.gap_
        labeler.set_params(max_iter=10).fit(X, y)
    assert labeler.n_iter_ == 10
    assert labeler.gap_ < first
    whole = SequenceLabeler(lam=0.001, max_iter=10, tol=1e-6)
    with pytest.warns(slackline._base.ConvergenceWarning):
        whole.fit(X, y)
    assert np.array_equal(whole.weights_["token"], labeler.weights_["token"])


def test_callbacks_stop_training():
    X, y = words(30)
    records = []

    def stop(record):
        records.append(record)
        return len(records) == 2

    labeler = SequenceLabeler(lam=1e-4, tol=1e-9).fit(X, y, callbacks=stop)
    assert len(records) == 2 and labeler.termination_ == "interrupted"
    assert labeler.predict(X[:1])[0].shape == (len(X[0]),)


def test_cross_validation():
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = words(12)
    assert selection.cross_val_score(SequenceLabeler(C=1), X, y, cv=3).min() > 0.9
    grid = selection.GridSearchCV(SequenceLabeler(), {"C": [0.01, 1]}, cv=2,
                                  scoring=lambda labeler, X, y: labeler.f1(X, y))
    assert grid.fit(X, y).best_estimator_.format_ == "attributes"
    X, y = numbers()
    assert len(selection.cross_val_score(SequenceLabeler(C=1), X, [list(labels) for labels in y],
                                         cv=3)) == 3


def test_threads_do_not_change_results():
    X, y, _ = letters(30)
    one = SequenceLabeler(lam=0.01, n_jobs=1).fit(X, y)
    two = SequenceLabeler(lam=0.01, n_jobs=2).fit(X, y)
    assert np.array_equal(one.weights_["token"], two.weights_["token"])
    assert all(np.array_equal(a, b) for a, b in
               zip(one.decision_function(X), two.decision_function(X)))


def test_kernel():
    X, y = numbers(8)
    labeler = SequenceLabeler(C=10, learner_options={"kernel": "rbf", "kernel_gamma": 1})
    labeler.fit(X, y)
    assert labeler.score(X, y) > 0.9
    assert "token" not in labeler.weights_ or not labeler.weights_["token"].any()


# The command line


def same(one, other):
    for name, block in one.weights_.items():
        assert np.array_equal(block, other.weights_[name]), name
    for figure in ("primal_", "dual_", "gap_", "lam_", "n_iter_", "termination_"):
        assert getattr(one, figure) == getattr(other, figure), figure


@pytest.mark.parametrize("parameters, flags", [
    ({}, ""),
    ({"C": 2}, "--C 2"),
    ({"lam": 0.01, "loss": "count"}, "--lambda 0.01 --loss count"),
    ({"lam": 0.01, "scale": "standard"}, "--lambda 0.01 --scale standard"),
    ({"lam": 0.01, "learner": "al", "tol": 0.05}, "--lambda 0.01 --learner al --gap-tolerance "
                                                  "0.05"),
])
def test_letters_are_those_of_the_program(tmp_path, parameters, flags):
    X, y, text = letters(40)
    inputs = [sparse.csr_matrix(x) for x in X]
    (tmp_path / "letters.data").write_text(text)
    run_program("sequence", "train", tmp_path / "letters.data", "--model", tmp_path / "m.slk", "-q",
                *flags.split())
    theirs = SequenceLabeler.load(tmp_path / "m.slk")
    own = SequenceLabeler(**parameters).fit(inputs, y)
    same(own, theirs)
    own.save(tmp_path / "own.slk")
    for arguments in (["--output", "labels"], ["--output", "scores"], ["--output", "nbest=2"]):
        assert run_program("sequence", "predict", tmp_path / "letters.data", "--model",
                           tmp_path / "own.slk", "-q", *arguments) == \
            run_program("sequence", "predict", tmp_path / "letters.data", "--model",
                        tmp_path / "m.slk", "-q", *arguments)


def write_attributes(path, X, y):
    def escaped(name):
        return name.replace("\\", "\\\\").replace(":", "\\:")

    def features(token):
        return [f"{escaped(name)}:{value!r}" for name, value in token.items()]

    path.write_text("\n\n".join("\n".join("\t".join([label, *features(token)])
                                          for token, label in zip(tokens, labels))
                                for tokens, labels in zip(X, y)) + "\n", encoding="utf-8")
    return path


def flat(X):
    """The same features with their full names as keys."""
    return [[{f"word={t['word']}": 1.0, f"part={t['part']}": 1.0, "length": t["length"],
              "article": float(t["article"]), f"suffix:two={t['suffix']['two']}": 1.0,
              **{f"tags:{tag}": float(t["tags"].count(tag)) for tag in dict.fromkeys(t["tags"])}}
             for t in tokens] for tokens in X]


@pytest.mark.parametrize("parameters, flags", [
    ({"lam": 0.01}, "--lambda 0.01"),
    ({"min_count": 5, "constraints": "bio"}, "--min-count 5 --constraints bio"),
    ({"lam": 0.1, "hash_bits": 10}, "--lambda 0.1 --hash-bits 10"),
])
def test_attributes_are_those_of_the_program(tmp_path, parameters, flags):
    X, y = words(25)
    data = write_attributes(tmp_path / "data.txt", flat(X), y)
    run_program("sequence", "train", data, "--format", "attributes", "--model", tmp_path / "m.slk",
                "-q", *flags.split())
    theirs = SequenceLabeler.load(tmp_path / "m.slk")
    assert theirs.format_ == "attributes"
    own = SequenceLabeler(**parameters).fit(X, y)
    same(own, theirs)
    own.save(tmp_path / "own.slk")
    lines = run_program("sequence", "predict", data, "--model", tmp_path / "own.slk", "-q")
    predicted = [block.split("\n") for block in lines.strip().split("\n\n")]
    assert predicted == [labels.tolist() for labels in theirs.predict(X)]


def test_models_with_templates_predict_from_columns(tmp_path):
    X, y = words(20)
    lines = ["\n".join(f"{t['word']} {t['part']} {label}" for t, label in zip(tokens, labels))
             for tokens, labels in zip(X, y)]
    (tmp_path / "train.txt").write_text("\n\n".join(lines) + "\n")
    run_program("sequence", "train", tmp_path / "train.txt", "--model", tmp_path / "m.slk", "-q")
    labeler = SequenceLabeler.load(tmp_path / "m.slk")
    assert labeler.format_ == "conll"
    columns = [[(t["word"], t["part"]) for t in tokens] for tokens in X]
    text = run_program("sequence", "predict", tmp_path / "train.txt", "--model",
                       tmp_path / "m.slk", "-q")
    expected = [[line.split()[-1] for line in block.split("\n")]
                for block in text.strip().split("\n\n")]
    assert [labels.tolist() for labels in labeler.predict(columns)] == expected
    assert labeler.score(columns, y) == 1
    with pytest.raises(ValueError, match=r"X\[0\]\[1\] has 1 columns, but the templates"):
        labeler.predict([[("a", "b"), ("c",)]])
    with pytest.raises(ValueError, match=r"X\[0\]\[0\]: columns must be strings"):
        labeler.predict([[("a", 1)]])
    with pytest.raises(ValueError, match=r"X\[0\]\[0\] must be a list of columns, not str"):
        labeler.predict([["ab"]])


def test_empty_sequences_are_left_out_of_training_and_predicted_as_empty(tmp_path):
    X, y = [[{"a": 1}, {"b": 1}], [], [{"b": 1}]], [["1", "2"], [], ["2"]]
    model = slackline.SequenceLabeler(C=100).fit(X, y)
    without = slackline.SequenceLabeler(C=100).fit([X[0], X[2]], [y[0], y[2]])
    assert model.primal_ == without.primal_
    assert [labels.tolist() for labels in model.predict(X)] == y
    assert [len(scores) for scores in model.decision_function(X)] == [2, 0, 1]
    assert [len(marginals) for marginals in model.predict_marginals(X)] == [2, 0, 1]
    ranked = model.predict_nbest(X, 2)
    assert len(ranked[1]) == 1 and ranked[1][0][0].tolist() == [] and len(ranked[2]) == 2
    assert model.score(X, y) == 1
    assert [labels.tolist() for labels in model.predict([[]])] == [[]]
    model.save(tmp_path / "s.slk")
    assert slackline.SequenceLabeler.load(tmp_path / "s.slk").predict(X)[0].tolist() == ["1", "2"]
    with pytest.raises(ValueError, match=r"X\[0\] has 0 tokens, but y\[0\] has 1 labels"):
        slackline.SequenceLabeler().fit([[], [{"a": 1}]], [["1"], ["2"]])
    # Messages count them.
    with pytest.raises(ValueError, match=r"X\[2\] has 1 tokens, but y\[2\] has 2 labels"):
        slackline.SequenceLabeler().fit(X, [["1", "2"], [], ["2", "2"]])
    with pytest.raises(ValueError, match=r"y\[2\]\[0\]: constraints='bio' does not allow"):
        slackline.SequenceLabeler(constraints="bio").fit(X, [["B-x", "I-x"], [], ["I-x"]])
    with pytest.raises(ValueError, match=r"X\[1\]\[0\]"):
        model.predict([[], [3.5 + 1j]])
    numbers = [np.zeros((0, 2)), np.eye(2)]
    rows = slackline.SequenceLabeler(C=100).fit(numbers, [[], [0, 1]])
    assert [labels.tolist() for labels in rows.predict(numbers)] == [[], [0, 1]]
