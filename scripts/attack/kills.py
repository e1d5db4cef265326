# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 at any time: chains of killed and resumed runs, and outputs of killed commands.

Promised: --resume gives exactly the same result; a file has its old content or all of the new."""
import os
import shutil
import time

import model_bytes
import samples
from lab import read, temporaries, write

MULTILABEL = [
    [],
    ["--shards", "3"],
    ["--learner", "bcfw", "--step", "fw", "--average", "weighted"],
    ["--learner", "al"],
    ["--learner", "soft", "--order", "uniform"],
    ["--learner", "cutting-plane-1"],
    ["--learner", "prox-sdca"],
    # The short form uses only the learners above.
    ["--learner", "bcfw", "--step", "away"],
    ["--learner", "bcfw", "--oracle", "lp", "--step", "fw"],
    ["--learner", "multi-sample", "--revisit"],
    ["--kernel", "polynomial"],
    ["--lambda-path", "0.1:0.001:3"],
]
OTHERS = [[], ["--learner", "al"], ["--learner", "cutting-plane-1"], ["--learner", "prox-sdca"]]
SECONDS = 0.4  # approximate time of an uninterrupted run


def number_of_passes(lab, train, folder):
    """The number of passes with which a run takes about SECONDS; with a path, for each value of
    λ."""
    model = f"{folder}/probe.slk"
    probe = ["--time-limit", str(SECONDS), "--max-passes", "100000", "--gap-tolerance", "0", "-q"]
    lab.must([*train, *probe, "--model", model])
    found = read(model) or read(sorted(probe_models(folder))[0])
    counts = model_bytes.entries(found)["counts"]
    return max(3, int.from_bytes(counts[16:24], "little"))


def probe_models(folder):
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("probe")]


def wait_to_kill(random, process, folder, seconds):
    """Sleeps; every second time at most until a temporary file exists, which is then incomplete."""
    end = time.monotonic() + random.random() * seconds
    watch = random.random() < 0.5
    while time.monotonic() < end and process.poll() is None:
        if watch and any(".slackline-tmp-" in name for name in os.listdir(folder)):
            return
        time.sleep(0.0005)


def kill(random, lab, arguments, folder, seconds):
    """Starts a run and kills it within `seconds`, unless it ends earlier."""
    process = lab.start(arguments)
    wait_to_kill(random, process, folder, seconds)
    if process.poll() is None:
        process.kill()
    return lab.finish(process)


class Chain:
    """One run, killed and resumed until it ends."""

    def __init__(self, lab, train, threads, reference, seed):
        self.lab = lab
        self.train = train
        self.threads = threads  # whether it reads --threads
        self.reference = reference  # name -> bytes of the models of an uninterrupted run
        self.random = lab.random(f"chain {seed} {train}")
        self.folder = lab.new_folder("kill")
        self.checkpoint = f"{self.folder}/run.ckpt"
        self.kills = 0

    def arguments(self):
        every = self.random.choice(["0", "0", "0.02", "0.1"])
        arguments = [*self.train, "--model", f"{self.folder}/m.slk", "-q"]
        arguments += ["--checkpoint", self.checkpoint, "--checkpoint-every", every]
        threads = ["--threads", self.random.choice("12")]
        if self.threads:
            arguments += threads
        if os.path.exists(self.checkpoint):
            arguments += ["--resume", self.checkpoint]
        return arguments

    def run(self, attack):
        while True:
            arguments = self.arguments()
            if self.kills < 6:
                outcome = kill(self.random, self.lab, arguments, self.folder, 2.5 * SECONDS)
            else:
                outcome = self.lab.run(arguments)
            problem = self.files_problem()
            if outcome.code != -9 or problem:
                break
            self.kills += 1
        attack.check(outcome, problem or self.result_problem(), allowed=(0,))
        left = temporaries(self.folder)
        shutil.rmtree(self.folder)
        return self.kills, len(left)

    def files_problem(self):
        for name in os.listdir(self.folder):
            if ".slackline-tmp-" in name:
                continue
            if not model_bytes.whole(read(f"{self.folder}/{name}")):
                return f"{name} is not whole after {self.kills} kills"
        return None

    def result_problem(self):
        for name, content in self.reference.items():
            own = read(f"{self.folder}/{name}")
            found = model_bytes.difference(content, own, ignored=("option_values",))
            if found:
                return f"after {self.kills} kills: {found}"
        return None


class Stream(Chain):
    """A run of `online` over a file, killed and resumed until it ends."""

    def __init__(self, lab, train, reference, seed):
        super().__init__(lab, train, False, reference, seed)

    def arguments(self):
        arguments = super().arguments()
        return [*arguments, "--skip-learned"] if "--resume" in arguments else arguments


def reference_models(lab, train, folder):
    """name -> bytes of the files that an uninterrupted run writes."""
    lab.must([*train, "--model", f"{folder}/m.slk", "-q"])
    names = [name for name in os.listdir(folder) if name.startswith("m")]
    return {name: read(f"{folder}/{name}") for name in names}


def attack_training(lab, application, learner, chains, leftovers):
    name = " ".join(learner) or "default"
    attack = lab.attack(f"kills: {application.name} {name}")
    folder = lab.new_folder("whole")
    train = [*application.train, *learner]
    if "--lambda-path" in learner:
        at = train.index("--lambda")
        del train[at : at + 2]
    passes = number_of_passes(lab, train, folder)
    train += ["--gap-tolerance", "0", "--max-passes", str(passes)]
    reference = reference_models(lab, train, folder)

    def chain(number):
        kills, left = Chain(lab, train, application.learners, reference, number).run(attack)
        leftovers.note((kills, left))
        return kills

    kills = sum(lab.map(chain, range(chains)))
    attack.note(f"{kills} kills, {passes} passes")


def attack_online(lab, application, chains, leftovers):
    """Streams that are killed, and continued after the last example of the checkpoint."""
    attack = lab.attack(f"kills: {application.name} online")
    folder = lab.new_folder("stream")
    data = f"{folder}/long.svm"
    write(data, read(application.data) * lab.few(20, 60))
    train = application.with_data(application.online, data)
    reference = reference_models(lab, train, lab.new_folder("whole"))

    def chain(number):
        kills, left = Stream(lab, train, reference, number).run(attack)
        leftovers.note((kills, left))
        return kills

    attack.note(f"{sum(lab.map(chain, range(chains)))} kills")


def attack_output(lab, attack, command, output, leftovers, trials):
    """A command that writes one file is killed: the old file stays, or the new one is whole."""
    folder = lab.new_folder("whole")
    whole = f"{folder}/out"
    begin = time.monotonic()
    lab.must([*command, output, whole])
    seconds = time.monotonic() - begin

    def trial(number):
        random = lab.random(f"output {command} {number}")
        own = lab.new_folder("kill")
        path = write(f"{own}/out", b"old")
        outcome = kill(random, lab, [*command, output, path], own, 1.2 * seconds)
        content = read(path)
        problem = None
        if content != b"old" and content != read(whole):
            same = not model_bytes.difference(content, read(whole), ignored=("data",))
            problem = None if same else "the output is neither the old file nor the new one"
        attack.check(outcome, problem, allowed=(0, -9))
        if temporaries(own):  # the next run with the same output removes them
            lab.must([*command, output, path])
        leftovers.note((int(outcome.code == -9), len(temporaries(own))))
        shutil.rmtree(own)

    lab.map(trial, range(trials))


def attack(lab, applications):
    large = samples.make(lab, size=4)
    leftovers = lab.attack("leftovers: temporary files of killed runs")
    for application in large.values():
        learners = MULTILABEL if application.name == "multilabel" else OTHERS
        if not application.learners:
            learners = [[]]
        for learner in learners[: lab.few(8 if learners is MULTILABEL else 2, None)]:
            attack_training(lab, application, learner, lab.few(2, 10), leftovers)
        if application.online:
            attack_online(lab, application, lab.few(3, 20), leftovers)
    files = lab.attack("kills: output files")
    for command, output in samples.writers(lab, applications):
        attack_output(lab, files, command, output, leftovers, lab.few(6, 40))
    report_leftovers(leftovers)


def report_leftovers(leftovers):
    """One trial per killed run: later runs must have removed everything that it left."""
    kills = sum(kills for kills, _ in leftovers.notes)
    files = sum(left for _, left in leftovers.notes)
    leftovers.notes = [f"{files} files after {kills} kills"]
    for number in range(kills):
        leftovers.count("a temporary file is left" if number < files else None)
