# SPDX-License-Identifier: BSD-3-Clause
"""Odd files: folders, devices, pipes, missing and read-only files, outputs that are inputs, names
that are long or not UTF-8, closed standard streams.

Promised: bad input gives exit code 2 and a message that names the file; nothing is overwritten."""
import os
import shutil
import subprocess
import threading

import model_bytes
from lab import environment, read, temporaries, write

HANGS = 1 / 12  # share of the time limit after which a run with little work counts as hanging


def roles(applications):
    """(name, command): IN is to be replaced by something odd, OUT by an existing output."""
    for application in applications.values():
        name = application.name
        train = application.with_data(application.train, "IN")
        train += ["--max-passes", "3", "-q", "--model", "OUT"]
        yield f"{name} train data", train, application.data
        yield f"{name} info", ["info", "IN"], application.model
        predict = application.with_model(application.predict, "IN")
        yield f"{name} predict model", [*predict, "-q", "--out", "OUT"], application.model
        if not application.predict_folder:
            predict = application.with_data(application.predict, "IN")
            command = [*application.with_model(predict), "-q", "--out", "OUT"]
            yield f"{name} predict data", command, application.data
        whole = [*application.train, "--max-passes", "3", "-q", "--model", "OUT"]
        yield f"{name} resume", [*whole, "--resume", "IN"], None
        if application.online:
            online = application.with_data(application.online, "IN")
            yield f"{name} online data", [*online, "-q", "--model", "OUT"], application.data
            whole = [*application.online, "-q", "--model", "OUT"]
            yield f"{name} online resume", [*whole, "--resume", "IN"], None
            like = ["multilabel", "online", application.data, "--lambda", "0.01", "-q"]
            yield f"{name} online like", [*like, "--like", "IN", "--model", "OUT"], application.model
    yield "report", ["report", "IN", "--out", "OUT"], None


def outputs(applications):
    """Commands whose last argument is an option for an output file, which is to be appended."""
    for application in applications.values():
        train = [*application.train, "--max-passes", "3", "-q"]
        yield [*train, "--model"]
        yield [*train, "--model", "OTHER", "--checkpoint"]
        yield [*train, "--model", "OTHER", "--log"]
        if not application.predict_folder:
            yield [*application.with_model(application.predict), "-q", "--out"]
        if application.online:
            yield [*application.online, "-q", "--model"]
            yield [*application.online, "-q", "--model", "OTHER", "--checkpoint"]
            yield [*application.online, "-q", "--model", "OTHER", "--log"]


def fill(command, **names):
    return [names.get(part, part) for part in command]


def named(outcome, path):
    """Whether the message names the file, or the beginning of a long or odd name."""
    name = os.path.basename(path)[:4].encode(errors="surrogateescape")
    return outcome.code != 2 or name in outcome.err or b"resume" in outcome.err


def bad_inputs(folder):
    os.mkdir(f"{folder}/folder")
    loop = f"{folder}/loop"
    os.symlink(loop, loop)
    os.symlink(f"{folder}/nothing", f"{folder}/dangling")
    yield f"{folder}/folder"
    yield f"{folder}/missing"
    yield f"{folder}/no-folder/missing"
    yield f"{folder}/dangling"
    yield loop
    yield write(f"{folder}/empty", b"")
    yield "/dev/null"
    yield "/dev/full"  # reads as endless zeros, which no reader accepts
    yield f"{folder}/" + "n" * 300
    yield f"{folder}/" + "n/" * 3000
    yield f"{folder}/" + os.fsdecode(b"not-\xff-utf8")


def attack_input(lab, attack, role):
    _, command, _ = role
    folder = lab.new_folder("odd")
    for path in bad_inputs(folder):
        out = write(f"{folder}/out", b"old")
        wrap = lab.memory_limit if path == "/dev/full" else []
        outcome = lab.run(fill(command, IN=path, OUT=out), wrap=wrap, timeout=lab.timeout * HANGS)
        problem = None if named(outcome, path) else "the message does not name the file"
        if read(out) != b"old":
            problem = "failed, but changed its output"
        attack.check(outcome, problem, allowed=(2,))
    shutil.rmtree(folder)


def attack_pipe(lab, attack, role):
    """Named pipes with the content of a good file, and empty ones."""
    _, command, good = role
    if good is None:
        return
    folder = lab.new_folder("pipe")
    for content, allowed in ((read(good), (0, 2)), (b"", (2,))):
        pipe = f"{folder}/pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=feed, args=(pipe, content), daemon=True)
        writer.start()
        outcome = lab.run(fill(command, IN=pipe, OUT=f"{folder}/out"), timeout=lab.timeout * HANGS)
        # If the reader has ended without opening the pipe, the writer must not wait for ever.
        descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer.join(5)
        os.close(descriptor)
        attack.check(outcome, allowed=allowed)
        os.unlink(pipe)
    shutil.rmtree(folder)


def feed(pipe, content):
    try:
        with open(pipe, "wb") as file:
            file.write(content)
    except BrokenPipeError:
        pass


