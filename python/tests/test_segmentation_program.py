# SPDX-License-Identifier: BSD-3-Clause
"""ImageSegmenter and the commands `slackline segment` agree bit for bit."""
import json
import os
import types

import numpy as np
import pytest

from shipped_data import run_program
from slackline import ImageSegmenter, _core

Image = pytest.importorskip("PIL.Image")

pytestmark = [
    pytest.mark.skipif(not _core.has_vision, reason="built without images"),
    pytest.mark.skipif(not os.environ.get("SLACKLINE_PROGRAM"),
                       reason="SLACKLINE_PROGRAM does not name the command-line program"),
]

OPTIONS = {"superpixels": 20, "coarse": 5, "features": "small"}


def read(path):
    return np.array(Image.open(path))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Images that the program has drawn and prepared, and a model that it has trained."""
    folder = tmp_path_factory.mktemp("drawn")
    run_program("segment", "draw", "--out", folder, "--images", 12, "--classes", 4, "--size",
                "72x54", "-q")
    names = {part: (folder / f"{part}.txt").read_text(encoding="utf-8").split()
             for part in ("train", "test")}
    data = types.SimpleNamespace(
        folder=folder, features=folder / "drawn.fea", model=folder / "drawn.slk", names=names,
        classes=(folder / "classes.txt").read_text(encoding="utf-8").split())
    for part in ("train", "test"):
        setattr(data, part, (
            [read(folder / "images" / f"{name}.png") for name in names[part]],
            [read(folder / "labels" / f"{name}.png") for name in names[part]]))
    run_program("segment", "prepare", "--images", folder / "images", "--labels", folder / "labels",
                "--classes", folder / "classes.txt", "--train", folder / "train.txt", "--test",
                folder / "test.txt", "--superpixels", 20, "--coarse", 5, "--features", "small",
                "--out", data.features, "-q")
    run_program("segment", "train", data.features, "--model", data.model, "--lambda", 0.05, "-q")
    return data


def segmenter(drawn, **parameters):
    return ImageSegmenter(**{"lam": 0.05, "classes": drawn.classes, **OPTIONS, **parameters})


@pytest.fixture(scope="module")
def fitted(drawn):
    return segmenter(drawn).fit(*drawn.train)


def assert_same(one, other):
    assert sorted(one.weights_) == sorted(other.weights_)
    for name, block in one.weights_.items():
        assert np.array_equal(block, other.weights_[name]), name
    assert (one.primal_, one.dual_, one.n_iter_) == (other.primal_, other.dual_, other.n_iter_)


def test_training_on_images(drawn, fitted):
    assert_same(fitted, ImageSegmenter.load(drawn.model))
    assert any(block.any() for block in fitted.weights_.values())


def test_training_on_prepared_images(drawn):
    assert_same(segmenter(drawn).fit_features(drawn.features), ImageSegmenter.load(drawn.model))


@pytest.mark.filterwarnings("ignore:training ended")  # some of these do not converge
@pytest.mark.parametrize("parameters, flags", [
    ({"layers": "fine", "regions": "own"}, ["--layers", "fine", "--regions", "own"]),
    ({"layers": "neighbours", "loss": "balanced", "tol": 0.02},
     ["--layers", "neighbours", "--loss", "balanced", "--gap-tolerance", 0.02]),
    ({"pairwise": "potts", "scale": "standard", "lam": None},
     ["--pairwise", "potts", "--scale", "standard"]),
    ({"learner": "bcfw", "lam": None, "C": 20, "random_state": 5, "max_iter": 30, "tol": 0.1},
     ["--learner", "bcfw", "--C", 20, "--seed", 5, "--max-passes", 30, "--gap-tolerance", 0.1]),
])
def test_options(drawn, tmp_path, parameters, flags):
    if "lam" not in parameters:
        flags = [*flags, "--lambda", 0.05]
    run_program("segment", "train", drawn.features, "--model", tmp_path / "model.slk", *flags, "-q")
    assert_same(segmenter(drawn, **parameters).fit_features(drawn.features),
                ImageSegmenter.load(tmp_path / "model.slk"))


def test_prepared_file_is_the_same(drawn, tmp_path):
    segmenter(drawn, n_jobs=2).prepare_features(
        tmp_path / "mine.fea", *drawn.train, test_images=drawn.test[0], test_labels=drawn.test[1],
        names=drawn.names["train"] + drawn.names["test"])
    assert (tmp_path / "mine.fea").read_bytes() == drawn.features.read_bytes()


def test_seed_and_void(drawn, tmp_path):
    """Other samples of features, and label images whose classes count from 1."""
    labels = tmp_path / "labels"
    labels.mkdir()
    moved = [np.where(y == 255, 0, y + 1).astype(np.uint8) for y in drawn.train[1]]
    for name, array in zip(drawn.names["train"], moved):
        Image.fromarray(array).save(labels / f"{name}.png")
    run_program("segment", "prepare", "--images", drawn.folder / "images", "--labels", labels,
                "--classes", drawn.folder / "classes.txt", "--train", drawn.folder / "train.txt",
                "--superpixels", 20, "--coarse", 5, "--features", "small", "--seed", 4, "--void", 0,
                "--out", tmp_path / "moved.fea", "-q")
    run_program("segment", "train", tmp_path / "moved.fea", "--model", tmp_path / "moved.slk",
                "--lambda", 0.05, "--seed", 4, "-q")
    mine = segmenter(drawn, random_state=4, void=0).fit(drawn.train[0], moved)
    theirs = ImageSegmenter.load(tmp_path / "moved.slk")
    assert_same(mine, theirs)
    assert theirs.void == 0 and theirs.classes_.tolist() == [1, 2, 3, 4]


def predicted(drawn, model, folder):
    images = [drawn.folder / "images" / f"{name}.png" for name in drawn.names["test"]]
    run_program("segment", "predict", *images, "--model", model, "--out", folder, "--scores", "-q")
    return [read(folder / f"{name}.png") for name in drawn.names["test"]]


def test_predictions_of_a_model_of_the_program(drawn, tmp_path):
    model = ImageSegmenter.load(drawn.model)
    maps = predicted(drawn, drawn.model, tmp_path)
    for mine, theirs in zip(model.predict(drawn.test[0]), maps):
        assert (mine == theirs).all()
    for name, image, scores in zip(drawn.names["test"], drawn.test[0],
                                   model.predict_scores(drawn.test[0])):
        superpixels = read(tmp_path / f"{name}-superpixels.png")
        assert (model.find_superpixels(image) == superpixels).all()
        lines = (tmp_path / f"{name}-scores.csv").read_text(encoding="utf-8").splitlines()
        theirs = np.array([[float(cell) for cell in line.split(",")[2:]] for line in lines[1:]])
        np.testing.assert_allclose(scores, theirs, rtol=1e-8)


def test_a_model_of_python_in_the_program(drawn, fitted, tmp_path):
    fitted.save(tmp_path / "mine.slk")
    maps = predicted(drawn, tmp_path / "mine.slk", tmp_path / "out")
    for mine, theirs in zip(fitted.predict(drawn.test[0]), maps):
        assert (mine == theirs).all()


@pytest.mark.parametrize("way", ["images", "features"])
def test_metrics(drawn, fitted, way):
    if way == "images":
        mine = fitted.metrics(*drawn.test)
        source = ["--images", drawn.folder / "images", "--labels", drawn.folder / "labels",
                  "--list", drawn.folder / "test.txt"]
    else:
        mine = fitted.evaluate_features(drawn.features)
        source = ["--features", drawn.features]
    theirs = json.loads(run_program("segment", "evaluate", *source, "--model", drawn.model,
                                    "--json", "-q"))
    assert mine["confusion"].tolist() == theirs["confusion"]
    for name in ("images", "pixels", "pixel_accuracy", "class_average", "mean_iou", "certified"):
        assert mine[name] == theirs[name], name
    for one, other in zip(mine["classes"], theirs["classes"]):
        assert one["name"] == other["name"]
        for name in ("pixels", "recall", "precision", "iou"):
            value = np.nan if other[name] is None else other[name]
            np.testing.assert_equal(one[name], value)


def test_loaded_parameters(drawn):
    model = ImageSegmenter.load(drawn.model)
    expected = segmenter(drawn, pairwise="table", learner=model.learner_).get_params()
    found = model.get_params()
    del expected["learner_options"], found["learner_options"]
    assert found == expected
    assert model.notes_ == [] and model.history_[-1]["pass"] == model.n_iter_


def test_class_potentials(drawn, tmp_path):
    run_program("segment", "potentials", drawn.features, "--out", tmp_path / "scores.tsv",
                "--lambda", 0.05, "-q")
    run_program("segment", "train", drawn.features, "--potentials", tmp_path / "scores.tsv",
                "--model", tmp_path / "small.slk", "--lambda", 0.01, "-q")
    mine = segmenter(drawn, lam=0.01).fit_features(drawn.features,
                                                   potentials=tmp_path / "scores.tsv")
    theirs = ImageSegmenter.load(tmp_path / "small.slk")
    assert_same(mine, theirs)
    figures = json.loads(run_program("segment", "evaluate", "--features", drawn.features,
                                     "--potentials", tmp_path / "scores.tsv", "--model",
                                     tmp_path / "small.slk", "--json", "-q"))
    assert mine.evaluate_features(drawn.features, potentials=tmp_path / "scores.tsv")[
        "confusion"].tolist() == figures["confusion"]
