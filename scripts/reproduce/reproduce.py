#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the runs behind the figures of docs/notebook/reproduction*.md, then pages and tables.

Every run of figures.py (--list prints them), which is one learner on one problem with one seed, has
a file of its own: OUT/FIGURE/PROBLEM/LEARNER.SEED.json, where FIGURE is the first that has this run.
A file appears when its run is complete. Runs that have a file are not made again, so that this
command may be interrupted at any moment and called again. At the end, OUT/FIGURE.json has all runs of a figure, OUT/FIGURE.html draws them, and
OUT/tables.md has their tables.

Exit codes: 0, all runs are there; 1, a run failed; 2, an argument is wrong, or data are missing or
bad (the other runs are made all the same); 130 and 143, interrupted."""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys

import figures
import page
import tables

FAILED, BAD_INPUT = 1, 2


class Interrupted(Exception):
    """A signal; its number is the argument."""


def tell(text):
    print(text, flush=True)


def fail(text):
    print(f"reproduce: {text}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def write(path, text):
    """Writes the file as a whole or not at all."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def minutes(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


class Run:
    """One learner on one problem with one seed, for all figures that have this run. Its limit is the longest of theirs."""

    def __init__(self, problem, learner, seed, test):
        self.problem, self.learner, self.seed, self.test = problem, learner, str(seed), test
        self.figures, self.limit = [], 0
        self.data = self.problem.split("@")[0], self.test  # what it reads

    def add(self, figure, limit):
        self.figures.append(figure)
        self.limit = max(self.limit, limit)

    def path(self, out, figure=None):
        plain = re.sub(r"[^A-Za-z0-9.=-]+", "_", self.learner)
        return os.path.join(out, figure or self.figures[0], self.problem, f"{plain}.{self.seed}.json")

    def __str__(self):
        return f"{self.figures[0]}, {self.problem}, {self.learner}, seed {self.seed}"

    def kept(self, out):
        """Its result in the folder of one of its figures, or None where it has to be made."""
        return next(filter(None, (self.read(self.path(out, figure)) for figure in self.figures)), None)

    def read(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            learner, = result["problems"][0]["learners"]
            same = learner["learner"] == self.learner and (
                result["settings"]["time_limit"] == self.limit or all(run["termination"] != "time-limit" for run in learner["runs"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            tell(f"{path} is damaged; its run is made again")
            return None
        if not same:
            tell(f"{path} is of another run; it is made again")
        return result if same else None


class Runner:
    """Makes missing runs."""

    def __init__(self, program, data, out):
        self.program, self.data, self.out = program, data, out
        self.child = None
        self.without_data = {}  # message by Run.data
        self.failed = []

    def make(self, run):
        """The result of the run; None if there is none."""
        path = run.path(self.out)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = f"{path}.{os.getpid()}.tmp"
        command = [self.program, self.data, "--problems", run.problem, "--learners", run.learner, "--seed", run.seed, "--runs", "1",
                   "--time-limit", repr(run.limit), "--quiet", "--out", temporary] + (["--test-metric"] if run.test else [])
        try:
            self.start(command)
            errors = self.child.communicate()[1].strip()
            return self.finish(run, self.child.returncode, errors, temporary, path)
        except BaseException:
            self.stop()
            raise
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def start(self, command):
        """Starts the child. A signal waits until the child is known, so that it can be stopped."""
        Signals.wait = True
        try:
            self.child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        finally:
            Signals.wait = False
        if Signals.waiting is not None:
            raise Interrupted(Signals.waiting)

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def finish(self, run, code, errors, temporary, path):
        if code == BAD_INPUT:
            message = errors.removeprefix("slackline: ")
            self.without_data[run.data] = message
            tell(f"  left out, with all runs on {run.data[0]}: {message}")
            return None
        if code - 128 in (signal.SIGINT, signal.SIGTERM):
            raise Interrupted(code - 128)
        if code != 0:
            self.failed.append(str(run))
            tell(f"  failed with exit code {code}: {errors[-300:]}")
            return None
        with open(temporary, encoding="utf-8") as file:
            result = json.load(file)
        os.replace(temporary, path)
        return result


def outcome(result):
    learner, = result["problems"][0]["learners"]
    if not learner["runs"]:
        return f"{learner['state']}: {learner['reason']}"
    run, = learner["runs"]
    return (f"{run['termination']} after {run['last']['pass']} passes, {run['training_cpu_seconds']:.3g} processor seconds, "
            f"objective {run['last']['primal']:.5g}")


def add_learner(problem, learner):
    """Adds the runs of a learner to a problem; those of other seeds of a learner belong together."""
    for known in problem["learners"]:
        if known["learner"] == learner["learner"]:
            known["runs"] += learner["runs"]
            known["works"].append(learner["median_work_to_gap"])
            return
    problem["learners"].append({**learner, "works": [learner["median_work_to_gap"]]})


def median_work(works):
    """The medians of the work of single runs, where null stands for a gap that was not reached."""
    median = []
    for gaps in zip(*works):
        values = {key: statistics.median(float("inf") if gap[key] is None else gap[key] for gap in gaps) for key in gaps[0]}
        median.append({key: None if value == float("inf") else value for key, value in values.items()})
    return median


def merge(figure, results):
    """One result of slackline-bench from those of single runs of a figure."""
    whole = {**results[0], "figure": figure.description(), "problems": []}
    problems = {}
    for result in results:
        for problem in result["problems"]:
            if problem["name"] not in problems:
                problems[problem["name"]] = {**problem, "learners": []}
                whole["problems"].append(problems[problem["name"]])
            for learner in problem["learners"]:
                add_learner(problems[problem["name"]], learner)
    for problem in whole["problems"]:
        for learner in problem["learners"]:
            learner["median_work_to_gap"] = median_work(learner.pop("works"))
    whole["settings"] = {**whole["settings"], "runs": max(len(l["runs"]) for p in whole["problems"] for l in p["learners"]) or 1}
    whole["command_line"] = f"./run reproduce DATA --only {figure.name}"
    return whole


def remove_leftovers(out):
    """Removes unfinished files of processes that are gone."""
    for folder, _, names in os.walk(out):
        for name in names:
            found = re.fullmatch(r".+\.(\d+)\.tmp", name)
            if not found:
                continue
            try:
                os.kill(int(found.group(1)), 0)
            except ProcessLookupError:
                os.remove(os.path.join(folder, name))
            except OSError:
                pass  # another user's process


def chosen_figures(only):
    """The figures with these names, or with these numbers of papers; all without names."""
    for name in only:
        if not any(figure.name == name or figure.name.startswith(name + "-") for figure in figures.FIGURES):
            names = ", ".join(figure.name for figure in figures.FIGURES)
            fail(f"--only: unknown figure '{name}'; choose from {names}, or the number of a paper")
    return [figure for figure in figures.FIGURES
            if not only or any(figure.name == name or figure.name.startswith(name + "-") for name in only)]


def list_runs(chosen, limit_factor):
    """The runs of these figures, which share some of them with other figures."""
    runs = {}
    for figure in figures.FIGURES:
        for key in figure.list_runs():
            runs.setdefault((*key, figure.test_metric), Run(*key, figure.test_metric)).add(figure.name, figure.time_limit * limit_factor)
    names = {figure.name for figure in chosen}
    return [run for run in runs.values() if names.intersection(run.figures)]


def make_runs(runner, runs, chosen, out):
    """Makes the missing runs. Returns the results by run."""
    kept = [(run, run.kept(out)) for run in runs]
    results = {run: result for run, result in kept if result is not None}
    missing = [run for run in runs if run not in results]
    tell(f"{len(runs)} runs in {len(chosen)} figures; {len(results)} are there, and {len(missing)} are missing"
         + (f", which take {minutes(sum(run.limit for run in missing))} at most" if missing else ""))
    for number, run in enumerate(missing, 1):
        if run.data in runner.without_data:
            continue
        tell(f"[{number}/{len(missing)}] {run}, at most {run.limit:g} s")
        result = runner.make(run)
        if result is not None:
            results[run] = result
            tell(f"  {outcome(result)}")
    return results


def write_pages(chosen, runs, results, out):
    text = ["# Tables of the runs", "", "Made by `./run reproduce`; see docs/notebook/reproduction.md.", ""]
    for figure in chosen:
        wanted = [run for run in runs if figure.name in run.figures]
        made = [results[run] for run in wanted if run in results]
        if not made:
            continue
        missing = f" ({len(wanted) - len(made)} of {len(wanted)} runs are missing)" if len(made) < len(wanted) else ""
        whole = merge(figure, made)
        path = os.path.join(out, f"{figure.name}.json")
        write(path, json.dumps(whole) + "\n")
        drawn = os.path.join(out, f"{figure.name}.html")
        write(drawn, page.page([(path, whole)], f"Figure {figure.name}"))
        tell(f"{drawn}{missing}")
        text += [f"## {figure.name}{missing}", "", figure.text, ""] + tables.of_figure(whole)
    write(os.path.join(out, "tables.md"), "\n".join(text).rstrip() + "\n")
    tell(os.path.join(out, "tables.md"))


def positive(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="reproduce")
    parser.add_argument("DATA", nargs="?", help="the data folder of slackline-bench")
    parser.add_argument("--list", action="store_true",
                        help="instead: print the runs, one a line: figure, problem, learner, seed, seconds, and test or -, between tabs")
    parser.add_argument("--out", default="run-out/reproduce", help="folder of runs, pages and tables [%(default)s]")
    parser.add_argument("--only", default="", help="figures, separated by commas; 003 stands for all figures of paper 003")
    parser.add_argument("--limit-factor", type=positive, default=1, metavar="F",
                        help="multiply all limits of elapsed time by F, for a slow or busy machine [%(default)s]")
    parser.add_argument("--program", default="build/bench/slackline-bench", help="slackline-bench [%(default)s]")
    return parser.parse_args()


class Signals:
    wait = False
    waiting = None  # the number of a signal that came while signals had to wait


def on_signal(number, _):
    if Signals.wait:
        Signals.waiting = number
    else:
        raise Interrupted(number)


def print_list(chosen, limit_factor):
    for figure in chosen:
        for problem, learner, seed in figure.list_runs():
            tell("\t".join([figure.name, problem, learner, str(seed), f"{figure.time_limit * limit_factor:g}", "test" if figure.test_metric else "-"]))


def main():
    args = arguments()
    chosen = chosen_figures([name for name in args.only.split(",") if name])
    if args.list:
        print_list(chosen, args.limit_factor)
        return 0
    if not args.DATA:
        fail("DATA, the folder of data, is missing")
    if not os.path.isdir(args.DATA):
        fail(f"{args.DATA}: there is no such folder")
    if not os.access(args.program, os.X_OK):
        fail(f"{args.program}: there is no such program")
    try:
        os.makedirs(args.out, exist_ok=True)
        remove_leftovers(args.out)
    except OSError as error:
        fail(f"--out: {args.out}: {error.strerror}")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    runs = list_runs(chosen, args.limit_factor)
    runner = Runner(args.program, args.DATA, args.out)
    try:
        results = make_runs(runner, runs, chosen, args.out)
        write_pages(chosen, runs, results, args.out)
    except Interrupted as signalled:
        runner.stop()
        tell("interrupted; the same command goes on from here")
        return 128 + signalled.args[0]
    except OSError as error:
        fail(f"{error.filename or args.out}: {error.strerror}")
    for (data, _), message in runner.without_data.items():
        print(f"reproduce: no runs on {data}: {message}", file=sys.stderr)
    for run in runner.failed:
        print(f"reproduce: failed: {run}", file=sys.stderr)
    return BAD_INPUT if runner.without_data else FAILED if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
