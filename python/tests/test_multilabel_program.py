# SPDX-License-Identifier: BSD-3-Clause
"""Multi-label models are the same here and in the command-line program, bit for bit."""
import numpy as np
import pytest

from shipped_data import DATA, run_program, write_arff, write_libsvm, yeast
from slackline import MultiLabelClassifier

TRAIN = slice(0, 150)
TEST = slice(0, 60)
LABELS = DATA / "yeast" / "yeast.xml"

CASES = [
    ({}, ""),
    ({"C": 0.5}, "--C 0.5"),
    ({"lam": 0.05}, "--lambda 0.05"),
    ({"graph": "none"}, "--graph none"),
    ({"graph": "tree"}, "--graph tree"),
    ({"graph": "auto"}, "--graph auto"),
    ({"graph": "full,none"}, "--graph full,none"),
    ({"loss": "count"}, "--loss count"),
    ({"loss": "f1", "graph": "tree"}, "--loss f1 --graph tree"),
    ({"loss_weights": "inverse-frequency"}, "--loss-weights inverse-frequency"),
    ({"loss_weights": "inverse-frequency:0.5"}, "--loss-weights inverse-frequency:0.5"),
    ({"scale": "none"}, "--scale none"),
    ({"scale": "standard"}, "--scale standard"),
    ({"scale": "max-abs"}, "--scale max-abs"),
    ({"scale": "norm"}, "--scale norm"),
    ({"label_counts": (2, 5)}, "--label-counts 2-5"),
    ({"label_counts": (2, None), "graph": "none"}, "--label-counts 2- --graph none"),
    ({"label_counts": "any"}, "--label-counts any"),
    ({"fit_intercept": False}, "--bias 0"),
    ({"calibrate": True, "graph": "tree"}, "--calibrate --graph tree"),
    ({"learner_options": {"kernel": "rbf", "kernel_gamma": 1}}, "--kernel rbf --kernel-gamma 1"),
    ({"learner": "al"}, "--learner al"),
    ({"learner": "bcfw", "learner_options": {"fixed-step": True, "check_every": 7}, "tol": 0.05},
     "--learner bcfw --fixed-step --check-every 7 --gap-tolerance 0.05"),
    ({"learner": "bcfw", "max_iter": 5, "tol": 0,
      "learner_options": {"average": "suffix", "suffix_share": 0.25, "keep_newest": True,
                          "order": "cyclic", "batch-start": True}},
     "--learner bcfw --max-passes 5 --gap-tolerance 0 --average suffix --suffix-share 0.25 "
     "--keep-newest --order cyclic --batch-start"),
    ({"tol": 1e-5, "random_state": 7}, "--gap-tolerance 1e-5 --seed 7"),
    ({"n_jobs": 2}, "--threads 1"),
    ({"n_jobs": -1, "graph": "tree"}, "--threads 2 --graph tree"),
    ({"max_iter": 3, "tol": 0}, "--max-passes 3 --gap-tolerance 0"),
]


def same_model(one, other):
    assert one.label_pairs_.tolist() == other.label_pairs_.tolist()
    if "labels" in one.weights_:
        assert one.coef_.tolist() == other.coef_.tolist()
    assert sorted(one.weights_) == sorted(other.weights_)
    for name, block in one.weights_.items():
        assert block.tolist() == other.weights_[name].tolist(), name
    assert one.scaling_ == other.scaling_
    for figure in ("primal_", "dual_", "gap_", "lam_", "n_iter_", "termination_"):
        assert getattr(one, figure) == getattr(other, figure), figure


def program_predictions(model, data):
    """Label sets by names, one list per example."""
    lines = run_program("multilabel", "predict", data, "--model", model, "-q").splitlines()
    return [sorted(filter(None, line.split(","))) for line in lines]


def named(model, flags):
    return [sorted(name for name, flag in zip(model.label_names_, row) if flag) for row in flags]


