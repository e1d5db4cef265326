# SPDX-License-Identifier: BSD-3-Clause
"""Usage: runner_test.py CXX

Tests that run_document.py finds faults in documents and passes correct ones, with small documents
and a stand-in for the program."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import document

CXX = sys.argv[1]
HERE = pathlib.Path(__file__).parent
HEADER = "#pragma once\ninline int Answer() { return 42; }\n"
PROGRAM = ("#include <iostream>\n#include <slackline/slackline.h>\n"
           'int main() { std::cout << %s << "\\n"; }')
GO = "slackline go: 0.1234567 in 3 passes"  # first line of the stand-in's output


def fence(language, *lines):
    return "\n".join(["```" + language, *lines, "```", ""])


class Runner(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "data").mkdir()
        (self.folder / "data" / "one.txt").write_text("first\nsecond\n", encoding="utf-8")
        headers = self.folder / "include" / "slackline"
        headers.mkdir(parents=True)
        (headers / "slackline.h").write_text(HEADER, encoding="utf-8")
        program = self.folder / "program"
        program.write_text('#!/bin/sh\necho "slackline $*: 0.1234567 in 3 passes"\n'
                           "echo note >&2\n", encoding="utf-8")
        program.chmod(0o755)

    def run_it(self, text, *more):
        """Exit code and output of the runner for a document."""
        path = self.folder / "guide.md"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, HERE / "run_document.py", path, "--program", self.folder / "program",
             "--data", self.folder / "data", "--cxx", CXX, "--include", self.folder / "include",
             *more],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env=dict(os.environ, PYTHONIOENCODING="utf-8"))
        return done.returncode, done.stdout

    def passes(self, text, *more):
        code, output = self.run_it(text, *more)
        self.assertEqual(code, 0, output)

    def fails(self, text, *sentences):
        code, output = self.run_it(text)
        self.assertEqual(code, 1, output)
        for sentence in sentences:
            self.assertIn(sentence, output)

    def test_right_documents(self):
        self.passes(fence("console", "$ slackline go", GO, "note"))
        self.passes(fence("console", "$ slackline go", "slackline go: 0.12345 in … passes", "…"))
        self.passes(fence("console", "$ cat data/one.txt", "first", "second", "", "$ echo a \\",
                          "> b", "a b"))
        self.passes(fence("console", "$ mkdir x") + fence("console", "$ ls -d x", "x"))
        self.passes(fence("console", "$ false || echo $?", "1"))
        self.passes("<!-- file: names.txt -->\n" + fence("text", "Mary") +
                    fence("console", "$ cat names.txt", "Mary"))
        self.passes(fence("cpp", PROGRAM % "Answer()") + "\nprints\n\n" + fence("text", "42"))
        self.passes("<!-- not run: a reason -->\n" + fence("python", "x") +
                    fence("console", "$ true"))

    def test_wrong_output(self):
        self.fails(fence("console", "$ slackline go", GO.replace("0.12", "0.13"), "note"),
                   "+slackline go: 0.1234567", "guide.md:2: slackline go")
        self.fails(fence("console", "$ slackline go", GO.replace("3", "4"), "note"), "3 passes")
        self.fails(fence("console", "$ slackline go", GO), "+note")
        self.fails(fence("console", "$ slackline go"), "+note")
        self.fails(fence("console", "$ cat data/one.txt", "first", "second", "third"), "-third")
        self.fails(fence("console", "$ cat data/one.txt", "…", "first"), "+second")
        self.fails(fence("console", "$ cat data/one.txt", "second", "…"), "+first")

    def test_failing_commands(self):
        self.fails(fence("console", "$ echo a; exit 2", "a"), "exit code 2")
        self.fails(fence("console", "$ no_such_command", "…"), "exit code 127")
        self.fails(fence("console", "$ cat data/missing | cat", "…"), "exit code 1")
        self.fails(fence("console", "$ false", "$ true"), "1 not as shown")

    def test_wrong_programs(self):
        self.fails(fence("cpp", PROGRAM % "Question()") + fence("text", "42"),
                   "it does not compile", "Question")
        self.fails(fence("cpp", PROGRAM % "Answer()") + fence("text", "43"), "+42")
        self.fails(fence("cpp", PROGRAM % "Answer()"), "+42")
        self.fails(fence("cpp", "int main() { return 3; }"), "exit code 3")
        self.fails(fence("cpp", "#include <slackline/core/check.h>", "int main() {}"),
                   "it does not compile")
        self.fails(fence("cpp", "int main() { int unused = 3; }"), "it does not compile", "unused")

    def test_documents_that_cannot_be_run(self):
        self.fails("No code at all.", "nothing in it is run")
        self.fails(fence("python", "print(1)"), "'python' is neither")
        self.passes(fence("python", ">>> 1 + 1\n3") + fence("console", "$ true"))
        self.fails(fence("", "slackline go"), "is neither")
        self.fails(fence("text", "42") + fence("console", "$ true"), "is neither")
        self.fails(fence("console", "slackline go"), "begins with")
        self.fails(fence("console"), "without a command")
        self.fails("```console\n$ true\n", "no end")
        self.fails("- a list\n\n  ```console\n  $ false\n  ```\n" + fence("console", "$ true"),
                   "start at the left")
        self.fails("<!-- not run: -->\n" + fence("console", "$ true"), "followed by a text")
        self.fails("<!-- not run -->\n" + fence("console", "$ true"), "no marker that is known")
        self.fails("<!-- not run: why -->\n\n" + fence("console", "$ true"),
                   "right before a code block")
        self.fails("<!-- needs: magic -->\n" + fence("console", "$ true"), "nothing is known")

    def test_skipping(self):
        text = "<!-- needs: images -->\n" + fence("console", "$ true")
        self.passes(text)
        code, output = self.run_it(text, "--without", "images")
        self.assertEqual(code, 77)
        self.assertIn("this build has no images", output)

    def test_numbers(self):
        self.assertTrue(document.same_line("gap 0.0982 %", "gap 0.0990 %"))
        self.assertFalse(document.same_line("gap 0.0982 %", "gap 0.1010 %"))
        self.assertTrue(document.same_line("at 1.234e-05", "at 1.235e-05"))
        self.assertFalse(document.same_line("at 1.234e-05", "at 1.234e-06"))
        self.assertTrue(document.same_line("a 0.50   b", "a  0.5 b"))
        self.assertFalse(document.same_line("14 labels", "15 labels"))
        self.assertFalse(document.same_line("a.b", "aXb"))
        self.assertFalse(document.same_line("-0.25", "0.25"))
        self.assertTrue(document.same_line("gap 0.0… %", "gap 0.0748 %"))
        self.assertFalse(document.same_line("gap 0.0… %", "gap 0.1 %"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
