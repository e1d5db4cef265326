# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command: SIGINT, SIGTERM, SIGHUP, SIGPIPE, and SIGINT twice.

Documented: interrupted training writes the best model and ends with code 130, 143 or 129; a second
signal ends it at once. Commands that do not catch a signal die by it. Files are always whole."""
import contextlib
import functools
import os
import shutil
import signal
import threading
import time

import model_bytes
import samples
from lab import read, temporaries, write

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CAUGHT = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def catches(process, number):
    """Whether the running program has a handler for the signal."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(int(lines.get("SigCgt", "0"), 16) >> (number - 1) & 1)


def wait_until_caught(process, number, seconds=20):
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if catches(process, number):
            return True
        time.sleep(0.001)
    return False


def endless(application):
    return [*application.train, "--gap-tolerance", "0", "--max-passes", "2000000000"]


def send(process, number, random, twice):
    """Sends the signal, some time after the program has a handler for it, if it installs one."""
    if number in CAUGHT:
        wait_until_caught(process, number)
    time.sleep(random.random() * 0.3)
    process.send_signal(number)
    if twice:
        time.sleep(random.random() * 0.005)
        process.send_signal(number)


def model_problem(lab, path, outcome, number, twice):
    content = read(path)
    died = outcome.code == -number
    if content == b"old":
        return None if died else "the model of before is still there"
    if not model_bytes.whole(content):
        return "the model is not whole"
    if died and not twice and number in CAUGHT:
        return "died by the signal though it had written the model"
    if lab.run(["info", path]).code != 0:
        return "info does not read the model"
    return None


def attack_training(lab, attack, application, number, twice, trial):
    """Training with a model and a log, ended by a signal."""
    random = lab.random(f"signal {application.name} {number} {twice} {trial}")
    folder = lab.new_folder("signal")
    path = write(f"{folder}/m.slk", b"old")
    threads = ["--threads", random.choice("12")] if application.learners else []
    process = lab.start([*endless(application), *threads, "--model", path])
    send(process, number, random, twice)
    outcome = lab.finish(process)
    allowed = [CAUGHT.get(number, -number)]
    if twice:
        allowed.append(-number)
    problem = model_problem(lab, path, outcome, number, twice)
    if problem is None and outcome.code >= 0 and temporaries(folder):
        problem = "a temporary file is left by a run that was not killed"
    attack.check(outcome, problem, allowed)
    shutil.rmtree(folder)


def attack_stream(lab, attack, application, number, trial):
    """A stream without end, ended by a signal: the model of the examples so far."""
    random = lab.random(f"stream {number} {trial}")
    folder = lab.new_folder("stream")
    path = write(f"{folder}/m.slk", b"old")
    content = read(application.data)
    end, start = os.pipe()
    command = application.with_data(application.online, "-")
    process = lab.start([*command, "--model", path], stdin=end)
    os.close(end)

    def feed():
        with contextlib.suppress(BrokenPipeError), open(start, "wb") as stream:
            while True:
                stream.write(content)

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    wait_until_caught(process, number)
    time.sleep(0.05 + random.random() * 0.3)
    process.send_signal(number)
    outcome = lab.finish(process)
    feeder.join(5)
    problem = model_problem(lab, path, outcome, number, False)
    if problem is None and temporaries(folder):
        problem = "a temporary file is left"
    attack.check(outcome, problem, (CAUGHT[number],))
    shutil.rmtree(folder)


def attack_output(lab, attack, command, number, trial):
    """Another command, ended at any time: its output is the old file, or the whole new one."""
    random = lab.random(f"signal {command} {number} {trial}")
    folder = lab.new_folder("signal")
    whole = f"{folder}/whole"
    begin = time.monotonic()
    lab.must([*command, whole])
    seconds = time.monotonic() - begin
    path = write(f"{folder}/out", b"old")
    process = lab.start([*command, path])
    time.sleep(random.random() * seconds)
    process.send_signal(number)
    outcome = lab.finish(process)
    same = read(path) in (b"old", read(whole))
    code = CAUGHT.get(number, -number)
    attack.check(outcome, None if same else "half an output", allowed=(0, code, -number))
    shutil.rmtree(folder)