def attack_output(lab, attack, command):
    """Outputs that cannot or must not be written."""
    folder = lab.new_folder("odd")
    other = f"{folder}/other.slk"
    os.mkdir(f"{folder}/is-a-folder")
    os.mkfifo(f"{folder}/a-pipe")
    bad = [f"{folder}/is-a-folder", f"{folder}/no-folder/out", f"{folder}/" + "n" * 300, ""]
    bad.append(f"{folder}/is-a-folder/")
    if command[-1] not in ("--log", "--out"):  # these outputs may be pipes
        bad.append(f"{folder}/a-pipe")
    for path in bad:
        outcome = lab.run([*fill(command, OTHER=other), path], timeout=30)
        problem = None if named(outcome, path) else "the message does not name the file"
        attack.check(outcome, problem, allowed=(2,))
    fine = [os.fsdecode(b"not-\xff-utf8"), "a name with blanks", "-dash", "n" * 200, "new\nline"]
    for name in fine:
        path = f"{folder}/{name}"
        outcome = lab.run([*fill(command, OTHER=other), path])
        attack.check(outcome, None if read(path) else "there is no output", allowed=(0,))
    shutil.rmtree(folder)


def attack_same_file(lab, attack, command, application):
    """The output is an input: by its name, by a link, by another path."""
    folder = lab.new_folder("same")
    data = f"{folder}/data" + os.path.splitext(application.data)[1]
    shutil.copy(application.data, data)
    os.link(data, f"{folder}/hard")
    os.symlink(data, f"{folder}/soft")
    before = read(data)
    own = application.with_data(command, data)
    roundabout = f"{folder}/../{os.path.basename(folder)}/hard"
    for path in (data, f"{folder}/hard", f"{folder}/soft", roundabout):
        outcome = lab.run([*fill(own, OTHER=f"{folder}/other.slk"), path])
        problem = None if read(data) == before else "the input is overwritten"
        attack.check(outcome, problem, allowed=(2,))
    shutil.rmtree(folder)


def attack_read_only(lab, attack, command):
    """A read-only output and a read-only folder, as a user who is not root."""
    folder = lab.new_folder("read-only")
    open_to_all(lab.folder)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    wrap = as_nobody if os.geteuid() == 0 else []
    if lab.run(["--version"], wrap=wrap).code != 0:
        attack.note("left out: another user cannot run the program")
        return
    path = write(f"{folder}/out", b"old")
    os.chmod(path, 0o444)
    elsewhere = lab.new_folder("writable")
    os.chmod(elsewhere, 0o777)
    for mode in (0o777, 0o555):
        os.chmod(folder, mode)
        outcome = lab.run([*fill(command, OTHER=f"{elsewhere}/other.slk"), path], wrap=wrap)
        problem = None if read(path) == b"old" else "the read-only file is changed"
        if temporaries(folder):
            problem = "a temporary file is left"
        elif not named(outcome, path):
            problem = "the message does not name the file"
        attack.check(outcome, problem, allowed=(2,))
    os.chmod(folder, 0o700)
    shutil.rmtree(folder)


def open_to_all(folder):
    """Opens a folder of mkdtemp, which is private, to all users; its files may be read by all."""
    for where, _, _ in os.walk(folder):
        if "samples" in where or where == folder:
            os.chmod(where, 0o755)


def attack_streams(lab, attack, application):
    """Closed standard streams: opened files must not take their descriptors."""
    train = [*application.train, "--max-passes", "20", "--check-every", "1"]
    folder = lab.new_folder("streams")
    whole = f"{folder}/whole.slk"
    lab.must([*train, "--model", whole])
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        wrap = ["sh", "-c", f'exec "$@" {closed}', "sh"]
        path = f"{folder}/m.slk"
        log = f"{folder}/log"
        files = ["--model", path, "--log", log, "--checkpoint", f"{folder}/ckpt"]
        outcome = lab.run([*train, *files, "--checkpoint-every", "0"], wrap=wrap)
        found = model_bytes.difference(read(whole), read(path))
        lines = (read(log) or b"").splitlines()
        if not lines or not all(line.startswith(b"{") for line in lines):
            found = "something else is in the log"
        attack.check(outcome, found, allowed=(0,))
        check_closed(lab, attack, application, wrap, closed)
    shutil.rmtree(folder)


def check_closed(lab, attack, application, wrap, closed):
    """info writes to the standard output: it must fail where the standard output is closed."""
    before = read(application.model)
    process = lab.start(
        ["info", application.model], wrap, stdin=subprocess.DEVNULL, env=environment()
    )
    outcome = lab.finish(process)
    problem = None if read(application.model) == before else "the model is overwritten"
    codes = (2,) if ">&-" in closed.split() else (0,)
    if "2>&-" in closed and outcome.code == 2:  # the message is lost
        attack.count(problem, outcome.command)
    else:
        attack.check(outcome, problem, codes)


def attack(lab, applications):
    inputs = lab.attack("odd: bad inputs")
    lab.map(lambda role: attack_input(lab, inputs, role), list(roles(applications)))
    pipes = lab.attack("odd: named pipes as inputs")
    lab.map(lambda role: attack_pipe(lab, pipes, role), list(roles(applications)))
    commands = list(outputs(applications))
    bad = lab.attack("odd: bad outputs, odd names")
    lab.map(lambda command: attack_output(lab, bad, command), commands)
    same = lab.attack("odd: output is input")
    for application in applications.values():
        own = [command for command in commands if application.data in command]
        lab.map(lambda command: attack_same_file(lab, same, command, application), own)
    read_only = lab.attack("odd: read-only output")
    lab.map(lambda command: attack_read_only(lab, read_only, command), commands)
    streams = lab.attack("odd: closed standard streams")
    lab.map(lambda own: attack_streams(lab, streams, own), list(applications.values()))
