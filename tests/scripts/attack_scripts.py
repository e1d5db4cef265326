# SPDX-License-Identifier: BSD-3-Clause
"""Usage: attack_scripts.py SOURCE_DIR

Tests that `./run attack` finds faults, with fake programs."""
import argparse
import os
import struct
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(sys.argv[1], "scripts", "attack"))

import known  # noqa: E402
import lab  # noqa: E402
import model_bytes  # noqa: E402

OPTIONS = argparse.Namespace(seed=1, short=True, jobs=2, timeout=1)


def model(entries):
    """A model file of numbers: name -> values."""
    body = b"SLACKLIN" + struct.pack("<IQI", 1, 0, len(entries))
    for name, values in entries.items():
        body += struct.pack("<BI", 3, len(name)) + name.encode()
        body += struct.pack(f"<Q{len(values)}d", len(values), *values)
    body = body[:12] + struct.pack("<Q", len(body) + 4) + body[20:]
    return body + struct.pack("<I", zlib.crc32(body))


class Judgement(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, script):
        path = os.path.join(self.folder.name, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)
        return lab.Lab(path, self.folder.name, OPTIONS)

    def trouble(self, script, allowed=(0, 1, 2)):
        return lab.trouble(self.program(script).run([]), allowed)

    def test_good_endings(self):
        self.assertIsNone(self.trouble("exit 0"))
        self.assertIsNone(self.trouble("echo 'slackline: bad' >&2; exit 2"))

    def test_bad_endings(self):
        self.assertIn("SIGSEGV", self.trouble("kill -SEGV $$"))
        self.assertIn("exit code 139", self.trouble("exit 139"))
        self.assertIn("without a message", self.trouble("exit 1"))
        self.assertIn("not 2", self.trouble("exit 0", allowed=(2,)))
        says = "echo 'slackline: internal error' >&2; exit 1"
        self.assertIn("internal error", self.trouble(says))
        self.assertIn("Sanitizer", self.trouble("echo 'ERROR: AddressSanitizer: x' >&2; exit 0"))
        self.assertIn("in time", self.trouble("exec sleep 30"))

    def test_failures_are_counted_and_known_ones_apart(self):
        attack = self.program("kill -SEGV $$").attack("memory: segment predict")
        own = self.program("kill -SEGV $$")
        other = own.attack("memory: info")
        table, known.TABLE = known.TABLE, [known.Known("^memory: segment", "a reason")]
        try:
            attack.check(own.run([]))
            known.strict = True
            attack.check(own.run([]))
            known.strict = False
            other.check(own.run([]))
        finally:
            known.TABLE, known.strict = table, False
        self.assertEqual((attack.trials, attack.failures, attack.known), (2, 1, 1))
        self.assertEqual((other.trials, other.failures, other.known), (1, 1, 0))


class Models(unittest.TestCase):
    good = {"weights": [1.0, 2.0], "figures": [0.1, 0.2, 3.0, 4.0]}

    def test_elapsed_times_do_not_count(self):
        other = dict(self.good, figures=[0.1, 0.2, 5.0, 6.0])
        self.assertIsNone(model_bytes.difference(model(self.good), model(other)))

    def test_all_else_counts(self):
        for changed in ({"weights": [1.0, 2.5]}, {"figures": [0.1, 0.3, 3.0, 4.0]}):
            first, second = model(self.good), model(dict(self.good, **changed))
            self.assertIn(next(iter(changed)), model_bytes.difference(first, second))

    def test_damaged_models_are_not_whole(self):
        content = model(self.good)
        self.assertTrue(model_bytes.whole(content))
        self.assertFalse(model_bytes.whole(content[:-1]))
        self.assertFalse(model_bytes.whole(content[:40] + b"x" + content[41:]))
        self.assertIsNotNone(model_bytes.difference(content, None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
