#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What shards cost and bring: a table of oracle calls, rounds and critical seconds.

Usage: shards.py PROGRAM DATA_FOLDER [--problems LIST] [--shards LIST] [--lambdas LIST] [--runs N]
                 [--time-limit SECONDS] [--learner "NAME OPTIONS"] [--gaps LIST]

For every problem, number of shards and factor of the default lambda, trains to the smallest of the
certified relative gaps (0.1, 0.01 and 0.001) on one thread, with a check after every pass, by default
with `bcfw --step pairwise` (for `soft` the gap is that of the penalized problem), and prints for each gap: passes, oracle calls per example, rounds, and the critical seconds of the passes (the
processor time of the slowest shard in every round, and a P-th of the exchanges; with one shard the
seconds of all passes, times the share of the processor that the run had), the median of N runs (3). DATA_FOLDER is that of slackline-bench. `drawn`
is a problem of 10^6 drawn examples, made in a temporary folder. --json FILE writes the same rows
for other scripts.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

DRAWN_EXAMPLES = 1_000_000


def multilabel(train, *options):
    return ["multilabel", "train", train, *options]


def draw(path, examples):
    """A multi-label problem: 10 labels, each of which depends on some of 200 features, of which an
    example has 8."""
    source = random.Random(1)
    causes = [set(source.sample(range(200), 12)) for _ in range(10)]
    with open(path, "w") as file:
        for _ in range(examples):
            features = sorted(source.sample(range(200), 8))
            labels = [str(k) for k, cause in enumerate(causes)
                      if (len(cause.intersection(features)) > 0) != (source.random() < 0.05)]
            file.write(",".join(labels) + " " + " ".join(f"{f + 1}:1" for f in features) + "\n")


def ways(data, folder, program, names):
    """name -> arguments of the training."""
    found = {
        "yeast": multilabel(data / "yeast" / "yeast-train.arff", "--labels",
                            data / "yeast" / "yeast.xml"),
        "reuters30": multilabel(data / "reuters30" / "reuters30-train.svm.gz", "--num-labels", "30"),
        "rcv1s1": multilabel(data / "rcv1s1" / "rcv1s1-train.svm.gz", "--num-labels", "101"),
        "letters": ["sequence", "train", data / "letters" / "letter.data.gz", "--folds", "1-9"],
        "conll2000": ["sequence", "train", data / "conll2000" / "train.txt.gz"],
    }
    if "msrc21" in names:
        features = folder / "msrc21.fea"
        msrc = data / "msrc21"
        subprocess.run([program, "segment", "prepare", "--images", msrc / "images", "--labels",
                        msrc / "labels", "--classes", msrc / "classes.txt", "--train",
                        msrc / "splits" / "train.txt", "--test", msrc / "splits" / "test.txt",
                        "--out", features], check=True, capture_output=True)
        found["msrc21"] = ["segment", "train", features]
    if "drawn" in names:
        draw(folder / "drawn.svm", DRAWN_EXAMPLES)
        found["drawn"] = multilabel(folder / "drawn.svm", "--num-labels", "10")
    return {name: found[name] for name in names}


def train(program, way, learner, gap, shards, options, limit):
    """The checks of a run, and λ and the number of examples."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.jsonl"
        command = [program, *way, "--learner", *learner, "--gap-tolerance", str(gap),
                   "--check-every", "1", "--shards", str(shards), "--time-limit", str(limit),
                   "--quiet", "--log", log, "--model", f"{folder}/m.slk", *options]
        subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    return lines[0], [line for line in lines[1:] if "relative_gap" in line]


def critical(check):
    """With one shard, the elapsed seconds of the passes, less what other programs took."""
    if "critical_seconds" in check:
        return check["critical_seconds"]
    elapsed = check["seconds"] + check["check_seconds"]
    return check["seconds"] * min(1, check["cpu_seconds"] / elapsed)


def gap_of(check):
    """The relative gap that ends a run: certified, or that of the penalized problem of `soft`."""
    if check.get("tau") is None and check.get("soft_gap") is not None:
        return check["soft_gap"] / abs(check["soft_primal"])
    return check["relative_gap"]


def figures(checks, examples, gaps):
    """gap -> (passes, calls per example, rounds, critical seconds), None where it was not reached."""
    result = []
    for gap in gaps:
        at = next((c for c in checks if gap_of(c) is not None and gap_of(c) <= gap),
                  None)
        result.append(at and (at["pass"], at["oracle_calls"] / examples, at.get("rounds", 0),
                              critical(at)))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--problems", default="yeast,reuters30,rcv1s1,letters,conll2000")
    parser.add_argument("--shards", default="1,2,4,8,16,32")
    parser.add_argument("--lambdas", default="1,0.1")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=600)
    parser.add_argument("--learner", default="bcfw --step pairwise")
    parser.add_argument("--gaps", default="0.1,0.01,0.001")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    learner = arguments.learner.split()
    gaps = sorted(map(float, arguments.gaps.split(",")), reverse=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table = ways(arguments.data, pathlib.Path(folder), arguments.program,
                     arguments.problems.split(","))
        for name, way in table.items():
            start, _ = train(arguments.program, way, learner, gaps[-1], 1, ["--max-passes", "1"], 0)
            for factor in map(float, arguments.lambdas.split(",")):
                for shards in map(int, arguments.shards.split(",")):
                    options = ["--lambda", repr(start["lambda"] * factor)]
                    runs = [figures(train(arguments.program, way, learner, gaps[-1], shards, options,
                                          arguments.time_limit)[1], start["examples"], gaps)
                            for _ in range(arguments.runs)]
                    for k, gap in enumerate(gaps):
                        if any(run[k] is None for run in runs):
                            print(f"{name} lambda x {factor:g} P {shards} gap {gap:g}: not reached")
                            continue
                        row = [statistics.median(run[k][c] for run in runs) for c in range(4)]
                        rows.append({"problem": name, "factor": factor, "shards": shards, "gap": gap,
                                     "passes": row[0], "calls": row[1], "rounds": row[2],
                                     "critical": row[3]})
                        print(f"{name} lambda x {factor:g} P {shards} gap {gap:g}: {row[0]:.0f} passes, "
                              f"{row[1]:.2f} calls, {row[2]:.0f} rounds, {row[3]:.4g} s", flush=True)
                        if arguments.json:
                            arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    sys.exit(main())
