#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws one HTML page of results of slackline-bench, which needs no network: charts, tables of work and final figures, commands and
machines. Problems of several files with the same name, sizes and figure have one chart.

The page is that of `slackline report` (apps/report), with compare.js."""
import argparse
import html
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..")
LIBRARY = os.path.join(SOURCE, "third_party", "chart.js")
REPORT = os.path.join(SOURCE, "apps", "report")
MOST_POINTS = 1000  # curves with more checks are thinned

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<h1>{title}</h1>
<noscript>The figures of this page are drawn by its script; please allow scripts.</noscript>
<main id="report"></main>
<script type="application/json" id="runs">{data}</script>
{scripts}</body>
</html>
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def thinned(curve):
    """The curve with all checks of the first hundred passes, then one whenever the number of passes has grown by one per cent."""
    passes = curve["pass"]
    if len(passes) <= MOST_POINTS:
        return curve
    kept, following = [], 0
    for k, number in enumerate(passes):
        if number >= following or k + 1 == len(passes):
            kept.append(k)
            following = 0 if number <= 100 else 1.01 * number
    return {name: [column[k] for k in kept] for name, column in curve.items()}


def add_problem(problems, result, problem, file):
    """Adds the learners of a problem to `problems`, by what makes two problems the same."""
    figure = result.get("figure")
    key = json.dumps([problem["name"], problem["examples"], problem["weights"], problem["lambda"], figure], sort_keys=True)
    target = problems.setdefault(key, {
        **problem, "figure": figure, "learners": [], "thinned": False,
        "title": (figure["name"] + ": " if figure else "") + problem["name"],
        "sizes": f"{problem['examples']} examples, {problem['weights']} weights, λ = {problem['lambda']:.6g}"})
    for learner in problem["learners"]:
        runs = [{**run, "curve": thinned(run["curve"])} for run in learner["runs"]]
        target["thinned"] |= any(len(run["curve"]["pass"]) > MOST_POINTS for run in learner["runs"])
        target["learners"].append({**learner, "file": file, "work": learner["median_work_to_gap"], "runs": runs})


def page_data(results):
    """What report.js draws, from pairs of a file's name and its result."""
    files, problems = [], {}
    for name, result in results:
        for problem in result["problems"]:
            add_problem(problems, result, problem, len(files))
        files.append({"file": os.path.basename(name), **{key: value for key, value in result.items() if key != "problems"}})
    return {"files": files, "problems": list(problems.values())}


def page(results, title):
    library = read(LIBRARY, "chart.umd.js")
    library = library[:library.rfind("//# sourceMappingURL")]  # for debuggers
    scripts = [f"/*!\n{read(LIBRARY, 'LICENSE.md')}*/\n{library}", read(REPORT, "curves.js"), read(REPORT, "report.js"),
               read(HERE, "compare.js"), read(REPORT, "selftest.js")]
    # Without '<' the data can contain neither </script> nor <!--.
    return PAGE.format(title=html.escape(title, quote=False), style=read(REPORT, "report.css"),
                       data=json.dumps(page_data(results), ensure_ascii=False).replace("<", "\\u003c"),
                       scripts="".join(f"<script>\n{script}</script>\n" for script in scripts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="RUNS.json", help="results of slackline-bench --out")
    parser.add_argument("--out", "-o", required=True, metavar="PAGE.html")
    parser.add_argument("--title", default="Training curves", help="heading of the page [%(default)s]")
    args = parser.parse_args()
    results = []
    for path in args.files:
        try:
            results.append((path, json.loads(read(path))))
            page_data(results[-1:])
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"page.py: {path}: {type(error).__name__}: {error}")
    text = page(results, args.title)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
