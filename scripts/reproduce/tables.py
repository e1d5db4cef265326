#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the tables of a figure, from results of slackline-bench, in Markdown.

Usage: tables.py RUNS.json...

The forms are those of docs/notebook/reproduction*.md. A figure of several runs is their median,
followed by the least and the most in brackets. "–" means that a run did not get that far. A
suboptimality is the distance to the best lower bound of all runs of the problem."""
import json
import math
import statistics
import sys

NONE = "–"


def number(value):
    """Three digits, as the documents have them."""
    if value is None or not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        digits = 2 - math.floor(math.log10(abs(value)))
        return f"{value:.{max(digits, 0)}f}"
    return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")


def band(values, shown=number):
    """The median of the values and what they range over. None counts as infinitely large: not
    reached."""
    if not values:
        return NONE
    values = sorted(math.inf if value is None else value for value in values)
    middle = shown(statistics.median(values))
    low, high = shown(values[0]), shown(values[-1])
    return middle if low == high else f"{middle} [{low}, {high}]"


def best_bound(problem):
    """The best lower bound of all runs of a problem."""
    return max((dual for learner in problem["learners"] for run in learner["runs"] for dual in run["curve"]["dual"] if dual is not None),
               default=-math.inf)


def at_pass(run, key, wanted):
    """The value at the last check up to a pass; None before the first one, and where the run made
    fewer passes and did not converge. Test figures may be those of an earlier check."""
    passes, values = run["curve"]["pass"], run["curve"].get(key)
    if values is None or (passes and passes[-1] < wanted and run["termination"] != "converged"):
        return None
    found = [value for p, value in zip(passes, values) if p <= wanted and value is not None]
    return found[-1] if found else None


def last(run, key):
    values = [value for value in run["curve"].get(key, []) if value is not None]
    return values[-1] if values else None


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def runs_of(problem):
    """(learner, its runs) of those that apply, and the others as lines of text."""
    applies = [(learner["learner"], learner["runs"]) for learner in problem["learners"] if learner["runs"]]
    others = [f"{learner['learner']}: {learner['state']}, {learner['reason']}" for learner in problem["learners"] if not learner["runs"]]
    return applies, others


def objective_key(name):
    """Averages that are kept as they are have no best objective so far. Online exponentiated
    gradient keeps the best weights, but is a stochastic method, whose curves show each check."""
    stochastic = "keep-newest=on" in name or name.split(":")[0] == "eg"
    return "check_primal" if stochastic else "primal"


def at_passes(runs, key, passes, minus=0.0):
    values = []
    for wanted in passes:
        found = [at_pass(run, key, wanted) for run in runs]
        values.append(band([None if value is None else value - minus for value in found]))
    return " / ".join(values)


def passes_table(problem, passes, tests):
    """Suboptimality and test figures after some passes, and the state at the end."""
    bound = best_bound(problem)
    applies, others = runs_of(problem)
    shown = " / ".join(map(str, passes))
    head = [f"{problem['name']} (optimum ≥ {bound:.5g})", f"suboptimality after {shown} passes",
            "at the end: passes, processor seconds, suboptimality"] + [f"{test} after the same passes; end" for test in tests]
    rows = []
    for name, runs in applies:
        key = objective_key(name)
        end = ", ".join([band([last(run, "pass") for run in runs]), band([run["training_cpu_seconds"] for run in runs]),
                         band([last(run, key) - bound for run in runs])])
        row = [name, at_passes(runs, key, passes, bound), end]
        for test in tests:
            test_key = "test:" + test
            row.append(f"{at_passes(runs, test_key, passes)}; {band([last(run, test_key) for run in runs])}")
        rows.append(row)
    return table(head, rows) + [line for text in others for line in (text, "")]


def gaps_table(whole):
    """Oracle calls per example to certified gaps, by problem."""
    names = list(dict.fromkeys(learner["learner"] for problem in whole["problems"] for learner in problem["learners"]))
    head = ["calls to gaps of 0.1, 0.01, 0.001"] + [problem["name"] for problem in whole["problems"]]
    rows = []
    for name in names:
        row = [name]
        for problem in whole["problems"]:
            runs = [run for learner in problem["learners"] if learner["learner"] == name for run in learner["runs"]]
            row.append(", ".join(band([calls_to(run, gap, problem["examples"]) for run in runs]) for gap in (.1, .01, .001)))
        rows.append(row)
    return table(head, rows)


def calls_to(run, gap, examples):
    curve = run["curve"]
    for value, calls in zip(curve["relative_gap"], curve["oracle_calls"]):
        if value is not None and value <= gap:
            return calls / examples
    return None


def seconds_to(run, key, reached):
    """Processor seconds of training at the first check whose value satisfies `reached`."""
    curve = run["curve"]
    for k, value in enumerate(curve.get(key, [])):
        if value is not None and reached(value):
            elapsed = curve["seconds"][k] + curve["check_seconds"][k]
            return curve["cpu_seconds"][k] * curve["seconds"][k] / elapsed if elapsed > 0 else 0.0
    return None


def seconds_table(problem, test):
    """Processor seconds to objectives near the optimum, and to the final test figure."""
    applies, _ = runs_of(problem)
    bound = best_bound(problem)
    if bound <= 0:
        return []
    final = max((last(run, "test:" + test) or 0 for _, runs in applies for run in runs), default=0)
    shares, levels = (1, .1, .01), (.9, .97)
    head = [problem["name"]] + [f"s to {share:.0%} above the optimum" for share in shares] + [f"s to {test} {final * level:.3f}" for level in levels]
    rows = []
    for name, runs in applies:
        rows.append([name] + [band([seconds_to(run, "primal", lambda v, s=share: v <= (1 + s) * bound) for run in runs]) for share in shares]
                    + [band([seconds_to(run, "test:" + test, lambda v, s=level: v >= s * final) for run in runs]) for level in levels])
    return table(head, rows)


def sweep_table(problem, name):
    """A column per learner, whose names differ in one option."""
    applies, _ = runs_of(problem)
    head = [f"`{name}`"] + [learner.split(name + "=")[-1] for learner, _ in applies]
    lines = [("weights that are not 0", lambda run: run["nonzero_weights"]), ("Hamming accuracy", lambda run: last(run, "test:hamming_accuracy")),
             ("micro-F1", lambda run: last(run, "test:micro_f1")), ("passes", lambda run: last(run, "pass"))]
    return table(head, [[text] + [band([value(run) for run in runs], lambda v: f"{v:.4g}") for _, runs in applies] for text, value in lines])


def regret_table(problem, passes):
    bound = best_bound(problem)
    applies, _ = runs_of(problem)
    shown = " / ".join(map(str, passes))
    return table([problem["name"], f"average regret after {shown} sweeps (optimum ≥ {bound:.5g})", "its bound"],
                 [[name, at_passes(runs, "mean_suffered", passes, bound), at_passes(runs, "regret_bound", passes)] for name, runs in applies])


def examples_table(whole):
    """g − g* of the soft learners by the number of examples, over the draws. g* is the best upper
    bound of the other learners on the same draw."""
    sizes, references = {}, {}
    for problem in whole["problems"]:
        finals = {learner["learner"]: last(run, "primal") for learner in problem["learners"] for run in learner["runs"]}
        hard = [value for name, value in finals.items() if not name.startswith("soft")]
        if not hard:
            continue
        references.setdefault(problem["examples"], []).append(min(hard))
        for name, value in finals.items():
            if name.startswith("soft"):
                sizes.setdefault(name, {}).setdefault(problem["examples"], []).append(value - min(hard))
    head = ["examples"] + [str(size) for size in sorted(references)]
    rows = [[f"{name}: g − g*"] + [band(by_size.get(size, [])) for size in sorted(references)] for name, by_size in sizes.items()]
    return table(head, rows + [["g*"] + [band(references[size]) for size in sorted(references)]])


def tests_of(problem):
    """The names of the test figures of a problem."""
    keys = [key for learner in problem["learners"] for run in learner["runs"] for key in run["curve"] if key.startswith("test:")]
    return [key.removeprefix("test:") for key in dict.fromkeys(keys)]


SHOWN_TESTS = {"002-2-yeast": ["hamming_accuracy", "micro_f1"], "002-2-reuters": ["micro_f1", "example_f1"],
               "002-2-rcv1": ["micro_f1", "example_f1"], "002-2-rho": ["micro_f1"], "003-1-letters": ["hamming_loss"], "003-3": ["hamming_loss"],
               "000-1": ["hamming_loss"], "003-1-conll": ["hamming_loss", "chunk_f1"], "003-4": ["hamming_loss", "chunk_f1"],
               "003-5": ["alignment_error_rate"]}
PASSES = {"000-1": (1, 10, 30, 150), "002-1": (10, 30, 100, 300), "002-2-yeast": (3, 10, 30, 100), "002-2-rcv1": (5, 30, 100, 500),
          "002-2-reuters": (3, 9, 30, 100),
          "002-2-rho": (5, 10, 30, 100), "002-1-small": (10, 100, 1000, 10000), "002-2-msrc": (1, 3, 10)}


def of_figure(whole):
    """The lines of the tables of one figure."""
    name = whole.get("figure", {}).get("name", "")
    if name == "003-5":
        lines = gaps_table(whole)
    elif name.startswith("002-3"):
        return examples_table(whole)
    else:
        lines = []
    for problem in whole["problems"]:
        if name == "004":
            lines += sweep_table(problem, "l1")
        elif name == "001-regret":
            lines += regret_table(problem, (1, 3, 10, 30))
        else:
            tests = [test for test in tests_of(problem) if name not in SHOWN_TESTS or test in SHOWN_TESTS[name]]
            lines += passes_table(problem, PASSES.get(name, (1, 3, 10, 30)), tests)
            if name.startswith("002-2") and tests:
                lines += seconds_table(problem, tests[0])
    return lines


def main():
    for path in sys.argv[1:]:
        try:
            with open(path, encoding="utf-8") as file:
                whole = json.load(file)
            lines = of_figure(whole)
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"tables.py: {path}: {type(error).__name__}: {error}")
        print(f"## {whole.get('figure', {}).get('name', path)}\n")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
