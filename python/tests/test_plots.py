# SPDX-License-Identifier: BSD-3-Clause
"""Figures show the numbers of the estimators, and bad arguments are refused."""
import numpy as np
import pytest

from slackline import MultiLabelClassifier
from slackline.plots import (plot_label_pairs, plot_label_weights, plot_path, plot_segmentation,
                             plot_training)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 4))
    Y = (X[:, :3] + 0.5 * X[:, 1:4] > 0).astype(int)
    return MultiLabelClassifier(lam=0.05).fit(X, Y, label_names=["a", "b", "c"])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt
    plt.close("all")


@pytest.mark.parametrize("x", ["seconds", "pass", "oracle_calls"])
def test_training(model, x):
    ax = plot_training(model, x=x)
    upper, lower = (line.get_ydata() for line in ax.get_lines()[:2])
    assert list(upper) == [record["primal"] for record in model.history_]
    assert list(lower) == [record["dual"] for record in model.history_]
    assert np.all(lower <= upper)
    assert plot_training(model.history_, ax=ax) is ax


def test_training_refuses(model):
    with pytest.raises(ValueError, match="x must be"):
        plot_training(model, x="time")
    for bad in ([], [{}], MultiLabelClassifier(), 3):
        with pytest.raises(ValueError, match="expected a fitted estimator"):
            plot_training(bad)


def test_label_pairs(model):
    ax = plot_label_pairs(model)
    assert np.array_equal(ax.get_images()[0].get_array(), model.pair_weights_)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    numbers = len(ax.texts)
    assert numbers == np.isfinite(model.pair_weights_).sum()
    assert not plot_label_pairs(model, annotate=False).texts
    with pytest.raises(ValueError, match="pair_weights_"):
        plot_label_pairs(object())


def test_label_weights(model):
    ax = plot_label_weights(model, "b", top=2, feature_names=["p", "q", "r", "s"])
    widths = [bar.get_width() for bar in ax.patches]
    row = model.coef_[1]
    assert widths == list(row[np.argsort(-np.abs(row))[:2]][::-1])
    assert plot_label_weights(model, 1).get_xlabel() == "weight for b"
    for arguments in ({"label": "z"}, {"label": 3}, {"label": "a", "top": 0},
                      {"label": "a", "feature_names": ["p"]}):
        with pytest.raises(ValueError):
            plot_label_weights(model, **arguments)
    with pytest.raises(ValueError, match="coef_"):
        plot_label_weights(object(), 0)


def test_path():
    results = {"params": [{"lam": 0.1, "graph": "none"}, {"lam": 0.01, "graph": "none"},
                          {"lam": 0.1, "graph": "full"}],
               "mean_test_score": [0.5, 0.6, 0.7], "std_test_score": [0.1, 0.2, 0.3]}
    ax = plot_path(results)
    assert ax.get_xscale() == "log"
    line = ax.get_lines()[0]
    assert list(line.get_xdata()) == [0.01, 0.1] and list(line.get_ydata()) == [0.6, 0.5]
    with pytest.raises(ValueError, match="no parameter 'C'"):
        plot_path(results, parameter="C")
    with pytest.raises(ValueError, match="mean_other"):
        plot_path(results, score="other")


def test_segmentation():
    image = np.full((4, 5, 3), 200, dtype=np.uint8)
    labels = np.zeros((4, 5), dtype=int)
    labels[0] = 1
    labels[3] = 255
    ax = plot_segmentation(image, labels, classes=["sky", "grass"], opacity=0.5)
    shown = np.asarray(ax.get_images()[0].get_array())
    assert np.allclose(shown[3], 200 / 255)  # void is left as it is
    assert not np.allclose(shown[0], shown[1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["sky", "grass"]
    grey = plot_segmentation(image[..., 0] / 255.0, labels, opacity=0)
    assert np.allclose(np.asarray(grey.get_images()[0].get_array()), 200 / 255)
    with pytest.raises(ValueError, match="pixels"):
        plot_segmentation(image, labels[1:])
    with pytest.raises(ValueError, match="opacity"):
        plot_segmentation(image, labels, opacity=2)
