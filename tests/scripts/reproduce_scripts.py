# SPDX-License-Identifier: BSD-3-Clause
"""Usage: reproduce_scripts.py SOURCE_DIR PROGRAM

Tests scripts/reproduce with the program on data that ship with it, and its tables on made-up runs."""
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = sys.argv[1], sys.argv[2]
SCRIPT = os.path.join(SOURCE, "scripts", "reproduce", "reproduce.py")
FIGURE, RUNS = "004", 6  # the smallest figure: l1 on Yeast
sys.path.insert(0, os.path.dirname(SCRIPT))
sys.dont_write_bytecode = True
import reproduce  # noqa: E402
import tables  # noqa: E402


def write_few_labels(folder):
    """Yeast with 4 of its 14 labels, on which a run takes a tenth of a second."""
    source = os.path.join(SOURCE, "data", "yeast")
    label = re.compile(r'(@attribute |<label name=")Class([5-9]|1\d)')
    os.mkdir(folder)
    with open(os.path.join(source, "yeast.xml"), encoding="utf-8") as file:
        kept = [line for line in file if not label.match(line)]
    with open(os.path.join(folder, "yeast.xml"), "w", encoding="utf-8") as file:
        file.writelines(kept)
    for name in ("yeast-train.arff.gz", "yeast-test.arff.gz"):
        with gzip.open(os.path.join(source, name), "rt") as file:
            kept = [re.sub(r"(,[01]){10}$", "", line) for line in file if not label.match(line)]
        with gzip.open(os.path.join(folder, name), "wt", compresslevel=1) as file:
            file.writelines(kept)


FOLDER = tempfile.TemporaryDirectory()
DATA = FOLDER.name
write_few_labels(os.path.join(DATA, "yeast"))


def command(out, *arguments, data=DATA, program=PROGRAM):
    return [sys.executable, SCRIPT, data, "--out", out, "--program", program, *arguments]


def run(out, *arguments, **options):
    return subprocess.run(command(out, *arguments, **options), capture_output=True, text=True)


