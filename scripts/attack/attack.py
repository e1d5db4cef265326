#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks the built program as an outsider would: kills, signals, full disks, damaged files, too
little memory, odd inputs. Ends with a table; exit code 1 if anything failed.

The promises of the program are in README.md and docs/. Allowed exit codes are 0, 1 and 2, and
those documented for signals; a death by a signal and the words "internal error" are failures."""
import argparse
import ctypes
import os
import signal
import sys
import tempfile
import time

import damage
import disks
import kills
import known
import memory
import odd_inputs
import samples
import signals
import unchanged
from lab import Lab

ATTACKS = {
    "kills": kills.attack,
    "signals": signals.attack,
    "disks": disks.attack,
    "damage": damage.attack,
    "memory": memory.attack,
    "odd-inputs": odd_inputs.attack,
    "unchanged": unchanged.attack,
}
CLONE_NEWNS = 0x20000


def read_options():
    parser = argparse.ArgumentParser(
        prog="run attack", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default="build/apps/slackline", help="[%(default)s]")
    parser.add_argument("--short", action="store_true", help="few trials: at most five minutes")
    parser.add_argument("--seed", type=int, default=1, help="of times and places [%(default)s]")
    cores = os.cpu_count()
    parser.add_argument("--jobs", type=int, default=cores, help="runs at a time [%(default)s]")
    parser.add_argument("--timeout", type=float, default=120, help="seconds of a run [%(default)s]")
    parser.add_argument("--only", help="names of attacks, commas between: " + ", ".join(ATTACKS))
    parser.add_argument("--strict", action="store_true", help="known failures count, too")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else list(ATTACKS)
    unknown = [name for name in options.only if name not in ATTACKS]
    if unknown:
        parser.error("there is no attack " + ", ".join(unknown))
    return options


def own_mounts():
    """Unshares the mount table, so that no mount outlives this process, however it ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    private = 1 << 18 | 1 << 14  # MS_PRIVATE | MS_REC
    return libc.unshare(CLONE_NEWNS) == 0 and libc.mount(b"none", b"/", None, private, None) == 0


def default_signals():
    """Children must not inherit ignored signals, such as SIGHUP under nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda code, frame: sys.exit(128 + code))


def print_table(lab, seconds):
    width = max((len(attack.name) for attack in lab.attacks), default=0)
    print(f"\n{'attack':{width}} {'trials':>8} {'failures':>9} {'known':>6}")
    for attack in lab.attacks:
        notes = "  ".join(str(note) for note in attack.notes)
        counts = f"{attack.trials:8} {attack.failures:9} {attack.known:6}"
        print(f"{attack.name:{width}} {counts}  {notes}".rstrip())
    trials = sum(attack.trials for attack in lab.attacks)
    failures = sum(attack.failures for attack in lab.attacks)
    times = ", ".join(f"{name} {value:.0f} s" for name, value in seconds.items())
    print(f"\n{trials} trials, {failures} failures; {times}")
    for entry in known.TABLE:
        if entry.seen:
            print(f"known, {entry.seen} times: {entry.reason}")
    return failures


def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    options = read_options()
    program = os.path.abspath(options.program)
    if not os.access(program, os.X_OK):
        sys.exit(f"attack: there is no program {program}")
    known.strict = options.strict
    default_signals()
    jobs = options.jobs
    print(f"attacking {program} with seed {options.seed}, {jobs} runs at a time", flush=True)
    seconds = {}
    with tempfile.TemporaryDirectory(prefix="slackline-attack-") as folder:
        lab = Lab(program, folder, options)
        lab.can_mount = own_mounts()
        applications = samples.make(lab)
        try:
            for name in options.only:
                begin = time.monotonic()
                ATTACKS[name](lab, applications)
                seconds[name] = time.monotonic() - begin
                print(f"{name}: done in {seconds[name]:.0f} s", flush=True)
        finally:  # also when the run is stopped
            failures = print_table(lab, seconds)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