def attack_pipe(lab, attack, command, lines, model=None):
    """Output into a program that reads a little and ends: the command must die silently or with one
    message.

    model: a file that the command must write nevertheless."""
    process = lab.start(command)
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        err = process.stderr.read()
    process.wait(lab.timeout)
    problem = None
    documented = (b"writing failed", b"log could not be written")
    if process.returncode == 2 and not any(text in err for text in documented):
        problem = f"exit code 2 for another reason: {err.decode(errors='replace')[-200:]}"
    if process.returncode not in (0, 2, -signal.SIGPIPE):
        problem = f"exit code {process.returncode}"
    if model and process.returncode >= 0 and not model_bytes.whole(read(model) or b""):
        problem = "the model is lost"
    attack.count(problem, process.args)


def piped(lab, application):
    """(command, model that it writes) of commands that write to the standard output, where possible
    more than a pipe holds."""
    yield application.with_model(application.evaluate), None
    yield ["info", application.model], None
    yield [*application.train, "--help"], None
    model = lab.new_folder() + "/m.slk"
    log = ["--log", "-", "--max-passes", "300", "--check-every", "1", "--gap-tolerance", "0"]
    yield [*application.train, *log, "--model", model, "-q"], model
    if not application.predict_folder:
        text = read(application.data)
        data = write(model + ".data", (text.rstrip(b"\n") + b"\n\n") * (1 + 3000000 // len(text)))
        command = application.with_data(application.predict, data)
        yield application.with_model(command), None


def attack_prepare(lab, attack, application, number, trial):
    """segment prepare catches signals: exit code 130 or 143, and the old file is kept."""
    random = lab.random(f"prepare {number} {trial}")
    folder = lab.new_folder("prepare")
    path = write(f"{folder}/out.fea", b"old")
    drawn = os.path.dirname(application.data) + "/images"
    process = lab.start([*samples.prepare_arguments(drawn), "--out", path])
    time.sleep(random.random() * 0.1)
    process.send_signal(number)
    outcome = lab.finish(process)
    same = read(path) in (b"old", read(application.data))
    allowed = (0, CAUGHT.get(number, -number), -number)
    attack.check(outcome, None if same else "half a feature file", allowed)
    shutil.rmtree(folder)


def attack_others(lab, applications):
    attack = lab.attack("signals: prediction, prepare")
    for application in applications.values():
        if application.name == "segment":
            trial = functools.partial(attack_prepare, lab, attack, application)
        else:
            command = [*application.with_model(application.predict), "--out"]
            trial = functools.partial(attack_output, lab, attack, command)
        cases = [(number, k) for number in NUMBERS for k in range(lab.few(3, 30))]
        lab.map(lambda case, trial=trial: trial(*case), cases)


def attack(lab, applications):
    training = lab.attack("signals: training")
    cases = [
        (application, number, twice, trial)
        for application in applications.values()
        for number in NUMBERS
        for twice in (False, True)
        for trial in range(lab.few(1, 10))
    ]
    lab.map(lambda case: attack_training(lab, training, *case), cases)
    streams = lab.attack("signals: streams")
    cases = [
        (application, number, trial)
        for application in applications.values()
        if application.online
        for number in NUMBERS
        for trial in range(lab.few(2, 20))
    ]
    lab.map(lambda case: attack_stream(lab, streams, *case), cases)
    attack_others(lab, applications)
    pipes = lab.attack("signals: output into a closed pipe")
    for application in applications.values():
        for command, model in piped(lab, application):
            for lines in (0, 1):
                attack_pipe(lab, pipes, command, lines, model)
