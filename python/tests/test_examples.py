# SPDX-License-Identifier: BSD-3-Clause
"""The examples run on the data of the repository, and draw their pictures."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def run(name, folder):
    """The output of an example that writes its picture into the folder."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py"), str(folder)],
                          env={**os.environ, "MPLBACKEND": "agg"}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    picture = (folder / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000
    return done.stdout


def test_label_pairs(tmp_path):
    lines = run("label_pairs", tmp_path).splitlines()[1:]
    rows = {line.split()[0]: [float(word) for word in line.split()[1:6]] for line in lines}
    assert [rows[graph][0] for graph in ("none", "tree", "full")] == [0, 13, 91]
    assert rows["full"][2] > rows["none"][2] + 0.02  # subset accuracy
    assert all(row[4] <= 0.1 for row in rows.values())  # certified gaps in %


def test_certificates(tmp_path):
    bounds = {}
    for line in run("certificates", tmp_path).splitlines():
        dual, primal = map(float, re.search(r"between ([0-9.]+) and ([0-9.]+)", line).groups())
        bounds[line.split()[0]] = (dual, primal)
    assert set(bounds) == {"auto", "bcfw", "ssg"}
    # One optimum lies in all three intervals.
    assert max(dual for dual, _ in bounds.values()) <= min(primal for _, primal in bounds.values())
    assert bounds["auto"][1] - bounds["auto"][0] < bounds["ssg"][1] - bounds["ssg"][0]


def test_choose_lambda(tmp_path):
    output = run("choose_lambda", tmp_path)
    assert re.search(r"best: \{'graph': '(none|tree)', 'lam': 0\.\d+\}", output)
    assert float(re.search(r"micro F1 (0\.\d+)", output).group(1)) > 0.6


def test_words(tmp_path):
    output = run("words", tmp_path)
    assert float(re.search(r"letters right: ([0-9.]+) %", output).group(1)) > 70
    best = [float(line.split()[1]) for line in output.splitlines() if line.startswith("  ")]
    assert len(best) == 3 and best == sorted(best, reverse=True)


def test_denoise(tmp_path):
    output = run("denoise", tmp_path)
    before, after, proven = map(float, re.search(
        r"wrong pixels: ([0-9.]+) % before, ([0-9.]+) % after; (\d+) of 20", output).groups())
    assert after < before - 1
    assert 0 < proven <= 20
    assert float(re.search(r"certified gap ([0-9.]+) %", output).group(1)) <= 1
