# SPDX-License-Identifier: BSD-3-Clause
"""Too little memory (ulimit -v): between the needs of starting and those of a whole command.

Promised: the result, or a message and exit code 1 or 2; no death by a signal."""
import os
import shutil

import samples
from lab import Outcome, read, temporaries, write

KB = 1024
LARGEST = 1 << 22  # kB; a program that does not start in 4 GB is built with a sanitizer


def limit(kilobytes):
    return ["prlimit", f"--as={kilobytes * KB}"]


def commands(lab, applications):
    """(name, arguments); OUT stands for an output file or folder."""
    for application in applications.values():
        name = application.name
        train = [*application.train, "--max-passes", "5", "-q", "--model", "OUT"]
        yield f"{name} train", train
        if application.learners:
            yield f"{name} train, 2 threads", [*train, "--threads", "2"]
            yield f"{name} train al", [*train, "--learner", "al"]
        predict = [*application.with_model(application.predict), "-q", "--out", "OUT"]
        yield f"{name} predict", predict
        if application.learners:
            yield f"{name} predict, 2 threads", [*predict, "--threads", "2"]
        yield f"{name} evaluate", application.with_model(application.evaluate)
        yield f"{name} info", ["info", application.model]
        if application.cv:
            path = ["--lambda-path", "0.1,0.01", "--max-passes", "5", "-q", "--model", "OUT"]
            yield f"{name} cv", [*application.cv, *path]
        if name == "multilabel":
            kernel = ["--kernel", "rbf", "--learner", "kernel-bcfw"]
            yield "multilabel train kernel-bcfw", [*train, *kernel]
            yield "multilabel train kernel rbf", [*train, "--kernel", "rbf"]
            lp = ["--learner", "bcfw", "--step", "fw", "--oracle", "lp"]
            yield "multilabel train bcfw lp", [*train, *lp]
        if name == "segment":
            drawn = os.path.dirname(application.data) + "/images"
            yield "segment prepare", [*samples.prepare_arguments(drawn), "-q", "--out", "OUT"]
    yield "report", ["report", samples.log(lab, applications), "--out", "OUT"]


def smallest(works, low, high):
    """The smallest limit that works, up to 256 kB. Requires that `high` works."""
    while high - low > 256:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def run(lab, arguments, kilobytes):
    folder = lab.new_folder("memory")
    path = f"{folder}/out"
    to_file = "predict" not in arguments or "segment" not in arguments
    if to_file:
        write(path, b"old")
    command = [path if part == "OUT" else part for part in arguments]
    outcome = lab.run(command, wrap=limit(kilobytes))
    problem = None
    if "OUT" in arguments and to_file and outcome.code in (1, 2) and read(path) != b"old":
        problem = "failed, but changed its output"
    if temporaries(folder):
        problem = "a temporary file is left"
    shutil.rmtree(folder)
    return outcome, problem


def attack_command(lab, attack, name, arguments, floor):
    enough = floor
    while enough < LARGEST and run(lab, arguments, enough)[0].code != 0:
        enough += enough // 10
    random = lab.random(f"memory {name}")
    steps = lab.few(8, 150)
    width = (enough - floor) / steps
    limits = [int(floor + width * (step + random.random())) for step in range(steps)]

    def trial(kilobytes):
        outcome, problem = run(lab, arguments, kilobytes)
        text = problem and f"{problem} with {kilobytes} kB"
        before = Outcome(outcome.code, outcome.out, outcome.err, [name, *outcome.command])
        attack.check(before, text)

    lab.map(trial, limits)
    attack.note(f"up to {enough // KB} MB")


def attack(lab, _):
    """The lowest limit is the one with which --version works: below, the system's loader fails."""
    if lab.run(["--version"], wrap=limit(LARGEST)).code != 0:
        lab.attack("memory").note("left out: the program does not start in 4 GB (a sanitizer?)")
        return
    floor = smallest(lambda size: lab.run(["--version"], wrap=limit(size)).code == 0, 0, LARGEST)
    applications = samples.make(lab, size=3, pixels="240x180")
    for name, arguments in commands(lab, applications):
        attack_command(lab, lab.attack(f"memory: {name}"), name, arguments, floor)
