# SPDX-License-Identifier: BSD-3-Clause
"""Structured SVMs on factor graphs, trained with certified duality gaps.

Estimators in the style of scikit-learn:

- :class:`MultiLabelClassifier`: several labels per example.
- :class:`ImageSegmenter`: a class for every pixel of an image.

All of them minimise the regularised structured hinge loss

    P(w) = lam/2 ||w||^2 + (1/M) sum_m max_y [loss_m(y) + w.phi_m(y) - w.phi_m(y_m)]

and prove how close they came: the optimum lies between ``dual_`` and ``primal_``.
"""
import os as _os

from . import _core
from ._core import __version__
from .multilabel import MultiLabelClassifier
from .segmentation import ImageSegmenter

# Threads of the parent process do not exist in a forked one.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core.use_one_thread)

__all__ = ["ImageSegmenter", "MultiLabelClassifier", "__version__"]
