# SPDX-License-Identifier: BSD-3-Clause
"""ImageSegmenter: inputs, outputs, parameters, and scikit-learn's conventions."""
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import slackline
from drawn_images import CLASSES, NO_LABEL, SMALL, draw_all
from slackline import ImageSegmenter, _core
from slackline._base import ConvergenceWarning, NotFittedError

pytestmark = pytest.mark.skipif(not _core.has_vision, reason="built without images")

IMAGES, LABELS = draw_all(7)
TEST_IMAGES, TEST_LABELS = draw_all(3, first=20)


def segmenter(**parameters):
    return ImageSegmenter(**{"lam": 0.02, "classes": CLASSES, **SMALL, **parameters})


@pytest.fixture(scope="module")
def model():
    return segmenter().fit(IMAGES, LABELS)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    path = tmp_path_factory.mktemp("prepared") / "drawn.fea"
    segmenter().prepare_features(path, IMAGES, LABELS, test_images=TEST_IMAGES,
                                 test_labels=TEST_LABELS)
    return path


def same_weights(one, other):
    return (sorted(one.weights_) == sorted(other.weights_) and
            all(np.array_equal(block, other.weights_[name])
                for name, block in one.weights_.items()))


def same_maps(one, other):
    return len(one) == len(other) and all((a == b).all() for a, b in zip(one, other))


# Training.


def test_attributes_after_fit(model):
    assert model.classes_.tolist() == [0, 1, 2] and model.class_names_ == CLASSES
    assert model.void_values_ == [255]
    width = model.n_features_ + 1
    assert {name: block.shape for name, block in model.weights_.items()} == {
        "fine": (3, width), "coarse": (3, width), "link": (9, 1)}
    assert model.link_weights_.shape == (3, 3)
    assert model.scaling_ in ("none", "standard")
    assert 0 < model.dual_ <= model.primal_ and model.gap_ == model.primal_ - model.dual_
    assert model.relative_gap_ <= 1e-3 and model.termination_ == "converged"
    assert model.history_[-1]["primal"] == model.primal_
    assert model.n_iter_ >= 1 and model.lam_ == 0.02 and model.learner_


def test_weights_have_the_stated_norm_in_the_objective(model):
    squares = sum((block**2).sum() for block in model.weights_.values())
    assert 0 < 0.01 * squares < model.primal_


@pytest.mark.parametrize("layers, pairwise, blocks", [
    ("fine", "auto", {"fine"}),
    ("two", "potts", {"fine", "coarse", "link"}),
    ("two", "agreement", {"fine", "coarse", "link"}),
    ("neighbours", "table", {"fine", "coarse", "link", "neighbours"}),
])
def test_layers(prepared, layers, pairwise, blocks):
    fitted = segmenter(layers=layers, pairwise=pairwise, tol=0.02).fit_features(prepared)
    assert set(fitted.weights_) == blocks
    if pairwise == "potts":
        assert fitted.weights_["link"].shape == (1, 1)
        assert (fitted.link_weights_ == fitted.weights_["link"] * (1 - np.eye(3))).all()
    if pairwise == "agreement":
        assert fitted.weights_["link"].shape == (3, 1)
        assert (fitted.link_weights_ == np.diag(fitted.weights_["link"][:, 0])).all()
    assert hasattr(fitted, "link_weights_") == ("link" in blocks)
    assert fitted.dual_ <= fitted.primal_
    assert fitted.predict(IMAGES[:1])[0].shape == LABELS[0].shape


def test_associative(prepared):
    fitted = segmenter(layers="neighbours", pairwise="agreement", tol=0.02,
                       learner_options={"associative": True}).fit_features(prepared)
    assert (fitted.weights_["link"] >= 0).all()
    assert (fitted.weights_["neighbours"] <= 0).all()
    assert fitted.dual_ <= fitted.primal_
    assert fitted.predict(IMAGES[:1])[0].shape == LABELS[0].shape
    with pytest.raises(ValueError, match="Potts pairs and pairs with one weight per state"):
        segmenter(pairwise="table", learner_options={"associative": True}).fit_features(prepared)