@pytest.mark.filterwarnings("ignore:training ended with a certified gap")
@pytest.mark.filterwarnings("ignore:.*training may take many passes")
@pytest.mark.parametrize("parameters, options", CASES, ids=[options for _, options in CASES])
def test_dense_arrays_are_dense_arff(tmp_path, parameters, options):
    inputs, labels, _ = yeast()
    train = write_arff(tmp_path / "train.arff", TRAIN)
    test = write_arff(tmp_path / "test.arff", TEST, "test")
    run_program("multilabel", "train", train, "--labels", LABELS, "--model", tmp_path / "p.slk",
                "-q", *options.split())
    theirs = MultiLabelClassifier.load(tmp_path / "p.slk")
    ours = MultiLabelClassifier(**parameters).fit(inputs[TRAIN], labels[TRAIN],
                                                  label_names=theirs.label_names_)
    same_model(ours, theirs)
    unseen = yeast("test")[0][TEST]
    flags = ours.predict(unseen)
    assert 0 < flags.sum() < flags.size
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert theirs.predict(unseen).tolist() == flags.tolist()
        assert theirs.decision_function(unseen).tolist() == ours.decision_function(unseen).tolist()
    assert program_predictions(tmp_path / "p.slk", test) == named(ours, flags)
    ours.feature_names_in_ = theirs.feature_names_in_  # ARFF data need the names of their features
    names = theirs.feature_names_in_
    frame = pytest.importorskip("pandas").DataFrame(inputs[TRAIN], columns=names)
    again = MultiLabelClassifier(**parameters).fit(frame, labels[TRAIN],
                                                   label_names=theirs.label_names_)
    same_model(ours, again)
    again.save(tmp_path / "o.slk")
    assert program_predictions(tmp_path / "o.slk", test) == named(ours, flags)


def sparse_yeast(rows, part="train"):
    """Yeast without its smaller values."""
    sparse = pytest.importorskip("scipy.sparse")
    inputs, labels, _ = yeast(part)
    return sparse.csr_matrix(np.where(np.abs(inputs) > 0.1, inputs, 0))[rows], labels[rows]


@pytest.mark.parametrize("parameters, options", [
    ({}, ""), ({"graph": "tree", "scale": "max-abs"}, "--graph tree --scale max-abs"),
    ({"graph": "none", "scale": "standard"}, "--graph none --scale standard"),
    ({"calibrate": True, "graph": "none", "fit_intercept": False},
     "--calibrate --graph none --bias 0"),
], ids=str)
def test_sparse_matrices_are_libsvm(tmp_path, parameters, options):
    inputs, labels = sparse_yeast(TRAIN)
    unseen, truth = sparse_yeast(TEST, "test")
    data = write_libsvm(tmp_path / "train.svm", inputs, labels)
    test = write_libsvm(tmp_path / "test.svm", unseen, truth)
    run_program("multilabel", "train", data, "--num-labels", 14, "--model", tmp_path / "p.slk",
                "-q", *options.split())
    theirs = MultiLabelClassifier.load(tmp_path / "p.slk")
    ours = MultiLabelClassifier(**parameters).fit(inputs, labels)
    same_model(ours, theirs)
    assert ours.label_names_ == [str(k) for k in range(14)] == theirs.label_names_
    flags = ours.predict(unseen)
    assert flags.tolist() == theirs.predict(unseen).tolist()
    if ours._model.calibrated:
        assert ours.predict_proba(unseen).tolist() == theirs.predict_proba(unseen).tolist()
    ours.save(tmp_path / "o.slk")
    assert program_predictions(tmp_path / "o.slk", test) == named(ours, flags)


