# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program under attack, judges how each run ended, and counts failures."""
import concurrent.futures
import dataclasses
import os
import random
import shlex
import signal
import subprocess
import tempfile
import threading

import known

# Signs of a failure in the output of the program, whatever its exit code.
SIGNS = (b"internal error", b"Sanitizer:", b"runtime error:", b"terminate called", b"Assertion")
# A sanitizer's report must not look like an exit code of the program.
SANITIZERS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS")
SHOWN = 3  # number of failures of an attack that are shown in full


@dataclasses.dataclass
class Outcome:
    """How a run ended. code: exit code, minus a signal's number, or None where it did not end."""

    code: int | None
    out: bytes
    err: bytes
    command: list[str]

    def last_words(self):
        lines = self.err.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def trouble(outcome, allowed=(0, 1, 2)):
    """The fault in how a run ended, or None."""
    if outcome.code is None:
        return "did not end in time"
    for sign in SIGNS:
        if sign in outcome.err or sign in outcome.out:
            return f"says '{sign.decode()}'"
    if outcome.code not in allowed:
        if outcome.code < 0:
            return f"ended by {signal_name(-outcome.code)}"
        return f"exit code {outcome.code}, not " + " or ".join(str(code) for code in allowed)
    said = b"slackline: " in outcome.err
    if outcome.code in (1, 2) and not said:
        return f"exit code {outcome.code} without a message"
    return None


def environment(**changes):
    variables = dict(os.environ, OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8")
    for name in SANITIZERS:
        variables[name] = ":".join(filter(None, [variables.get(name), "exitcode=99"]))
    variables.update(changes)
    return variables


class Attack:
    """One line of the summary: trials and failures, counted by any thread."""

    def __init__(self, name):
        self.name = name
        self.trials = 0
        self.failures = 0
        self.known = 0
        self.notes = []
        self._lock = threading.Lock()

    def note(self, text):
        with self._lock:
            self.notes.append(text)

    def count(self, problem, command=()):
        """One trial. problem: None, or what went wrong."""
        with self._lock:
            self.trials += 1
            if problem is None:
                return
            text = f"{self.name}: {problem}"
            if command:
                text += "\n    " + shlex.join(str(part) for part in command)[-600:]
            if known.explains(text):
                self.known += 1
                return
            self.failures += 1
            if self.failures <= SHOWN:
                print(f"FAILED {text}", flush=True)

    def check(self, outcome, problem=None, allowed=(0, 1, 2)):
        """Counts one trial by how the run ended and by `problem`, a fault of its results."""
        found = trouble(outcome, allowed) or problem
        if found is not None and outcome.last_words():
            found += f" (last words: {outcome.last_words()[:300]})"
        self.count(found, outcome.command)


class Lab:
    """The program, a folder to work in, and helpers of all attacks."""

    def __init__(self, program, folder, options):
        self.program = program
        self.folder = folder
        self.seed = options.seed
        self.short = options.short
        self.jobs = options.jobs
        self.timeout = options.timeout
        self.can_mount = False
        self.attacks = []
        # For input without end. Builds with sanitizers need more memory and run without a limit.
        self.memory_limit = ["prlimit", "--as=3000000000"]
        if self.run(["--version"], wrap=self.memory_limit).code != 0:
            self.memory_limit = []

    def attack(self, name):
        self.attacks.append(Attack(name))
        return self.attacks[-1]

    def random(self, name):
        return random.Random(f"{self.seed} {name}")

    def few(self, short, long):
        """The number of trials: the first argument with --short, else the second."""
        return short if self.short else long

    def new_folder(self, name="run"):
        return tempfile.mkdtemp(prefix=name + "-", dir=self.folder)

    def map(self, work, items):
        """Calls work(item) for all items, in `jobs` threads."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            try:
                return list(pool.map(work, items))
            except BaseException:  # also on a signal
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def start(self, arguments, wrap=(), **streams):
        """Starts a process: `wrap` goes before the name of the program, `arguments` behind it."""
        streams.setdefault("stdin", subprocess.DEVNULL)
        streams.setdefault("stdout", subprocess.PIPE)
        streams.setdefault("stderr", subprocess.PIPE)
        streams.setdefault("env", environment())
        return subprocess.Popen([*wrap, self.program, *arguments], **streams)

    def run(self, arguments, wrap=(), data=None, timeout=None, **streams):
        """Runs the program to its end, with `data` on its standard input where given."""
        if data is not None:
            streams["stdin"] = subprocess.PIPE
        process = self.start(arguments, wrap, **streams)
        return self.finish(process, data, timeout)

    def finish(self, process, data=None, timeout=None):
        code = None
        try:
            out, err = process.communicate(data, timeout or self.timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        return Outcome(code, out or b"", err or b"", process.args)

    def must(self, arguments):
        """A run that prepares an attack, and must succeed."""
        outcome = self.run(arguments)
        if outcome.code != 0:
            raise SystemExit(
                f"attack: the preparations failed: {shlex.join(map(str, outcome.command))}\n"
                f"exit code {outcome.code}: {outcome.last_words()}"
            )
        return outcome


def read(path):
    """The bytes of a file, or None where it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def temporaries(folder):
    """Names of temporary files below a folder."""
    return [
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if ".slackline-tmp-" in name
    ]