def test_regions_and_loss(prepared, model):
    own = segmenter(regions="own", tol=0.02).fit_features(prepared)
    two = segmenter(regions=["own", "image"], tol=0.02).fit_features(prepared)
    assert own.n_features_ < two.n_features_ < model.n_features_
    balanced = segmenter(loss="balanced").fit_features(prepared)
    assert not same_weights(balanced, model)


def test_default_lambda_and_c(prepared):
    default = segmenter(lam=None).fit_features(prepared)
    assert default.lam_ > 0
    by_c = segmenter(lam=None, C=10).fit_features(prepared)
    assert by_c.lam_ == pytest.approx(1 / (10 * len(IMAGES)))
    with pytest.raises(ValueError, match="exclude"):
        segmenter(C=1).fit_features(prepared)


def test_result_does_not_depend_on_the_number_of_threads(model):
    threads = segmenter(n_jobs=2).fit(IMAGES, LABELS)
    assert same_weights(threads, model)
    assert same_maps(threads.predict(TEST_IMAGES), model.predict(TEST_IMAGES))


def test_seed_changes_the_features(model):
    other = segmenter(random_state=7).fit(IMAGES, LABELS)
    assert not same_weights(other, model)
    assert same_weights(segmenter(random_state=1).fit(IMAGES, LABELS), model)


def test_names_of_classes_are_numbers_without_classes():
    fitted = segmenter(classes=None, tol=0.1).fit(IMAGES, LABELS)
    assert fitted.class_names_ == ["0", "1", "2"]
    blank = [np.where(y == 1, 1, NO_LABEL) for y in LABELS]
    fitted = segmenter(classes=None, tol=0.1).fit(IMAGES, blank)
    assert fitted.class_names_ == ["0", "1"] and fitted.notes_[0].endswith("training images: 0")


def test_classes_without_pixels_are_noted():
    fitted = segmenter(classes=CLASSES + ["cow"], tol=0.1).fit(IMAGES, LABELS)
    assert fitted.notes_[0] == "classes without pixels in training images: cow"


def test_images_without_labels_do_not_matter_for_training():
    blank = np.full(LABELS[0].shape, NO_LABEL)
    fitted = segmenter(tol=0.1).fit(IMAGES, [blank] + LABELS[1:])
    assert fitted.termination_ == "converged"


# Prediction and figures.


def test_predictions_are_good(model):
    maps = model.predict(TEST_IMAGES)
    assert [y.shape for y in maps] == [y.shape for y in TEST_LABELS]
    assert all(y.dtype == np.uint8 and set(np.unique(y)) <= {0, 1, 2} for y in maps)
    assert model.score(IMAGES, LABELS) > 0.9
    assert model.score(TEST_IMAGES, TEST_LABELS) > 0.75


def test_predictions_are_constant_on_superpixels(model):
    superpixels = model.find_superpixels(TEST_IMAGES[0])
    assert superpixels.dtype == np.int32 and superpixels.shape == TEST_LABELS[0].shape
    count = superpixels.max() + 1
    assert set(np.unique(superpixels)) == set(range(count)) and 5 <= count <= 17
    prediction = model.predict(TEST_IMAGES[:1])[0]
    for k in range(count):
        assert len(np.unique(prediction[superpixels == k])) == 1


def test_scores(prepared):
    fitted = segmenter(layers="fine").fit_features(prepared)
    for image, scores, pixels, prediction in zip(
            TEST_IMAGES, fitted.predict_scores(TEST_IMAGES), fitted.decision_function(TEST_IMAGES),
            fitted.predict(TEST_IMAGES)):
        superpixels = fitted.find_superpixels(image)
        assert scores.shape == (superpixels.max() + 1, 3)
        assert pixels.shape == (*prediction.shape, 3)
        assert (pixels == scores[superpixels]).all()
        # Without links the best labelling has the best class of every superpixel.
        assert (pixels.argmax(axis=2) == prediction).all()


def test_superpixels_without_a_model(model):
    found = segmenter().find_superpixels(TEST_IMAGES[1])
    assert (found == model.find_superpixels(TEST_IMAGES[1])).all()
    more = segmenter(superpixels=60).find_superpixels(TEST_IMAGES[1])
    assert more.max() > found.max()


