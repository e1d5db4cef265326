# SPDX-License-Identifier: BSD-3-Clause
"""Images and label maps of users as the extension module takes them: lists of C-contiguous arrays
of bytes, of shape (height, width, 3) and (height, width)."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import shown

__all__ = ["VOID", "LabelCoding", "check_sizes", "prepare_image", "prepare_images", "prepare_maps"]

#: The class number of pixels without a label.
VOID = 255


def _items(given: Any, name: str, noun: str) -> list:
    """The entries of a list of images or label maps, or of an array of them."""
    if isinstance(given, np.ndarray) and given.dtype != object:
        single = given.ndim < 3 or (noun == "image" and given.ndim == 3 and
                                    given.shape[-1] in (3, 4))
        if single:
            raise ValueError(f"{name} must be a list of arrays, one per image, not one array of "
                             f"shape {given.shape}")
    elif isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise ValueError(f"{name} must be a list of arrays, one per image, not {shown(given)}")
    items = list(given)
    if not items:
        raise ValueError(f"{name} is empty: at least one {noun} is needed")
    return items


def _array(given: Any, where: str) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype == object:
        raise ValueError(f"{where} is not an array of numbers: its rows differ in length, or it "
                         "has entries of other types")
    return array


def prepare_images(images: Any, name: str = "images") -> list[np.ndarray]:
    """The images as arrays of bytes of shape (height, width, 3). Raises ValueError, with the number
    of the image and the row and column of the pixel."""
    return [prepare_image(image, f"{name}[{k}]")
            for k, image in enumerate(_items(images, name, "image"))]


def prepare_image(image: Any, where: str = "image") -> np.ndarray:
    """One image as an array of bytes of shape (height, width, 3)."""
    array = _array(image, where)
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4):
        raise ValueError(f"{where} has shape {np.shape(image)}; an image has shape "
                         "(height, width, 3), or (height, width) if it is grey")
    if array.size == 0:
        raise ValueError(f"{where} has no pixels: its shape is {np.shape(image)}")
    array = _bytes(array, where)
    if array.shape[2] == 4:
        array = _over_white(array)
    elif array.shape[2] == 1:
        array = np.repeat(array, 3, axis=2)
    return np.ascontiguousarray(array)


def _bytes(array: np.ndarray, where: str) -> np.ndarray:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind in "iu":
        _refuse((array < 0) | (array > 255), array, where, "integers must lie in 0 ... 255")
        return array.astype(np.uint8)
    if array.dtype.kind == "f":
        _refuse(~((array >= 0) & (array <= 1)), array, where,
                "numbers with a decimal point must lie in 0 ... 1")
        return np.rint(array * 255).astype(np.uint8)
    raise ValueError(f"{where} has type {array.dtype}; images have bytes (uint8), or numbers with "
                     "a decimal point in 0 ... 1")


def _over_white(array: np.ndarray) -> np.ndarray:
    """Lays transparent pixels over white, rounded as in PNG files that the program reads."""
    alpha = array[..., 3:].astype(np.int32)
    return ((array[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def _refuse(bad: np.ndarray, array: np.ndarray, where: str, advice: str) -> None:
    """Raises ValueError for the first bad value."""
    if not bad.any():
        return
    place = np.unravel_index(int(np.flatnonzero(bad)[0]), array.shape)
    raise ValueError(f"{where}: row {place[0]}, column {place[1]} is {array[place]}; {advice}")


class LabelCoding:
    """What the values of label maps mean: some are void, the others are the classes in order."""

    def __init__(self, void: Any):
        values = [void] if np.ndim(void) == 0 else list(void)
        for value in values:
            good = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not good or not 0 <= value <= 255:
                raise ValueError(f"void: {shown(value)} is not allowed; void values are integers "
                                 f"in "
                                 "0 ... 255")
        self.void_values = sorted(int(value) for value in values)
        if not 1 <= len(values) <= 254 or len(set(self.void_values)) < len(values):
            raise ValueError(f"void == {shown(void)}; there must be 1 to 254 different values")
        #: The values of the classes, in order.
        self.values = np.setdiff1d(np.arange(256), self.void_values)
        self._class_of = np.full(256, VOID, dtype=np.uint8)
        self._class_of[self.values] = np.arange(len(self.values))

    def decode(self, maps: Sequence[np.ndarray], count: Optional[int], name: str
               ) -> tuple[list[np.ndarray], int]:
        """Class numbers of label maps, and the number of classes: `count`, or without it the
        largest class number + 1, but at least 2."""
        decoded = [self._class_of[array] for array in maps]
        known = count
        if known is None:
            known = 2
            for array in decoded:
                some = array[array != VOID]
                known = max(known, int(some.max()) + 1 if some.size else 0)
        if len(self.void_values) + known > 256:
            raise ValueError(f"{len(self.void_values)} void values and {known} classes are more "
                             "than the 256 values of a pixel")
        advice = (f"there are {known} classes, with values {self.values[0]} to "
                  f"{self.values[known - 1]}, and void is "
                  f"{' or '.join(map(str, self.void_values))}")
        for k, (array, values) in enumerate(zip(decoded, maps)):
            _refuse((array >= known) & (array != VOID), values, f"{name}[{k}]", advice)
        return decoded, known


def prepare_maps(labels: Any, coding: LabelCoding, name: str = "labels") -> list[np.ndarray]:
    """The label maps as arrays of bytes of shape (height, width), not yet decoded. Raises
    ValueError as prepare_images does."""
    maps = []
    for k, given in enumerate(_items(labels, name, "label map")):
        where = f"{name}[{k}]"
        array = _array(given, where)
        if array.ndim != 2:
            raise ValueError(f"{where} has shape {array.shape}; a label map has shape "
                             "(height, width)")
        if array.dtype.kind not in "iub":
            raise ValueError(f"{where} has type {array.dtype}; label maps have integers")
        if array.dtype.kind != "b":
            _refuse((array < 0) | (array > 255), array, where,
                    "labels are integers in 0 ... 255, of which void is "
                    f"{' or '.join(map(str, coding.void_values))}")
        maps.append(np.ascontiguousarray(array, dtype=np.uint8))
    return maps


def check_sizes(images: Sequence[np.ndarray], maps: Sequence[np.ndarray], prefix: str = "") -> None:
    """Raises ValueError unless every image has a label map of its size."""
    if len(images) != len(maps):
        raise ValueError("Found input variables with inconsistent numbers of samples: "
                         f"[{len(images)}, {len(maps)}]")
    for k, (image, labels) in enumerate(zip(images, maps)):
        if image.shape[:2] != labels.shape:
            raise ValueError(f"{prefix}labels[{k}] has shape {labels.shape}, but "
                             f"{prefix}images[{k}] has {image.shape[:2]} pixels")
