# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands and C++ programs of a Markdown document, and compares what they print.

    ```console         commands after "$ " (continued after "> "), each followed by what it prints
    ```cpp             a program on the public headers, compiled and run
    ```text            what the program right before it prints
    <!-- file: NAME -->       the block that follows is the file NAME
    <!-- not run: REASON -->  the block that follows is not run
    <!-- needs: images -->    the document is skipped where the program was built without images

A line … stands for any lines, … in a line for any text; numbers with a decimal point may differ by
2 %, whole numbers may not. The blocks are run in order in one
temporary folder, with `slackline` on the PATH and the data of the repository as data/. Exit code 0:
all as shown, 77: skipped, 1: not as shown.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

import document


def environment(folder, program):
    """The environment of the commands: the program on the PATH, and nothing that depends on the
    user."""
    tools = folder / ".bin"
    tools.mkdir()
    (tools / "slackline").symlink_to(os.path.abspath(program))
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb",
                HOME=str(folder), OMP_WAIT_POLICY="passive")


def run(command, folder, variables):
    """The exit code of a command, and its output on both streams."""
    done = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace").splitlines()


def compile_and_run(step, options, folder, variables):
    source, binary = folder / ".bin" / "block.cc", folder / ".bin" / "block"
    source.write_text(step.text, encoding="utf-8")
    command = [options.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", *options.flags,
               f"-I{options.include}", str(source), "-o", str(binary), *options.libraries]
    code, output = run(command, folder, variables)
    if code != 0:
        return code, ["it does not compile:"] + output
    return run([str(binary)], folder, variables)


def do(step, options, folder, variables):
    """Runs one step; returns its faults, one line each."""
    if step.kind == "file":
        path = folder / step.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.text, encoding="utf-8")
        return []
    if step.kind == "cpp":
        code, output = compile_and_run(step, options, folder, variables)
    else:
        code, output = run(["bash", "-o", "pipefail", "-c", step.text], folder, variables)
    output = document.trimmed(output)
    if code != 0:
        return [f"exit code {code}"] + output
    if document.same_output(step.expected, output):
        return []
    return list(difflib.unified_diff(step.expected, output, "in the document", "printed", n=1,
                                     lineterm=""))


def run_steps(path, steps, options):
    """The number of steps whose result differs from the document."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "data").symlink_to(os.path.abspath(options.data))
        variables = environment(folder, options.program)
        for step in steps:
            faults = do(step, options, folder, variables)
            if faults:
                failed += 1
                title = step.text if step.kind == "command" else "a C++ program"
                print(f"{path}:{step.line}: {title}")
                print("\n".join("    " + fault for fault in faults))
    return failed


def run_document(path, options):
    """Runs a document; returns the exit code."""
    blocks, needs = document.blocks_of(path.read_text(encoding="utf-8").splitlines())
    steps, left_out = document.steps_of(blocks)
    for line, reason in left_out:
        print(f"{path}:{line}: not run: {reason}")
    unknown = set(needs) - {"images"}
    if unknown:
        raise document.Fault(f"nothing is known of a need for {', '.join(sorted(unknown))}")
    missing = [need for need in needs if need in options.without]
    if missing:
        print(f"{path}: skipped: this build has no {', '.join(missing)}")
        return 77
    if not any(step.kind != "file" for step in steps):
        raise document.Fault("nothing in it is run")
    failed = run_steps(path, steps, options)
    count = sum(step.kind != "file" for step in steps)
    print(f"{path}: {count} commands and programs, {failed} not as shown")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--program", required=True, help="slackline")
    parser.add_argument("--data", required=True, help="the folder data/")
    parser.add_argument("--cxx", required=True, help="a compiler")
    parser.add_argument("--flags", default="", type=str.split, help="for it")
    parser.add_argument("--include", required=True, help="folder of the public headers")
    parser.add_argument("--libraries", default="", type=str.split, help="to link with")
    parser.add_argument("--without", default="", type=str.split, help="what the build lacks")
    options = parser.parse_args()
    try:
        return run_document(options.document, options)
    except document.Fault as fault:
        print(f"{options.document}: {fault}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