def test_the_number_of_superpixels_can_be_a_limit(tmp_path):
    image = TEST_IMAGES[1]

    def count(**options):
        return segmenter(**options).find_superpixels(image).max() + 1

    surplus = [wanted for wanted in range(6, 16) if count(superpixels=wanted) > wanted]
    assert surplus
    for wanted in surplus:
        assert count(superpixels=wanted, at_most=True) == wanted
    model = segmenter(superpixels=surplus[0], at_most=True).fit(IMAGES, LABELS)
    model.save(tmp_path / "m.slk")
    loaded = ImageSegmenter.load(tmp_path / "m.slk")
    assert loaded.at_most
    for fitted in (model, loaded):
        assert fitted.find_superpixels(image).max() + 1 == surplus[0]


def test_metrics_are_those_of_the_predictions(model):
    confusion = np.zeros((3, 3), dtype=int)
    for truth, found in zip(TEST_LABELS, model.predict(TEST_IMAGES)):
        known = truth != NO_LABEL
        np.add.at(confusion, (truth[known], found[known]), 1)
    metrics = model.metrics(TEST_IMAGES, TEST_LABELS)
    assert (metrics["confusion"] == confusion).all() and metrics["confusion"].dtype == np.int64
    assert (model.confusion_matrix(TEST_IMAGES, TEST_LABELS) == confusion).all()
    assert metrics["images"] == 3 and metrics["pixels"] == confusion.sum()
    right = np.diag(confusion)
    assert metrics["pixel_accuracy"] == right.sum() / confusion.sum()
    assert model.score(TEST_IMAGES, TEST_LABELS) == metrics["pixel_accuracy"]
    with np.errstate(invalid="ignore"):
        recall = right / confusion.sum(axis=1)
        precision = right / confusion.sum(axis=0)
        iou = right / (confusion.sum(axis=1) + confusion.sum(axis=0) - right)
    assert metrics["class_average"] == pytest.approx(np.nanmean(recall))
    assert metrics["mean_iou"] == pytest.approx(np.nanmean(iou))
    for k, figures in enumerate(metrics["classes"]):
        assert figures["name"] == CLASSES[k] and figures["pixels"] == confusion[k].sum()
        np.testing.assert_allclose([figures[name] for name in ("recall", "precision", "iou")],
                                   [recall[k], precision[k], iou[k]])
    assert metrics["certified"] == 3  # two layers make a forest


def test_metrics_of_a_class_without_pixels_are_nan(model):
    sky = [np.where(y == 0, 0, NO_LABEL) for y in TEST_LABELS]
    figures = model.metrics(TEST_IMAGES, sky)["classes"]
    assert np.isnan(figures[2]["recall"]) and figures[2]["pixels"] == 0


def test_decode(prepared):
    fitted = segmenter(layers="neighbours", tol=0.05).fit_features(prepared)
    assert fitted.metrics(TEST_IMAGES, TEST_LABELS)["certified"] == 3
    with pytest.raises(ValueError, match="decode"):
        fitted.set_params(decode="best").predict(TEST_IMAGES)
    with pytest.raises(ValueError, match="decode"):
        fitted.fit_features(prepared)


# Kinds of images and labels.


@pytest.mark.parametrize("change", [
    lambda image: image.astype(np.int64),
    lambda image: image.astype(float) / 255,
    lambda image: image.astype(np.float32) / np.float32(255),
    np.asfortranarray,
    lambda image: np.dstack([image, np.full(image.shape[:2], 255, np.uint8)]),
    lambda image: image.tolist(),
    lambda image: image[:, ::-1][:, ::-1],
])
def test_kinds_of_images(model, change):
    expected = model.predict(TEST_IMAGES)
    assert same_maps(model.predict([change(image) for image in TEST_IMAGES]), expected)


def test_read_only_images(model):
    image = TEST_IMAGES[0].copy()
    image.setflags(write=False)
    assert same_maps(model.predict([image]), model.predict(TEST_IMAGES[:1]))