def files_below(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


class Runs(unittest.TestCase):
    """Tests begin with the runs of one figure, unless they take another folder."""
    @classmethod
    def setUpClass(cls):
        cls.whole = tempfile.TemporaryDirectory()
        cls.first = run(cls.whole.name, "--only", FIGURE)

    @classmethod
    def tearDownClass(cls):
        cls.whole.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.folder.name, "out")
        shutil.copytree(self.whole.name, self.out)

    def tearDown(self):
        self.folder.cleanup()

    def parts(self):
        return [path for path in files_below(self.out) if path.endswith(".1.json")]

    def script(self, name, text):
        """A program that stands in for slackline."""
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def test_a_figure_is_made_once(self):
        first = self.first
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn(f"{RUNS} runs in 1 figures; 0 are there, and {RUNS} are missing", first.stdout)
        self.assertIn("[1/6] 004, yeast-0.01, prox-sdca:l1=0.0001, seed 1, at most 30 s\n  converged after", first.stdout)
        parts = self.parts()
        self.assertEqual(len(parts), RUNS)
        for name in ("004.json", "004.html", "tables.md"):
            self.assertTrue(os.path.exists(os.path.join(self.out, name)), name)
        with open(os.path.join(self.out, "004.json"), encoding="utf-8") as file:
            whole = json.load(file)
        self.assertEqual(len(whole["problems"]), 1)
        self.assertEqual(len(whole["problems"][0]["learners"]), RUNS)
        with open(os.path.join(self.out, "tables.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| `l1` | 0.0001 | 0.0003 | 0.001 | 0.003 | 0.01 | 0.03 |", text)
        self.assertNotIn("are missing", text)
        states = [os.stat(path) for path in parts]
        second = run(self.out, "--only", FIGURE)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn(f"{RUNS} are there, and 0 are missing\n", second.stdout)
        self.assertNotIn("[1/", second.stdout)
        self.assertEqual([(s.st_ino, s.st_mtime_ns) for s in states], [(s.st_ino, s.st_mtime_ns) for s in map(os.stat, parts)])
        with open(os.path.join(self.out, "tables.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        with open(parts[0], "w", encoding="utf-8") as file:
            file.write('{"problems": [')
        os.remove(parts[3])
        third = run(self.out, "--only", FIGURE)
        self.assertEqual(third.returncode, 0, third.stderr)
        self.assertIn(f"{parts[0]} is damaged; its run is made again", third.stdout)
        self.assertIn("4 are there, and 2 are missing", third.stdout)

    def test_an_interrupted_command_goes_on(self):
        for path in self.parts()[:5]:
            os.remove(path)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            process = subprocess.Popen(command(self.out, "--only", FIGURE), stdout=subprocess.PIPE, text=True)
            before = len(self.parts())
            for line in process.stdout:
                if line.startswith("[2/"):
                    break
            process.send_signal(number)
            process.communicate()
            # A fast machine may have finished.
            self.assertIn(process.returncode, (128 + number, -number, 0))
            self.assertGreater(len(self.parts()), before)
            if number != signal.SIGKILL:
                self.assertEqual([path for path in files_below(self.out) if path.endswith(".tmp")], [])
        done = run(self.out, "--only", FIGURE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.parts()), RUNS)

    def test_leftovers_of_killed_commands_are_removed(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        old = os.path.join(self.out, FIGURE, f"x.json.{gone.pid}.tmp")
        own = os.path.join(self.out, FIGURE, f"x.json.{os.getpid()}.tmp")
        for path in (old, own):
            open(path, "w", encoding="utf-8").close()
        run(self.out, "--only", "none")
        self.assertTrue(os.path.exists(own))
        self.assertFalse(os.path.exists(old))

    def test_missing_data_are_told_and_other_figures_are_made(self):
        os.remove(self.parts()[-1])
        result = run(self.out, "--only", f"003-2,{FIGURE}")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(self.parts()), RUNS)
        self.assertIn("letter.data: there is no such file", result.stderr)
        self.assertEqual(result.stdout.count("left out, with all runs on letters-0.01:"), 1)
        self.assertEqual(len(result.stderr.splitlines()), 3)  # the three problems of 003-2
        self.assertFalse(os.path.exists(os.path.join(self.out, "003-2.json")))

    def test_other_limits_make_only_those_runs_again_that_a_limit_ended(self):
        ended = self.parts()[2]
        with open(ended, encoding="utf-8") as file:
            result = json.load(file)
        result["problems"][0]["learners"][0]["runs"][0]["termination"] = "time-limit"
        with open(ended, "w", encoding="utf-8") as file:
            json.dump(result, file)
        same = run(self.out, "--only", FIGURE)
        self.assertIn(f"{RUNS} are there, and 0 are missing", same.stdout)
        longer = run(self.out, "--only", FIGURE, "--limit-factor", "2.5")
        self.assertIn(f"{RUNS - 1} are there, and 1 are missing", longer.stdout)
        self.assertIn("seed 1, at most 75 s", longer.stdout)
        with open(ended, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(result["settings"]["time_limit"], 75)
        self.assertEqual(result["problems"][0]["learners"][0]["runs"][0]["termination"], "converged")

    def test_figures_share_runs(self):
        shutil.rmtree(self.out)
        log = os.path.join(self.folder.name, "log")
        result = json.dumps(made_up("b", [made_up_run(1, [3.0, 2.0])]))
        program = self.script("sharing", f"""
if [ "$2" = --list ]; then
  for figure in A B; do printf "$figure\\tp\\ta\\t1\\t5\\t-\\n$figure\\tp\\tb\\t1\\t5\\t-\\n"; done
  printf "B\\tp\\tb\\t2\\t5\\t-\\nC\\tp\\ta\\t1\\t5\\ttest\\nC\\tp\\tb\\t1\\t5\\ttest\\n"
  exit
fi
[ "$1" = report ] && exit
while [ $# -gt 0 ]; do
  case $1 in --figure) figure=$2;; --learners) learner=$2;; --seed) seed=$2;; --out) out=$2;; esac
  shift
done
echo "$figure $learner $seed" >> {log}
sed "s/003-2/$figure/; s/\\"learner\\": \\"b\\"/\\"learner\\": \\"$learner\\"/" > "$out" <<'END'
{result}
END""")
        whole = run(self.out, program=program)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        with open(log, encoding="utf-8") as file:
            # The first run of each figure is its own; that of B with b and seed 1 is that of A.
            self.assertEqual(file.read().split("\n"), ["A a 1", "A b 1", "B a 1", "B b 2", "C a 1", "C b 1", ""])
        for figure in "ABC":
            with open(os.path.join(self.out, f"{figure}.json"), encoding="utf-8") as file:
                whole = json.load(file)
            self.assertEqual(whole["figure"]["name"], figure)
            self.assertEqual([learner["learner"] for learner in whole["problems"][0]["learners"]], ["a", "b"])
        again = run(self.out, program=program)
        self.assertIn("7 runs in 3 figures; 7 are there, and 0 are missing", again.stdout)

    def test_arguments_that_are_refused(self):
        for message, arguments, options in (
                ("no-folder: there is no such folder", [], {"data": "no-folder"}),
                ("--only: unknown figure '00'; choose from 000-1, 001", ["--only", "00"], {}),
                ("--limit-factor: invalid positive value: '0'", ["--limit-factor", "0"], {}),
                ("no-program: No such file", [], {"program": "no-program"})):
            result = run(self.out, *arguments, **options)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(message, result.stderr)
        with open(self.out + "-file", "w", encoding="utf-8") as file:
            file.write("mine")
        self.assertEqual(run(self.out + "-file", "--only", FIGURE).returncode, 2)
        with open(self.out + "-file", encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_a_run_that_fails_is_told_and_has_no_file(self):
        shutil.rmtree(self.out)
        program = self.script("failing", "if [ \"$2\" = --list ]; then printf '001\\ttoy\\tauto\\t1\\t5\\t-\\n'; exit; fi\necho broken >&2; exit 1")
        result = run(self.out, program=program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("failed with exit code 1: broken", result.stdout)
        self.assertIn("reproduce: failed: 001, toy, auto, seed 1", result.stderr)
        self.assertEqual(self.parts(), [])


def made_up_run(seed, primal, termination="max-passes"):
    checks = len(primal)
    last = {"pass": checks, "primal": primal[-1]}
    return {"seed": seed, "termination": termination, "training_cpu_seconds": seed, "nonzero_weights": 3, "last": last,
            "curve": {"pass": list(range(1, checks + 1)), "primal": primal, "check_primal": primal, "dual": [None] + [1.0] * (checks - 1),
                      "relative_gap": [0.5 / k for k in range(1, checks + 1)], "oracle_calls": [10 * k for k in range(1, checks + 1)],
                      "seconds": list(range(1, checks + 1)), "check_seconds": [0] * checks, "cpu_seconds": list(range(1, checks + 1))}}


def made_up(learner, runs):
    work = [{"relative_gap": 0.1, "passes": None if runs[0]["seed"] == 2 else 4.0}]
    return {"figure": {"name": "003-2", "text": "t"}, "settings": {"runs": 1, "time_limit": 5},
            "problems": [{"name": "p", "examples": 10, "learners": [{"learner": learner, "state": "applies", "reason": "",
                                                                    "median_work_to_gap": work, "runs": runs}]}]}


class Tables(unittest.TestCase):
    def test_runs_of_all_seeds_are_one_row_with_a_band(self):
        whole = reproduce.merge("003-2", [made_up("a", [made_up_run(1, [3.0, 2.0, 1.5])]), made_up("a", [made_up_run(2, [3.0, 2.5, 1.25])]),
                                          made_up("b", [made_up_run(1, [1.5], "converged")]), made_up("a", [made_up_run(3, [3.0, 2.25])])])
        self.assertEqual([len(learner["runs"]) for learner in whole["problems"][0]["learners"]], [3, 1])
        self.assertEqual(whole["settings"]["runs"], 3)
        self.assertEqual(whole["problems"][0]["learners"][0]["median_work_to_gap"], [{"relative_gap": 0.1, "passes": 4.0}])
        lines = tables.of_figure(whole)
        self.assertIn("| p (optimum ≥ 1) | suboptimality after 1 / 3 / 10 / 30 passes |", lines[0])
        # The third run of a has no third pass; that counts as infinitely far.
        self.assertIn("| a | 2.00 / 0.500 [0.250, –] / – / – | 3.00 [2.00, 3.00], 2.00 [1.00, 3.00], 0.500 [0.250, 1.25] |", lines)
        # b converged in its first pass, and stays where it is.
        self.assertIn("| b | 0.500 / 0.500 / 0.500 / 0.500 | 1.00, 1.00, 0.500 |", lines)

    def test_numbers(self):
        self.assertEqual([tables.number(v) for v in (None, float("inf"), 0, 0.00042, 0.0123, 1.5, 123.4, 4321.0)],
                         ["–", "–", "0", "4.2e-4", "0.0123", "1.50", "123", "4321"])

    def test_calls_to_gaps(self):
        run_of_five = made_up_run(1, [3.0] * 5)
        self.assertEqual(tables.calls_to(run_of_five, 0.1, 10), 5)
        self.assertIsNone(tables.calls_to(run_of_five, 0.01, 10))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
