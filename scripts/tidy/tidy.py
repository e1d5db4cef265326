#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the sources of a build folder with clang, several at a time: each source by itself includes
what it needs and compiles without warnings, which a batch of sources hides; and clang-tidy finds
nothing in the batches (most of its time goes to headers, which the sources of a batch share).

Usage: tidy.py BUILD_FOLDER [FILE...]

BUILD_FOLDER has compile_commands.json of a build with clang. Without FILEs, all sources in it are
checked that are not generated; a FILE is checked alone. Exit code 1 when something was found.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

COMPILER, CLANG_TIDY = "clang++-19", "clang-tidy-14"
# The newest clang of Debian 12 takes the header of OpenMP from the clang that has its library.
OPENMP_HEADER = "/usr/lib/llvm-14/lib/clang/14.0.6/include"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments_of(entry):
    """The compiler's arguments without the compiler, source, output and optimisation."""
    words = shlex.split(entry["command"])[1:]
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            skip = word != "-c"
        elif word != entry["file"] and not re.fullmatch(r"-MD|-O.", word):
            kept.append(word)
    return tuple(kept)


def batches_of(build):
    """(file to check with clang-tidy, its sources, arguments) of everything that is not generated."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["file"]).resolve()
        sources = [file]
        if file.parent.name == "Unity":
            names = re.findall(r'^#include "(.*)"', file.read_text(encoding="utf-8"), re.M)
            sources = [pathlib.Path(name) for name in names]
        sources = [path for path in sources
                   if path.is_relative_to(ROOT) and not path.is_relative_to(build)]
        if sources:
            yield file, sources, arguments_of(entry)


def run(command):
    """(found nothing, text)"""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    text = result.stdout if "error:" in result.stdout or "warning:" in result.stdout else result.stderr
    return result.returncode == 0, text


def compile_command(source, arguments):
    return [COMPILER, *arguments, "-idirafter", OPENMP_HEADER, "-Wno-deprecated-declarations", "-Werror",
            "-fsyntax-only", source]


def tidy_command(file, arguments):
    return [CLANG_TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", "--header-filter=.*",
            "--checks=-bugprone-suspicious-include", file, "--", *arguments]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    batches = list(batches_of(options.build.resolve()))
    arguments = {source: words for _, sources, words in batches for source in sources}
    if options.files:
        wanted = [file.resolve() for file in options.files]
        missing = [str(file) for file in wanted if file not in arguments]
        if missing:
            sys.exit(f"not a source of {options.build}: {', '.join(missing)}")
        arguments = {file: arguments[file] for file in wanted}
        batches = [(file, [file], arguments[file]) for file in wanted]
    if not batches:
        sys.exit(f"{options.build} has no sources of {ROOT}")

    commands = [tidy_command(file, words) for file, _, words in batches]
    commands += [compile_command(source, words) for source, words in arguments.items()]
    good = True
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for passed, text in pool.map(run, commands):
            if not passed:
                good = False
                print(text, flush=True)
    print(f"{len(arguments)} sources one by one, and clang-tidy on {len(batches)} batches: "
          f"{'nothing found' if good else 'see above'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
