# SPDX-License-Identifier: BSD-3-Clause
"""Results depend only on data, options and seed: not on threads, the environment, the places of
files, the compression of data, other outputs of the run, or the old content of memory."""
import gzip
import os
import shutil

import model_bytes
from lab import environment, read, write

LEARNERS = [[], ["--learner", "al"], ["--learner", "cutting-plane-1"], ["--learner", "soft"]]


def surroundings():
    """(name, environment): changes of the environment that must not matter."""
    yield "numbers of another country", environment(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
    yield "another time", environment(TZ="Asia/Tokyo")
    yield "memory is not zero", environment(MALLOC_PERTURB_="165")
    yield "OpenMP's variables", environment(OMP_NUM_THREADS="3", OMP_SCHEDULE="static,1")
    yield "OpenMP gives fewer threads", environment(OMP_DYNAMIC="true", OMP_THREAD_LIMIT="2")
    yield "no environment", {"PATH": os.environ.get("PATH", "")}


def options(application, folder):
    """(name, options): options that must not matter."""
    if application.learners:
        yield "2 threads", ["--threads", "2"]
        yield "4 threads", ["--threads", "4"]
        yield "all threads", ["--threads", "0"]
    yield "a log", ["--log", f"{folder}/log"]
    yield "checkpoints", ["--checkpoint", f"{folder}/ckpt", "--checkpoint-every", "0"]
    yield "quiet", ["-q"]


def compare(attack, name, outcome, expected, path):
    found = model_bytes.difference(expected, read(path), ignored=("option_values", "data"))
    attack.check(outcome, f"{name}: {found}" if found else None, allowed=(0,))


def attack_training(lab, attack, application, learner):
    folder = lab.new_folder("unchanged")
    model = f"{folder}/m.slk"
    train = [*application.train, *learner, "--max-passes", "25", "--gap-tolerance", "0"]
    lab.must([*train, "--model", model])
    expected = read(model)
    for name, extra in options(application, folder):
        compare(attack, name, lab.run([*train, *extra, "--model", model]), expected, model)
    threads = ["--threads", "2"] if application.learners else []
    for name, variables in surroundings():
        outcome = lab.run([*train, "--model", model, *threads], env=variables)
        compare(attack, name, outcome, expected, model)
    outcome = lab.run([*train, "--model", model], wrap=["setarch", "-R"])
    compare(attack, "addresses", outcome, expected, model)
    outcome = lab.run([*train, "--model", "m.slk"], cwd=folder)
    compare(attack, "another folder", outcome, expected, model)
    if application.name != "segment":
        attack_packing(lab, attack, application, train, folder, expected)
    shutil.rmtree(folder)


def attack_packing(lab, attack, application, train, folder, expected):
    model = f"{folder}/m.slk"
    text = read(application.data)
    packed = write(f"{folder}/elsewhere.gz", gzip.compress(text))
    for name, data, stdin in (("gzip", packed, None), ("standard input", "-", text)):
        command = application.with_data(train, data)
        outcome = lab.run([*command, "--model", model], data=stdin)
        compare(attack, name, outcome, expected, model)


def results(application, folder):
    """A command that writes predictions to the folder or file `folder`."""
    return [*application.with_model(application.predict), "-q", "--out", folder]


def content(path):
    if os.path.isdir(path):
        return {name: read(f"{path}/{name}") for name in sorted(os.listdir(path))}
    return read(path)


def attack_prediction(lab, attack, application):
    folder = lab.new_folder("unchanged")
    lab.must(results(application, f"{folder}/first"))
    expected = content(f"{folder}/first")
    threads = "240" if application.learners else ""
    cases = [(f"{n} threads", environment(), ["--threads", n]) for n in threads]
    cases += [(name, variables, []) for name, variables in surroundings()]
    for name, variables, extra in cases:
        outcome = lab.run([*results(application, f"{folder}/other"), *extra], env=variables)
        same = content(f"{folder}/other") == expected
        attack.check(outcome, None if same else f"{name}: other predictions", allowed=(0,))
    shutil.rmtree(folder)


def attack(lab, applications):
    training = lab.attack("unchanged: training")
    cases = [
        (application, learner)
        for application in applications.values()
        for learner in (LEARNERS[: lab.few(2, None)] if application.learners else [[]])
    ]
    lab.map(lambda case: attack_training(lab, training, *case), cases)
    prediction = lab.attack("unchanged: prediction")
    lab.map(lambda own: attack_prediction(lab, prediction, own), list(applications.values()))
