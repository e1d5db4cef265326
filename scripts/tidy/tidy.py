#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy on the sources of a build folder, several sources at a time.

Most of the time of clang-tidy on one source goes to the headers of the standard library, so sources
are included together in batches. Sources of one batch have the same compiler arguments. A name
that several of them declare in their unnamed namespaces gets a name of its own in each, by a macro.
A source that has the same word as a member's name (x.Name) cannot have that macro, and goes to
another batch. Headers of the project come first in a batch, where no macro reaches them.

Usage: tidy.py BUILD_FOLDER [FILE...]

BUILD_FOLDER has compile_commands.json. Without FILEs, the sources are all in it that lie in the
source folder and not in the build folder. Exit code 1 when clang-tidy found something.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

CLANG_TIDY = "clang-tidy-14"
BATCH_SIZE = 10
ROOT = pathlib.Path(__file__).resolve().parents[2]

# A declaration at the beginning of a line: the last word before a bracket, "=", ":", ";" or "final".
DECLARED = re.compile(r"^(?!using |return |public|private)[A-Za-z_][^/\"(={\[;:<]*?"
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


def project_headers(path):
    """The lines that include headers of the project, except those under a condition."""
    depth = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"#if", line):
            depth += 1
        elif line.startswith("#endif"):
            depth -= 1
        elif depth == 0 and re.match(r"#include <(slackline|apps)/", line):
            yield line


def arguments_of(entry):
    """The compiler's arguments without the compiler, source, output and optimisation."""
    words = shlex.split(entry["command"])[1:]
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-include", "-MF", "-MT"):
            skip = word != "-c"
        elif word != entry["file"] and not re.fullmatch(r"-MD|-Winvalid-pch|-O.", word):
            kept.append(word)
    return tuple(kept)


def sources_of(build):
    """(source, arguments) of all sources that are not generated."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {}
    for entry in entries:
        path = pathlib.Path(entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            found[path] = arguments_of(entry)
    return sorted(found.items())


class Batch:
    def __init__(self, arguments):
        self.arguments = arguments
        self.sources = []  # (path, names)
        self.counts = collections.Counter()  # of the names
        self.without_macro = set()  # names of sources that have members of that name

    def fits(self, arguments, names, without_macro):
        taken = names & self.counts.keys()
        return (arguments == self.arguments and len(self.sources) < BATCH_SIZE and
                not taken & (without_macro | self.without_macro))

    def add(self, path, names, without_macro):
        self.sources.append((path, names))
        self.counts.update(names)
        self.without_macro |= without_macro

    def text(self):
        lines = sorted({line for path, _ in self.sources for line in project_headers(path)})
        for number, (path, names) in enumerate(self.sources):
            shared = sorted(name for name in names if self.counts[name] > 1)
            lines += [f"#define {name} {name}Of{number}" for name in shared]
            lines.append(f'#include "{path}"')
            lines += [f"#undef {name}" for name in shared]
        return "\n".join(lines) + "\n"


def batches_of(sources):
    batches = []
    for path, arguments in sources:
        names = private_names(path)
        without_macro = names & names_of_members(path)
        for batch in batches:
            if batch.fits(arguments, names, without_macro):
                break
        else:
            batch = Batch(arguments)
            batches.append(batch)
        batch.add(path, names, without_macro)
    return batches


def check(batch, file):
    """What clang-tidy prints for a batch: (found nothing, text)."""
    file.write_text(batch.text(), encoding="utf-8")
    command = [CLANG_TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
               "--header-filter=.*", "--checks=-bugprone-suspicious-include", str(file), "--", *batch.arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    text = result.stdout
    if result.returncode != 0 and not text.strip():
        text = result.stderr
    return result.returncode == 0, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    sources = sources_of(build)
    if options.files:
        wanted = {file.resolve() for file in options.files}
        missing = wanted - {path for path, _ in sources}
        if missing:
            sys.exit(f"not a source of {options.build}: {', '.join(map(str, sorted(missing)))}")
        sources = [source for source in sources if source[0] in wanted]

    batches = batches_of(sources)
    folder = build / "batches"
    folder.mkdir(exist_ok=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        files = [folder / f"batch{number}.cc" for number in range(len(batches))]
        for passed, text in pool.map(check, batches, files):
            good = good and passed
            if not passed:
                print(text, flush=True)
    print(f"clang-tidy: {len(sources)} sources in {len(batches)} batches: "
          f"{'nothing found' if good else 'see above'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
