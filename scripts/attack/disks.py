# SPDX-License-Identifier: BSD-3-Clause
"""Full disks: /dev/full, a tiny file system where mounting is allowed, and a limit on file sizes.

Promised: a message that names the file, exit code 2, and an existing file kept whole."""
import ctypes
import os
import shutil

import model_bytes
import samples
from lab import read, temporaries, trouble, write

OLD = b"the file of before\n" * 10


def writers(lab, applications):
    """(command, option for an output file), for each kind of output."""
    yield from samples.writers(lab, applications)
    for application in applications.values():
        train = [*application.train, "--max-passes", "20", "-q"]
        model = ["--model", f"{lab.new_folder()}/m.slk"]
        yield [*train, *model], "--log"
        yield [*train, *model, "--checkpoint-every", "0"], "--checkpoint"
        if application.online:
            yield [*application.online, "-q", *model], "--log"
            yield [*application.online, "-q", *model, "--checkpoint-every", "0"], "--checkpoint"
        if application.name == "segment":
            yield application.with_model([*application.evaluate, "-q"]), "--confusion"


def folder_writers(applications):
    """Commands that fill a folder; the folder is to be appended."""
    yield ["matching", "draw", "--examples", "400", "-q", "--out"]
    for application in applications.values():
        if application.convert:
            yield [*application.convert, "--parts", "2", "-q", "--out"]
    if "segment" in applications:
        application = applications["segment"]
        yield ["segment", "draw", "--images", "12", "-q", "--out"]
        predict = application.with_model([*application.predict, "--overlay", "--scores", "-q"])
        yield [*predict, "--out"]
        yield [*application.with_model([*application.evaluate, "-q"]), "--sheets"]


def attack_standard_output(lab, attack, applications):
    """/dev/full as standard output and standard error."""
    commands = [["--help"], ["--version"], ["multilabel", "train", "--help"]]
    for application in applications.values():
        commands.append(["info", application.model])
        commands.append(["info", application.model, "--json"])
        commands.append(application.with_model(application.evaluate))
        if not application.predict_folder:
            commands.append(application.with_model(application.predict))
    for command in commands:
        with open("/dev/full", "wb") as full:
            outcome = lab.run(command, stdout=full)
            attack.check(outcome, None if b"stdout" in outcome.err else "no word of stdout", (2,))
            outcome = lab.run(command, stderr=full)
            attack.check(outcome, allowed=(0,))


def attack_device(lab, attack, command, option):
    outcome = lab.run([*command, option, "/dev/full"])
    named = None if b"/dev/full" in outcome.err else "the message does not name the file"
    attack.check(outcome, named, allowed=(2,))


def output_problem(path, option, outcome, model):
    """The fault of an output file for which there was not enough room, or None."""
    content = read(path)
    if model and not model_bytes.whole(read(model) or b""):
        return "the model is lost"
    if option == "--log":  # the log is written line by line, into the file itself
        return None
    if option == "--checkpoint" and model_bytes.whole(content):
        return None  # an earlier model, for which there was room
    if outcome.code != 0 and content != OLD:
        return "the file of before is lost"
    if outcome.code == 0 and content == OLD:
        return "exit code 0 without an output"
    if outcome.code == 2 and os.path.basename(path).encode() not in outcome.err:
        return "the message does not name the file"
    if temporaries(os.path.dirname(path)):
        return "a temporary file is left"
    return None


def model_of(command):
    return command[command.index("--model") + 1] if "--model" in command else None


def attack_room(lab, attack, command, option, room):
    """Output into a file system with the existing output file and `room` free bytes."""
    if not lab.can_mount:
        return False
    folder = lab.new_folder("disk")
    size = str(4096 * 2 + room).encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", folder.encode(), b"tmpfs", 0, b"size=" + size) != 0:
        return False
    try:
        path = f"{folder}/out"
        if option:
            write(path, OLD)
            outcome = lab.run([*command, option, path])
            attack.check(outcome, output_problem(path, option, outcome, model_of(command)), (0, 2))
        else:
            outcome = lab.run([*command, path])
            named = outcome.code == 0 or folder.encode() in outcome.err
            attack.check(outcome, None if named else "the message does not name the file", (0, 2))
    finally:
        libc.umount2(folder.encode(), 2)
        os.rmdir(folder)
    return True


def attack_limit(lab, attack, command, option, limit):
    """Output with a limit on the size of files (ulimit -f)."""
    folder = lab.new_folder("limit")
    path = write(f"{folder}/out", OLD)
    outcome = lab.run([*command, option, path], wrap=["prlimit", f"--fsize={limit}"])
    problem = trouble(outcome) or output_problem(path, option, outcome, model_of(command))
    attack.check(outcome, problem, (0, 2))
    shutil.rmtree(folder)


def attack(lab, applications):
    device = lab.attack("disks: /dev/full")
    attack_standard_output(lab, device, applications)
    commands = list(writers(lab, applications))
    lab.map(lambda pair: attack_device(lab, device, *pair), commands)
    random = lab.random("disks")
    rooms = [0, 4096, 16384] + [random.randrange(1, 60) * 4096 for _ in range(lab.few(0, 20))]
    small = lab.attack("disks: small file system")
    folders = [(command, None) for command in folder_writers(applications)]
    cases = [(*pair, room) for pair in commands + folders for room in rooms]
    mounted = lab.map(lambda case: attack_room(lab, small, *case), cases)
    if not all(mounted):
        small.note("left out: mounting is not allowed")
    limits = [0, 1, 100, 1000, 5000] + [random.randrange(1, 20000) for _ in range(lab.few(0, 20))]
    limited = lab.attack("disks: limit on file sizes")
    cases = [(*pair, limit) for pair in commands for limit in limits]
    lab.map(lambda case: attack_limit(lab, limited, *case), cases)
