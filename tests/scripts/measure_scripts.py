# SPDX-License-Identifier: BSD-3-Clause
"""Usage: measure_scripts.py SOURCE_DIR

The model of scripts/measure/shards_at_scale.py has the constants of the program."""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])


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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
