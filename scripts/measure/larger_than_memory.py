#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Training on data that do not fit in memory.

Usage: larger_than_memory.py PROGRAM FOLDER [--examples N] [--values N] [--limit-mb MB]
                             [--runs NAMES] [--options "..."]

Draws LIBSVM data (20 labels, 30 000 features), converts them as they are drawn, and trains on them
to a certified relative gap of 0.01, each under a limit of memory, and without one. The limit is that
of a control group, for which root is needed: it counts the program's own memory and its pages of
files. NAMES: some of draw, convert, limited, unlimited, random (under the limit, without windows,
in at most an hour); `draw` only writes the text to FOLDER/data.svm, the others read it from there if
it exists. FOLDER needs room for 12 bytes per value, which the script does not give back.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

LABELS = 20
FEATURES = 30_000
VALUES_OF_LABEL = 300
LEVELS = 10


def draw(examples, values, out):
    """A label's features occur more often where it is on; some labels are flipped."""
    import numpy as np

    source = np.random.default_rng(1)
    causes = source.integers(0, FEATURES, (LABELS, VALUES_OF_LABEL))
    tokens = [[b"%d:0.%d" % (f + 1, v + 1) for v in range(LEVELS - 1)] + [b"%d:1" % (f + 1)]
              for f in range(FEATURES)]
    flat = [token for row in tokens for token in row]
    lines = []
    for m in range(examples):
        on = np.flatnonzero(source.random(LABELS) < 0.15)
        parts = [source.integers(0, FEATURES, values - 40 * len(on))]
        parts += [source.choice(causes[k], 40) for k in on]
        row = np.unique(np.concatenate(parts))
        levels = source.integers(0, LEVELS, len(row))
        shown = sorted(set(on) ^ set(np.flatnonzero(source.random(LABELS) < 0.005)))
        text = ",".join(map(str, shown)).encode()
        lines.append(text + b" " + b" ".join(map(flat.__getitem__, (row * LEVELS + levels).tolist())))
        if len(lines) == 256 or m + 1 == examples:
            out.write(b"\n".join(lines) + b"\n")
            lines.clear()


class Group:
    """A control group with a limit (version 1 or 2)."""

    def __init__(self, limit):
        first = pathlib.Path("/sys/fs/cgroup/memory")
        self.old = first.is_dir()
        self.path = (first if self.old else first.parent) / f"slackline-{os.getpid()}"
        self.path.mkdir()
        if limit:
            name = "memory.limit_in_bytes" if self.old else "memory.max"
            (self.path / name).write_text(str(limit))

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def own_memory(self):
        """Bytes that are no pages of files."""
        name = "rss" if self.old else "anon"
        for line in (self.path / "memory.stat").read_text().splitlines():
            key, value = line.split()
            if key == name:
                return int(value)
        return 0

    def peak(self):
        name = "memory.max_usage_in_bytes" if self.old else "memory.peak"
        return int((self.path / name).read_text())

    def remove(self):
        for _ in range(100):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def run(what, command, limit, source=None):
    """Runs the command in a group and prints its figures."""
    group = Group(limit)
    begin = time.time()
    process = subprocess.Popen([str(part) for part in command], preexec_fn=group.enter,
                               stdin=subprocess.PIPE if source else None)
    peak_own = 0
    feeder = None
    if source:
        def feed():
            source(process.stdin)
            process.stdin.close()
        feeder = threading.Thread(target=feed)
        feeder.start()
    done = threading.Event()
    usage = []

    def wait():
        usage.extend(os.wait4(process.pid, 0))
        done.set()
    threading.Thread(target=wait).start()
    while not done.wait(0.2):
        peak_own = max(peak_own, group.own_memory())
    if feeder:
        feeder.join()
    seconds = time.time() - begin
    _, status, used = usage
    print(f"{what}: code {os.waitstatus_to_exitcode(status)}, {seconds:.0f} s, processor "
          f"{used.ru_utime:.0f} s, system {used.ru_stime:.0f} s, peak {group.peak() / 1e6:.0f} MB, "
          f"of them own {peak_own / 1e6:.0f} MB, page reads waited for {used.ru_majflt}",
          flush=True)
    group.remove()


def drop_caches():
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("1")
    except OSError as error:
        print(f"the page cache is not emptied: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=200_000)
    parser.add_argument("--values", type=int, default=2400)
    parser.add_argument("--limit-mb", type=int, default=1000)
    parser.add_argument("--runs", default="convert,limited,unlimited")
    parser.add_argument("--options", default="")
    args = parser.parse_args()
    text, data, plain = (args.folder / name for name in ("data.svm", "data", "data-plain"))
    limit = args.limit_mb * 1_000_000
    runs = args.runs.split(",")

    def source(out):
        draw(args.examples, args.values, out)

    def convert(to, *options):
        drop_caches()
        command = [args.program, "multilabel", "convert", text if text.exists() else "-",
                   "--num-labels", LABELS, "--out", to, *options]
        run("convert", command, limit, None if text.exists() else source)
        print(f"file: {to.stat().st_size / 1e6:.0f} MB", flush=True)

    def train(what, name, most, *options):
        drop_caches()
        log = args.folder / f"{what}.jsonl"
        command = [args.program, "multilabel", "train", name, "--gap-tolerance", "0.01", "--log",
                   log, "--model", args.folder / f"{what}.slk", *options, *args.options.split()]
        run(what, command, most)
        checks = [json.loads(line) for line in log.read_text().splitlines()]
        checks = [check for check in checks if "relative_gap" in check]
        last = checks[-1]
        print(f"{what}: pass {last['pass']}, gap {last['relative_gap']:.4f}", flush=True)

    if "draw" in runs:
        with open(text, "wb") as out:
            source(out)
    if "convert" in runs:
        convert(data)
    if "limited" in runs:
        train("limited", data, limit)
    if "unlimited" in runs:
        train("unlimited", data, 0)
    if "random" in runs:
        if not plain.exists():
            convert(plain, "--window", "none")
        train("random", plain, limit, "--time-limit", "3600")


if __name__ == "__main__":
    main()
