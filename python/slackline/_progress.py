# SPDX-License-Identifier: BSD-3-Clause
"""What ``verbose`` shows during training."""
from __future__ import annotations

import math
import sys
from typing import Any, Mapping, Union


def progress_callback(name: str, tol: float) -> Union[_Lines, _Bar]:
    """A callback that shows the certified gap: with tqdm if it is installed, else a line per
    check."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(name)
    return _Bar(tqdm, name, tol)


def _text(record: Mapping[str, Any]) -> str:
    parts = [f"pass {record['pass']}"]
    for key, title in (("primal", "objective"), ("dual", "lower bound")):
        if key in record:
            parts.append(f"{title} {record[key]:.6g}")
    if "relative_gap" in record:
        parts.append(f"gap {100 * record['relative_gap']:.3g} %")
    return ", ".join(parts)


class _Lines:
    def __init__(self, name: str):
        self._name = name

    def __call__(self, record: Mapping[str, Any]) -> None:
        print(f"[{self._name}] {_text(record)}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class _Bar:
    """A bar whose length is the way to the wanted gap, on a logarithmic scale from 100 %."""

    def __init__(self, tqdm: Any, name: str, tol: float):
        self._end = -math.log10(tol) if 0 < tol < 1 else 6.0
        self._bar = tqdm(total=round(self._end, 2), desc=name,
                         bar_format="{desc}: {bar}| {elapsed} {postfix}")

    def __call__(self, record: Mapping[str, Any]) -> None:
        gap = record.get("relative_gap", math.nan)
        if gap == gap and gap > 0:
            self._bar.n = round(min(self._end, max(self._bar.n, -math.log10(min(gap, 1.0)))), 2)
        self._bar.set_postfix_str(_text(record))

    def close(self) -> None:
        self._bar.close()
