#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: mutants.py [--count 60] [--seed 1] [--jobs 2] [--folders core,factors,…] WORK

How many faults do the tests find? Changes one operator, constant or condition of a source at a
time, builds the library, and runs the tests of the source's folder; prints a line per mutant, and
the share that is caught. A mutant that does not compile is drawn again; one that runs into the time
limit of a test counts as caught.

WORK is a folder for a copy of the sources and their build, which a later call reuses. Mutants are
drawn by seed from the lines of the sources, so that two states of the sources get different ones.
A mutant takes a minute or two.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

FOLDERS = ("core", "factors", "inference", "learning", "api")
# (what, in its place); the first group of a match is replaced.
CHANGES = (
    (r" (<) ", "<="), (r" (<=) ", "<"), (r" (>) ", ">="), (r" (>=) ", ">"),
    (r" (==) ", "!="), (r" (!=) ", "=="), (r" (&&) ", "||"), (r" (\|\|) ", "&&"),
    (r" (\+) ", "-"), (r" (-) ", "+"), (r" (\*) ", "+"), (r" (\+=) ", "-="), (r" (-=) ", "+="),
    (r"\b(true)\b", "false"), (r"\b(false)\b", "true"), (r"\((!)", ""),
    (r"\b(std::max)\(", "std::min"), (r"\b(std::min)\(", "std::max"),
    (r"[ (](0)[;,)]", "1"), (r"[ (](1)[;,)]", "2"), (r"^ +(continue);", "break"),
)
SKIPPED = re.compile(r"^\s*(//|#|using|static_assert|template|SLACKLINE_CHECK|SLACKLINE_DCHECK|\*)")


def places(root, folders):
    """(file, line number, position, old, new) of every change that is possible."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cc")):
            if "examples" in path.parts:
                continue
            for number, line in enumerate(path.read_text().split("\n")):
                if SKIPPED.match(line) or '"' in line:
                    continue
                code = line.split("//")[0]
                for pattern, new in CHANGES:
                    for match in re.finditer(pattern, code):
                        found.append((path, number, match.start(1), match.group(1), new))
    return found


def run(command, log, limit=None):
    with open(log, "wb") as out:
        try:
            return subprocess.run(command, stdout=out, stderr=out, timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            return -1


class Copy:
    """The sources in WORK, and their build."""

    def __init__(self, work, jobs):
        self.root = work / "source"
        self.build = work / "build"
        self.log = work / "log"
        self.jobs = str(jobs)
        source = pathlib.Path(__file__).resolve().parents[2]
        files = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True,
                               check=True).stdout.decode().split("\0")
        for name in filter(None, files):
            old, new = source / name, self.root / name
            if not new.exists() or old.read_bytes() != new.read_bytes():
                new.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(old, new)
        if run(["cmake", "-S", self.root, "-B", self.build, "-DSLACKLINE_WITH_MPI=OFF"], self.log):
            sys.exit(f"cmake failed: see {self.log}")

    def compile(self, folder):
        return run(["cmake", "--build", self.build, "--parallel", self.jobs, "--target",
                    f"test_{folder}"], self.log)

    def test(self, folder):
        """The first tier, without the tests that have programs of their own: see compile."""
        return run(["ctest", "--test-dir", self.build, "-R", rf"^{folder}\.", "-LE", "^all$", "-E",
                    "(allocation|own_learner)$", "-j", self.jobs, "--timeout", "120",
                    "--stop-on-failure"], self.log, 1200)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folders", default=",".join(FOLDERS))
    parser.add_argument("work", type=pathlib.Path)
    arguments = parser.parse_args()
    folders = arguments.folders.split(",")
    arguments.work.mkdir(parents=True, exist_ok=True)
    copy = Copy(arguments.work.resolve(), arguments.jobs)
    for folder in folders:
        if copy.compile(folder) or copy.test(folder):
            sys.exit(f"the tests of {folder} fail without a mutant: see {copy.log}")
    draw = random.Random(arguments.seed)
    candidates = places(copy.root, folders)
    draw.shuffle(candidates)
    made = caught = 0
    for path, number, at, old, new in candidates:
        if made == arguments.count:
            break
        text = path.read_text()
        lines = text.split("\n")
        lines[number] = lines[number][:at] + new + lines[number][at + len(old):]
        folder = path.relative_to(copy.root).parts[0]
        path.write_text("\n".join(lines))
        try:
            if copy.compile(folder):
                continue
            found = copy.test(folder) != 0
        finally:
            path.write_text(text)
        made += 1
        caught += found
        print(f"{'caught' if found else 'MISSED'}  {path.relative_to(copy.root)}:{number + 1}  "
              f"{old} -> {new or 'nothing'}:  {lines[number].strip()}", flush=True)
    print(f"{caught} of {made} mutants are caught")


if __name__ == "__main__":
    main()
