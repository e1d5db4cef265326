# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the Markdown pages, as numbers for plots."""
import os
import re

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def cells(line):
    return [cell.strip().replace("**", "").replace("*", "").replace("`", "")
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table(page, head):
    """The rows of the table of a page whose first line begins with `head`; the first row is that
    line. Raises LookupError when there is none."""
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for start, line in enumerate(lines):
        if line.startswith(head) and lines[start + 1].startswith("|---"):
            end = start
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            return [cells(line)] + [cells(row) for row in lines[start + 2:end]]
    raise LookupError(f"{page} has no table that begins with '{head}'")


def number(text):
    """The first number of a cell ('16 000', '1e-3', '.648', '626 words'); None where there is none,
    or where the cell says 'over' or 'not' that number."""
    if re.match(r"(over|more than|not|at|never)\b", text):
        return None
    match = re.search(r"(?<![\w.])(\d{1,3}(?: \d{3})+|\d*\.?\d+(?:e-?\d+)?)", text)
    return float(match.group(1).replace(" ", "")) if match else None


def numbers(text, separator=r"[/,]"):
    """The numbers of a cell such as '30 / 95 / –'."""
    return [number(part.strip()) for part in re.split(separator, text)]
