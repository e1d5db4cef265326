# SPDX-License-Identifier: BSD-3-Clause
"""Figures with matplotlib, which only this module needs.

Every function draws into the axes ``ax`` (new ones without it) and returns them.
"""
from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

import numpy as np

from ._arrays import shown

__all__ = ["plot_label_pairs", "plot_label_weights", "plot_path", "plot_segmentation",
           "plot_training"]

_UPPER = "#1f5fa8"
_LOWER = "#c8641e"


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt
    return plt.subplots(constrained_layout=True)[1]


def _history(estimator: Any) -> list:
    history = getattr(estimator, "history_", None) or getattr(estimator, "history", estimator)
    if not isinstance(history, (list, tuple)) or not history or "pass" not in history[0]:
        raise ValueError("expected a fitted estimator, a result of training, or its history")
    return list(history)


def plot_training(estimator: Any, *, x: str = "seconds", ax: Optional[Any] = None) -> Any:
    """The course of a training: objective and lower bound at every check.

    The optimum lies in the band between the two curves.

    Parameters
    ----------
    estimator : fitted estimator, TrainResult, or list of dict
        What has a ``history_``, or the history itself.
    x : {"seconds", "pass", "oracle_calls"}, default="seconds"
        What the horizontal axis shows; seconds include the checks.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    if x not in ("seconds", "pass", "oracle_calls"):
        raise ValueError(f"x must be 'seconds', 'pass' or 'oracle_calls', not {shown(x)}")
    history = _history(estimator)
    at = np.array([record[x] + (record["check_seconds"] if x == "seconds" else 0)
                   for record in history], dtype=float)
    upper = np.array([record.get("primal", np.nan) for record in history])
    lower = np.array([record.get("dual", np.nan) for record in history])
    ax = _axes(ax)
    ax.fill_between(at, lower, upper, color=_UPPER, alpha=0.12, linewidth=0)
    ax.plot(at, upper, color=_UPPER, marker="o", markersize=3, label="objective (upper bound)")
    ax.plot(at, lower, color=_LOWER, marker="o", markersize=3, label="lower bound")
    ax.set_xlabel({"seconds": "seconds", "pass": "passes", "oracle_calls": "oracle calls"}[x])
    ax.set_ylabel("objective")
    gap = history[-1].get("relative_gap", np.nan)
    if np.isfinite(gap):
        ax.set_title(f"certified gap {100 * gap:.3g} %")
    ax.legend(frameon=False)
    return ax


def plot_path(results: Any, *, parameter: str = "lam", score: str = "test_score",
              ax: Optional[Any] = None) -> Any:
    """The scores of a cross-validation over a parameter, with their standard deviations.

    Parameters
    ----------
    results : GridSearchCV or dict
        A fitted search of scikit-learn, or its ``cv_results_``.
    parameter : str, default="lam"
        The parameter on the horizontal axis, which is logarithmic for positive numbers. In a
        pipeline with its prefix: "clf__lam". Other parameters of the search give one curve each.
    score : str, default="test_score"
        Which score: ``mean_<score>`` and ``std_<score>`` are shown.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    table = getattr(results, "cv_results_", results)
    for key in ("params", f"mean_{score}", f"std_{score}"):
        if key not in table:
            raise ValueError(f"the results of the search have no {shown(key)}")
    curves: dict = {}
    for params, mean, deviation in zip(table["params"], table[f"mean_{score}"],
                                       table[f"std_{score}"]):
        if parameter not in params:
            raise ValueError(f"the search has no parameter {shown(parameter)}, only "
                             f"{sorted(params)}")
        others = ", ".join(f"{name}={value}" for name, value in sorted(params.items())
                           if name != parameter)
        curves.setdefault(others, []).append((float(params[parameter]), mean, deviation))
    ax = _axes(ax)
    positive = True
    for others, points in curves.items():
        at, mean, deviation = np.array(sorted(points)).T
        positive = positive and bool(np.all(at > 0))
        ax.errorbar(at, mean, yerr=deviation, marker="o", markersize=4, capsize=3,
                    label=others or None)
    if positive:
        ax.set_xscale("log")
    ax.set_xlabel(parameter)
    ax.set_ylabel(score.replace("_", " "))
    if len(curves) > 1 or "" not in curves:
        ax.legend(frameon=False)
    return ax


