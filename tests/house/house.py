#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: house.py SOURCE_DIR [CHECK...]

Checks that the sources follow the rules of the project: all checks, or only those named. The
docstrings of the functions in CHECKS are the rules. Exit code 1 when a rule is broken.
"""
import collections
import graphlib
import os
import re
import sys

BELOW_API = ("core", "factors", "inference", "learning")
LAYERS = (*BELOW_API, "api", "apps")  # each may include itself and those before it
ROOTS = ("CMakeLists.txt", "run", ".ci", "cmake", *LAYERS, "vision", "tests", "bench")
SUFFIXES = (".h", ".cc", ".cmake", ".in", ".sh", "CMakeLists.txt", "README.md")
LICENCE = "SPDX-License-" + "Identifier: BSD-3-Clause"

DIRECTIVE = re.compile(r'^\s*#\s*include\s*([<"]?.*)|#\s*(pragma\s+omp)')
ROOM = re.compile(r"<slackline/([^>]+)/")
VISION_USERS = re.compile(r"apps/segmentation/(commands|images)/")
DEFINITION = re.compile(
    r"^(?:class|struct|enum class|enum) (\w+)(?: final)?(?: : [^;\n]*)? ?\{", re.M)
# What only one file may use (or this file and a folder).
OWNERS = (
    (re.compile(r'[<"]glpk\.h'), "GLPK", ("inference/glpk_lp.cc",)),
    (re.compile(r'[<"]mpi\.h'), "MPI", ("core/mpi_ranks.cc",)),
    (re.compile(r'[<"]boost/'), "Boost", ("core/graph_topology.cc", "bench/")),
    (re.compile(r'[<"]omp\.h|pragma'), "OpenMP", ("core/parallel.cc",)),
    (re.compile(r'[<"]CLI/'), "CLI11", ("apps/cli/cmd_parser.cc",)),
)

Directive = collections.namedtuple("Directive", "path number line target")


class House:
    """The files of this project, without build folders and third_party, and their faults."""

    def __init__(self, root):
        self.root = root
        self.faults = []
        self.texts = {}
        for start in ROOTS:
            self.read(start)
            for folder, _, names in sorted(os.walk(os.path.join(root, start))):
                for name in sorted(names):
                    self.read(os.path.relpath(os.path.join(folder, name), root))
        self.sources = [path for path in self.texts if not path.endswith("README.md")]
        self.code = [path for path in self.sources if path.endswith((".h", ".cc"))]
        self.directives = [directive for path in self.code for directive in self.read_lines(path)]

    def read(self, path):
        name = os.path.join(self.root, path)
        if (path.endswith(SUFFIXES) or os.path.basename(path) == "run") and os.path.isfile(name):
            with open(name, "rb") as file:
                self.texts[path] = file.read().decode(errors="replace")

    def read_lines(self, path):
        for number, line in enumerate(self.texts[path].split("\n"), 1):
            match = DIRECTIVE.search(line) if "#" in line else None
            if match:
                yield Directive(path, number, line, match[1] or match[2] or "")

    def has_folder(self, path):
        return os.path.isdir(os.path.join(self.root, path))

    def require(self, condition, fault):
        if not condition:
            self.faults.append(fault)


def include_direction(house):
    """Folders may only include folders below them (core ← factors ← inference ← learning ← api ←
    apps, and core ← vision), and some libraries may be included by one file only."""
    headers = [path for path in house.code if path.startswith("api/") and path.endswith(".h")]
    public = {path for path in headers if not path.endswith("_impl.h")}
    names = "|".join(re.escape(os.path.basename(path)) for path in [*sorted(public), "version.h"])
    of_public = re.compile(rf"<slackline/({names})>|<[a-z_]+>")
    to_public = re.compile(rf'[<"]slackline/({names})')
    below_core = 0
    for directive in house.directives:
        path, target = directive.path, directive.target
        folder = path.split("/")[0]
        faults = []
        other = re.match(r'[<"](?:slackline/)?(\w+)/', target)
        if other and other[1] in above(path):
            faults.append(f"{folder} must not include {other[1]}")
        if folder in (*BELOW_API, "vision"):
            if target.startswith('"'):
                faults.append("write <slackline/…>, as users do")
            if re.match(r'[<"](CLI|nlohmann)/', target):
                faults.append("command line and JSON belong to apps")
        if path in public and "pragma" not in target and not of_public.match(target):
            faults.append("a public header may include public headers and the standard library")
        if folder in BELOW_API and to_public.match(target):
            faults.append("what lies below api must not include public headers")
        for pattern, library, owners in OWNERS:
            if pattern.match(target) and not path.startswith(owners):
                faults.append(f"{library} belongs to {owners[0]}")
        where = f"{path}:{directive.number}"
        house.faults += [f"{where}: {fault}: {directive.line.strip()}" for fault in faults]
        below_core += folder == "core" and target.startswith("<slackline/core/")
    house.require(below_core >= 10, "found hardly any includes: is this the source folder?")


def above(path):
    """The folders that a file must not include."""
    folder = path.split("/")[0]
    if folder == "vision":
        return (*LAYERS[1:], "tests", "bench")
    if folder not in LAYERS:
        return ()
    higher = (*LAYERS[LAYERS.index(folder) + 1:], "tests", "bench")
    return higher if VISION_USERS.match(path) else (*higher, "vision")


def rooms(house):
    """Every folder of sources has a README.md that states its question and the folders that it may
    include. Every include follows these lists, and the lists for headers have no cycles."""
    includes_of = {os.path.dirname(path): [] for path in house.code
                   if not path.startswith(("tests/", "bench/", "apps/examples/"))}
    for directive in house.directives:
        match = ROOM.match(directive.target)
        if match and os.path.dirname(directive.path) in includes_of:
            includes_of[os.path.dirname(directive.path)].append((directive, match[1]))
    graph = {folder: check_room(house, folder, includes)
             for folder, includes in includes_of.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        cycle = " ← ".join(error.args[1])
        house.faults.append(f"the folders that READMEs allow have a cycle: {cycle}")
    count = sum(len(includes) for includes in includes_of.values())
    house.require(count >= 1000, f"found {count} includes only: is this the source folder?")


def check_room(house, folder, includes):
    """Checks the includes of a folder; returns the folders that its headers may include."""
    readme = f"{folder}/README.md"
    text = house.texts.get(readme)
    if text is None:
        house.faults.append(f"{folder} has no README.md that says what it is for")
        return set()
    lists = ",".join(re.findall(r"^- Includes:(.*?)(?=^- |^$|\Z)", text, re.M | re.S))
    allowed = {name.strip() for name in re.sub(r"[.\n]", "", lists).split(",")} - {"", "none"}
    for other in sorted(allowed):
        house.require(house.has_folder(other), f"{readme} allows {other}, which does not exist")
    all_rooms = f"\n- Sources (.cc) also include: every room of {folder}" in text
    for directive, other in includes:
        inside = (all_rooms and directive.path.endswith(".cc") and other.startswith(folder + "/")
                  and house.has_folder(other))
        where = f"{directive.path}:{directive.number}"
        house.require(other == folder or other in allowed or inside,
                      f"{where}: {readme} does not allow to include {other}")
    return allowed - {folder}


def spdx(house):
    """Every source file names its licence once, in one of its first two lines."""
    for path in house.sources:
        lines = house.texts[path].split("\n")
        found = [number for number, line in enumerate(lines, 1)
                 if line in ("// " + LICENCE, "# " + LICENCE)]
        house.require(len(found) == 1 and found[0] <= 2,
                      f"{path}: '{LICENCE}' must be in line 1 or 2 only, found in lines {found}")


def file_length(house):
    """No source file is longer than 600 lines, no example longer than 50."""
    for path in house.sources:
        limit = 50 if path.startswith("apps/examples/") and path.endswith(".cc") else 600
        lines = house.texts[path].count("\n")
        house.require(lines <= limit, f"{path}: {lines} lines; at most {limit} are allowed")


def one_definition(house):
    """A name of a class, struct or enumeration is defined in one header only: the linker may
    silently mix up two definitions of one name. Nested classes do not count."""
    headers = collections.defaultdict(list)
    for path in house.code:
        if path.endswith(".h") and not path.startswith(("api/", "tests/", "bench/")):
            for name in DEFINITION.findall(house.texts[path]):
                headers[name].append(path)
    for name, paths in headers.items():
        house.require(len(paths) == 1, f"{name} is defined several times: {', '.join(paths)}")
    count = len(headers)
    house.require(count > 100, f"found {count} definitions only: is this the source folder?")


CHECKS = {check.__name__: check
          for check in (include_direction, rooms, spdx, file_length, one_definition)}


def main():
    if len(sys.argv) < 2 or not CHECKS.keys() >= set(sys.argv[2:]):
        sys.exit(f"usage: house.py SOURCE_DIR [CHECK...]; the checks are {', '.join(CHECKS)}")
    house = House(sys.argv[1])
    for check in sys.argv[2:] or CHECKS:
        CHECKS[check](house)
    print(f"{len(house.sources)} files, {len(house.faults)} faults", *house.faults, sep="\n")
    return bool(house.faults) or not house.sources


if __name__ == "__main__":
    sys.exit(main())