def test_grey_images(model):
    grey = [image[..., 1] for image in TEST_IMAGES]
    three = [np.dstack([image] * 3) for image in grey]
    expected = model.predict(three)
    assert same_maps(model.predict(grey), expected)
    assert same_maps(model.predict([image[..., None] for image in grey]), expected)
    stack = np.stack([grey[0], grey[0] // 2])
    assert same_maps(model.predict(stack), model.predict(list(stack)))


def test_transparent_pixels_lie_over_white(model):
    image = TEST_IMAGES[0]
    opacity = np.full(image.shape[:2], 255, np.uint8)
    opacity[:10] = 0
    white = image.copy()
    white[:10] = 255
    assert same_maps(model.predict([np.dstack([image, opacity])]), model.predict([white]))


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (2, 2)])
def test_tiny_images(model, shape):
    image = np.full((*shape, 3), 100, np.uint8)
    assert model.predict([image])[0].shape == shape
    assert segmenter(tol=0.5).fit([image, TEST_IMAGES[0]], [np.zeros(shape, int), TEST_LABELS[0]])


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16, np.asfortranarray,
                                  np.ndarray.tolist])
def test_kinds_of_label_maps(model, kind):
    labels = [kind(y) for y in TEST_LABELS]
    assert model.score(TEST_IMAGES, labels) == model.score(TEST_IMAGES, TEST_LABELS)


def test_boolean_label_maps():
    masks = [y == 1 for y in LABELS]
    fitted = segmenter(classes=None, tol=0.1).fit(IMAGES, masks)
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.score(IMAGES, masks) == fitted.score(IMAGES, [y.astype(int) for y in masks])


def test_void_values(model):
    """With 0 void the classes count from 1, and the result is the same."""
    moved = [np.where(y == NO_LABEL, 0, y + 1) for y in LABELS]
    fitted = segmenter(void=0).fit(IMAGES, moved)
    assert same_weights(fitted, model)
    assert fitted.classes_.tolist() == [1, 2, 3] and fitted.void_values_ == [0]
    assert same_maps(fitted.predict(TEST_IMAGES), [y + 1 for y in model.predict(TEST_IMAGES)])
    assert fitted.score(IMAGES, moved) == model.score(IMAGES, LABELS)
    several = [np.where(y == 2, 3, y) for y in LABELS]
    several[0][:2] = 2
    fitted = segmenter(void=(255, 2), tol=0.1).fit(IMAGES, several)
    assert fitted.classes_.tolist() == [0, 1, 3] and fitted.void_values_ == [2, 255]


# Files of prepared images.


def test_features_of_a_file_are_those_of_the_images(model, prepared):
    fitted = segmenter().fit_features(prepared)
    assert same_weights(fitted, model) and fitted.class_names_ == CLASSES
    assert (fitted.primal_, fitted.dual_) == (model.primal_, model.dual_)
    one, other = fitted.evaluate_features(prepared), model.metrics(TEST_IMAGES, TEST_LABELS)
    assert (one.pop("confusion") == other.pop("confusion")).all() and one == other


def test_prepared_files_of_other_models_are_refused(prepared, tmp_path):
    other = segmenter(random_state=3, tol=0.1).fit(IMAGES, LABELS)
    with pytest.raises(ValueError, match="other features"):
        other.evaluate_features(prepared)
    with pytest.raises(ValueError, match="other classes"):
        segmenter(classes=["a", "b", "c"]).fit_features(prepared)
    path = tmp_path / "train.fea"
    segmenter().prepare_features(path, IMAGES, LABELS)
    with pytest.raises(ValueError, match="no test images"):
        segmenter(tol=0.1).fit_features(path).evaluate_features(path)
    with pytest.raises(ValueError, match="missing.fea"):
        segmenter().fit_features(tmp_path / "missing.fea")
    path.write_bytes(prepared.read_bytes()[:-10])
    with pytest.raises(ValueError, match="truncated"):
        segmenter().fit_features(path)


