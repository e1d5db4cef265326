# SPDX-License-Identifier: BSD-3-Clause
"""The comparison with scikit-learn runs on the shipped data, and its figures are plausible."""
import os
import pathlib
import subprocess
import sys

import pytest

import slackline
from shipped_data import yeast


def test_table():
    pytest.importorskip("sklearn")
    yeast()
    script = pathlib.Path(__file__).resolve().parents[1] / "examples" / "compare_sklearn.py"
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(slackline.__file__)))
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Yeast: 1500 + 917 examples, 103 features, 14 labels"
    rows = {cells[1].strip(" `"): [float(cell) for cell in cells[2:-1]]
            for cells in (line.split("|") for line in lines[4:] if line)}
    assert len(rows) == 5 and all(len(figures) == 5 for figures in rows.values())
    for _, hamming, subset, micro, macro in rows.values():
        assert 0.18 < hamming < 0.22 and 0.14 < subset < 0.22
        assert 0.6 < micro < 0.68 and 0.32 < macro < 0.42
    # A graph finds more of the label sets than single labels do.
    assert rows["MultiLabelClassifier()"][2] > rows['MultiLabelClassifier(graph="none")'][2]
