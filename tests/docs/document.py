# SPDX-License-Identifier: BSD-3-Clause
"""Code blocks of a Markdown document, and the comparison of outputs with the shown ones."""
import dataclasses
import re

MARKER = re.compile(r"^<!-- (not run|file|needs): *(.*?) *-->$")
FENCE = re.compile(r"^(`{3,})(.*)$")
DIRECTIVES = ("{toctree}", "{figure}", "{image}", "{literalinclude}")
NUMBER = re.compile(r"(?<![\w.])(-?\d+\.\d+(?:e[-+]?\d+)?)(?![\w.]*\d)(?!…)")


class Fault(Exception):
    """A document that cannot be run as it stands."""


@dataclasses.dataclass
class Block:
    language: str
    line: int  # of the fence, from 1
    text: list  # lines
    marker: tuple = None  # (kind, text)


@dataclasses.dataclass
class Step:
    """One step of a document. kind: "file" (with its name in `name`), "command" or "cpp"."""
    kind: str
    line: int
    text: str
    expected: list = None  # lines; None: anything
    name: str = ""


def blocks_of(lines):
    """The code blocks, and the requirements of the whole document."""
    blocks, needs, marker, k = [], [], None, 0
    while k < len(lines):
        line = lines[k].rstrip()
        fence = FENCE.match(line)
        if re.match(r"^(\s+```|\s*~~~)", line):
            raise Fault(f"line {k + 1}: a code block must start at the left, with ```")
        if marker and not fence:
            raise Fault(f"line {k}: a marker stands right before a code block")
        if fence:
            end = next((j for j in range(k + 1, len(lines)) if lines[j].rstrip() == fence[1]), None)
            if end is None:
                raise Fault(f"line {k + 1}: the code block has no end")
            text = [t.rstrip() for t in lines[k + 1:end]]
            blocks.append(Block(fence[2].strip(), k + 1, text, marker))
            marker, k = None, end
        elif MARKER.match(line):
            kind, text = MARKER.match(line).groups()
            if not text:
                raise Fault(f"line {k + 1}: '{kind}' must be followed by a text")
            if kind == "needs":
                needs.append(text)
            else:
                marker = (kind, text)
        elif line.startswith("<!--") and re.search(r"not run|file:|needs", line):
            raise Fault(f"line {k + 1}: no marker that is known: {line}")
        k += 1
    if marker:
        raise Fault(f"line {k}: a marker stands right before a code block")
    return blocks, needs


def trimmed(lines):
    """The lines without blank ones at the beginning and at the end."""
    text = [line.rstrip() for line in lines]
    while text and not text[-1]:
        text.pop()
    while text and not text[0]:
        text.pop(0)
    return text


def commands_of(block):
    """The commands of a console block: lines after "$ ", continued by lines after "> "."""
    steps = []
    for k, line in enumerate(block.text):
        if line.startswith("$ "):
            steps.append(Step("command", block.line + 1 + k, line[2:], []))
        elif not steps:
            raise Fault(f"line {block.line + 1 + k}: a console block begins with '$ command'")
        elif line.startswith("> ") and not steps[-1].expected:
            steps[-1].text += "\n" + line[2:]
        else:
            steps[-1].expected.append(line)
    if not steps:
        raise Fault(f"line {block.line}: a console block without a command")
    for step in steps:
        step.expected = trimmed(step.expected)
    return steps


def steps_of(blocks):
    """The steps of a document, in order, and the blocks that are not run."""
    steps, left_out, after_program = [], [], False
    for block in blocks:
        kind, text = block.marker or (None, "")
        was_program, after_program = after_program, False
        if kind == "not run":
            left_out.append((block.line, text))
        elif kind == "file":
            steps.append(Step("file", block.line, "\n".join(block.text) + "\n", name=text))
        elif block.language == "console":
            steps += commands_of(block)
        elif block.language == "cpp":
            steps.append(Step("cpp", block.line, "\n".join(block.text) + "\n", []))
            after_program = True
        elif block.language == "text" and was_program:
            steps[-1].expected = trimmed(block.text)
        elif block.language == "python" and block.text and block.text[0].startswith(">>> "):
            left_out.append((block.line, "python/tests/test_guides.py runs sessions in Python"))
        elif not block.language.startswith(DIRECTIVES):
            raise Fault(f"line {block.line}: '{block.language}' is neither console, nor cpp, nor "
                        "the text that a cpp block before it prints; <!-- not run: REASON --> or "
                        "<!-- file: NAME --> say what it is")
    return steps, left_out


TOLERANCE = 0.02  # rounding depends on the processor, and training ends anywhere within its gap


def same_number(wanted, got):
    """Equality up to the relative tolerance or one unit of the last digit shown."""
    digits = re.match(r"-?\d+\.(\d+)", wanted)[1]
    exponent = int(wanted.split("e")[1]) if "e" in wanted else 0
    unit = 10.0 ** (exponent - len(digits))
    a, b = float(wanted), float(got)
    return abs(a - b) <= max(TOLERANCE * abs(a), 1.001 * unit)


def same_line(wanted, got):
    """Compares word by word: … stands for any text, whole numbers must be equal, others nearly."""
    pattern, numbers = "", []
    for k, part in enumerate(NUMBER.split(wanted)):
        if k % 2 == 1:
            numbers.append(part)
            pattern += r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
        else:
            words = re.escape(part).replace("…", ".*?")
            pattern += re.sub(r"(?:\\ |\\\t|\s)+", r"\\s+", words)
    match = re.fullmatch(pattern, got)
    return match is not None and all(same_number(a, b) for a, b in zip(numbers, match.groups()))


def same_output(wanted, got):
    """Whether the lines are the wanted ones, where a line … stands for any number of lines."""
    reached = {0}  # the possible numbers of lines of `got` that match the wanted lines so far
    for line in wanted:
        if line.strip() == "…":
            reached = set(range(min(reached), len(got) + 1)) if reached else set()
        else:
            reached = {k + 1 for k in reached if k < len(got) and same_line(line, got[k])}
    return len(got) in reached
