#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Divides sources into batches that are compiled, or checked, as one source each.

Most of the time of a compiler goes to headers and to the templates in them, which the sources of a
batch share. Headers come first in a batch. A name in an unnamed namespace gets a name of its own, by
a macro around its source, if other sources of the batch have it too, or if a header declares it that
the source does not include. A source that has the same word as a member's name (x.Name) cannot have
that macro, and goes to another batch.

Usage: batches.py FOLDER SIZE SOURCE...

Writes the batches of at most SIZE sources to FOLDER/batch0.cc and so on, leaves those alone that
have not changed, and prints their paths, separated by semicolons.
"""

import collections
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A declaration at the beginning of a line: the last word before a bracket, "=", ":", ";" or "final".
DECLARED = re.compile(r"^(?!return |public|private|using namespace |using [\w:]+;)(?:\[\[\w+\]\] )?[A-Za-z_][^/\"(={\[;:<]*?"
                      r"(?:<.*?>[^(={\[;:]*?)?(?:[A-Za-z_]\w*::[^(={\[;:]*?)*\b([A-Za-z_]\w*)\s*"
                      r"(?:\(|=|\{|\[|;|:(?!:)|final\b|$)")

# Names of the program's constants, of which one declaration may have several.
CONSTANT = re.compile(r"\b(k[A-Z]\w*)(?:\[\w*\])? =")
ALIAS = re.compile(r"^using (\w+) =")


def private_names(path):
    """The names that a source declares in its unnamed namespaces, its aliases, and main."""
    names = set()
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif line.startswith("int main("):
            names.add("main")
        elif inside or ALIAS.match(line):
            match = DECLARED.match(line)
            if match:
                names.add(match.group(1))
            if line.startswith("const"):
                names.update(CONSTANT.findall(line))
    return names


def names_of_members(path):
    """The words behind ".", "->" and "::" in a source, and main, which must keep its name."""
    return set(re.findall(r"(?:\.|->|::)(\w+)", path.read_text(encoding="utf-8"))) | {"main"}


def included_headers(path):
    """The lines that include headers, except those under a condition."""
    depth = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"#if", line):
            depth += 1
        elif line.startswith("#endif"):
            depth -= 1
        elif depth == 0 and line.startswith("#include <"):
            yield line.split(">")[0] + ">"  # without a comment
        elif depth == 0 and line.startswith('#include "'):
            beside = path.parent / line.split('"')[1]
            yield f'#include "{beside}"' if beside.is_file() else line


def file_of(line):
    """The file that a line includes, if it is one of the project."""
    name = re.match(r"#include [<\"](?:slackline/)?([^>\"]+)", line).group(1)
    for path in (ROOT / name, ROOT / "api" / name):
        if path.is_file():
            return path
    return None


@functools.cache
def public_names(path):
    """The names that a header declares outside of classes, with those of headers that it includes."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        match = DECLARED.match(line)
        if match:
            names.add(match.group(1))
    for line in included_headers(path):
        file = file_of(line)
        if file is not None and file != path:
            names |= public_names(file)
    return names


class Source:
    def __init__(self, path, arguments):
        self.path = path
        self.arguments = arguments
        self.names = private_names(path)
        self.without_macro = self.names & names_of_members(path)
        self.headers = set(included_headers(path))
        self.visible = self.names_of(self.headers)

    @staticmethod
    def names_of(headers):
        files = [file_of(line) for line in headers]
        return set().union(*(public_names(file) for file in files if file is not None))


class Batch:
    def __init__(self):
        self.sources = []

    @property
    def arguments(self):
        return self.sources[0].arguments

    def renamed(self):
        """The names of each source that need a macro: other sources have them as well, or headers
        that the source does not include."""
        counts = collections.Counter(name for source in self.sources for name in source.names)
        everywhere = set().union(*(source.visible for source in self.sources))
        return [{name for name in source.names if counts[name] > 1 or name in everywhere - source.visible}
                for source in self.sources]

    def add(self, source, size):
        """False if the source does not fit."""
        if self.sources and (source.arguments != self.arguments or len(self.sources) >= size):
            return False
        self.sources.append(source)
        if all(not renamed & one.without_macro for one, renamed in zip(self.sources, self.renamed())):
            return True
        self.sources.pop()
        return False

    def text(self):
        lines = sorted(set().union(*(source.headers for source in self.sources)))
        for number, (source, renamed) in enumerate(zip(self.sources, self.renamed())):
            lines += [f"#define {name} {name}Of{number}" for name in sorted(renamed)]
            lines.append(f'#include "{source.path}"')
            lines += [f"#undef {name}" for name in sorted(renamed)]
        return "\n".join(lines) + "\n"


def batches_of(sources, size):
    """The batches of sources, (path, compiler arguments) each. Those of a batch have the same
    arguments."""
    batches = []
    for path, arguments in sources:
        source = Source(path, arguments)
        if not any(batch.add(source, size) for batch in batches):
            batches.append(Batch())
            batches[-1].sources.append(source)
    return batches


def main():
    folder, size, *sources = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, batch in enumerate(batches_of([(pathlib.Path(path), ()) for path in sources], int(size))):
        file = folder / f"batch{number}.cc"
        if not file.exists() or file.read_text(encoding="utf-8") != batch.text():
            file.write_text(batch.text(), encoding="utf-8")
        files.append(str(file))
    print(";".join(files), end="")


if __name__ == "__main__":
    main()
