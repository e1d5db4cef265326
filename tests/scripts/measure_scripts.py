# SPDX-License-Identifier: BSD-3-Clause
"""Usage: measure_scripts.py SOURCE_DIR

The model of scripts/measure/shards_at_scale.py has the constants of the program, and
scripts/measure/same_runs.py finds what differs between two programs."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

SOURCE = pathlib.Path(sys.argv[1])
SAME_RUNS = SOURCE / "scripts/measure/same_runs.py"
sys.path.insert(0, str(SAME_RUNS.parent))
sys.dont_write_bytecode = True
import same_runs


def constant(path, name):
    """A whole number of the C++ source."""
    found = re.search(rf"constexpr [\w:]+ {name} = ([\d']+);", (SOURCE / path).read_text())
    assert found, f"{path} has no {name}"
    return int(found.group(1).replace("'", ""))


class ShardsAtScale(unittest.TestCase):
    def test_constants(self):
        script = (SOURCE / "scripts/measure/shards_at_scale.py").read_text()
        found = re.search(r"^LEAST_PART, PER_WEIGHT, PER_EXCHANGED, PARTS_OF_MANY = ([\d_]+), ([\d_]+), "
                          r"([\d_]+), ([\d_]+)$", script, re.MULTILINE)
        self.assertIsNotNone(found)
        learner = "learning/shards/round_learner.cc"
        self.assertEqual([int(number) for number in found.groups()],
                         [constant("learning/shards/weight_runs.h", "kLeastPartWork"),
                          constant(learner, "kWorkPerFrequent"),
                          constant(learner, "kWorkPerExchanged"), constant(learner, "kPartsOfMany")])
        visit = re.search(r"^VISIT_ENTRIES = (\d+)", script, re.MULTILINE)
        self.assertEqual(int(visit.group(1)), constant("learning/step/active_set.h", "kVisitWork"))


def content(values):
    """The type and the bytes of a list of doubles or of texts (core/model_file.h)."""
    if isinstance(values[0], str):
        texts = b"".join(struct.pack("<Q", len(text)) + text.encode() for text in values)
        return same_runs.STRINGS, texts
    return same_runs.DOUBLES, struct.pack(f"<{len(values)}d", *values)


def model(**entries):
    """The bytes of a model with these entries."""
    body = b""
    for name, values in entries.items():
        kind, packed = content(values)
        body += struct.pack(f"<BI{len(name)}sQ", kind, len(name), name.encode(), len(values)) + packed
    head = b"SLACKLIN" + struct.pack("<IQI", 1, 28 + len(body), len(entries))
    return head + body + struct.pack("<I", zlib.crc32(head + body))


class SameRuns(unittest.TestCase):
    def test_only_seconds_of_models_may_differ(self):
        def same(**changes):
            entries = {"curve": [1, 0.5, 3, 2], "figures": [1, 2, 3, 4, 5, 0.25, 0.125],
                       "weights": [1, 2]}
            return (same_runs.without_times(model(**entries)) ==
                    same_runs.without_times(model(**{**entries, **changes})))
        self.assertTrue(same(curve=[1, 0.75, 3, 2], figures=[1, 2, 3, 4, 5, 0, 1]))
        self.assertFalse(same(curve=[1, 0.5, 4, 2]))
        self.assertFalse(same(figures=[1, 2, 3, 4, 6, 0.25, 0.125]))
        self.assertFalse(same(weights=[1, 2.0000000000000004]))

    def test_options_of_one_program_may_be_ignored(self):
        def known(names, values, ignored=("tighten",)):
            return same_runs.without_options(
                model(option_names=names, option_values=values, weights=[1, 2]), ignored)
        with_it = known(["seed", "tighten"], ["3", "off"])
        self.assertEqual(with_it, known(["seed"], ["3"]))
        self.assertNotEqual(with_it, known(["seed"], ["4"]))
        self.assertNotEqual(known(["seed", "tighten"], ["3", "off"], ()),
                            known(["seed"], ["3"], ()))
        self.assertEqual(
            same_runs.without_options(b'{"seed":"3","tighten":"off","x":1} seed=3 tighten=off y',
                                      ("tighten",)),
            b'{"seed":"3","x":1} seed=3 y')

    def run_with(self, *texts):
        """The exit code and the output for two programs that are shell scripts."""
        with tempfile.TemporaryDirectory() as folder:
            programs = [pathlib.Path(folder, name) for name in ("one", "other")]
            for program, text in zip(programs, texts):
                program.write_text("#!/bin/sh\n" + text, encoding="utf-8")
                program.chmod(0o755)
            done = subprocess.run([sys.executable, SAME_RUNS, *programs, "--only", "^convert$"],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_programs(self):
        text = """echo "$@" '{"seconds": 0.5}'; echo warning >&2; echo written > file"""
        self.assertEqual(self.run_with(text, text.replace("0.5", "7e-3"))[0], 0)
        for change in (text.replace("warning", "warninh"), text.replace("> file", "> other"),
                       text.replace("written", "writtem"), text + "; exit 3"):
            code, output = self.run_with(text, change)
            self.assertEqual(code, 1)
            self.assertIn("DIFFERENCES", output)
        code, output = self.run_with("exit 2", "exit 2")  # the same, but no success
        self.assertEqual(code, 1)
        self.assertIn("expected 0", output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