def test_bad_input_of_prepare_features(tmp_path):
    def prepare(**changes):
        segmenter().prepare_features(tmp_path / "x.fea", IMAGES, LABELS, **changes)

    with pytest.raises(ValueError, match="belong together"):
        prepare(test_images=TEST_IMAGES)
    with pytest.raises(ValueError, match=r"test_labels\[1\] has shape .* test_images\[1\]"):
        prepare(test_images=TEST_IMAGES, test_labels=[TEST_LABELS[0]] * 3)
    with pytest.raises(ValueError, match="2 names for 7 images"):
        prepare(names=["a", "b"])
    with pytest.raises(ValueError, match="names: 'a' is empty or the name of two images"):
        prepare(names=["a"] * 7)
    with pytest.raises(ValueError, match="nowhere"):
        segmenter().prepare_features(tmp_path / "nowhere" / "x.fea", IMAGES, LABELS)
    assert not list(tmp_path.iterdir())


def test_class_potentials(prepared, tmp_path):
    model = segmenter(layers="fine").fit_features(prepared)
    lines = ["\t".join(["image", "layer", "superpixel", *CLASSES])]
    for k, scores in enumerate(model.predict_scores(IMAGES + TEST_IMAGES)):
        for s, row in enumerate(scores):
            lines.append("\t".join([str(k), "fine", str(s), *(repr(float(v)) for v in row)]))
    potentials = tmp_path / "scores.tsv"
    potentials.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fitted = segmenter(layers="fine", lam=0.1).fit_features(prepared, potentials=potentials)
    assert {name: block.shape for name, block in fitted.weights_.items()} == {"class": (3, 1)}
    assert fitted.n_features_ == 0
    assert fitted.evaluate_features(prepared, potentials=potentials)["images"] == 3
    for method in (fitted.predict, fitted.decision_function):
        with pytest.raises(ValueError, match="use evaluate_features"):
            method(TEST_IMAGES)
    with pytest.raises(ValueError, match="potentials: required"):
        fitted.evaluate_features(prepared)
    with pytest.raises(ValueError, match="potentials: the model was trained on features"):
        model.evaluate_features(prepared, potentials=potentials)
    fitted.save(tmp_path / "small.slk")
    again = ImageSegmenter.load(tmp_path / "small.slk")
    assert again.pairwise == "potts" and same_weights(again, fitted)
    assert fitted.find_superpixels(TEST_IMAGES[0]).shape == TEST_LABELS[0].shape


# Files, copies, scikit-learn.


def test_save_and_load(model, tmp_path):
    model.save(tmp_path / "model.slk")
    again = ImageSegmenter.load(str(tmp_path / "model.slk"))
    assert same_weights(again, model)
    assert same_maps(again.predict(TEST_IMAGES), model.predict(TEST_IMAGES))
    for name in ("primal_", "dual_", "relative_gap_", "lam_", "n_iter_", "message_", "learner_",
                 "class_names_", "void_values_", "scaling_", "termination_"):
        assert getattr(again, name) == getattr(model, name), name
    # Files name the links, and the learner with its options, that "auto" has led to.
    expected = {**model.get_params(), "pairwise": "table", "learner": model.learner_}
    found = again.get_params()
    assert expected.pop("learner_options") is None and found.pop("learner_options")
    assert found == expected
    assert same_weights(again.fit(IMAGES, LABELS), model)


def test_load_refuses_other_files(tmp_path):
    with pytest.raises(ValueError, match="missing.slk"):
        ImageSegmenter.load(tmp_path / "missing.slk")
    slackline.MultiLabelClassifier().fit(np.eye(4), np.eye(4, dtype=int)).save(tmp_path / "a.slk")
    with pytest.raises(ValueError, match="a.slk"):
        ImageSegmenter.load(tmp_path / "a.slk")


def test_pickle_and_clone(model):
    again = pickle.loads(pickle.dumps(model))
    assert same_weights(again, model) and again.get_params() == model.get_params()
    assert same_maps(again.predict(TEST_IMAGES), model.predict(TEST_IMAGES))
    base = pytest.importorskip("sklearn.base")
    fresh = base.clone(model)
    assert fresh.get_params() == model.get_params() and not hasattr(fresh, "weights_")
    assert "superpixels=14" in repr(fresh)