def test_dense_arrays_are_tables(tmp_path):
    inputs, labels, _ = yeast()
    names = [f"f{k}" for k in range(5)] + ["one", "two"]
    values = np.hstack([inputs[TRAIN, :5], labels[TRAIN, :2]])
    text = ",".join(names) + "\n" + "".join(
        ",".join(repr(float(v)) for v in row[:5]) + f",{int(row[5])},{int(row[6])}\n"
        for row in values)
    (tmp_path / "t.csv").write_text(text)
    run_program("multilabel", "train", tmp_path / "t.csv", "--label-columns", "one,two",
                "--model", tmp_path / "p.slk", "-q")
    theirs = MultiLabelClassifier.load(tmp_path / "p.slk")
    assert theirs.feature_names_in_.tolist() == names[:5]
    assert theirs.label_names_ == ["one", "two"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(values, columns=names)
    ours = MultiLabelClassifier().fit(frame[names[:5]], frame[names[5:]])
    same_model(ours, theirs)
    assert ours.label_names_ == theirs.label_names_


def test_unknown_labels(tmp_path):
    inputs, labels, (header, rows) = yeast()
    known = np.array(labels[TRAIN], dtype=float)
    known[::7, 3] = np.nan
    lines = []
    for row, flags in zip(rows[TRAIN], known):
        words = row.split(",")[:103]
        lines.append(",".join(words + ["?" if np.isnan(v) else str(int(v)) for v in flags]))
    (tmp_path / "u.arff").write_text("\n".join(header + lines) + "\n")
    run_program("multilabel", "train", tmp_path / "u.arff", "--labels", LABELS, "--model",
                tmp_path / "p.slk", "-q", "--graph", "tree")
    ours = MultiLabelClassifier(graph="tree").fit(inputs[TRAIN], known)
    same_model(ours, MultiLabelClassifier.load(tmp_path / "p.slk"))


def test_files_of_graphs_and_weights(tmp_path):
    inputs, labels, _ = yeast()
    data = write_arff(tmp_path / "train.arff", TRAIN)
    (tmp_path / "graph.txt").write_text("0 1\nClass5 2\n3 4\n")
    (tmp_path / "weights.txt").write_text("0 2 0.5\nClass4 3\n")
    run_program("multilabel", "train", data, "--labels", LABELS, "--model", tmp_path / "p.slk",
                "-q", "--graph", tmp_path / "graph.txt", "--loss-weights",
                tmp_path / "weights.txt")
    theirs = MultiLabelClassifier.load(tmp_path / "p.slk")
    weights = np.ones((14, 2))
    weights[0] = 2, 0.5
    weights[3, 0] = 3
    given = [
        {"graph": tmp_path / "graph.txt", "loss_weights": str(tmp_path / "weights.txt")},
        {"graph": [(0, 1), (2, "Class5"), ("Class5", 3)],
         "loss_weights": {0: (2, 0.5), "Class4": 3}},
        {"graph": np.array([[1, 0], [4, 2], [4, 3]]), "loss_weights": weights},
    ]
    for parameters in given:
        ours = MultiLabelClassifier(**parameters).fit(inputs[TRAIN], labels[TRAIN],
                                                      label_names=theirs.label_names_)
        same_model(ours, theirs)
    assert theirs.graph == [(0, 1), (2, 4), (3, 4)]
    assert theirs.loss_weights.tolist() == weights.tolist()


def test_a_loaded_model_trains_again_to_the_same(tmp_path):
    inputs, labels, _ = yeast()
    data = write_arff(tmp_path / "train.arff", TRAIN)
    for options in ("--graph tree --gap-tolerance 1e-4 --seed 3", "--kernel rbf",
                    "--learner al --threads 2", "--label-counts 2-4 --loss count --scale norm"):
        run_program("multilabel", "train", data, "--labels", LABELS, "--model",
                    tmp_path / "p.slk", "-q", *options.split())
        theirs = MultiLabelClassifier.load(tmp_path / "p.slk")
        again = MultiLabelClassifier(**theirs.get_params()).fit(inputs[TRAIN], labels[TRAIN])
        same_model(again, theirs)


def test_shares_of_the_program_are_those_of_score(tmp_path):
    inputs, labels, _ = yeast()
    ours = MultiLabelClassifier(graph="tree").fit(inputs[TRAIN], labels[TRAIN])
    unseen, truth, _ = yeast("test")
    flags = ours.predict(unseen[TEST])
    assert ours.score(unseen[TEST], truth[TEST]) == (flags == truth[TEST]).all(axis=1).mean()
