# SPDX-License-Identifier: BSD-3-Clause
"""Segmentation of images: a class for every pixel."""
from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._arrays import shown
from . import _core
from ._base import Callbacks, StructuredEstimator, _integer, option_parameters
from ._images import (VOID, LabelCoding, check_sizes, prepare_image, prepare_images, prepare_maps)
from ._ranks import Team

__all__ = ["ImageSegmenter"]

_Path = Union[str, "os.PathLike[str]"]


class ImageSegmenter(StructuredEstimator):
    """Structured SVM that finds the class of every pixel of an image.

    An image is divided into superpixels twice, into some two hundred fine ones and some thirty
    coarse ones. Every superpixel has features (histograms of visual words, colours and texture, of
    itself, its neighbours and the whole image, and its place), whose vocabularies and principal
    components are learned from the training images. The model adds scores of classes, linear in
    these features, and weights of the pairs of classes of a fine superpixel and the coarse one
    around it. Training minimises ``lam/2 ||w||^2`` plus the mean structured hinge loss, and proves
    how close the result is: the optimum lies between ``dual_`` and ``primal_``.

    The class needs VLFeat, libpng and libjpeg when the package is built; in a package without
    them, creating an object raises ImportError.

    Parameters
    ----------
    C : float, optional
        Weight of the losses: ``lam = 1 / (C * n_images)``. Excludes `lam`. Without both, `lam`
        follows from the data (its value is ``lam_``).
    lam : float, optional
        Weight of the regulariser.
    classes : sequence of str, optional
        Names of the classes, in the order of their values in label maps. Without names the classes
        are "0", "1", … up to the largest in the training data, but at least two.
    layers : {"two", "fine", "neighbours"}, default "two"
        "two": fine and coarse superpixels, each fine one linked with the coarse one around it.
        "fine": fine ones alone, without links. "neighbours": as "two", plus links between
        neighbouring fine ones, by contrast.
    pairwise : {"auto", "table", "potts", "agreement"}, default "auto"
        Weights of a link between layers: one for every pair of classes ("table"), one for
        different classes ("potts"), or one for every class that both have ("agreement"). "auto" is
        "table", but "potts" for class potentials.
    loss : {"pixels", "balanced"}, default "pixels"
        Cost of a wrong superpixel: its share of the labelled pixels, or that divided by the share
        of its class.
    regions : "all" or some of {"own", "neighbours", "image"}, default "all"
        Which features: of the superpixel itself, of those around it, of the whole image. Several
        are given as a list, or as a text with commas.
    scale : {"auto", "none", "standard", "max-abs", "norm"}, default "auto"
        Scaling of the features, kept in the model. "auto": none if features have similar sizes.
    void : int or sequence of int, default 255
        Values in label maps that mean "no label", in 0 … 255. The other values are the classes in
        increasing order: if 255 is void, they count from 0; if 0 is void, from 1.
    superpixels, coarse : int, default 200 and 30
        Target numbers of fine and coarse superpixels per image.
    at_most : bool, default False
        Never more superpixels than these numbers: the smallest are merged into neighbours.
        Otherwise there may be a fifth more.
    features : {"standard", "small"}, default "standard"
        "small": fewer and smaller vocabularies, which take less time.
    decode : {"auto", "lp"}, default "auto"
        How labellings are found if the graph has cycles (``layers="neighbours"``). "lp": by the
        rounded solution of a linear program; "auto": the same, improved by local search, or by
        branch and bound where there are few labellings.
    learner : str, default "auto"
        Training algorithm, by its name on the command line.
    tol : float, default 1e-3
        Training ends when the certified duality gap is at most this part of the objective.
    max_iter : int, default 100000
        Largest number of passes over the images.
    time_limit : float, optional
        Longest time of training in seconds, without the preparation of the images.
    n_jobs : int, optional
        Number of threads; None means 1, and -1 all processors. Results do not depend on it.
    random_state : int or generator, optional
        Seed of the samples from which the features are learned, and of the order of images in
        training; None means 1, as on the command line.
    learner_options : dict, optional
        Further options of training, by their names on the command line.
    shards : int, default 1
        Parts into which the images are dealt, which are trained side by side on `n_jobs` threads or
        several processes. The model depends on their number, but not on where they are trained.
    comm : communicator of mpi4py, optional
        Processes that call :meth:`fit_features` together, with the same file, of which each loads
        its own images. :meth:`fit` learns features from all images, which needs a single process.
    warm_start : bool, default False
        Whether a further call of `fit` on the same data continues the last training, for example
        with a smaller `tol`, or begins with its solution where `C` or `lam` differ.
    verbose : bool, default False
        Whether to show the progress of preparation and training on the standard error stream.

    Attributes
    ----------
    classes_ : ndarray of int
        Values of the classes in label maps.
    class_names_ : list of str
        Names of the classes.
    void_values_ : list of int
        Values of label maps that mean "no label".
    n_features_ : int
        Number of features of a superpixel, without the constant; 0 for class potentials.
    weights_ : dict of str to ndarray
        Weights by the names of the model file: "fine" and "coarse" (n_classes, n_features + 1) with
        the constant last, or "class" (n_classes, 1) for class potentials; "link", see
        ``link_weights_``, (n_classes ** 2, 1) for a table, (n_classes, 1) for agreement or
        (1, 1) for Potts links; and "neighbours", what
        different classes of neighbours add, by ranges of contrast (n_contrasts, 1).
    link_weights_ : ndarray of shape (n_classes, n_classes)
        What a fine superpixel (rows: its class) and the coarse one around it (columns) add to the
        score of a labelling. Models with ``layers="fine"`` have none.
    scaling_ : {"none", "standard", "max-abs", "norm"}
        The scaling of the features.
    primal_, dual_ : float
        Objective of the weights, and certified lower bound on the optimum. If the graph has
        cycles, both belong to the relaxed problem (see ``certified_problem_``).
    gap_, relative_gap_ : float
        ``primal_ - dual_``, and the same as part of the objective.
    lam_ : float
        The weight of the regulariser that was used.
    n_iter_ : int
        Number of passes over the images.
    learner_, termination_, message_, notes_ : str, str, str, list of str
        The algorithm, why training ended, and what is worth knowing about it.
    history_ : list of dict
        Figures of every check: "pass", "seconds", "primal", "dual", "relative_gap" and others.

    Notes
    -----
    `images` is always a list (or another sequence) of arrays, one per image, and images may differ
    in size. An image has shape (height, width, 3), or (height, width) if it is grey; a fourth
    channel is its opacity, and such images are laid over white. Values are bytes, or floats in
    0 … 1, which are rounded to bytes. Label maps are arrays of integers (or booleans) of shape
    (height, width).

    Results are those of the command-line programs ``slackline segment prepare`` and
    ``slackline segment train`` on the same images as PNG files, bit for bit.

    Ctrl-C during `fit` raises KeyboardInterrupt; if training had begun, the estimator is fitted
    with the best weights found so far.

    Examples
    --------
    >>> import numpy as np
    >>> from slackline import ImageSegmenter
    >>> random = np.random.default_rng(0)
    >>> labels = [np.repeat([[0] * 24, [1] * 24], k, axis=0) for k in (8, 10, 12)]
    >>> images = [random.integers(0, 80, (*y.shape, 3)) + 160 * y[..., None] for y in labels]
    >>> model = ImageSegmenter(classes=["dark", "bright"], superpixels=12, coarse=3,
    ...                        features="small", lam=1.0).fit(images, labels)
    >>> model.predict(images[:1])[0].shape
    (16, 24)
    >>> model.score(images, labels) > 0.95
    True
    """

    def __init__(
        self,
        C: Optional[float] = None,
        *,
        lam: Optional[float] = None,
        classes: Optional[Sequence[str]] = None,
        layers: str = "two",
        pairwise: str = "auto",
        loss: str = "pixels",
        regions: Union[str, Sequence[str]] = "all",
        scale: str = "auto",
        void: Union[int, Sequence[int]] = 255,
        superpixels: int = 200,
        coarse: int = 30,
        at_most: bool = False,
        features: str = "standard",
        decode: str = "auto",
        learner: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 100000,
        time_limit: Optional[float] = None,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        learner_options: Optional[Mapping[str, Any]] = None,
        shards: int = 1,
        comm: Any = None,
        warm_start: bool = False,
        verbose: Union[bool, int] = False,
    ):
        _require_vision()
        self.C = C
        self.lam = lam
        self.classes = classes
        self.layers = layers
        self.pairwise = pairwise
        self.loss = loss
        self.regions = regions
        self.scale = scale
        self.void = void
        self.superpixels = superpixels
        self.coarse = coarse
        self.at_most = at_most
        self.features = features
        self.decode = decode
        self.learner = learner
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learner_options = learner_options
        self.shards = shards
        self.comm = comm
        self.warm_start = warm_start
        self.verbose = verbose

    # Training.

    def fit(self, images: Any, labels: Any, *, callbacks: Callbacks = None) -> "ImageSegmenter":
        """Learn features from images, and train on them.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)
            The training images.
        labels : list of int arrays of shape (height, width)
            The class of every pixel, or a void value.
        callbacks : callable or list of callables, optional
            Called with a dict of figures at every check, as ``history_`` has them; training ends
            when one returns True. An exception ends training, too, and is raised again when the
            best weights so far are stored.

        Returns
        -------
        ImageSegmenter
            The estimator itself.
        """
        if self.comm is not None and self.comm.Get_size() > 1:
            raise NotImplementedError(
                "ImageSegmenter.fit learns features from all images, which needs a single process; "
                "write a file with prepare_features in one process, and call fit_features in all")
        train = self._train_options()
        options = self._options("")
        pixels, truth, names, void, unused = self._labelled(images, labels)
        preparing = _Preparation(type(self).__name__) if self.verbose else None
        model, result = self._run(callbacks, options, train, lambda arguments: _core.fit_images(
            pixels, truth, names, void, preparing, arguments), Team())
        self._set_model(model)
        if unused:
            result["notes"].insert(0, "classes without pixels in training images: "
                                   + ", ".join(unused))
        self._finish(result)
        return self

    def prepare_features(self, path: _Path, images: Any, labels: Any, *, test_images: Any = None,
                         test_labels: Any = None, names: Optional[Sequence[str]] = None) -> None:
        """Write a file of prepared images, as ``slackline segment prepare`` does, from which
        :meth:`fit_features` trains without learning features again; for example with other values
        of `lam`.

        The parameters `classes`, `void`, `superpixels`, `coarse`, `at_most`, `features`, `n_jobs`
        and `random_state` are used. The estimator itself does not change.

        Parameters
        ----------
        path : str or path
            By convention with the ending ``.fea``.
        images : list of arrays of shape (height, width, 3) or (height, width)
            The training images.
        labels : list of int arrays of shape (height, width)
            Their label maps.
        test_images, test_labels : lists as `images` and `labels`, optional
            Images for :meth:`evaluate_features`, from which nothing is learned.
        names : sequence of str, optional
            Names of the images, first those for training; by default their numbers.
        """
        train = self._train_options()
        options = self._options("")
        if (test_images is None) != (test_labels is None):
            raise ValueError("test_images and test_labels belong together: one of them is missing")
        pixels, truth, classes, void, _ = self._labelled(images, labels)
        num_train = len(pixels)
        if test_images is not None:
            coding = LabelCoding(self.void)
            more = prepare_images(test_images, "test_images")
            maps = prepare_maps(test_labels, coding, "test_labels")
            check_sizes(more, maps, "test_")
            pixels += more
            truth += coding.decode(maps, len(classes), "test_labels")[0]
        texts = _image_names(names, len(pixels))
        preparing = _Preparation(type(self).__name__) if self.verbose else None
        _core.prepare_features(os.fspath(path), pixels, truth, classes, void, texts, num_train,
                               preparing, _core.FitArguments(options, train, 0.0, None, False, b""))

    def _labelled(self, images: Any, labels: Any) -> tuple[
            list[np.ndarray], list[np.ndarray], list[str], list[int], list[str]]:
        """Images, class numbers, names of the classes, void values, and names without pixels."""
        coding = LabelCoding(self.void)
        names = None if self.classes is None else _class_names(self.classes)
        pixels = prepare_images(images)
        maps = prepare_maps(labels, coding)
        check_sizes(pixels, maps)
        truth, count = coding.decode(maps, None if names is None else len(names), "labels")
        if names is None:
            names = [str(k) for k in range(count)]
        used = np.zeros(256, dtype=bool)
        for array in truth:
            used[array] = True
        if not used[:count].any():
            raise ValueError("labels: no image has a labelled pixel; void is "
                             f"{' or '.join(map(str, coding.void_values))}")
        unused = [names[k] for k in range(count) if not used[k]]
        return pixels, truth, names, coding.void_values, unused

    def fit_features(self, path: _Path, *, potentials: Optional[_Path] = None,
                     callbacks: Callbacks = None) -> "ImageSegmenter":
        """Train on the training images of a file of prepared images.

        Such files are written by :meth:`prepare_features` and by the command
        ``slackline segment prepare``. Names of classes, void
        values, superpixels and features are those of the file: the parameters `void`,
        `superpixels`, `coarse`, `at_most` and `features` are not used, and `classes` must be absent
        or as in the file.

        Parameters
        ----------
        path : str or path
            The file of prepared images.
        potentials : str or path, optional
            A file of class potentials of their superpixels, which are used instead of features.
        callbacks : callable or list of callables, optional
            As in :meth:`fit`.

        Returns
        -------
        ImageSegmenter
            The estimator itself.
        """
        with self._processes() as team:
            train, options, names = team.together(lambda: (
                self._train_options(),
                self._options("" if potentials is None else os.fspath(potentials)),
                None if self.classes is None else _class_names(self.classes)))
            self._agree(team, options, train, classes=names, path=os.fspath(path))
            model, result = self._run(
                callbacks, options, train,
                lambda arguments: _core.fit_features(os.fspath(path), names, arguments), team)
            self._set_model(model)
            self._finish(result, team)
        return self

    def _options(self, potentials: str) -> dict[str, str]:
        """The options of preparation and model as texts, by the names of the command line."""
        fine = _integer("superpixels", self.superpixels, 1)
        coarse = _integer("coarse", self.coarse, 1)
        if int(fine) > 100_000:
            raise ValueError(f"superpixels == {shown(self.superpixels)}; it must be <= 100000")
        if int(coarse) > int(fine):
            raise ValueError(f"coarse == {shown(self.coarse)}; it must be <= superpixels, {fine}")
        regions = self.regions
        if not isinstance(regions, str):
            try:
                regions = ",".join(regions)
            except TypeError:
                raise ValueError("regions must be 'all' or a list of own, neighbours and image, "
                                 f"not {shown(self.regions)}") from None
        return {
            "layers": str(self.layers),
            "pairwise": "" if self.pairwise == "auto" else str(self.pairwise),
            "loss": str(self.loss),
            "regions": regions,
            "potentials": potentials,
            "scale": str(self.scale),
            "superpixels": fine,
            "coarse": coarse,
            "at_most": "on" if self.at_most else "off",
            "features": str(self.features),
            "decode": str(self.decode),
        }

    def _set_model(self, model: Any) -> None:
        self._model = model
        self._coding = LabelCoding(model.void_values)
        self.class_names_ = list(model.classes)
        self.classes_ = self._coding.values[:len(self.class_names_)].copy()
        self.void_values_ = list(model.void_values)
        self.n_features_ = model.num_features
        self.scaling_ = model.scaling

    # Prediction.

    def predict(self, images: Any) -> list[np.ndarray]:
        """The class of every pixel.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)

        Returns
        -------
        list of ndarray of uint8, of shape (height, width)
            Values as in the label maps of the training data.
        """
        maps, _ = self._image_model().predict(prepare_images(images), str(self.decode),
                                              self._threads())
        return maps

    def decision_function(self, images: Any) -> list[np.ndarray]:
        """The score of every class for every pixel: that of its fine superpixel by its own
        features, without links.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)

        Returns
        -------
        list of ndarray of float64, of shape (height, width, n_classes)
        """
        return [scores[superpixels] for scores, superpixels in self._scores(images)]

    def predict_scores(self, images: Any) -> list[np.ndarray]:
        """The score of every class for every fine superpixel by its own features, without links.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)

        Returns
        -------
        list of ndarray of float64, of shape (n_superpixels, n_classes)
            Rows in the order of :meth:`find_superpixels`.
        """
        return [scores for scores, _ in self._scores(images)]

    def _scores(self, images: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        return self._image_model().scores(prepare_images(images), str(self.decode),
                                          self._threads())

    def find_superpixels(self, image: Any) -> np.ndarray:
        """The fine superpixels of one image, as many as the model has learned with, or as the
        parameters `superpixels` and `at_most` say if the estimator is not fitted.

        Parameters
        ----------
        image : array of shape (height, width, 3) or (height, width)

        Returns
        -------
        ndarray of int32, of shape (height, width)
            Numbers from 0, in the order of their first pixels.
        """
        wanted = int(self._options("")["superpixels"])
        at_most = bool(self.at_most)
        if hasattr(self, "_model"):
            wanted = self._model.extractor.get("superpixels", wanted)
            at_most = self._model.extractor.get("at_most", at_most)
        return _core.superpixels(prepare_image(image), wanted, at_most)

    def score(self, images: Any, labels: Any) -> float:
        """Share of the labelled pixels whose class is predicted.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)
        labels : list of int arrays of shape (height, width)

        Returns
        -------
        float
        """
        return self.metrics(images, labels)["pixel_accuracy"]

    def metrics(self, images: Any, labels: Any) -> dict[str, Any]:
        """Compare predictions with label maps, as ``slackline segment evaluate`` does.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)
        labels : list of int arrays of shape (height, width)
            Void pixels do not count.

        Returns
        -------
        dict
            "images", "pixels": their numbers, the latter without void;
            "pixel_accuracy": share of the pixels that are right;
            "class_average": mean over the classes of the share of their pixels that was found;
            "mean_iou": mean over the classes of intersection over union;
            "certified": number of images whose labelling is proven optimal for the model;
            "classes": a list with a dict per class, "name", "pixels", "recall", "precision" and
            "iou", where shares of nothing are NaN;
            "confusion": ndarray of shape (n_classes, n_classes), numbers of pixels; rows are true
            classes and columns predicted ones.
        """
        model = self._image_model()
        pixels = prepare_images(images)
        maps = prepare_maps(labels, self._coding)
        check_sizes(pixels, maps)
        truth, _ = self._coding.decode(maps, len(self.class_names_), "labels")
        if all((array == VOID).all() for array in truth):
            raise ValueError("labels: no image has a labelled pixel to compare with")
        return model.evaluate(pixels, truth, str(self.decode), self._threads())

    def confusion_matrix(self, images: Any, labels: Any) -> np.ndarray:
        """Numbers of pixels by true and predicted class.

        Parameters
        ----------
        images : list of arrays of shape (height, width, 3) or (height, width)
        labels : list of int arrays of shape (height, width)

        Returns
        -------
        ndarray of int64, of shape (n_classes, n_classes)
            Rows are true classes, columns predicted ones.
        """
        return self.metrics(images, labels)["confusion"]

    def evaluate_features(self, path: _Path, *, potentials: Optional[_Path] = None
                          ) -> dict[str, Any]:
        """Compare predictions with the labels of the test images of a file of prepared images.

        Parameters
        ----------
        path : str or path
            A file with the same features as the model: that of its training, or one that was
            prepared together with it.
        potentials : str or path, optional
            A file of class potentials of their superpixels, for a model of class potentials.

        Returns
        -------
        dict
            As that of :meth:`metrics`.
        """
        self._check_fitted("_model")
        return self._model.evaluate_features(os.fspath(path), "" if potentials is None else
                                             os.fspath(potentials), str(self.decode))

    def _image_model(self) -> Any:
        self._check_fitted("_model")
        if self._model.inputs == "potentials":
            raise ValueError("the model reads class potentials of superpixels, which an image "
                             "alone does not give; use evaluate_features")
        return self._model

    @property
    def weights_(self) -> dict[str, np.ndarray]:
        self._check_fitted("_model")
        return self._model.weights

    @property
    def link_weights_(self) -> np.ndarray:
        weights = self._model.weights.get("link") if hasattr(self, "_model") else None
        if weights is None:
            raise AttributeError("the estimator is not fitted, or its layers have no links")
        count = len(self.class_names_)
        if len(weights) == 1 < count:
            return weights[0, 0] * (1 - np.eye(count))
        if len(weights) == count:
            return np.diag(weights[:, 0])
        return weights.reshape(count, count)

    # Files.

    def save(self, path: _Path) -> None:
        """Write the model to a file of the command-line program.

        Parameters
        ----------
        path : str or path
            By convention with the ending ``.slk``.
        """
        self._check_fitted("_model")
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: _Path) -> "ImageSegmenter":
        """Read a model file, of this class or of the command-line program.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        ImageSegmenter
            A fitted estimator, with the parameters that the file records.
        """
        _require_vision()
        model = _core.SegmentModel.load(os.fspath(path))
        record = model.record
        texts = record["options"]
        void = model.void_values
        parameters = {
            "classes": list(model.classes),
            "layers": model.layers,
            "pairwise": model.pairwise,
            "loss": texts.get("loss", "pixels"),
            "regions": texts.get("regions", "all"),
            "scale": texts.get("scale", model.scaling),
            "void": void[0] if len(void) == 1 else void,
        }
        extractor = model.extractor
        extractor.pop("seed", None)
        estimator = cls(lam=record["lam"] or None, **parameters, **extractor,
                        **option_parameters(texts))
        estimator._set_model(model)
        estimator._set_record(record)
        return estimator

    def _more_tags(self) -> dict[str, Any]:
        return {"no_validation": True, "X_types": ["images"]}


