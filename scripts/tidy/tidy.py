#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy on the sources of a build folder, several sources at a time.

Most of the time of clang-tidy on one source goes to the headers of the standard library, so sources
are checked in batches (batches.py).

Usage: tidy.py BUILD_FOLDER [FILE...]

BUILD_FOLDER has compile_commands.json. Without FILEs, the sources are all in it that lie in the
source folder and not in the build folder. Exit code 1 when clang-tidy found something.
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

from batches import batches_of

CLANG_TIDY = "clang-tidy-14"
BATCH_SIZE = 10
ROOT = pathlib.Path(__file__).resolve().parents[2]

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


def check_all(check_one, *arguments):
    """Calls check_one, which returns (found nothing, text), with each of the arguments, several calls
    at a time, and prints the texts of those that found something. Whether none did."""
    good = True
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for passed, text in pool.map(check_one, *arguments):
            good = good and passed
            if not passed:
                print(text, flush=True)
    return good


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

    batches = batches_of(sources, BATCH_SIZE)
    folder = build / "batches"
    folder.mkdir(exist_ok=True)
    good = check_all(check, batches, [folder / f"batch{number}.cc" for number in range(len(batches))])
    print(f"clang-tidy: {len(sources)} sources in {len(batches)} batches: "
          f"{'nothing found' if good else 'see above'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
