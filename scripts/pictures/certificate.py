# SPDX-License-Identifier: BSD-3-Clause
"""Usage: certificate.py SLACKLINE DATA > docs/pictures/certificate.svg

The picture of README.md: a training of Yeast (DATA is the folder data/), whose two bounds close in
on the optimum. Colours are readable on white and on black.
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
    """(pass, primal, dual) of every check, the best so far of each."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "multilabel", "train", f"{data}/yeast/yeast-train.arff.gz", "--labels",
                        f"{data}/yeast/yeast.xml", "--check-every", "1", "--log", f"{folder}/run.jsonl", "--model",
                        f"{folder}/model.slk", "--quiet"], check=True)
        with open(f"{folder}/run.jsonl", encoding="utf-8") as log:
            records = [json.loads(line) for line in log]
    points, best = [], [float("inf"), float("-inf")]
    for record in records:
        if record["event"] == "check":
            best = [min(best[0], record["primal"]), max(best[1], record["dual"])]
            points.append((record["pass"], *best))
    return points


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
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
             "<title>The bounds of a training of Yeast, pass by pass</title>", STYLE,
             f'<polygon class="band" points="{" ".join(primal + dual[::-1])}"/>',
             f'<polyline class="primal" points="{" ".join(primal)}"/>',
             f'<polyline class="dual" points="{" ".join(dual)}"/>',
             f'<path class="axis" d="M{LEFT},{TOP} V{axis_y} H{WIDTH - RIGHT}"/>']
    for k in sorted({1, 5, 10, 15, last}):
        if k <= last:
            x = float(at(k, low).split(",")[0])
            lines.append(f'<text x="{x:.1f}" y="{axis_y + 18}" text-anchor="middle">{k}</text>')
    steps = [round(low + (high - low) * k / 3, 2) for k in range(4)]
    for value in steps:
        y = float(at(1, value).split(",")[1])
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    gap = 100 * (points[-1][1] - points[-1][2]) / points[-1][1]
    lines += [f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">passes over 1500 examples</text>',
              f'<text class="primal-text" x="{WIDTH - RIGHT + 10}" y="{end - 14:.1f}">primal {points[-1][1]:.5f}</text>',
              f'<text x="{WIDTH - RIGHT + 10}" y="{end + 5:.1f}">gap {gap:.2f} %</text>',
              f'<text class="dual-text" x="{WIDTH - RIGHT + 10}" y="{end + 24:.1f}">dual {points[-1][2]:.5f}</text>',
              "</svg>"]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(draw(checks(sys.argv[1], sys.argv[2])))
