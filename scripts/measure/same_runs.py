#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether two builds make the same runs, bit for bit.

Usage: same_runs.py PROGRAM OTHER_PROGRAM DATA_FOLDER [PASSES]

Every learner makes PASSES passes (20) over parts of the problems of `bench` and over drawn images,
with both programs. Bounds, oracle calls, block steps and passes at every check, and whether the
learner applies at all, must be the same to the last digit; otherwise the exit code is 1. A test of
changes that must not affect any run. DATA_FOLDER is that of `bench`.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROBLEMS = ("toy", "yeast@300", "reuters@300", "letters-small@200", "conll@100", "grids@4",
            "grids-small", "matching@60")
DRAWN = ("two", "neighbours")
LEARNERS = ("auto", "auto:planes=off", "al", "soft:rho=1", "soft:rho=1,smoothing=0.1", "bcfw",
            "bcfw-pairwise", "bcfw-away", "bcfw-fixed", "bcfw-lp",
            "bcfw:step=pairwise,average=suffix", "bcfw:step=pairwise,oracle=messages",
            "bcfw:step=pairwise,rescaling=slack", "fw", "kernel-fw:kernel=rbf",
            "kernel-bcfw:kernel=rbf", "ssg", "cutting-plane-1", "cutting-plane-n", "bmrm", "eg",
            "excessive-gap", "extragradient", "dlpw", "smooth-dlpw", "prox-sdca", "multi-sample")
STEPS = {"bcfw-" + step: "bcfw:step=" + step for step in ("pairwise", "away", "fixed")}
TOO_SLOW = {("grids@4", "bcfw-lp")}  # minutes of GLPK; grids-small has the same code
CURVES = ("pass", "oracle_calls", "block_steps", "primal", "dual")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def failure(done):
    return f"exit code {done.returncode}: {done.stderr.strip()[-200:]}"


def bench_run(program, data, problem, learner, passes):
    """The curves of one learner on a problem of `bench`, or the reason why there are none."""
    bounded = learner + ("," if ":" in learner else ":") + f"max-passes={passes}"
    done = run(program, "bench", data, "--problems", problem, "--learners", bounded,
               "--time-limit", "0", "--runs", "1", "--quiet", "--out", "-")
    if done.returncode != 0:
        return failure(done)
    result = json.loads(done.stdout)["problems"][0]["learners"][0]
    if not result.get("runs"):
        return result["state"] + ": " + result["reason"]
    curve = result["runs"][0]["curve"]
    return {key: curve[key] for key in CURVES}


def draw(program, folder):
    """Makes the file of drawn images; returns its path."""
    drawn, features = folder / "drawn", folder / "drawn.fea"
    for command in (("draw", "--out", drawn, "--images", "10", "--size", "80x60"),
                    ("prepare", "--images", drawn / "images", "--labels", drawn / "labels",
                     "--classes", drawn / "classes.txt", "--train", drawn / "train.txt",
                     "--test", drawn / "test.txt", "--out", features)):
        done = run(program, "segment", *command)
        if done.returncode != 0:
            sys.exit(f"{program} segment {command[0]}: " + failure(done))
    return features


def drawn_run(program, features, layers, learner, passes):
    """The numbers in the log of one learner on drawn images, without seconds."""
    name, _, options = STEPS.get(learner, learner).replace("bcfw-lp", "bcfw:oracle=lp").partition(":")
    command = ["segment", "train", features, "--layers", layers, "--learner", name, "--max-passes",
               str(passes), "--model", str(features) + ".slk", "--log", "-", "--quiet"]
    for option in filter(None, options.split(",")):
        key, value = option.split("=")
        command += ["--" + key, value]
    done = run(program, *command)
    if done.returncode != 0:
        return failure(done)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [{key: record[key] for key in CURVES if key in record} for record in records]


def compare(name, mine, theirs):
    """Prints one line; returns the number of learners that differ. Reasons not to run may differ."""
    ran = sum(not isinstance(result, str) for result in mine.values())
    unlike = [learner for learner in mine if mine[learner] != theirs[learner] and
              not (isinstance(mine[learner], str) and isinstance(theirs[learner], str))]
    print(f"{name}: {ran} of {len(mine)} learners apply, " +
          ("not the same: " + ", ".join(unlike) if unlike else "all runs are the same"), flush=True)
    return len(unlike)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    programs, data = sys.argv[1:3], sys.argv[3]
    passes = int(sys.argv[4]) if len(sys.argv) == 5 else 20
    different = 0
    for problem in PROBLEMS:
        learners = [name for name in LEARNERS if (problem, name) not in TOO_SLOW]
        results = [{name: bench_run(program, data, problem, name, passes) for name in learners}
                   for program in programs]
        different += compare(problem, *results)
    with tempfile.TemporaryDirectory() as folder:
        features = []
        for number, program in enumerate(programs):
            mine = pathlib.Path(folder) / str(number)
            mine.mkdir()
            features.append(draw(program, mine))
        if features[0].read_bytes() != features[1].read_bytes():
            print("drawn images: their features are not the same")
            different += 1
        for layers in DRAWN:
            results = [{name: drawn_run(program, file, layers, name, passes) for name in LEARNERS}
                       for program, file in zip(programs, features)]
            different += compare("drawn images, layers " + layers, *results)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
