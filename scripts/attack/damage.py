# SPDX-License-Identifier: BSD-3-Clause
"""Damaged input files: cut at every length, a bit flipped in every byte, and larger damage.

Promised: models, checkpoints, feature files, converted data, and contents that gzip or PNG protect,
are refused with exit code 2, or give the result of the whole file where the damaged bytes do not
matter. Text has no checksum: a run on damaged text must end with 0 or 2."""
import dataclasses
import glob
import gzip
import os
import shutil

import model_bytes
import samples
from lab import read, write

EVERY = 4096  # up to this size every byte is tried in the long form


@dataclasses.dataclass
class Target:
    """A file and a command that reads it. In the command FILE stands for the file, OUT for the
    output."""

    name: str
    path: str
    command: list[str]
    protected: bool = True  # by a checksum
    sampled: bool = False  # not every byte, also in the long form


def targets(lab, applications):
    for application in applications.values():
        name, model = application.name, application.model
        yield Target(f"model of {name}, info", model, ["info", "FILE"])
        predict = application.with_model(application.predict, "FILE")
        output = ["-q", "--out", "OUT"]
        yield Target(f"model of {name}, predict", model, [*predict, *output], sampled=True)
        yield checkpoint_target(lab, application)
        if application.convert:
            yield converted_target(lab, application)
    yield from text_targets(lab, applications)
    if "segment" in applications:
        yield from segment_targets(applications["segment"])


def checkpoint_target(lab, application):
    checkpoint = f"{lab.new_folder()}/run.ckpt"
    train = [*application.train, "--gap-tolerance", "0", "-q", "--max-passes"]
    model = os.path.dirname(checkpoint) + "/m.slk"
    lab.must([*train, "3", "--checkpoint", checkpoint, "--model", model])
    command = [*train, "5", "--resume", "FILE", "--model", "OUT"]
    return Target(f"checkpoint of {application.name}", checkpoint, command)


def converted_target(lab, application):
    data = f"{lab.new_folder()}/converted"
    lab.must([*application.convert, "--out", data, "-q"])
    command = [application.name, "train", "FILE", "--lambda", "0.05", "--max-passes", "3"]
    return Target(f"converted {application.name}", data, [*command, "-q", "--model", "OUT"])


def text_targets(lab, applications):
    folder = lab.new_folder()
    for application in applications.values():
        if application.name == "segment":
            continue
        train = application.with_data(application.train, "FILE")
        command = [*train, "--max-passes", "3", "-q", "--model", "OUT"]
        yield Target(f"data of {application.name}", application.data, command, False, True)
        packed = write(f"{folder}/{application.name}.gz", gzip.compress(read(application.data)))
        yield Target(f"gzip data of {application.name}", packed, command)
    report = ["report", "FILE", "--out", "OUT"]
    yield Target("log of a training", samples.log(lab, applications), report, False, True)


def segment_targets(application):
    train = application.with_data(application.train, "FILE")
    command = [*train, "--max-passes", "3", "-q", "--model", "OUT"]
    yield Target("feature file", application.data, command)
    image = sorted(glob.glob(os.path.dirname(application.data) + "/images/images/*.png"))[0]
    command = application.with_model(["segment", "predict", "FILE", "-q", "--out", "OUT"])
    yield Target("PNG image", image, command)


def places(random, size, count):
    """Offsets in a file: all up to EVERY and a sample of the others, or `count` where given."""
    if count:
        return sorted({random.randrange(size) for _ in range(count)} | {0, size - 1})
    every = range(min(size, EVERY))
    return [*every, *(random.randrange(EVERY, size) for _ in range(1000 if size > EVERY else 0))]


def damages(random, content, count):
    """Pairs of a description of the damage and the damaged bytes."""
    size = len(content)
    for length in places(random, size, count):
        yield f"cut to {length} of {size} bytes", content[:length]
    for at in places(random, size, count):
        bit = random.randrange(8)
        flipped = bytes([content[at] ^ 1 << bit])
        yield f"bit {bit} of byte {at} flipped", content[:at] + flipped + content[at + 1 :]
    for at in places(random, size, count and count // 4)[: count or 500]:
        length = min(random.choice((2, 8, 64, 4096)), size - at)
        for name, filler in (("zero", b"\0" * length), ("random", random.randbytes(length))):
            changed = content[:at] + filler + content[at + length :]
            yield f"{length} bytes from {at} on are {name}", changed
    if not content.startswith(b"\x1f\x8b"):  # a gzip file written twice is valid gzip
        yield "doubled", content + content
    yield "a byte more", content + b"\0"
    yield "its second half before its first", content[size // 2 :] + content[: size // 2]


def run(lab, target, content):
    """(outcome, result) of the command on a file with this content."""
    folder = lab.new_folder("damage")
    extension = os.path.splitext(target.path)[1]
    names = {"FILE": write(f"{folder}/file{extension}", content), "OUT": f"{folder}/out"}
    outcome = lab.run([names.get(part, part) for part in target.command])
    result = outcome.out if "OUT" not in target.command else collect(names["OUT"])
    shutil.rmtree(folder)
    return outcome, result


def collect(path):
    if os.path.isdir(path):
        return {name: read(f"{path}/{name}") for name in sorted(os.listdir(path))}
    return read(path)


def same(first, second):
    if first == second:
        return True
    if not isinstance(first, bytes) or not first.startswith(b"SLAC"):
        return False
    return model_bytes.difference(first, second, ignored=("data",)) is None


def attack_target(lab, attack, target):
    random = lab.random(f"damage {target.name}")
    content = read(target.path)
    outcome, expected = run(lab, target, content)
    attack.check(outcome, None if expected else "no result for the whole file", allowed=(0,))

    def trial(damage):
        what, changed = damage
        if changed == content:
            return
        outcome, result = run(lab, target, changed)
        problem = None
        if outcome.code == 2 and "OUT" in target.command and result:
            problem = "refused, but there is an output"
        if outcome.code == 0 and target.protected and not same(expected, result):
            problem = "accepted, with another result"
        attack.check(outcome, f"{problem}: {what}" if problem else None, allowed=(0, 2))

    lab.map(trial, damages(random, content, lab.few(40, 400 if target.sampled else None)))


def attack(lab, applications):
    for target in targets(lab, applications):
        attack_target(lab, lab.attack(f"damage: {target.name}"), target)
