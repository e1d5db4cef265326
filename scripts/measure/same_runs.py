#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether two builds do the same, bit for bit.

Both programs run the commands of same_runs_cases.py on small data. Exit codes, standard output,
standard error and all files that a command writes must be the same; otherwise this script prints
the first line that differs, and its exit code is 1. A command that ends with another exit code than
expected counts as a difference, too. Only what clocks say may differ: the TIMES in texts, and the
seconds in models and checkpoints. A test of changes that must not affect any run; both builds need
all optional parts.
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import itertools
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import same_runs_cases
import same_runs_inputs

LONGEST = 120  # seconds of a command
SHOWN = 5  # differences of a scenario that are shown
WIDTH = 100  # characters of a line that are shown
VARIABLES = dict(os.environ, LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive")
# Times in texts, with what comes before and after them: in JSON, in sentences, and in the tables of
# cv (behind `converted` and `passes`) and of a path (behind four numbers).
TIMES = [re.compile(pattern.replace(b"TIME", rb"-?\d[\d.e+-]*"), re.MULTILINE) for pattern in (
    rb'("\w*seconds\w*": ?)(?:TIME|\[[^]]*\])()',
    rb"()TIME( s of (?:training|checks)\b)",
    rb"(verified in )TIME( s:)",
    rb"(time: )TIME( s,)",
    rb"()TIME( s per (?:training )?image\b)",
    rb"()TIME( ms to predict)",
    rb"( \d+/\d+ +\d+) +\d+\.\d\d()\b",
    rb"^((?: *[\d.e+-]+){3} +\d+) +\d+\.\d\d()$",
)]

STRING, STRINGS, INTEGERS, DOUBLES, PACKED, PACKED_SINGLE = range(6)  # core/model_file.h
LOOP = struct.pack("<Q", 4) + b"loop"  # learning/run/loop_state.cc


def integer(data, place, size=8):
    return int.from_bytes(data[place:place + size], "little")


def entries(data):
    """The entries of a model or a checkpoint: name, type, and begin and end of the values."""
    place = 24
    for _ in range(integer(data, 20, 4)):
        kind, length = data[place], integer(data, place + 1, 4)
        name = data[place + 5:place + 5 + length].decode()
        begin = place + 5 + length + 8
        count, place = integer(data, begin - 8), begin
        if kind == STRINGS:
            for _ in range(count):
                place += 8 + integer(data, place)
        elif kind in (PACKED, PACKED_SINGLE):
            bits = data[begin:begin + (count + 7) // 8]
            kept = int.from_bytes(bits, "little").bit_count()
            place += len(bits) + kept * (8 if kind == PACKED else 4)
        else:
            place += count * (1 if kind == STRING else 8)
        yield name, kind, begin, place


def times_of_entry(data, name, begin, end):
    """Where the entry of a model or a checkpoint stores seconds (apps/common/training_record.cc,
    apps/cli/training/cmd_train_session.cc, learning/run/loop_state.cc)."""
    if name == "state":
        for found in re.finditer(re.escape(LOOP), data[begin:end]):
            yield from range(begin + found.end() + 16, begin + found.end() + 40, 8)
    elif name == "curve":
        yield from range(begin + 8, end, 32)
    elif name == "figures" and data.startswith(b"SLACKCKP"):
        yield from range(begin + 32, end, 40)
    elif name == "figures":
        yield from range(begin + 40, end, 8)


def is_container(data):
    """Whether this is a model or a checkpoint with the right checksum."""
    return (data.startswith((b"SLACKLIN", b"SLACKCKP")) and
            zlib.crc32(data[:-4]) == integer(data, len(data) - 4, 4))


def without_times(data):
    """The bytes with 0 for all seconds."""
    if is_container(data):
        changed = bytearray(data)
        for name, _, begin, end in entries(data):
            for place in times_of_entry(data, name, begin, end):
                changed[place:place + 8] = bytes(8)
        changed[-4:] = struct.pack("<I", zlib.crc32(changed[:-4]))
        return bytes(changed)
    if b"\0" not in data:
        for pattern in TIMES:
            data = pattern.sub(rb"\g<1>0\g<2>", data)
    return data


def texts_of_entry(data, begin, end):
    texts = []
    while begin < end:
        length = integer(data, begin)
        texts.append(data[begin + 8:begin + 8 + length])
        begin += 8 + length
    return texts


def without_options(data, names):
    """Without what is recorded of options with these names, which only one of the programs has. Of
    models and checkpoints, the entries one after the other."""
    if not names:
        return data
    if is_container(data):
        found = {name: (kind, begin, end) for name, kind, begin, end in entries(data)}
        kept = []
        for name, (kind, begin, end) in found.items():
            content = data[begin:end]
            named = found.get(re.sub("_values$", "_names", name))
            if kind == STRINGS and named is not None:
                which = [text.decode().lstrip("-") not in names
                         for text in texts_of_entry(data, *named[1:])]
                content = b"\n".join(text for text, keep in
                                     zip(texts_of_entry(data, begin, end), which) if keep)
            kept.append(name.encode() + b":" + content)
        return b"\0".join(kept)
    if b"\0" not in data:
        either = "|".join(map(re.escape, names)).encode()
        data = re.sub(rb'\s*"(?:' + either + rb')": ?"[^"]*",?', b"", data)
        data = re.sub(rb"\s(?:" + either + rb")=\S+", b"", data)
    return data


def readable(data):
    """Lines that show where two outputs differ."""
    if is_container(data):
        lines = []
        for name, kind, begin, end in entries(data):
            if kind == DOUBLES:
                values = struct.unpack(f"<{(end - begin) // 8}d", data[begin:end])
                lines += [f"{name} {k}: {value!r}" for k, value in enumerate(values)]
            else:
                lines += [f"{name} at {k}: {data[k:min(k + 16, end)]!r}"
                          for k in range(begin, end, 16)]
        return lines
    if b"\0" in data:
        return [f"byte {k}: {data[k:k + 16].hex()}" for k in range(0, len(data), 16)]
    return data.decode("utf-8", "replace").splitlines()


def first_difference(mine, theirs):
    pairs = itertools.zip_longest(readable(mine), readable(theirs), fillvalue="(nothing)")
    for number, (line, other) in enumerate(pairs, 1):
        if line != other:
            begin = max(0, len(os.path.commonprefix((line, other))) - WIDTH // 2)
            return (f"line {number}", line[begin:begin + WIDTH], other[begin:begin + WIDTH])
    return ("bytes", f"{len(mine)} bytes", f"{len(theirs)} bytes")


@dataclasses.dataclass
class Done:
    """What one command did. results: its output and its files, by name."""
    command: str
    expected: int
    code: int
    results: dict


def stamps(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            status = os.lstat(path)
            found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def expanded(word, folder):
    """The files that a pattern stands for, as a shell would."""
    return sorted(glob.glob(word, root_dir=folder)) or [word] if "*" in word else [word]


def run(program, line, folder, ignored):
    """Runs one command: [expected exit code:] arguments [< input]."""
    expected, command = re.fullmatch(r"(?:(\d+): )?(.*)", line).groups()
    words, _, standard_input = command.partition(" < ")
    arguments = [part for word in shlex.split(words) for part in expanded(word, folder)]
    before = stamps(folder)
    source = folder / standard_input  # the folder itself, or missing after a failure: no input
    with open(source if source.is_file() else os.devnull, "rb") as given:
        try:
            done = subprocess.run([program, *arguments], cwd=folder, stdin=given, env=VARIABLES,
                                  capture_output=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return Done(command, int(expected or 0), -1, {})
    after = stamps(folder)
    results = {"standard output": done.stdout, "standard error": done.stderr}
    for path in before.keys() - after.keys():
        results["removal of " + os.path.relpath(path, folder)] = b""
    for path, stamp in after.items():
        if before.get(path) != stamp:
            results[os.path.relpath(path, folder)] = pathlib.Path(path).read_bytes()
    return Done(command, int(expected or 0), done.returncode,
                {name: without_options(without_times(data), ignored)
                 for name, data in results.items()})


def run_all(program, lines, inputs, folder, ignored):
    """The outcomes of a scenario's commands, and the seconds that they took."""
    folder.mkdir(parents=True)
    for path in inputs.iterdir():
        (folder / path.name).symlink_to(path)
    begin = time.monotonic()
    return [run(program, line, folder, ignored) for line in lines], time.monotonic() - begin


def faults(mine, theirs):
    """What differs between two runs of a command, or is not as expected; each with its lines."""
    if mine.code != theirs.code:
        yield f"exit code {mine.code} and {theirs.code}", ()
    elif mine.code != mine.expected:
        last = mine.results.get("standard error", b"").decode("utf-8", "replace").strip()
        yield f"exit code {mine.code}, expected {mine.expected}", last.splitlines()[-1:]
    for name in sorted(mine.results.keys() | theirs.results.keys()):
        results = [done.results.get(name) for done in (mine, theirs)]
        if None in results:
            yield f"{name}: only with the {'second' if results[0] is None else 'first'} program", ()
        elif results[0] != results[1]:
            where, line, other = first_difference(*results)
            yield f"{name}, {where}", (f"< {line}", f"> {other}")


def compare(name, mine, theirs, seconds):
    """Prints the result of a scenario; returns numbers of commands, files and faults."""
    found = [(done.command, *fault) for done, other in zip(mine, theirs)
             for fault in faults(done, other)]
    files = sum(len(done.results) - 2 for done in mine if done.results)
    print(f"{name}: {len(mine)} commands, {files} files, {seconds:.1f} s: " +
          (f"{len(found)} DIFFERENCES" if found else "the same"), flush=True)
    for command, shown in itertools.groupby(found[:SHOWN], lambda fault: fault[0]):
        print(f"  {command}")
        for _, fault, lines in shown:
            print(f"    {fault}", *lines, sep="\n      ", flush=True)
    return len(mine), files, len(found)


def compare_all(programs, scenarios, folder, jobs, ignored):
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    for name, content in same_runs_inputs.inputs().items():
        (inputs / name).parent.mkdir(exist_ok=True)
        (inputs / name).write_bytes(content)
    totals = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {name: [pool.submit(run_all, program, lines, inputs, folder / side / name, ignored)
                       for side, program in zip(("first", "second"), programs)]
                for name, lines in scenarios.items()}
        for name in scenarios:
            (mine, seconds), (theirs, _) = (future.result() for future in runs.pop(name))
            totals = [a + b for a, b in zip(totals, compare(name, mine, theirs, seconds))]
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs=2, metavar="PROGRAM", type=os.path.abspath)
    parser.add_argument("--only", metavar="REGEX", default="", help="scenarios with such names")
    parser.add_argument("--keep", metavar="FOLDER", type=os.path.abspath,
                        help="keep all files in FOLDER/runs, which must not exist")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(),
                        help="commands at the same time; as many as processors by default")
    parser.add_argument("--ignore", metavar="NAMES", default="",
                        help="options, separated by commas, whose records in outputs are ignored: "
                             "those that only one of the programs has")
    options = parser.parse_args()
    for program in options.programs:
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not a program")
    scenarios = {name: lines for name, lines in same_runs_cases.scenarios().items()
                 if re.search(options.only, name)}
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch) / "runs"
        commands, files, found = compare_all(options.programs, scenarios, folder, options.jobs,
                                             tuple(filter(None, options.ignore.split(","))))
    print(f"{commands} commands and {files} files compared in {time.monotonic() - begin:.0f} s: " +
          (f"{found} differences" if found else "all the same"))
    sys.exit(1 if found or not commands else 0)


if __name__ == "__main__":
    main()
