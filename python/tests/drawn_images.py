# SPDX-License-Identifier: BSD-3-Clause
"""Small images with labels, for tests of segmentation."""
from __future__ import annotations

import numpy as np

#: Options that make preparation fast.
SMALL = {"superpixels": 14, "coarse": 4, "features": "small"}
CLASSES = ["sky", "grass", "ball"]
COLOURS = np.array([[120, 160, 230], [60, 140, 50], [200, 60, 50]])
NO_LABEL = 255


def draw(height: int, width: int, seed: int):
    """Sky over grass, with a ball on most images, whose outline has no label."""
    random = np.random.RandomState(seed)
    labels = np.zeros((height, width), dtype=np.uint8)
    labels[int(height * random.uniform(0.35, 0.65)):] = 1
    if seed % 4:
        y, x = np.mgrid[:height, :width]
        radius = random.uniform(0.2, 0.3) * height
        distance = np.hypot(y - random.uniform(0.3, 0.7) * height,
                            x - random.uniform(0.3, 0.7) * width)
        labels[distance < radius + 1] = NO_LABEL
        labels[distance < radius] = 2
    colours = COLOURS[np.where(labels == NO_LABEL, 1, labels)]
    image = colours + random.normal(0, 25, (height, width, 1)) + random.normal(0, 12, colours.shape)
    return np.clip(image, 0, 255).astype(np.uint8), labels


def draw_all(count: int, first: int = 0):
    """Lists of images and label maps of several sizes."""
    pairs = [draw(30 + 3 * (k % 3), 40 + 2 * (k % 2), first + k) for k in range(count)]
    return [image for image, _ in pairs], [labels for _, labels in pairs]
