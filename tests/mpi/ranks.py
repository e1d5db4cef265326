#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains with the program on several processes of this machine, more than it has processors.

Usage: ranks.py --program build/apps/slackline [--only NAME]

Checked: a run on R processes gives the model of a run in one process with as many shards, byte for
byte except for times; so are predictions and metrics; errors of data on one process end all with
exit code 2, file and line; runs that are interrupted, or one process of which is killed, leave a
model or a checkpoint, from which other numbers of processes continue to the same model. The exit
code is 1 if a check fails.
"""
import argparse
import gzip
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "attack"))
import model_bytes  # noqa: E402

YEAST = ROOT / "data" / "yeast" / "yeast-train.arff.gz"
XML = ROOT / "data" / "yeast" / "yeast.xml"
LETTERS = ROOT / "data" / "letters" / "letter-fold0.data.gz"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none")
SECONDS = 120  # after which a command hangs


class Failure(Exception):
    pass


class Lab:
    def __init__(self, program, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(folder)

    def command(self, ranks, *arguments):
        """In one process without MPI if ranks is 0."""
        launcher = ["mpirun", "-n", str(ranks)] if ranks else []
        return [*launcher, self.program, *map(str, arguments)]

    def run(self, ranks, *arguments, data=b""):
        """data: the standard input. Before version 5, mpirun itself crashes now and then when its
        input comes before the process that is to have it (Open MPI's issue 7483): such runs, which
        its stack trace shows, are made again, twice at most."""
        for _ in range(3):
            done = subprocess.run(self.command(ranks, *arguments), capture_output=True, input=data,
                                  env=ENVIRONMENT, timeout=SECONDS)
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
            if not (ranks and done.returncode == -signal.SIGSEGV and
                    "orte_iof_hnp_read_local_handler" in done.stderr):
                break
        return done

    def train(self, ranks, name, *arguments, data=b""):
        """Trains; returns the bytes of the model."""
        model = self.folder / f"{name}.slk"
        done = self.run(ranks, *arguments, "--model", model, data=data)
        require(done.returncode == 0, f"{ranks} ranks: exit code {done.returncode}: {done.stderr}")
        return model.read_bytes()


def require(good, message):
    if not good:
        raise Failure(message)


def require_same(one, other, what):
    difference = model_bytes.difference(one, other)
    require(difference is None, f"{what}: {difference}")


def lines_of(path):
    with gzip.open(path, "rt") as file:
        return file.read().splitlines()


def write_parts(folder, head, records, sizes):
    """Files part-00, part-01, … with `head`, and with as many records as the sizes say; every second
    one is compressed."""
    folder.mkdir()
    begin = 0
    for number, size in enumerate([*sizes, len(records) - sum(sizes)]):
        text = "\n".join([*head, *records[begin : begin + size]]) + "\n"
        begin += size
        name = folder / f"part-{number:02}"
        if number % 2:
            with gzip.open(f"{name}.gz", "wt") as file:
                file.write(text)
        else:
            name.write_text(text)


def yeast_as_libsvm():
    """The lines of Yeast in LIBSVM's format, some of the features left out."""
    lines = lines_of(YEAST)
    for line in lines[lines.index("@data") + 1 :] if "@data" in lines else lines[-1500:]:
        values = line.split(",")
        labels = [str(k) for k, value in enumerate(values[-14:]) if value == "1"]
        features = [f"{k + 1}:{value}" for k, value in enumerate(values[:-14]) if k % 3 == 0]
        yield ",".join(labels) + " " + " ".join(features)


def drawn_images(lab, count):
    """A file of prepared images; None where the program has no segmentation."""
    drawn = lab.folder / "drawn"
    done = lab.run(0, "segment", "draw", "--out", drawn, "--images", count, "--size", "60x40")
    if done.returncode != 0:
        return None
    prepared = lab.folder / "drawn.fea"
    done = lab.run(0, "segment", "prepare", "--images", drawn / "images", "--labels",
                   drawn / "labels", "--classes", drawn / "classes.txt", "--train",
                   drawn / "train.txt", "--test", drawn / "test.txt", "--out", prepared)
    require(done.returncode == 0, done.stderr)
    return prepared


def yeast_file(lab):
    path = lab.folder / "yeast.svm"
    path.write_text("\n".join(yeast_as_libsvm()) + "\n")
    return path


def write_lines(lab, name, lines):
    path = lab.folder / name
    path.write_text("\n".join(lines))
    return path


def drawn_tags(sequences):
    """Lines of drawn sentences in CoNLL's format."""
    draw = random.Random(7)
    words = [f"word{k}" for k in range(300)]
    lines = []
    for _ in range(sequences):
        for _ in range(draw.randint(1, 12)):
            word = draw.choice(words)
            tag = "BIO"[(int(word[4:]) + draw.randint(0, 1)) % 3]
            lines.append(f"{word} {'XY'[len(word) % 2]} {tag}")
        lines.append("")
    return lines


def drawn_matchings(examples):
    draw = random.Random(9)
    lines = []
    for _ in range(examples):
        left, right = draw.randint(2, 5), draw.randint(2, 5)
        lines.append(f"{left} {right}")
        for node in range(left):
            for other in range(right):
                good = int(node == other)
                lines.append(f"{node} {other} {good} near:{good + draw.gauss(0, 0.6):.3f} "
                             f"far:{abs(node - other)} word{draw.randint(0, 20)}:1")
        lines.append("")
    return lines


def drawn_classes(examples):
    draw = random.Random(10)
    lines = []
    for _ in range(examples):
        values = [draw.gauss(0, 1) for _ in range(6)]
        row = " ".join(f"{f + 1}:{value:.3f}" for f, value in enumerate(values))
        lines.append(f"{'uvwx'[values.index(max(values[:4]))]} {row}")
    return lines


# Checks. Each has a folder of its own.


def same_models(lab):
    records = list(yeast_as_libsvm())
    plain = lab.folder / "yeast.svm"
    plain.write_text("# a comment\n" + "\n".join(records[:700]) + "\n\n# more\n" +
                     "\n".join(records[700:]))
    write_parts(lab.folder / "parts", ["# a part"], records, [100, 0, 900, 1])
    tags = write_lines(lab, "tags.txt", drawn_tags(400))
    matchings = write_lines(lab, "matchings.txt", drawn_matchings(60))
    classes = write_lines(lab, "classes.svm", drawn_classes(80))
    costs = lab.folder / "costs.csv"
    costs.write_text("-,u,v,w,x\nu,0,1,1,3\nv,1,0,1,1\nw,0.5,1,0,1\nx,1,1,1,0\n")
    passes = ["--max-passes", 12, "--gap-tolerance", 1e-4]
    ways = {
        "arff": ["multilabel", "train", YEAST, "--labels", XML, "--graph", "tree"],
        "libsvm": ["multilabel", "train", plain, "--num-labels", 14],
        "parts": ["multilabel", "train", lab.folder / "parts", "--num-labels", 14, "--scale",
                  "standard", "--loss-weights", "inverse-frequency"],
        "letters": ["sequence", "train", LETTERS],
        "tags": ["sequence", "train", tags],
        "tags, hashed": ["sequence", "train", tags, "--hash-bits", 12, "--C", 0.1],
        "matching": ["matching", "train", matchings],
        "classes": ["multiclass", "train", classes, "--costs", costs, "--scale", "standard"],
        "bcfw, fw": ["multilabel", "train", plain, "--num-labels", 14, "--learner", "bcfw", "--step",
                     "fw"],
        "prox-sdca": ["sequence", "train", tags, "--learner", "prox-sdca", "--l1", 1e-4],
        "slack": ["sequence", "train", tags, "--rescaling", "slack"],
        "slack, fw": ["multilabel", "train", plain, "--num-labels", 14, "--graph", "tree",
                      "--rescaling", "slack", "--learner", "bcfw", "--step", "fw"],
        "soft": ["sequence", "train", tags, "--learner", "soft"],
        "al": ["multilabel", "train", plain, "--num-labels", 14, "--learner", "al"],
        "clusters": ["multilabel", "train", plain, "--num-labels", 14, "--learner", "al",
                     "--clusters", 4, "--cluster-rounds", 2],
        "path": ["multilabel", "train", plain, "--num-labels", 14, "--graph", "none",
                 "--lambda-path", "0.1:0.01:2"],
    }
    prepared = drawn_images(lab, 9)
    if prepared is not None:
        ways["images"] = ["segment", "train", prepared, "--layers", "neighbours"]
    for name, way in ways.items():
        if name == "path":
            lab.run(0, *way, *passes, "--shards", 4, "--model", lab.folder / "path.slk")
            alone = (lab.folder / "path-0.01.slk").read_bytes()
        else:
            alone = lab.train(0, name, *way, *passes, "--shards", 4)
        for ranks in (2, 3, 4):
            # As many shards as ranks is the default.
            shards = [] if ranks == 4 else ["--shards", 4]
            model = lab.folder / "again.slk"
            done = lab.run(ranks, *way, *passes, *shards, "--model", model)
            require(done.returncode == 0, f"{name}, {ranks} ranks: {done.stderr}")
            if name == "path":
                model = lab.folder / "again-0.01.slk"
            require_same(alone, model.read_bytes(), f"{name}, {ranks} ranks")


def drawn_table(rows):
    """Lines of a table: numbers, categories, missing values, and quotes with line ends. A line is a
    row, or a part of one."""
    draw = random.Random(11)
    head = "size,colour,note,weight,A,B,C"
    lines = []
    for row in range(rows):
        size = draw.gauss(0, 1)
        colour = draw.choice(["red", "green", "blue", f"rare{row // 150}"])
        note = draw.choice(["plain", '"of two\nlines"', '"a ""quote"""'])
        weight = "" if draw.random() < 0.1 else f"{draw.gauss(0, 3):.12g}"
        labels = [int(size + draw.gauss(0, 1) > 0), int(colour == "red"), int(draw.random() < 0.3)]
        lines.append(",".join([f"{size:.9g}", colour, note, weight, *map(str, labels)]))
    return head, lines


def tables(lab):
    """A table, and a folder with its parts, each with the header."""
    head, rows = drawn_table(500)
    file, folder, few = places_of(lab, "table", [head], rows)
    file.write_text("\n".join([head, *rows[:300], "", *rows[300:]]))
    train = ["--label-columns", "A,B,C", "--max-passes", 12, "--gap-tolerance", 1e-4]
    for data in (folder, file):
        alone = lab.train(0, "m", "multilabel", "train", data, *train, "--shards", 4)
        for ranks in (2, 3, 4):
            model = lab.train(ranks, "again", "multilabel", "train", data, *train, "--shards", 4)
            require_same(alone, model, f"{data.name}, {ranks} ranks")
    same_everywhere(lab, "multilabel", (file, folder, few), lab.folder / "m.slk",
                    ["labels", "scores"])
    file.write_text("\n".join([head, *rows, "1,red,plain,1,0,0"]))
    bad = ["multilabel", "train", file, *train, "--model", lab.folder / "bad.slk"]
    done = lab.run(3, *bad)
    require(done.returncode == 2 and "table.txt:" in done.stderr and "6 values" in done.stderr,
            f"{done.returncode}: {done.stderr}")


def converted(lab):
    """Converted tables, sequences and images, as one file and in parts."""
    head, rows = drawn_table(500)
    table, sequences = lab.folder / "t.csv", lab.folder / "c.txt"
    table.write_text("\n".join([head, *rows]) + "\n")
    sequences.write_text("\n".join(drawn_tags(4000)))
    kinds = [("multilabel", table, ["--label-columns", "A,B,C"]),
             ("sequence", sequences, ["--min-count", 1])]
    prepared = drawn_images(lab, 9)
    if prepared is not None:
        kinds.append(("segment", prepared, []))
    for task, text, options in kinds:
        whole, parts = lab.folder / f"{task}.data", lab.folder / f"{task}.parts"
        for out, more in ((whole, []), (parts, ["--parts", 3])):
            done = lab.run(0, task, "convert", text, *options, "--out", out, *more)
            require(done.returncode == 0, f"{task} convert: {done.stderr}")
        require(task == "multilabel" or len(list(parts.iterdir())) > 1, f"parts of {task}")
        train = ["--max-passes", 5, "--gap-tolerance", 1e-4, "--shards", 4]
        model = lab.folder / "m.slk"
        for data in (whole, parts):
            alone = lab.train(0, "m", task, "train", data, *train)
            for ranks in (2, 3, 4):
                again = lab.train(ranks, "again", task, "train", data, *train)
                require_same(alone, again, f"{data.name}, {ranks} ranks")
            if task == "segment":
                continue
            same_results(lab, task, "evaluate", data, "--model", model, "--json")
            same_results(lab, task, "predict", data, "--model", model)
        damaged = bytearray(whole.read_bytes())
        damaged[len(damaged) // 3] ^= 1
        whole.write_bytes(damaged)
        done = lab.run(3, task, "train", whole, "--model", model)
        require(done.returncode == 2 and "damaged" in done.stderr, done.stderr)


def few_records(lab):
    """Fewer records than processes, in all tasks."""
    libsvm, arff, tags, pairs = (lab.folder / name for name in ("a.svm", "a.arff", "a.txt", "a.m"))
    libsvm.write_text("\n".join(list(yeast_as_libsvm())[:3]) + "\n")
    lines = lines_of(YEAST)
    arff.write_text("\n".join(lines[: len(lines) - 1500 + 3]) + "\n")
    tags.write_text("\n".join(drawn_tags(3)))
    pairs.write_text("\n".join(drawn_matchings(2)))
    ways = [["multilabel", "train", libsvm, "--num-labels", 14, "--verify"],
            ["multilabel", "train", arff, "--labels", XML, "--graph", "tree"],
            ["sequence", "train", tags, "--min-count", 1],
            ["matching", "train", pairs]]
    prepared = drawn_images(lab, 4)
    if prepared is not None:
        ways.append(["segment", "train", prepared])
    saved = lab.folder / "run.ckpt"
    for way in ways:
        few = [*way, "--max-passes", 6, "--gap-tolerance", 1e-6, "--shards", 5]
        alone = lab.train(0, "alone", *few)
        again = lab.train(5, "again", *few, "--checkpoint", saved, "--checkpoint-every", 0)
        require_same(alone, again, " ".join(map(str, way[:2])))
        more = [*way, "--max-passes", 9, "--gap-tolerance", 1e-6, "--shards", 5]
        require_same(lab.train(0, "alone", *more), lab.train(4, "again", *more, "--resume", saved),
                     f"{way[0]}, resumed")


def standard_input(lab):
    """Data that mpirun gives to one process, which may read them only once."""
    head, rows = drawn_table(300)
    passes = ["--max-passes", 6, "--gap-tolerance", 1e-4, "--shards", 3]
    records = "\n".join(yeast_as_libsvm()) + "\n"
    ways = ((["multilabel", "train", "-", "--num-labels", 14], records.encode()),
            (["multilabel", "train", "-", "--labels", XML, "--graph", "tree"], YEAST.read_bytes()),
            (["multilabel", "train", "-", "--label-columns", "A,B,C"],
             "\n".join([head, *rows]).encode()),
            (["sequence", "train", "-"], LETTERS.read_bytes()),
            (["sequence", "train", "-", "--min-count", 1],
             gzip.compress("\n".join(drawn_tags(200)).encode())),
            (["matching", "train", "-"], "\n".join(drawn_matchings(40)).encode()))
    for way, data in ways:
        alone = lab.train(0, "alone", *way, *passes, data=data)
        for ranks in (2, 3):
            require_same(alone, lab.train(ranks, "again", *way, *passes, data=data),
                         f"{way}, {ranks} ranks")
    train = [*ways[0][0], "--model", lab.folder / "bad.slk"]
    cv = ["multilabel", "cv", "-", "--num-labels", 14, "--lambda-path", "0.1", "--folds", 3,
          "--max-passes", 2, "--threads", 1, "--quiet"]
    some = records[: records.index("\n", 30000) + 1].encode()
    require_same(lab.train(0, "cv", *cv, data=some), lab.train(3, "cv", *cv, data=some), "cv")
    evaluate = ["multilabel", "evaluate", "-", "--model", lab.folder / "cv.slk", "--json"]
    results = [lab.run(ranks, *evaluate, data=some) for ranks in (0, 3)]
    require(results[0].stdout == results[1].stdout != "", f"evaluate: {results}")
    for data, message in ((records.replace("1:", "1;", 1), "<stdin>:1: "), ("", "<stdin>: ")):
        alone, done = (lab.run(ranks, *train, data=data.encode()) for ranks in (0, 3))
        require(done.returncode == 2 and message in done.stderr, done.stderr)
        require(ours(alone.stderr)[-1] in ours(done.stderr), f"{alone.stderr}, {done.stderr}")


def certificates(lab):
    plain = yeast_file(lab)
    train = ["multilabel", "train", plain, "--num-labels", 14, "--gap-tolerance", 0.01, "--verify"]
    for ranks in (0, 3):
        model = lab.folder / "m.slk"
        done = lab.run(ranks, *train, "--shards", 3, "--model", model)
        require(done.returncode == 0, f"{ranks} ranks: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if "certificate holds" in line]
        require(len(lines) == 1 and "from the dual point" in lines[0], done.stderr)


def held_out(lab):
    """Trainings that hold examples out are shared out to the processes."""
    yeast = ("multilabel", "train", YEAST, "--labels", XML, "--shards", "4", "--max-passes", "2",
             "--quiet")
    for name, more in (("calibrated", ("--graph", "tree", "--calibrate")),
                       ("chosen", ("--graph", "none,tree"))):
        one = lab.train(0, name, *yeast, *more)
        for ranks in (2, 3):
            require_same(one, lab.train(ranks, f"{name}-{ranks}", *yeast, *more),
                         f"{name}, {ranks} processes")


def same_validation(lab, numbers, *cv):
    """The results and final models of these numbers of ranks are the same, except for times."""
    without_times = re.compile(r'"[a-z_]*seconds": [^,\n]*')
    results, models = [], []
    for ranks in numbers:
        done = lab.run(ranks, *cv, "--model", lab.folder / "cv.slk")
        require(done.returncode == 0, f"{cv}, {ranks} ranks: {done.stderr}")
        results.append(without_times.sub("", done.stdout))
        models.append((lab.folder / "cv.slk").read_bytes())
    require(len(set(results)) == 1, f"{cv}: different results: {results}")
    for model in models[1:]:
        require_same(models[0], model, f"{cv}: the final models")


def cross_validation(lab):
    plain = lab.folder / "yeast.svm"
    plain.write_text("\n".join(list(yeast_as_libsvm())[:300]) + "\n")
    cv = ["multilabel", "cv", plain, "--num-labels", 14, "--lambda-path", "0.1:0.01:2", "--folds", 4,
          "--gap-tolerance", 0.01, "--threads", 1, "--json"]
    same_validation(lab, (0, 1, 3, 5), *cv)  # more than folds
    others = [["sequence", write_lines(lab, "tags.txt", drawn_tags(60))],
              ["matching", write_lines(lab, "matchings.txt", drawn_matchings(20))],
              ["multiclass", write_lines(lab, "classes.svm", drawn_classes(60))]]
    prepared = drawn_images(lab, 6)
    if prepared is not None:
        others.append(["segment", prepared])
    for task, data in others:
        path = "100:10:2" if task == "segment" else "0.1:0.01:2"
        same_validation(lab, (0, 3), task, "cv", data, "--lambda-path", path, "--folds", 2,
                        "--gap-tolerance", 0.05, "--threads", 1, "--json")


def ours(stderr):
    """What the program has printed, without the lines of mpirun."""
    return [line for line in stderr.splitlines() if line and "WARNING" not in line]


def same_results(lab, *arguments, ranks=(1, 2, 4), out=None, messages=True):
    """Runs the command in one process, and on several; returns its standard output, or the file."""
    results = []
    for number in (0, *ranks):
        done = lab.run(number, *arguments, *([] if out is None else ["--out", out]))
        require(done.returncode == 0, f"{arguments}, {number} ranks: {done.stderr}")
        if out is not None:
            require(done.stdout == "", f"{arguments}, {number} ranks: {done.stdout}")
        text = done.stdout if out is None else out.read_text()
        if out is not None:
            out.unlink()
        results.append((text, ours(done.stderr) if messages else None))
    for number, result in zip(ranks, results[1:]):
        require(result == results[0],
                f"{arguments}, {number} ranks: {result} for {results[0]}"[:2000])
    require(results[0][0].count("\n") > 0, f"{arguments}: no output")
    return results[0][0]


def same_everywhere(lab, task, places, model, outputs):
    """Predictions and metrics are the same on any number of processes and in any place of the data.
    places: the data as a file and as a folder; and a file with fewer records than processes."""
    file, folder, few = places
    for output in outputs:
        predict = [task, "predict", "--model", model, "--output", output]
        text = same_results(lab, *predict, file, out=lab.folder / "out.txt")
        require(same_results(lab, *predict, folder, ranks=(3,)) == text,
                f"{task}, {output}: another output of the folder")
        same_results(lab, *predict, few, ranks=(4,))
    evaluate = [task, "evaluate", "--model", model]
    same_results(lab, *evaluate, file, ranks=(4,))
    text = same_results(lab, *evaluate, file, "--json")
    require(same_results(lab, *evaluate, folder, "--json", ranks=(3,)) == text,
            f"{task}: other metrics of the folder")
    same_results(lab, *evaluate, few, ranks=(4,))


def places_of(lab, name, head, records, between="\n"):
    """See same_everywhere. records: texts without the end of the last line."""
    file, folder, few = (lab.folder / f"{name}{end}" for end in (".txt", "", "-few.txt"))
    file.write_text(between.join([*head, *records]) + "\n")
    folder.mkdir()
    begin = 0
    for number, size in enumerate((3, 0, len(records) // 2, len(records))):
        part = records[begin : begin + size]
        begin += len(part)
        (folder / f"part-{number}").write_text(between.join([*head, *part]) + "\n")
    few.write_text(between.join([*head, *records[-2:]]) + "\n")
    return file, folder, few


def predictions(lab):
    records = list(yeast_as_libsvm())
    plain = lab.folder / "train.svm"
    # Some features that the model does not know.
    plain.write_text("\n".join(re.sub(r" (9[1-9]|10\d):\S+", "", line) for line in records[:600]))
    model = lab.folder / "m.slk"
    lab.train(0, "m", "multilabel", "train", plain, "--num-labels", 14, "--max-passes", 5,
              "--calibrate")
    test = ["? " + line.partition(" ")[2] if k % 7 == 0 else line for k, line in
            enumerate(records[600:1000])]
    same_everywhere(lab, "multilabel", places_of(lab, "test", ["# a file"], test), model,
                    ["labels", "scores", "probabilities"])
    loose = lab.folder / "test.txt"
    same_results(lab, "multilabel", "evaluate", loose, "--model", model, "--decode", "lp", "--json")
    same_results(lab, "multilabel", "predict", loose, "--model", model, "--quiet")

    tags = lab.folder / "tags.txt"
    tags.write_text("\n".join(drawn_tags(60)) + "\n")
    lab.train(0, "tags", "sequence", "train", tags, "--max-passes", 5, "--min-count", 1)
    test = "\n".join(drawn_tags(200)[600:]).replace(" X B\n", " X new\n", 40)
    sentences = [text for text in test.split("\n\n") if text.strip()]
    same_everywhere(lab, "sequence", places_of(lab, "sentences", [], sentences, "\n\n"),
                    lab.folder / "tags.slk", ["labels", "scores", "nbest=2"])
    lab.train(0, "letters", "sequence", "train", LETTERS, "--max-passes", 2)
    some = ["--folds", 0, "--model", lab.folder / "letters.slk"]
    same_results(lab, "sequence", "predict", LETTERS, *some)
    same_results(lab, "sequence", "evaluate", LETTERS, *some)

    examples = "\n".join(drawn_matchings(70)).strip().split("\n\n")
    pairs = lab.folder / "pairs.txt"
    pairs.write_text("\n\n".join(examples[:30]) + "\n")
    lab.train(0, "pairs", "matching", "train", pairs, "--max-passes", 5)
    places = places_of(lab, "matchings", ["# drawn"], examples[30:], "\n\n")
    same_everywhere(lab, "matching", places, lab.folder / "pairs.slk", ["pairs", "edges", "scores"])

    classes = lab.folder / "classes.svm"
    classes.write_text("\n".join(drawn_classes(90)) + "\n")
    lab.train(0, "classes", "multiclass", "train", classes, "--max-passes", 5)
    test = ["new" + line[1:] if k % 9 == 0 else line for k, line in enumerate(drawn_classes(70))]
    same_everywhere(lab, "multiclass", places_of(lab, "some", ["# drawn"], test),
                    lab.folder / "classes.slk", ["classes", "scores"])


def segmentations(lab):
    prepared = drawn_images(lab, 9)
    if prepared is None:
        return
    drawn = lab.folder / "drawn"
    model = lab.folder / "drawn.slk"
    lab.train(0, "drawn", "segment", "train", prepared, "--max-passes", 5)
    without_times = re.compile(r'"[a-z_]*seconds[a-z_]*": [^,\n]*|; [\d.e-]+ s per image.*')
    images = sorted((drawn / "images").iterdir())
    results = []
    for ranks in (0, 2, 4, 12):  # more than images
        out, sheets, picture = (lab.folder / f"{name}-{ranks}" for name in
                                ("out", "sheets", "confusion.png"))
        done = lab.run(ranks, "segment", "predict", *images, "--model", model, "--out", out,
                       "--scores", "--overlay")
        require(done.returncode == 0, done.stderr)
        texts = ["".join(ours(done.stderr)).replace(str(out), "")]
        for way in (["--features", prepared],
                    ["--images", drawn / "images", "--labels", drawn / "labels", "--list",
                     drawn / "test.txt", "--sheets", sheets, "--confusion", picture]):
            for more in ([], ["--json"]):
                done = lab.run(ranks, "segment", "evaluate", *way, "--model", model, *more)
                require(done.returncode == 0, done.stderr)
                texts.append(done.stdout)
        files = {path.name: path.read_bytes() for folder in (out, sheets)
                 for path in folder.iterdir()}
        results.append(([without_times.sub("", text) for text in texts], files,
                        picture.read_bytes()))
    for texts, files, picture in results[1:]:
        require(texts == results[0][0], f"{texts} for {results[0][0]}")
        require(len(files) > len(images) and files == results[0][1], "different files")
        require(picture == results[0][2], "different pictures of the confusion matrix")


def bad_predictions(lab):
    records = list(yeast_as_libsvm())[:200]
    plain, bad, unknown, none = (lab.folder / name for name in
                                 ("a.svm", "bad.svm", "u.svm", "n.svm"))
    plain.write_text("\n".join(records) + "\n")
    lab.train(0, "m", "multilabel", "train", plain, "--num-labels", 14, "--max-passes", 2)
    bad.write_text("\n".join([*records[:150], "1 7;3", *records[150:]]) + "\n")
    unknown.write_text("\n".join("? " + line.partition(" ")[2] for line in records) + "\n")
    none.write_text("# nothing\n")
    model, out = lab.folder / "m.slk", lab.folder / "out.txt"
    predict = ["multilabel", "predict", "--model", model]
    evaluate = ["multilabel", "evaluate", "--model", model]
    for same, arguments, message in (
        (True, [*predict, bad, "--out", out], "bad.svm:151:"),
        (True, [*evaluate, bad], "bad.svm:151:"),
        (True, [*evaluate, unknown], "no label is known"),
        (True, [*predict, none, "--out", out], "no examples"),
        (True, [*predict, lab.folder / "missing.svm"], "missing.svm"),
        (True, [*predict, plain, "--out", lab.folder / "missing" / "out.txt"], "--out"),
        (True, ["sequence", "predict", plain, "--model", model], "m.slk"),
        (True, [*predict, plain, "--output", "probabilities"], "m.slk"),
        (True, [*predict, plain, "--out", "/dev/full"], "/dev/full"),
        (False, [*predict, plain, "--stream"], "--stream needs a single process, but 3"),
        (False, [*predict, plain, "--explain", 1], "--explain needs a single process, but 3"),
        (False, [*predict, "-"], "standard input"),
        (False, [*evaluate, plain, "--compare", plain], "--compare needs a single process, but 3"),
        (False, ["linear", "train", plain, "--model", out], "linear train runs in one process"),
        (False, ["sequence", "predict", "-", "--model", model], "standard input"),
        (False, ["sequence", "predict", plain, "--stream", "--model", model], "--stream needs"),
    ):
        started = time.monotonic()
        done = lab.run(3, *arguments)
        require(time.monotonic() - started < 20, f"{message}: it takes long to fail")
        require(done.returncode == 2, f"{message}: exit code {done.returncode}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if line.startswith("slackline: ")]
        require(len(lines) == 1 and message in lines[0], f"{message}: {done.stderr}")
        require("rank" not in lines[0], f"{message}: {lines[0]}")
        require(done.stdout == "" and not out.exists(), f"{message}: there is output")
        if same:
            require(lines == lab.run(0, *arguments).stderr.strip().splitlines()[-1:],
                    f"{message}: another message than in one process: {lines}")


def output(lab):
    plain = yeast_file(lab)
    train = ["multilabel", "train", plain, "--num-labels", 14, "--max-passes", 3]
    log = lab.folder / "run.jsonl"
    alone = lab.run(0, *train, "--shards", 3, "--model", lab.folder / "a.slk")
    done = lab.run(3, *train, "--shards", 3, "--model", lab.folder / "a.slk", "--log", log)
    for line in alone.stderr.splitlines():
        if not re.search(r"\d s of training", line):
            require(done.stderr.splitlines().count(line) == 1, f"not once: {line}: {done.stderr}")
    require(done.stdout == "", f"standard output: {done.stdout}")
    require(sum("\"pass\"" in line for line in log.read_text().splitlines()) >= 1, "no log")
    quiet = lab.run(3, *train, "--quiet", "--model", lab.folder / "a.slk")
    require(ours(quiet.stderr) == [] and quiet.stdout == "", f"not quiet: {quiet.stderr}")
    require(lab.run(3, "--version").stdout == lab.run(0, "--version").stdout, "--version")


def bad_input(lab):
    records = list(yeast_as_libsvm())
    for line in (3, 800, 1499):
        bad = [*records]
        bad[line] = bad[line].replace(":", ";", 1)
        path = lab.folder / "bad.svm"
        path.write_text("\n".join(bad) + "\n")
        model = lab.folder / "bad.slk"
        train = ["multilabel", "train", path, "--num-labels", 14, "--model", model]
        alone = lab.run(0, *train, "--shards", 4)
        started = time.monotonic()
        done = lab.run(4, *train)
        require(time.monotonic() - started < 20, "it takes long to fail")
        require(done.returncode == 2, f"exit code {done.returncode}: {done.stderr}")
        message = alone.stderr.strip()
        require(f"bad.svm:{line + 1}:" in message, f"no line: {message}")
        require(done.stderr.count(message) == 1, f"not once: {message}: {done.stderr}")
        require(not model.exists(), "there is a model")
    plain = lab.folder / "few.svm"
    plain.write_text("\n".join(records[:3]) + "\n")
    model = ["--model", lab.folder / "m.slk"]
    good = ["multilabel", "train", plain, "--num-labels", 14, *model]
    for ranks, arguments, message in (
        (3, [*good, "--shards", 2], "--shards"),
        (3, [*good, "--learner", "ssg"], "ssg"),
        (3, [*good, "--calibrate"], "--calibrate"),
        (3, [*good, "--graph", "auto"], "--graph"),
        (3, [*good, "--lambda", "x"], "--lambda"),
        (3, [*good[:2], lab.folder / "none.svm", *good[3:]], "none.svm"),
        (3, ["multilabel", "predict", plain, *model], "m.slk"),
        (3, ["info", plain], "one process"),
        (2, [*good, "--resume", lab.folder / "none.ckpt"], "none.ckpt"),
    ):
        done = lab.run(ranks, *arguments)
        require(done.returncode == 2, f"{message}: exit code {done.returncode}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if line.startswith("slackline: ")]
        require(len(lines) == 1 and message in lines[0], f"{message}: {done.stderr}")


def checkpoints(lab):
    plain = yeast_file(lab)
    train = ["multilabel", "train", plain, "--num-labels", 14, "--gap-tolerance", 1e-4, "--shards", 4]
    whole = lab.train(0, "whole", *train, "--max-passes", 12)
    saved = lab.folder / "run.ckpt"
    keep = ["--checkpoint", saved, "--checkpoint-every", 0]
    for before, after in ((2, 3), (4, 1), (0, 4), (3, 0)):
        lab.train(before, "part", *train, "--max-passes", 5, *keep)
        again = lab.train(after, "again", *train, "--max-passes", 12, *keep, "--resume", saved)
        difference = model_bytes.difference(whole, again)
        require(difference is None, f"{before} ranks, then {after}: {difference}")
    other = lab.run(2, *train[:-2], "--shards", 6, "--resume", saved, "--model", lab.folder / "x")
    require(other.returncode == 2 and "--shards" in other.stderr, f"other shards: {other.stderr}")
    plain.write_text("\n".join(reversed(list(yeast_as_libsvm()))) + "\n")
    other = lab.run(2, *train, "--resume", saved, "--model", lab.folder / "x")
    require(other.returncode == 2 and "of the data differ" in other.stderr,
            f"other data: {other.stderr}")


def children(pid):
    """Processes of the program below this one."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [int(child) for child in found]


def start(lab, ranks, *arguments):
    process = subprocess.Popen(lab.command(ranks, *arguments), env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while len(children(process.pid)) < ranks and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


def yeast_training(lab, passes, *more):
    """A training in four shards that only its passes end."""
    return ["multilabel", "train", yeast_file(lab), "--num-labels", 14, "--gap-tolerance", 0,
            "--max-passes", passes, "--shards", 4, *more]


def slow(lab):
    """Processes that stand still for a while make the others wait, and change nothing."""
    draw = random.Random(4)
    train = yeast_training(lab, 60)
    whole = lab.train(0, "whole", *train)
    model = lab.folder / "slow.slk"
    process = start(lab, 3, *train, "--model", model)
    stops = 0
    while process.poll() is None:
        victims = children(process.pid)
        if victims:
            victim = draw.choice(victims)
            try:
                os.kill(victim, signal.SIGSTOP)
                time.sleep(0.3)
                os.kill(victim, signal.SIGCONT)
                stops += process.poll() is None
            except ProcessLookupError:
                pass  # it has ended
        time.sleep(draw.uniform(0.05, 0.2))
    _, errors = process.communicate(timeout=SECONDS)
    require(process.returncode == 0, errors)
    require(stops > 1, f"a process was stopped {stops} times")
    require_same(whole, model.read_bytes(), f"with {stops} stops")


def killed(lab):
    killed_learner(lab, "auto", 60, 4)
    killed_learner(lab, "al", 600, 2)


def killed_learner(lab, learner, passes, attempts):
    draw = random.Random(3)
    train = yeast_training(lab, passes, "--learner", learner)
    whole = lab.train(0, "whole", *train)
    saved = lab.folder / f"{learner}.ckpt"
    keep = ["--checkpoint", saved, "--checkpoint-every", 0]
    resumed = 0
    for attempt in range(attempts):
        resume = ["--resume", saved] if saved.exists() else []
        ranks = draw.choice((2, 3, 4))
        process = start(lab, ranks, *train, *keep, *resume, "--model", lab.folder / "killed.slk")
        # The first one may be killed before it has written a checkpoint.
        while attempt > 0 and not saved.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.uniform(0.2, 1.2))
        victims = children(process.pid)
        if victims and process.poll() is None:
            os.kill(draw.choice(victims), signal.SIGKILL)
        _, errors = process.communicate(timeout=SECONDS)
        if process.returncode == 0:
            break  # it was over
        require("signal 9" in errors or re.search(r"rank \d+", errors), f"no message: {errors}")
        resumed += 1
    require(resumed > 0, "no run was killed")
    require(saved.exists(), "there is no checkpoint")
    again = lab.train(3, "again", *train, *keep, "--resume", saved)
    require_same(whole, again, f"after {resumed} kills")
    # A process that is killed while it writes leaves a temporary file.
    left = [path.name for path in lab.folder.iterdir()
            if path.name.startswith(saved.name) and ".slackline-tmp-" not in path.name]
    require(len(left) == 4, f"files of the checkpoint: {left}")


def interrupted(lab):
    plain = yeast_file(lab)
    model = lab.folder / "m.slk"
    process = start(lab, 3, "multilabel", "train", plain, "--num-labels", 14, "--gap-tolerance", 0,
                    "--model", model)
    time.sleep(1.5)
    os.kill(children(process.pid)[-1], signal.SIGTERM)  # one of the ranks alone
    _, errors = process.communicate(timeout=SECONDS)
    require(process.returncode == 128 + signal.SIGTERM, f"code {process.returncode}: {errors}")
    require("best model so far" in errors and model_bytes.whole(model.read_bytes()), errors)
    limited = lab.run(3, "multilabel", "train", plain, "--num-labels", 14, "--gap-tolerance", 0,
                      "--time-limit", 1, "--model", model)
    require(limited.returncode == 0 and "time-limit" in limited.stderr, limited.stderr)


CHECKS = (same_models, tables, converted, few_records, standard_input, certificates, held_out,
          cross_validation, predictions, segmentations, bad_predictions, output, bad_input,
          checkpoints, interrupted, slow, killed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    failed = []
    for check in CHECKS:
        if arguments.only not in (None, check.__name__):
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Lab(arguments.program, folder))
                result = "passed"
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed.append(check.__name__)
                result = f"FAILED: {failure}"
        print(f"{check.__name__}: {result} ({time.monotonic() - started:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
