#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that each source of a build folder includes all that it needs.

Compiles each source by itself and without precompiled headers, but makes no object file. Other builds
hide a missing include behind precompiled headers, or behind the other sources of a batch; and clang
does not warn of unused functions in the sources of a batch.

Usage: includes.py BUILD_FOLDER

BUILD_FOLDER has compile_commands.json of a build with clang and without precompiled headers. Exit
code 1 when a source does not compile, or not without warnings.
"""

import pathlib
import subprocess
import sys

from tidy import ROOT, check_all, sources_of

COMPILER = "clang++-14"


def check(source):
    """What the compiler prints for (path, arguments): (compiles, text)."""
    path, arguments = source
    result = subprocess.run([COMPILER, *arguments, "-Werror", "-fsyntax-only", str(path)],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0, result.stderr


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sources = sources_of(pathlib.Path(sys.argv[1]).resolve())
    if not sources:
        sys.exit(f"{sys.argv[1]} has no sources of {ROOT}")
    good = check_all(check, sources)
    print(f"{len(sources)} sources compiled one by one: {'each includes what it needs' if good else 'see above'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
