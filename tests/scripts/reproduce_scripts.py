# SPDX-License-Identifier: BSD-3-Clause
"""Usage: reproduce_scripts.py SOURCE_DIR PROGRAM

Tests scripts/reproduce with slackline-bench on data that ship with it, and its tables and pages on made-up runs. Also the scripts
of scripts/measure that call slackline-bench."""
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
sys.path.insert(0, os.path.join(SOURCE, "scripts", "measure"))
sys.dont_write_bytecode = True
import family  # noqa: E402
import figures  # noqa: E402
import growth  # noqa: E402
import page  # noqa: E402
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
        """A program that stands in for slackline-bench."""
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
        run(self.out, "--only", FIGURE)
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
        result = json.dumps(made_up("L", [made_up_run(1, [3.0, 2.0])]))
        program = self.script("sharing", f"""
shift
while [ $# -gt 0 ]; do
  case $1 in --problems) problem=$2;; --learners) learner=$2;; --seed) seed=$2;; --time-limit) limit=$2;; --out) out=$2;; esac
  shift
done
echo "$problem $learner $seed $limit" >> {log}
sed "s/\\"learner\\": \\"L\\"/\\"learner\\": \\"$learner\\"/; s/\\"name\\": \\"p\\"/\\"name\\": \\"$problem\\"/" > "$out" <<'END'
{result}
END""")
        two = "001-regret,002-1-small"
        self.assertEqual(run(self.out, "--only", two, program=program).returncode, 0)
        with open(log, encoding="utf-8") as file:
            made = file.read().splitlines()
        self.assertEqual(len(made), 6 + 8)
        # auto is a run of 002-1, too; the longer limit counts.
        self.assertIn("yeast-0.001 auto 1 250", made)
        self.assertTrue(os.path.exists(os.path.join(self.out, "002-1", "yeast-0.001", "auto.1.json")))
        again = run(self.out, "--only", f"{two},002-1", program=program)
        self.assertIn(f"{6 + 8 + 24} runs in 3 figures; {6 + 8} are there, and 24 are missing", again.stdout)
        # A file in the folder of another figure of the run counts, too.
        os.rename(os.path.join(self.out, "002-1", "yeast-0.001", "auto.1.json"),
                  os.path.join(self.out, "002-1-small", "yeast-0.001", "auto.1.json"))
        self.assertIn("38 are there, and 0 are missing", run(self.out, "--only", f"{two},002-1", program=program).stdout)
        with open(os.path.join(self.out, "002-1-small.json"), encoding="utf-8") as file:
            whole = json.load(file)
        self.assertEqual(whole["figure"], {"name": "002-1-small", "text": "Small ρ near convergence", "x": "passes", "y": "bounds",
                                           "sweep": "primal_suboptimality"})
        self.assertEqual(len(whole["problems"]), 2)
        self.assertEqual([len(problem["learners"]) for problem in whole["problems"]], [4, 4])

    def test_runs_are_listed(self):
        lines = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(len(lines), len(set(lines)))
        self.assertIn("002-2-rcv1\trcv1-0.0001\tauto\t1\t250\ttest", lines)
        self.assertIn("001-regret\tletters-0.01\tmulti-sample:samples=1,online-loss=on\t1\t60\t-", lines)
        lines = [line for line in lines if line.startswith("003-2\t")]
        # Three values of λ; ten seeds of three learners, and one of the two batch learners.
        self.assertEqual(len(lines), 3 * (10 * 3 + 2))
        self.assertEqual(lines[0], "003-2\tletters-0.01\tbcfw:keep-newest=on,max-passes=30\t1\t60\ttest")
        self.assertEqual(lines[3], "003-2\tletters-0.01\tfw\t1\t60\ttest")
        self.assertEqual(lines[5], "003-2\tletters-0.01\tbcfw:keep-newest=on,max-passes=30\t2\t60\ttest")

    def test_the_program_knows_all_problems_and_learners_of_figures(self):
        for figure in figures.FIGURES:
            self.assertGreaterEqual(len(figure.learners + figure.once), 2, figure.name)
            found = subprocess.run([PROGRAM, "--problems", ",".join(figure.problems + ["yeast"]), "--learners",
                                    ",".join(figure.learners + figure.once)], capture_output=True, text=True, check=False)
            # Learners are read before problems, whose names are read before the folder is looked at.
            self.assertIn("needs files: give the folder", found.stderr, figure.name)

    def test_arguments_that_are_refused(self):
        for message, arguments, options in (
                ("no-folder: there is no such folder", [], {"data": "no-folder"}),
                ("--only: unknown figure '00'; choose from 000-1, 001", ["--only", "00"], {}),
                ("--limit-factor: invalid positive value: '0'", ["--limit-factor", "0"], {}),
                ("no-program: there is no such program", [], {"program": "no-program"})):
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
        program = self.script("failing", "echo broken >&2; exit 1")
        result = run(self.out, "--only", FIGURE, program=program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("failed with exit code 1: broken", result.stdout)
        self.assertIn("reproduce: failed: 004, yeast-0.01, prox-sdca:l1=0.0001, seed 1", result.stderr)
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
    learners = [{"learner": learner, "state": "applies", "reason": "", "choice": "", "options": {}, "median_work_to_gap": work, "runs": runs}]
    return {"program": "s", "command_line": "c", "date": "d", "machine": {"cores": 1}, "build": {"type": "Release"}, "interrupted": False,
            "settings": {"runs": 1, "time_limit": 5},
            "problems": [{"name": "p", "text": "x", "examples": 10, "weights": 3, "lambda": 0.5, "learners": learners}]}


class Tables(unittest.TestCase):
    def test_runs_of_all_seeds_are_one_row_with_a_band(self):
        figure = next(figure for figure in figures.FIGURES if figure.name == "003-2")
        whole = reproduce.merge(figure, [made_up("a", [made_up_run(1, [3.0, 2.0, 1.5])]), made_up("a", [made_up_run(2, [3.0, 2.5, 1.25])]),
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


class Pages(unittest.TestCase):
    def data(self, text):
        return json.loads(re.search(r'<script type="application/json" id="runs">(.*?)</script>', text, re.DOTALL)[1])

    def test_a_page_contains_everything_and_loads_nothing(self):
        result = made_up("</script><!-- <b>", [made_up_run(1, [3.0, 2.0])])
        text = page.page([("folder/runs.json", result)], "a < b & c")
        self.assertIn("<title>a &lt; b &amp; c</title>", text)
        self.assertEqual((text.count("<script"), text.count("</script>"), text.count("<!--")), (6, 6, 0))
        for request in (" src=", 'href="', "<link", "<iframe", "@import", "fetch(", "XMLHttpRequest", "url(", "sourceMappingURL"):
            self.assertNotIn(request, text)
        data = self.data(text)
        self.assertEqual(data["files"][0]["file"], "runs.json")
        self.assertNotIn("problems", data["files"][0])
        learner, = data["problems"][0]["learners"]
        self.assertEqual(learner["learner"], "</script><!-- <b>")
        self.assertEqual(learner["runs"], result["problems"][0]["learners"][0]["runs"])
        self.assertEqual(data["problems"][0]["sizes"], "10 examples, 3 weights, λ = 0.5")

    def test_problems_are_joined_where_name_sizes_and_figure_agree(self):
        result, other, figure = (made_up(name, [made_up_run(1, [3.0])]) for name in "abc")
        other["problems"][0]["lambda"] = 0.25
        figure["figure"] = {"name": "003-2", "text": "t", "x": "passes", "y": "primal"}
        data = page.page_data([("1", result), ("2", result), ("3", other), ("4", figure)])
        self.assertEqual([[learner["file"] for learner in problem["learners"]] for problem in data["problems"]], [[0, 1], [2], [3]])
        self.assertEqual([problem["title"] for problem in data["problems"]], ["p", "p", "003-2: p"])

    def test_long_curves_are_thinned(self):
        problem, = page.page_data([("r", made_up("a", [made_up_run(1, [2.0] * 5000)]))])["problems"]
        curve = problem["learners"][0]["runs"][0]["curve"]
        self.assertTrue(problem["thinned"])
        self.assertTrue(300 < len(curve["pass"]) < 1000)
        self.assertEqual((curve["pass"][99], curve["pass"][-1], len(curve["primal"])), (100, 5000, len(curve["pass"])))

    def test_what_is_no_result_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "runs.json")
            for text in ("{", "[]", '{"problems": [{"name": "p"}]}'):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                done = subprocess.run([sys.executable, os.path.join(os.path.dirname(SCRIPT), "page.py"), path, "-o", path + ".html"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"page.py: {path}: ", done.stderr)
            self.assertEqual(os.listdir(folder), ["runs.json"])


class Measures(unittest.TestCase):
    """The scripts of scripts/measure that call slackline-bench."""

    def call(self, name, *arguments):
        return subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "measure", name), "--program", PROGRAM, *arguments],
                              capture_output=True, text=True, check=False)

    def test_the_family_compares_auto_with_the_fastest_other_learner(self):
        done = self.call("family.py", "--problems", "labels-400x50-unscaled-full,grids-10-of-8x8/0.01x", "--learners",
                         "auto,bcfw:step=pairwise,order=gap,eg")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if re.match(r"(labels|grids)-\S+ +\|", line)]
        self.assertEqual([line.split()[0] for line in lines],
                         ["grids-10-of-8x8/0.01x", "labels-400x50-unscaled-full/1x", "labels-400x50-unscaled-full/0.01x"])
        for line in lines:
            self.assertEqual(line.count("bcfw:step=pairwise,order=gap"), 2)
        self.assertIn("  eg: does not apply: ", done.stderr)

    def test_all_problems_of_the_family_have_names_of_their_own_and_are_known(self):
        names = [name for name, _ in family.family(True)]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 80)
        problems = [problem for _, problem in family.family(True)]
        self.assertEqual(len(problems), len(set(problems)))
        done = subprocess.run([PROGRAM, "--problems", ",".join(problems)], capture_output=True, text=True, check=False)
        self.assertIn("needs files: give the folder", done.stderr)
        for arguments, message in ((["--problems", "nothing"], "no problem of the family has 'nothing'"),
                                   (["--problems", "yeast"], "need the data folder"), (["--learners", "ufo"], "unknown learner 'ufo'")):
            refused = self.call("family.py", *arguments)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(message, refused.stderr)

    def test_growth_fits_exponents_along_four_axes(self):
        done = self.call("growth.py", "--problems", "toy", "--learners", "auto", "--runs", "1", "--time-limit", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(", fitted exponent"), 4)
        for start in ("examples 15 ", "examples 60 ", "labels 4 ", "features, dense 1000 ", "features, sparse 16000 "):
            self.assertIn("\n" + start, done.stdout)
        self.assertAlmostEqual(growth.exponent([(10, 3), (20, 12), (40, 48)]), 2)
        self.assertIsNone(growth.exponent([(10, 3), (20, None), (10, 4)]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
