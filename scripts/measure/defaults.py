#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the defaults: usage: defaults.py [--without-svms] PROGRAM DATA_FOLDER [NAME...]

Trains every data set (docs/notebook/defaults.md) three times: `train` without options, the model
that `cv` without options chooses, and an independent linear classifier for every label with C by
cross-validation (LinearSVC of scikit-learn, Debian's python3-sklearn, if it is installed). Prints a
Markdown table of figures on the test data. Seconds are processor seconds of the whole command.
DATA_FOLDER holds yeast/, reuters30/ and so on; images are measured where DATA_FOLDER, or the folder
SLACKLINE_PREPARED, has prepared files msrc-100.fea and msrc-200.fea.
"""
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ARFF = ("yeast", "emotions", "flags", "birds")


def run(command):
    """The standard output of a command, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(" ".join(command) + "\n" + done.stderr.decode())
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout.decode(), seconds


def arff(path, xml):
    """Rows of features (non-numeric nominal features as indicators) and of labels."""
    with open(xml, encoding="utf-8") as file:
        labels = set(re.findall(r'label name="([^"]+)"', file.read()))
    columns, rows = [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.strip()
            match = re.match(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.*)", line, re.I)
            if match:
                columns.append((match.group(1).strip("'\""), match.group(2)))
            elif line and line[0] not in "%@":
                rows.append([cell.strip().strip("'\"") for cell in line.split(",")])
    inputs, outputs = [], []
    for row in rows:
        x, y = [], []
        for (name, kind), cell in zip(columns, row):
            values = [v.strip().strip("'\"") for v in kind.strip("{} ").split(",")]
            if name in labels:
                y.append(int(cell))
            elif kind.startswith("{") and not all(re.fullmatch(r"[-+.\dEe]+", v) for v in values):
                x.extend(1.0 if cell == value else 0.0 for value in values)
            else:
                x.append(float(cell))
        inputs.append(x)
        outputs.append(y)
    return inputs, outputs


def linear_svms(train, test):
    """Figures of one LinearSVC per label, with C from 1/64 … 16 by micro F1 in five folds."""
    import warnings

    import numpy
    from sklearn.metrics import accuracy_score, f1_score, hamming_loss
    from sklearn.model_selection import KFold
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    warnings.filterwarnings("ignore")
    (x, y), (x_test, y_test) = train, test
    y, y_test = numpy.array(y), numpy.array(y_test)
    if isinstance(x, list):
        scaler = StandardScaler().fit(x)
        x, x_test = scaler.transform(x), scaler.transform(x_test)

    def fit(inputs, outputs, c):
        return OneVsRestClassifier(LinearSVC(C=c, loss="hinge", max_iter=2000)).fit(inputs, outputs)

    folds = list(KFold(5, shuffle=True, random_state=1).split(y))

    def score(c):
        return sum(f1_score(y[held], fit(x[kept], y[kept], c).predict(x[held]), average="micro")
                   for kept, held in folds)

    best = max((4.0 ** k for k in range(-3, 3)), key=score)
    found = fit(x, y, best).predict(x_test)
    return {"hamming_loss": hamming_loss(y_test, found), "subset_accuracy": accuracy_score(y_test, found),
            "micro_f1": f1_score(y_test, found, average="micro"),
            "macro_f1": f1_score(y_test, found, average="macro")}


def read_labels(data, name):
    """Training and test data for linear_svms; None without scikit-learn."""
    try:
        import numpy
        from sklearn.datasets import load_svmlight_files
    except ImportError:
        return None
    if name in ARFF:
        xml = f"{data}/{name}/{name}.xml"
        return [arff(f"{data}/{name}/{name}-{part}.arff", xml) for part in ("train", "test")]
    files = [f"{data}/{name}/{name}-{part}.svm.gz" for part in ("train", "test")]
    labels = {"reuters30": 30, "rcv1s1": 101}[name]
    x, y, x_test, y_test = load_svmlight_files(files, multilabel=True)

    def dense(sets):
        matrix = numpy.zeros((len(sets), labels), dtype=int)
        for row, chosen in enumerate(sets):
            matrix[row, [int(label) for label in chosen]] = 1
        return matrix

    return (x, dense(y)), (x_test, dense(y_test))


class Set:
    """A data set: arguments of its commands, and the figures to show."""

    def __init__(self, name, task, train, test, keys, more=()):
        self.name, self.task, self.keys = name, task, keys
        self.train, self.test, self.more = train, test, list(more)


def data_sets(data):
    multilabel = ("hamming_loss", "subset_accuracy", "micro_f1", "macro_f1")
    sets = []
    for name in ARFF:
        folder = f"{data}/{name}/{name}"
        sets.append(Set(name, "multilabel", [folder + "-train.arff"], [folder + "-test.arff"], multilabel,
                        ["--labels", folder + ".xml"]))
    for name, labels in (("reuters30", 30), ("rcv1s1", 101)):
        folder = f"{data}/{name}/{name}"
        sets.append(Set(name, "multilabel", [folder + "-train.svm.gz"], [folder + "-test.svm.gz"], multilabel,
                        ["--num-labels", str(labels)]))
    letters = f"{data}/letters/letter.data.gz"
    tokens = ("token_accuracy", "sequence_accuracy", "hamming_loss")
    for name, kept, rest in (("letters, 1 fold", "0", "1-9"), ("letters, 9 folds", "1-9", "0")):
        one = Set(name, "sequence", [letters], [letters, "--folds", rest], tokens)
        one.folds = kept
        sets.append(one)
    conll = f"{data}/conll2000/"
    sets.append(Set("conll2000", "sequence", [conll + "train.txt.gz"], [conll + "test.txt.gz"],
                    ("f1", "token_accuracy", "sequence_accuracy"), ["--template", "chunking"]))
    for count in (100, 200):
        file = f"{os.environ.get('SLACKLINE_PREPARED', data)}/msrc-{count}.fea"
        if os.path.exists(file):
            sets.append(Set(f"msrc21, {count} superpixels", "segment", [file], ["--features", file],
                            ("pixel_accuracy", "class_average", "mean_iou")))
    return sets


def measure(program, one, mode, model):
    """Figures, λ, passes of the last training, and processor seconds of `train` or `cv`."""
    words = one.train + one.more
    if hasattr(one, "folds"):
        words += ["--only-folds" if mode == "cv" else "--folds", one.folds]
    words += ["--model", model, "--quiet"]
    if mode == "cv":
        words += ["--threads", "1", "--json"]
    _, seconds = run([program, one.task, mode] + words)
    info = json.loads(run([program, "info", model, "--json"])[0])
    figures = json.loads(run([program, one.task, "evaluate"] + one.test + ["--model", model, "--json"])[0])
    if "f1" in one.keys:
        figures.update(figures.get("chunks", {}))
    return figures, info["lambda"], info["passes"], seconds


def main():
    svms = "--without-svms" not in sys.argv
    words = [word for word in sys.argv[1:] if word != "--without-svms"]
    if len(words) < 2:
        sys.exit(__doc__)
    program, data, names = words[0], words[1], words[2:]
    with tempfile.TemporaryDirectory() as folder:
        for one in data_sets(data):
            if names and not any(one.name.startswith(name) for name in names):
                continue
            print(f"\n| {one.name} | " + " | ".join(key.replace("_", " ") for key in one.keys) +
                  " | λ | passes | seconds |")
            print("|---" * (len(one.keys) + 4) + "|")
            for mode, title in (("train", "default"), ("cv", "cross-validated")):
                figures, lam, passes, seconds = measure(program, one, mode, folder + "/m.slk")
                print(f"| {title} | " + " | ".join(f"{figures[key]:.4f}" for key in one.keys) +
                      f" | {lam:.3g} | {passes} | {seconds:.3g} |", flush=True)
            labels = read_labels(data, one.name) if svms and one.task == "multilabel" else None
            if labels:
                figures = linear_svms(*labels)
                print("| linear SVMs | " + " | ".join(f"{figures[key]:.4f}" for key in one.keys) +
                      " | | | |", flush=True)


if __name__ == "__main__":
    main()
