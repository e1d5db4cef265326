# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts share that call slackline-bench."""
import json
import math
import pathlib
import subprocess
import sys


def result(args, problem, learners, *options):
    """What slackline-bench (args.program, with the folder args.DATA if there is one) says of the learners on the problem."""
    command = [args.program, *([args.DATA] if args.DATA else []), "--problems", problem, "--learners", learners, "--seed", str(args.seed),
               *options, "--out", "-", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["problems"][0]


def number(value):
    """Three digits; "-" for what is not known."""
    return "-" if value is None or not math.isfinite(value) else f"{value:.3g}"