def _require_vision() -> None:
    if not _core.has_vision:
        missing = _core.vision_missing
        raise ImportError(
            "this build of slackline has no ImageSegmenter: it was built without "
            f"{missing or 'images (SLACKLINE_WITH_VISION=OFF)'}. Install VLFeat, libpng and "
            "libjpeg with their headers (Debian: libvlfeat-dev libpng-dev libjpeg-dev), and build "
            "the package again")


def _class_names(classes: Any) -> list[str]:
    if isinstance(classes, str) or not hasattr(classes, "__iter__"):
        raise ValueError(f"classes must be a sequence of names, not {shown(classes)}")
    names = list(classes)
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise ValueError(f"classes: {shown(name)} is not a text")
        if not name.strip() or name != name.strip() or any(ord(c) < 32 or ord(c) == 127
                                                            for c in name):
            raise ValueError(f"classes: {shown(name)} is not the name of a class: it is empty, "
                             f"or has "
                             "blanks at its ends or control characters")
        if name in names[:k]:
            raise ValueError(f"classes: two classes have the name {shown(name)}")
    if not 2 <= len(names) <= 255:
        raise ValueError(f"classes: {len(names)} names are given; 2 to 255 are possible")
    return [str(name) for name in names]


def _image_names(names: Optional[Sequence[str]], count: int) -> list[str]:
    texts = [str(k) for k in range(count)] if names is None else [str(name) for name in names]
    if len(texts) != count:
        raise ValueError(f"there are {len(texts)} names for {count} images")
    for k, name in enumerate(texts):
        if not name or name in texts[:k]:
            raise ValueError(f"names: {shown(name)} is empty or the name of two images")
    return texts


class _Preparation:
    """Shows the progress of preparation, at most two lines a second."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = 0.0

    def __call__(self, stage: str, done: int, count: int) -> None:
        now = time.monotonic()
        if done < count and now < self._last + 0.5:
            return
        self._last = now
        print(f"[{self._name}] {stage}: image {done} of {count}", file=sys.stderr, flush=True)