def test_cross_validation():
    selection = pytest.importorskip("sklearn.model_selection")
    search = selection.GridSearchCV(segmenter(tol=0.05), {"lam": [0.02, 20.0]}, cv=2)
    search.fit(IMAGES[:4], LABELS[:4])
    assert search.best_params_ == {"lam": 0.02} and search.best_score_ > 0.6
    assert len(search.predict(TEST_IMAGES)) == 3


def test_not_fitted():
    for method in ("predict", "decision_function", "predict_scores"):
        with pytest.raises(NotFittedError):
            getattr(segmenter(), method)(TEST_IMAGES)
    for method in ("score", "metrics", "confusion_matrix"):
        with pytest.raises(NotFittedError):
            getattr(segmenter(), method)(TEST_IMAGES, TEST_LABELS)
    with pytest.raises(NotFittedError):
        segmenter().save("x.slk")
    with pytest.raises(NotFittedError):
        segmenter().evaluate_features("x.fea")
    with pytest.raises(NotFittedError):
        segmenter().weights_


def test_missing_libraries(monkeypatch):
    monkeypatch.setattr(_core, "has_vision", False)
    monkeypatch.setattr(_core, "vision_missing", "VLFeat, PNG")
    with pytest.raises(ImportError, match="built without VLFeat, PNG.*libvlfeat-dev"):
        ImageSegmenter()
    with pytest.raises(ImportError, match="built without VLFeat, PNG"):
        ImageSegmenter.load("x.slk")


# Callbacks, continuation, interruption.


def test_callbacks(prepared):
    records = []
    fitted = segmenter(learner_options={"check_every": 1}, tol=1e-9)
    fitted.fit_features(prepared, callbacks=[records.append, lambda record: record["pass"] >= 3])
    assert fitted.termination_ == "interrupted" and records == fitted.history_
    assert fitted.n_iter_ == 3 and fitted.predict(TEST_IMAGES)[0].shape == TEST_LABELS[0].shape

    def fail(record):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fitted.fit(IMAGES, LABELS, callbacks=fail)
    with pytest.raises(ValueError, match="callable"):
        fitted.fit(IMAGES, LABELS, callbacks=3)


def test_warm_start():
    once = segmenter(tol=1e-4, warm_start=True).fit(IMAGES, LABELS)
    first = segmenter(tol=0.05, warm_start=True).fit(IMAGES, LABELS)
    passes = first.n_iter_
    first.set_params(tol=1e-4).fit(IMAGES, LABELS)
    assert passes < first.n_iter_ and first.relative_gap_ <= 1e-4
    assert first.primal_ == pytest.approx(once.primal_, rel=1e-3)
    assert not any("begins anew" in note for note in first.notes_)
    first.fit(IMAGES[1:], LABELS[1:])
    assert any("begins anew" in note for note in first.notes_)


def test_limits_warn(prepared):
    with pytest.warns(ConvergenceWarning, match="certified gap"):
        segmenter(max_iter=1, tol=1e-9).fit_features(prepared)


def test_verbose_shows_progress(capfd):
    segmenter(verbose=True, tol=0.1).fit(IMAGES, LABELS)
    err = capfd.readouterr().err
    assert "[ImageSegmenter] learning words: image 0 of 7" in err
    assert "[ImageSegmenter] features: image 7 of 7" in err