def plot_label_pairs(estimator: Any, *, ax: Optional[Any] = None, annotate: Optional[bool] = None
                     ) -> Any:
    """The weights of the pairs of labels as a matrix: positive where labels go together.

    Parameters
    ----------
    estimator : fitted MultiLabelClassifier or SequenceLabeler
        Its ``pair_weights_`` (symmetric) or ``transition_weights_`` (rows: the first label).
    ax : matplotlib axes, optional
    annotate : bool, optional
        Whether cells show their numbers; by default for up to twelve labels.

    Returns
    -------
    matplotlib axes
    """
    matrix = getattr(estimator, "pair_weights_", None)
    if matrix is None:
        matrix = getattr(estimator, "transition_weights_", None)
    if matrix is None:
        raise ValueError("expected a fitted estimator with pair_weights_ or transition_weights_")
    matrix = np.array(matrix, dtype=float)
    names = [str(name) for name in getattr(estimator, "label_names_", estimator.classes_)]
    ax = _axes(ax)
    largest = np.nanmax(np.abs(matrix)) if np.isfinite(matrix).any() else 1.0
    image = ax.imshow(matrix, cmap="RdBu", vmin=-largest or -1, vmax=largest or 1)
    ax.figure.colorbar(image, ax=ax, label="weight")
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names)), names)
    if annotate if annotate is not None else len(names) <= 12:
        for (row, column), value in np.ndenumerate(matrix):
            if np.isfinite(value):
                dark = abs(value) > 0.6 * largest
                ax.text(column, row, f"{value:.2g}", ha="center", va="center", fontsize=8,
                        color="white" if dark else "black")
    return ax


def plot_label_weights(estimator: Any, label: Any, *, top: int = 10,
                       feature_names: Optional[Sequence[str]] = None, ax: Optional[Any] = None
                       ) -> Any:
    """The features with the largest absolute weights for a label.

    Parameters
    ----------
    estimator : fitted estimator with ``coef_``
        ``coef_`` has one row per label.
    label : str or int
        The label, by name or by row.
    top : int, default=10
        How many features.
    feature_names : sequence of str, optional
        By default ``feature_names_in_``, else numbers.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    coefficients = getattr(estimator, "coef_", None)
    if coefficients is None:
        raise ValueError("expected a fitted estimator with coef_")
    names = list(getattr(estimator, "label_names_", estimator.classes_))
    if label in names:
        row = names.index(label)
    elif isinstance(label, (int, np.integer)) and 0 <= label < len(names):
        row = int(label)
    else:
        raise ValueError(f"there is no label {shown(label)}")
    if top < 1:
        raise ValueError(f"top == {shown(top)}; it must be >= 1")
    weights = np.asarray(coefficients)[row]
    known = feature_names if feature_names is not None else getattr(
        estimator, "feature_names_in_", None)
    texts = [str(name) for name in known] if known is not None else [
        f"feature {k}" for k in range(len(weights))]
    if len(texts) != len(weights):
        raise ValueError(f"{len(texts)} names do not fit {len(weights)} features")
    order = np.argsort(-np.abs(weights), kind="stable")[:top][::-1]
    ax = _axes(ax)
    ax.barh([texts[k] for k in order], weights[order],
            color=[_UPPER if weights[k] >= 0 else _LOWER for k in order])
    ax.axvline(0, color="0.4", linewidth=0.8)
    ax.set_xlabel(f"weight for {names[row]}")
    return ax


def plot_segmentation(image: Any, labels: Any, *, classes: Optional[Iterable[str]] = None,
                      opacity: float = 0.5, void: int = 255, ax: Optional[Any] = None) -> Any:
    """An image with the classes of its pixels as colours over it.

    Parameters
    ----------
    image : array of shape (height, width, 3) or (height, width)
        Bytes or numbers in 0 … 1.
    labels : array of int, shape (height, width)
        The class of each pixel.
    classes : iterable of str, optional
        Names for the legend.
    opacity : float, default=0.5
        Of the colours, from 0 to 1.
    void : int, default=255
        Pixels with this class are left as they are.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    import matplotlib
    from matplotlib.patches import Patch
    image = np.asarray(image)
    labels = np.asarray(labels)
    if image.shape[:2] != labels.shape:
        raise ValueError(f"the image has {image.shape[:2]} pixels and the labels {labels.shape}")
    if not 0 <= opacity <= 1:
        raise ValueError(f"opacity == {shown(opacity)}; it must lie in 0 ... 1")
    if image.ndim == 2:
        image = np.repeat(image[..., None], 3, axis=2)
    pixels = image[..., :3] / 255.0 if image.dtype == np.uint8 else image[..., :3].astype(float)
    names = list(classes) if classes is not None else None
    present = [int(k) for k in np.unique(labels) if k != void]
    count = max(len(names) if names is not None else 0, (max(present) if present else 0) + 1)
    colours = matplotlib.colormaps["tab20"](np.linspace(0, 1, max(count, 2)))[:, :3]
    over = colours[np.where(labels == void, 0, labels)]
    share = np.where(labels == void, 0.0, opacity)[..., None]
    ax = _axes(ax)
    ax.imshow(np.clip((1 - share) * pixels + share * over, 0, 1))
    ax.set_axis_off()
    if names is not None:
        ax.legend(handles=[Patch(color=colours[k], label=names[k]) for k in present],
                  loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return ax
