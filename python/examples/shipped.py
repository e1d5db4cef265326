# SPDX-License-Identifier: BSD-3-Clause
"""The data of the repository, for the examples."""
import gzip
import pathlib
import sys

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def yeast(part="train"):
    """Yeast genes: features (n, 103) and 14 functional classes (n, 14); part: train or test."""
    from scipy.io import arff
    with gzip.open(DATA / "yeast" / f"yeast-{part}.arff.gz", "rt") as file:
        rows, meta = arff.loadarff(file)
    names = list(meta.names())
    table = np.array([[float(value) for value in row] for row in rows.tolist()])
    return table[:, :-14], table[:, -14:].astype(int), names[-14:]


def letters():
    """Handwritten words: for each its letters' pixels (length, 128), and its letters."""
    words, labels = [], []
    with gzip.open(DATA / "letters" / "letter-fold0.data.gz", "rt") as file:
        pixels, text = [], []
        for line in file:
            fields = line.split()
            text.append(fields[1])
            pixels.append([float(value) for value in fields[6:134]])
            if fields[2] == "-1":  # the last letter of its word
                words.append(np.array(pixels))
                labels.append(text)
                pixels, text = [], []
    return words, labels


def save(figure, name):
    """Writes the picture into the folder that the command line names, or shows it."""
    if len(sys.argv) > 1:
        figure.savefig(pathlib.Path(sys.argv[1]) / f"{name}.png", dpi=100)
    else:
        import matplotlib.pyplot as plt
        plt.show()
