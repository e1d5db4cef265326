# SPDX-License-Identifier: BSD-3-Clause
"""Usage: certificate.py SLACKLINE DATA > docs/pictures/certificate.svg

The picture of README.md: a training on Yeast (DATA is the folder data/), whose two bounds
converge to the optimum. Colours are readable on white and on black.
"""
import json
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 20, 44
STYLE = """<style>
  text { font: 13px sans-serif; fill: #57606a; }
  .axis { stroke: #8c959f; stroke-width: 1; fill: none; }
  .primal { stroke: #d1670f; stroke-width: 2.5; fill: none; }
  .dual { stroke: #2f7fd6; stroke-width: 2.5; fill: none; }
  .band { fill: #8c959f; fill-opacity: 0.18; }
  .primal-text { fill: #d1670f; } .dual-text { fill: #2f7fd6; }
  @media (prefers-color-scheme: dark) { text { fill: #b1bac4; } }
</style>"""


def checks(program, data):
    """(pass, primal, dual) of every check, with the best bounds so far."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, "multilabel", "train", f"{data}/yeast/yeast-train.arff.gz", "--labels",
             f"{data}/yeast/yeast.xml", "--check-every", "1", "--log", f"{folder}/run.jsonl",
             "--model", f"{folder}/model.slk", "--quiet"], check=True)
        with open(f"{folder}/run.jsonl", encoding="utf-8") as log:
            records = [json.loads(line) for line in log]
    points, best = [], [float("inf"), float("-inf")]
    for record in records:
        if record["event"] == "check":
            best = [min(best[0], record["primal"]), max(best[1], record["dual"])]
            points.append((record["pass"], *best))
    return points


def text(x, y, words, how=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{words}</text>'


def draw(points):
    last, low, high = points[-1][0], points[0][2], points[0][1]
    margin = 0.06 * (high - low)

    def at(k, value):
        x = LEFT + (WIDTH - LEFT - RIGHT) * (k - 1) / (last - 1)
        y = TOP + (HEIGHT - TOP - BOTTOM) * (high + margin - value) / (high - low + 2 * margin)
        return f"{x:.1f},{y:.1f}"

    primal = [at(k, p) for k, p, _ in points]
    dual = [at(k, d) for k, _, d in points]
    end = float(primal[-1].split(",")[1])
    axis_y = HEIGHT - BOTTOM
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
             "<title>The bounds of a training of Yeast, pass by pass</title>", STYLE,
             f'<polygon class="band" points="{" ".join(primal + dual[::-1])}"/>',
             f'<polyline class="primal" points="{" ".join(primal)}"/>',
             f'<polyline class="dual" points="{" ".join(dual)}"/>',
             f'<path class="axis" d="M{LEFT},{TOP} V{axis_y} H{WIDTH - RIGHT}"/>']
    for k in sorted({1, 5, 10, 15, last}):
        if k <= last:
            x = float(at(k, low).split(",")[0])
            lines.append(text(x, axis_y + 18, k, 'text-anchor="middle"'))
    for value in (0.2, 0.4, 0.6, 0.8):
        y = float(at(1, value).split(",")[1])
        lines.append(text(LEFT - 8, y + 4, value, 'text-anchor="end"'))
    _, upper, lower = points[-1]
    middle, right = (LEFT + WIDTH - RIGHT) / 2, WIDTH - RIGHT + 10
    lines += [text(middle, HEIGHT - 6, "passes over 1500 examples", 'text-anchor="middle"'),
              text(right, end - 14, f"primal {upper:.5f}", 'class="primal-text"'),
              text(right, end + 5, f"gap {100 * (upper - lower) / upper:.2f} %"),
              text(right, end + 24, f"dual {lower:.5f}", 'class="dual-text"'), "</svg>"]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(draw(checks(sys.argv[1], sys.argv[2])))
