#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Divides sources into batches that are compiled, or checked, as one source each.

Most of the time of a compiler goes to headers and to the templates in them, which the sources of a
batch share. A name that several of them declare in their unnamed namespaces gets a name of its own
in each, by a macro. A source that has the same word as a member's name (x.Name) cannot have that
macro, and goes to another batch. Headers come first in a batch, where no macro reaches them.

Usage: batches.py FOLDER SIZE SOURCE...

Writes the batches of at most SIZE sources to FOLDER/batch0.cc and so on, leaves those alone that
have not changed, and prints their paths, separated by semicolons.
"""

import collections
import pathlib
import re
import sys

# A declaration at the beginning of a line: the last word before a bracket, "=", ":", ";" or "final".
DECLARED = re.compile(r"^(?!return |public|private|using namespace |using [\w:]+;)[A-Za-z_][^/\"(={\[;:<]*?"
                      r"(?:<.*?>[^(={\[;:]*?)?(?:[A-Za-z_]\w*::[^(={\[;:]*?)*\b([A-Za-z_]\w*)\s*"
                      r"(?:\(|=|\{|\[|;|:(?!:)|final\b|$)")


def private_names(path):
    """The names that a source declares in its unnamed namespaces, and main."""
    names = set()
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif line.startswith("int main("):
            names.add("main")
        elif inside:
            match = DECLARED.match(line)
            if match:
                names.add(match.group(1))
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
        elif depth == 0 and re.match(r"#include [<\"]", line):
            yield line


class Batch:
    def __init__(self, arguments, size):
        self.arguments = arguments
        self.size = size
        self.sources = []  # (path, names)
        self.counts = collections.Counter()  # of the names
        self.without_macro = set()  # names of sources that have members of that name

    def fits(self, arguments, names, without_macro):
        taken = names & self.counts.keys()
        return (arguments == self.arguments and len(self.sources) < self.size and
                not taken & (without_macro | self.without_macro))

    def add(self, path, names, without_macro):
        self.sources.append((path, names))
        self.counts.update(names)
        self.without_macro |= without_macro

    def text(self):
        lines = sorted({line for path, _ in self.sources for line in included_headers(path)})
        for number, (path, names) in enumerate(self.sources):
            shared = sorted(name for name in names if self.counts[name] > 1)
            lines += [f"#define {name} {name}Of{number}" for name in shared]
            lines.append(f'#include "{path}"')
            lines += [f"#undef {name}" for name in shared]
        return "\n".join(lines) + "\n"


def batches_of(sources, size):
    """The batches of sources, (path, compiler arguments) each. Those of a batch have the same
    arguments."""
    batches = []
    for path, arguments in sources:
        names = private_names(path)
        without_macro = names & names_of_members(path)
        for batch in batches:
            if batch.fits(arguments, names, without_macro):
                break
        else:
            batch = Batch(arguments, size)
            batches.append(batch)
        batch.add(path, names, without_macro)
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