def run_script(text):
    """Runs a script with the tests' images; returns its output."""
    environment = dict(os.environ)
    paths = [os.path.dirname(os.path.dirname(slackline.__file__)), os.path.dirname(__file__),
             os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    head = """
    import os, signal, threading, time
    from drawn_images import SMALL, draw, draw_all
    from slackline import ImageSegmenter
    images, labels = draw_all(6)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(text)],
                          env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_ctrl_c_keeps_the_best_model():
    assert run_script("""
    model = ImageSegmenter(lam=0.001, tol=1e-12, **SMALL)
    try:
        model.fit(images, labels, callbacks=lambda record: os.kill(os.getpid(), signal.SIGINT))
    except KeyboardInterrupt:
        print(model.termination_, model.predict(images)[0].shape == labels[0].shape)
    """) == ["interrupted", "True"]


def test_ctrl_c_during_preparation_leaves_the_estimator_unfitted():
    assert run_script("""
    images, labels = map(list, zip(*(draw(240, 320, k) for k in range(40))))
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    model = ImageSegmenter()
    begin = time.monotonic()
    try:
        model.fit(images, labels)
    except KeyboardInterrupt:
        print(hasattr(model, "class_names_"), time.monotonic() - begin < 20)
    """) == ["False", "True"]


def test_ctrl_c_during_prediction():
    assert run_script("""
    model = ImageSegmenter(lam=1, tol=0.1, **SMALL).fit(images, labels)
    big = [draw(480, 640, k)[0] for k in range(3)] * 100
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        model.predict(big)
    except KeyboardInterrupt:
        print("interrupted")
    """) == ["interrupted"]


# Bad input.


def changed(images, k, change):
    copy = list(images)
    copy[k] = change(copy[k].copy())
    return copy


def with_pixel(array, place, value):
    array = np.array(array, dtype=np.asarray(value).dtype if array.dtype == np.uint8 else None)
    array[place] = value
    return array


@pytest.mark.parametrize("images, message", [
    (TEST_IMAGES[0], r"images must be a list of arrays, one per image, not one array of shape"),
    (TEST_IMAGES[0][..., 0], r"images must be a list of arrays"),
    ("holiday.jpg", r"images must be a list of arrays"),
    (7, r"images must be a list of arrays"),
    ([], r"images is empty"),
    (np.zeros((0, 8, 8, 3), np.uint8), r"images is empty"),
    (changed(TEST_IMAGES, 1, lambda x: x[..., :2]), r"images\[1\] has shape \(33, 42, 2\)"),
    (changed(TEST_IMAGES, 2, lambda x: x[0, 0]), r"images\[2\] has shape \(3,\)"),
    (changed(TEST_IMAGES, 2, lambda x: x[:0]), r"images\[2\] has no pixels"),
    (changed(TEST_IMAGES, 0, lambda x: with_pixel(x, (3, 5, 1), 256)),
     r"images\[0\]: row 3, column 5 is 256; integers must lie in 0 \.\.\. 255"),
    (changed(TEST_IMAGES, 0, lambda x: with_pixel(x, (3, 5, 1), -1)),
     r"images\[0\]: row 3, column 5 is -1"),
    (changed(TEST_IMAGES, 1, lambda x: with_pixel(x / 255, (2, 4, 0), np.nan)),
     r"images\[1\]: row 2, column 4 is nan; numbers with a decimal point must lie in 0"),
    (changed(TEST_IMAGES, 1, lambda x: with_pixel(x / 255, (2, 4, 0), np.inf)),
     r"images\[1\]: row 2, column 4 is inf"),
    (changed(TEST_IMAGES, 1, lambda x: with_pixel(x / 255, (2, 4, 0), 1.5)),
     r"images\[1\]: row 2, column 4 is 1\.5"),
    (changed(TEST_IMAGES, 1, lambda x: x > 5), r"images\[1\] has type bool"),
    (changed(TEST_IMAGES, 1, lambda x: x.astype(complex)), r"images\[1\] has type complex128"),
    (changed(TEST_IMAGES, 1, lambda x: [[1, 2], [3]]), r"images\[1\] is not an array of numbers"),
    (changed(TEST_IMAGES, 1, lambda x: None), r"images\[1\] is not an array of numbers"),
])
def test_bad_images(model, images, message):
    for method in (model.predict, model.decision_function, model.predict_scores):
        with pytest.raises(ValueError, match=message):
            method(images)
    with pytest.raises(ValueError, match=message):
        model.score(images, TEST_LABELS)
    with pytest.raises(ValueError, match=message):
        segmenter().fit(images, TEST_LABELS)


@pytest.mark.parametrize("labels, message", [
    (TEST_LABELS[0], r"labels must be a list of arrays"),
    ([], r"labels is empty"),
    (TEST_LABELS[:2], r"inconsistent numbers of samples: \[3, 2\]"),
    (changed(TEST_LABELS, 1, lambda y: y.T), r"labels\[1\] has shape \(42, 33\), but images\[1\] "
     r"has \(33, 42\) pixels"),
    (changed(TEST_LABELS, 1, lambda y: y[..., None]), r"labels\[1\] has shape \(33, 42, 1\)"),
    (changed(TEST_LABELS, 2, lambda y: y.astype(float)), r"labels\[2\] has type float64"),
    (changed(TEST_LABELS, 2, lambda y: y.astype(str)), r"labels\[2\] has type <U"),
    (changed(TEST_LABELS, 2, lambda y: [[0, 1], [1]]), r"labels\[2\] is not an array of numbers"),
    (changed(TEST_LABELS, 0, lambda y: with_pixel(y, (7, 9), 3)),
     r"labels\[0\]: row 7, column 9 is 3; there are 3 classes, with values 0 to 2, and void is "
     r"255"),
    (changed(TEST_LABELS, 0, lambda y: with_pixel(y, (7, 9), -1)),
     r"labels\[0\]: row 7, column 9 is -1; labels are integers in 0 \.\.\. 255"),
    (changed(TEST_LABELS, 0, lambda y: with_pixel(y, (7, 9), 300)),
     r"labels\[0\]: row 7, column 9 is 300"),
    ([np.full(y.shape, NO_LABEL) for y in TEST_LABELS], r"labels: no image has a labelled pixel"),
])
def test_bad_labels(model, labels, message):
    for method in (model.score, model.metrics, model.confusion_matrix, segmenter().fit):
        with pytest.raises(ValueError, match=message):
            method(TEST_IMAGES, labels)


@pytest.mark.parametrize("parameters, message", [
    ({"layers": "three"}, "layers"),
    ({"pairwise": "all"}, "pairwise"),
    ({"loss": "hinge"}, "loss"),
    ({"regions": "mine"}, "regions"),
    ({"regions": ["own", "mine"]}, "regions"),
    ({"regions": 3}, "regions"),
    ({"scale": "big"}, "scale"),
    ({"features": "large"}, "features"),
    ({"decode": "best"}, "decode"),
    ({"superpixels": 0}, "superpixels == 0"),
    ({"superpixels": 2.5}, "superpixels must be an integer"),
    ({"superpixels": 100001}, "superpixels == 100001; it must be <= 100000"),
    ({"coarse": 0}, "coarse == 0"),
    ({"coarse": 15}, "coarse == 15; it must be <= superpixels, 14"),
    ({"void": 256}, "void: 256 is not allowed"),
    ({"void": -1}, "void: -1 is not allowed"),
    ({"void": [1, 1]}, "different values"),
    ({"void": []}, "different values"),
    ({"void": True}, "void: True"),
    ({"void": 0.5}, "void: 0.5"),
    ({"classes": "sky"}, "classes must be a sequence of names"),
    ({"classes": 3}, "classes must be a sequence of names"),
    ({"classes": ["sky"]}, "1 names are given; 2 to 255 are possible"),
    ({"classes": ["sky", "sky", "ball"]}, "two classes have the name 'sky'"),
    ({"classes": ["sky", " ", "ball"]}, "' ' is not the name of a class"),
    ({"classes": ["sky", "a\n", "ball"]}, "is not the name of a class"),
    ({"classes": ["sky", 2, "ball"]}, "2 is not a text"),
    ({"classes": [str(k) for k in range(255)], "void": (254, 255)}, "more than the 256 values"),
    ({"lam": 0}, "lam == 0"),
    ({"lam": "big"}, "lam must be a number"),
    ({"lam": None, "C": -1}, "C == -1"),
    ({"tol": -1}, "tol"),
    ({"max_iter": 0}, "max_iter"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"random_state": -1}, "random_state"),
    ({"learner": "magic"}, "learner"),
    ({"learner": "kernel-bcfw"}, "support vectors"),
    ({"learner_options": {"kernel": "rbf"}}, "support vectors"),
    ({"learner_options": {"colour": 1}}, "colour"),
    ({"learner_options": {"threads": "many"}}, "threads"),
])
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        segmenter(**parameters).fit(IMAGES, LABELS)
