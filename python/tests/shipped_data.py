# SPDX-License-Identifier: BSD-3-Clause
"""The data that the repository ships, and the command-line program, for tests."""
from __future__ import annotations

import functools
import gzip
import os
import pathlib
import subprocess

import numpy as np
import pytest

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


@functools.lru_cache(maxsize=None)
def yeast(part: str = "train"):
    """Inputs, labels and the lines of the ARFF file: of its header, and of its examples."""
    path = DATA / "yeast" / f"yeast-{part}.arff.gz"
    if not path.exists():
        pytest.skip("the data of the repository are not there")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    begin = next(k for k, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    rows = [line for line in lines[begin:] if line.strip()]
    values = np.array([[float(text) for text in row.split(",")] for row in rows])
    inputs = np.ascontiguousarray(values[:, :103])
    labels = values[:, 103:].astype(int)
    inputs.setflags(write=False)
    labels.setflags(write=False)
    return inputs, labels, (lines[:begin], rows)


def write_arff(path, rows: slice, part: str = "train"):
    """Writes some examples of Yeast in the words of the original file."""
    header, examples = yeast(part)[2]
    path.write_text("\n".join(header + examples[rows]) + "\n", encoding="utf-8")
    return path


def write_libsvm(path, inputs, labels):
    """Writes a CSR matrix with its labels, with all digits."""
    with open(path, "w", encoding="utf-8") as file:
        for m in range(inputs.shape[0]):
            span = slice(inputs.indptr[m], inputs.indptr[m + 1])
            numbers = ",".join(str(k) for k in np.flatnonzero(labels[m]))
            values = " ".join(f"{column + 1}:{float(value)!r}"
                              for column, value in zip(inputs.indices[span], inputs.data[span]))
            file.write(f"{numbers} {values}\n")
    return path


def run_program(*arguments) -> str:
    """Runs the command-line program of the environment variable SLACKLINE_PROGRAM."""
    program = os.environ.get("SLACKLINE_PROGRAM")
    if not program:
        pytest.skip("SLACKLINE_PROGRAM does not name the command-line program")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
