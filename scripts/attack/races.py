#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data races: training, prediction and images with 2 and 4 threads, in a program that was built
with clang's thread sanitizer and OpenMP runtime; `run tsan` builds it.

The sanitizer must know the barriers of OpenMP, from Archer, a tool of the runtime. A control
program tests this: its races must be found, and its correct parts must pass."""
import argparse
import glob
import os
import sys
import tempfile
import time

import samples
from attack import print_table
from lab import Lab

# The learners whose evaluations use threads in different code.
LEARNERS = [
    [],
    ["--learner", "bcfw", "--step", "fw", "--average", "weighted"],
    ["--learner", "bcfw", "--step", "fw", "--oracle", "lp"],
    ["--learner", "al"],
    ["--learner", "soft"],
    ["--learner", "fw"],
    ["--learner", "ssg"],
    ["--learner", "cutting-plane-1"],
    ["--learner", "cutting-plane-n"],
    ["--learner", "bmrm"],
    ["--learner", "eg", "--graph", "tree"],
    ["--learner", "excessive-gap", "--graph", "tree"],
    ["--learner", "extragradient", "--graph", "tree"],
    ["--learner", "dlpw"],
    ["--learner", "smooth-dlpw"],
    ["--learner", "prox-sdca"],
    ["--learner", "multi-sample"],
    ["--learner", "kernel-bcfw", "--kernel", "rbf"],
    ["--learner", "kernel-fw", "--kernel", "rbf"],
    ["--kernel", "polynomial"],
    ["--learner", "bcfw", "--oracle", "search"],
    ["--learner", "bcfw", "--oracle", "messages"],
    ["--verify"],
    ["--shards", "2"],
    ["--shards", "5", "--graph", "none", "--scale", "standard"],
]
FEW = [[], ["--learner", "al"], ["--learner", "cutting-plane-1"], ["--shards", "4"]]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--control", required=True)
    parser.add_argument("--archer", help="libarcher.so [looked for below /usr/lib]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    options = parser.parse_args()
    options.short, options.timeout = True, 600
    return options


def find_archer():
    found = sorted(glob.glob("/usr/lib/llvm-*/lib/libarcher.so"))
    if not found:
        sys.exit("races: there is no libarcher.so (Debian: libomp5-14); name it with --archer")
    return found[-1]


def check_control(lab, control):
    """Checks that the sanitizer finds races, and accepts synchronised code."""
    attack = lab.attack("races: control")
    program, lab.program = lab.program, os.path.abspath(control)
    race, clean = lab.run(["race"]), lab.run(["clean"])
    lab.program = program
    found = b"ThreadSanitizer: data race" in race.err and race.code == 99
    attack.count(None if found else "the race of the control is not found", race.command)
    attack.check(clean, allowed=(0,))
    return attack.failures == 0


def commands(application, folder):
    train = application.train
    learners = LEARNERS if application.name == "multilabel" else FEW
    for number, learner in enumerate(learners):
        few = ["--max-passes", "6", "--check-every", "2", "--gap-tolerance", "0", "-q"]
        yield "training", [*train, *learner, *few, "--model", f"{folder}/{number}.slk"]
    predict = [*application.with_model(application.predict), "-q", "--out"]
    yield "prediction", [*predict, f"{folder}/predicted"]
    yield "prediction", application.with_model(application.evaluate)
    if application.name == "multilabel":
        for decode in ("auto", "lp"):
            own = [*predict, f"{folder}/predicted", "--output", "scores"]
            yield "prediction", [*own, "--decode", decode]
    if application.cv:
        path = ["--lambda-path", "0.1,0.01", "--max-passes", "4", "-q"]
        yield "cross-validation", [*application.cv, *path, "--no-refit"]


def image_commands(application, folder):
    """Commands on images with features of realistic size, so that threads share single examples."""
    drawn = os.path.dirname(application.data) + "/images"
    prepare = samples.prepare_arguments(drawn)
    at = prepare.index("small")
    standard = [*prepare[:at], "standard", "--superpixels", "150"]
    features = f"{folder}/standard.fea"
    yield "images", [*standard, "--out", features, "-q"]
    yield "images", [*prepare, "--out", f"{folder}/small.fea", "-q"]
    model = ["--model", f"{folder}/standard.slk", "-q"]
    yield "images", ["segment", "train", features, "--max-passes", "3", *model]
    yield "images", [*application.predict, "--scores", "--overlay", "--out", f"{folder}/o", *model]
    fast = ["--folds", "2", "--max-passes", "3", "-q", "--out", f"{folder}/potentials"]
    yield "images", ["segment", "potentials", features, *fast]


def attack_application(lab, application):
    folder = lab.new_folder("races")
    cases = list(commands(application, folder))
    if application.name == "segment":
        cases += image_commands(application, folder)
    attacks = {}
    for kind, command in cases:
        if kind not in attacks:
            attacks[kind] = lab.attack(f"races: {application.name} {kind}")
        for threads in "24":
            attacks[kind].check(lab.run([*command, "--threads", threads]), allowed=(0,))


def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    options = read_options()
    os.environ["OMP_TOOL_LIBRARIES"] = options.archer or find_archer()
    os.environ["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1"
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="slackline-races-") as folder:
        lab = Lab(os.path.abspath(options.program), folder, options)
        if check_control(lab, options.control):
            every = samples.make(lab, pixels="120x90").values()
            applications = [application for application in every if application.learners]
            lab.map(lambda own: attack_application(lab, own), applications)
        failures = print_table(lab, {"races": time.monotonic() - begin})
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
