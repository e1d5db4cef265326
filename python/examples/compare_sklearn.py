# SPDX-License-Identifier: BSD-3-Clause
"""Multi-label classification with Slackline and with scikit-learn's linear SVMs, side by side.

    python compare_sklearn.py [FOLDER]

FOLDER has the data in folders of their own: yeast/yeast-{train,test}.arff (Mulan), and
reuters30/reuters30-{train,test}.svm (LIBSVM), all possibly with the ending .gz; what is missing is
left out. By default it is the folder data/ of the repository, which has Yeast. Writes a table in
Markdown for each data set. All methods have the settings that they have by default; the seconds are
processor seconds of the fastest of three fits, on one thread.
"""
from __future__ import annotations

import gzip
import pathlib
import sys
import time
import warnings
from typing import Any, Callable, Iterator

import numpy as np
from sklearn.datasets import load_svmlight_files
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

from slackline import MultiLabelClassifier

REPEAT = 3

METHODS: dict[str, Callable[[], Any]] = {
    "OneVsRestClassifier(LinearSVC())": lambda: OneVsRestClassifier(LinearSVC(random_state=0)),
    "ClassifierChain(LinearSVC())": lambda: ClassifierChain(LinearSVC(random_state=0)),
    'MultiLabelClassifier(graph="none")': lambda: MultiLabelClassifier(graph="none"),
    "MultiLabelClassifier()": MultiLabelClassifier,
    'MultiLabelClassifier(loss_weights="inverse-frequency")':
        lambda: MultiLabelClassifier(loss_weights="inverse-frequency"),
}


def find(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    """The files of training and test data, possibly with the ending .gz; empty if one is missing.
    """
    paths = [folder / pattern.format(part) for part in ("train", "test")]
    found = [p if p.exists() else p.with_name(p.name + ".gz") for p in paths]
    return found if all(p.exists() for p in found) else []


def read_arff(path: pathlib.Path, num_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Dense numeric data whose last columns are the labels."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = [line.split(",") for line in text.splitlines() if line.strip() and line[0] not in "@%"]
    values = np.array(rows, dtype=float)
    return values[:, :-num_labels].copy(), values[:, -num_labels:].astype(int)


def data_sets(folder: pathlib.Path) -> Iterator[tuple[str, Any, np.ndarray, Any, np.ndarray]]:
    """Name, and inputs and labels for training and for testing."""
    files = find(folder / "yeast", "yeast-{}.arff")
    if files:
        yield ("Yeast", *read_arff(files[0], 14), *read_arff(files[1], 14))
    files = find(folder / "reuters30", "reuters30-{}.svm")
    if files:
        train, train_labels, test, test_labels = load_svmlight_files(map(str, files),
                                                                     multilabel=True)
        binarizer = MultiLabelBinarizer().fit(train_labels)
        yield ("Reuters-30", train, binarizer.transform(train_labels), test,
               binarizer.transform(test_labels))


def measure(make: Callable[[], Any], data: list[Any]) -> list[str]:
    """The cells of a method's row."""
    train, train_labels, test, test_labels = data
    seconds = []
    for _ in range(REPEAT):
        model = make()
        begin = time.process_time()
        model.fit(train, train_labels)
        seconds.append(time.process_time() - begin)
    predicted = np.asarray(model.predict(test)).astype(int)
    figures = [hamming_loss(test_labels, predicted), accuracy_score(test_labels, predicted)]
    figures += [f1_score(test_labels, predicted, average=average, zero_division=0)
                for average in ("micro", "macro")]
    return [f"{min(seconds):.2f}"] + [f"{figure:.4f}" for figure in figures]


def main(folder: pathlib.Path) -> None:
    """Writes the tables."""
    warnings.filterwarnings("ignore", message="Liblinear failed to converge")
    for name, *data in data_sets(folder):
        train, labels, test, _ = data
        print(f"{name}: {train.shape[0]} + {test.shape[0]} examples, {train.shape[1]} features, "
              f"{labels.shape[1]} labels\n")
        print("| method | fit, CPU s | Hamming loss | subset accuracy | micro F1 | macro F1 |")
        print("|---|---|---|---|---|---|")
        for method, make in METHODS.items():
            print("|", " | ".join([f"`{method}`"] + measure(make, data)), "|", flush=True)
        print()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else
         pathlib.Path(__file__).resolve().parents[2] / "data")
