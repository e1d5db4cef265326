#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: plots.py [NAME...]

Draws the named plots of the notebook (docs/notebook/plots/NAME.svg), or all of them, from the
tables of its pages. Needs Debian's python3-matplotlib.
"""
import os
import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib import ticker  # noqa: E402

from tables import DOCS, number, numbers, table  # noqa: E402

FOLDER = os.path.join(DOCS, "notebook", "plots")
# Readable on white and on black pages.
TEXT = "#7d7d7d"
COLORS = ["#3b86cf", "#e0762f", "#3aa05e", "#c9504d", "#8f6cc4", "#a98a1c", "#3fa3a3", "#c861a0"]
MARKS = "osD^vP<>"
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "slackline",
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "text.color": TEXT, "axes.labelcolor": TEXT, "axes.edgecolor": TEXT, "xtick.color": TEXT,
    "ytick.color": TEXT, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": TEXT, "grid.alpha": 0.25, "legend.frameon": False, "axes.titlesize": 9,
    "lines.linewidth": 1.4,
    "lines.markersize": 4, "axes.prop_cycle": matplotlib.cycler(color=COLORS)})


def panels(rows, columns, height=2.5, width=6.4):
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height * rows), squeeze=False,
                                   constrained_layout=True)
    return figure, [axis for row in axes for axis in row]


def line(axis, x, y, label, k, **style):
    points = [(a, b) for a, b in zip(x, y) if b is not None and a is not None]
    if points:
        axis.plot(*zip(*points), marker=MARKS[k % 8], color=COLORS[k % 8], label=label, **style)


def log_axis(axis, direction, ticks=None):
    getattr(axis, f"set_{direction}scale")("log")
    which = getattr(axis, f"{direction}axis")
    if ticks:
        getattr(axis, f"set_{direction}ticks")(ticks)
    which.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    which.set_minor_locator(ticker.NullLocator())


def legend_below(figure, axis, columns):
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns)


def dots(axis, names, values, labels, xlabel):
    """One row per name, one dot per value."""
    for k, label in enumerate(labels):
        points = [(value[k], row) for row, value in enumerate(values)
                  if k < len(value) and value[k] is not None]
        axis.plot([x for x, _ in points], [y for _, y in points], MARKS[k], color=COLORS[k],
                  label=label, markersize=5)
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)
    log_axis(axis, "x")
    axis.set_xlabel(xlabel)


def legend_above(axis):
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3)


def seconds_to_gap():
    rows = table("performance.md", "| problem | learner |")[1:]
    figure, axes = panels(2, 2)
    for axis, first in zip(axes, range(0, 16, 4)):
        for k, row in enumerate(rows[first:first + 4]):
            line(axis, [0.1, 0.02, 0.01, 0.001], [number(cell) for cell in row[2:]], row[1], k)
        axis.set_title(rows[first][0])
        log_axis(axis, "x", [0.1, 0.01, 0.001])
        axis.invert_xaxis()
        log_axis(axis, "y")
        axis.set_ylabel("seconds")
        axis.set_xlabel("certified relative gap")
    legend_below(figure, axes[0], 4)
    return figure


def rho_passes():
    rows = table("notebook/factor_blocks.md", "| ρ | Yeast, λ = 0.01 |")
    figure, (axis,) = panels(1, 1, 2.8)
    for k, name in enumerate(rows[0][1:]):
        fixed = [row for row in rows[1:] if row[0].endswith(" s")]
        line(axis, [number(row[0]) for row in fixed], [numbers(row[k + 1])[1] for row in fixed],
             name, k)
        axis.axhline(numbers(rows[1][k + 1])[1], color=COLORS[k], linestyle=":")
    log_axis(axis, "x", [0.3, 1, 3, 10])
    log_axis(axis, "y")
    axis.set_xlabel("ρ / s;  dotted: ρ as chosen")
    axis.set_ylabel("passes to 0.01")
    legend_above(axis)
    return figure


def defaults_lambda():
    rows = table("notebook/defaults.md", "| C·R² |")
    x = [number(cell) for cell in rows[0][1:]]
    figure, (axis,) = panels(1, 1, 3)
    for k, row in enumerate(rows[1:]):
        line(axis, x, [number(cell) for cell in row[1:]], row[0].split(" · ")[0], k)
    axis.axvline(4, color=TEXT, linestyle=":")
    log_axis(axis, "x", x)
    axis.set_xlabel("C·R²;  dotted: the default, but for nine folds of letters")
    legend_below(figure, axis, 2)
    return figure


def defaults_power():
    rows = table("notebook/rare_labels.md", "| P | Reuters-30")[1:]
    figure, axes = panels(1, 2)
    for column, (axis, name) in enumerate(zip(axes, ("Reuters-30", "rcv1s1"))):
        for k, figure_name in enumerate(("subset accuracy", "micro F1", "macro F1")):
            line(axis, [number(row[0]) for row in rows],
                 [numbers(row[column + 1], " ")[k] for row in rows], figure_name, k)
        axis.set_title(name)
        axis.set_xlabel("P")
    legend_below(figure, axes[0], 3)
    return figure


def growth():
    rows = table("notebook/growth.md", "| size | calls")[1:]
    figure, (axis,) = panels(1, 1, 3)
    parts = [("examples (Reuters)", rows[:3], [1864, 3728, 7457]),
             ("labels (rcv1s1)", rows[3:7], [10, 25, 50, 101]),
             ("dense features", rows[7:10], [1000, 4000, 16000]),
             ("sparse features", rows[10:13], [1000, 4000, 16000])]
    for k, (name, part, sizes) in enumerate(parts):
        line(axis, [size / sizes[0] for size in sizes], [number(row[4]) for row in part], name, k)
    log_axis(axis, "x", [1, 2, 4, 8, 16])
    log_axis(axis, "y")
    axis.set_xlabel("size, as a multiple of the smallest")
    axis.set_ylabel("seconds to 0.01")
    legend_above(axis)
    return figure


def oracles():
    rows = table("notebook/oracles.md", "| oracle | labels |")[1:]
    figure, (axis,) = panels(1, 1, 3)
    for k, name in enumerate(("roof duality, on coefficients", "GLPK, compact",
                              "GLPK, local polytope")):
        part = [row for row in rows if row[0] == name]
        line(axis, [number(row[1]) for row in part], [number(row[2]) for row in part], name, k)
    log_axis(axis, "x", [14, 30, 50, 101, 159])
    log_axis(axis, "y")
    axis.set_xlabel("labels")
    axis.set_ylabel("ms a call")
    legend_above(axis)
    return figure


def sequences_seconds():
    rows = table("notebook/sequences.md", "| problem | gap |")[1:4]
    names, values = [], []
    for row in rows:
        others = {"BCFW in C++" if "BCFW" in part else "dlib": part for part in row[2].split(";")}
        for k, gap in enumerate(row[1].split(", ")):
            data = row[0].split(" (")[0].split(",")[0]
            names.append(f"{data}, λ = {row[0].split(' ')[-1]}, to {gap}")
            values.append([numbers(row[3])[k]] + [numbers(others[other].replace(other, ""))[k]
                                                  for other in ("dlib", "BCFW in C++")])
    figure, (axis,) = panels(1, 1, 2.6)
    dots(axis, names, values, ["here", "dlib", "BCFW in C++"], "seconds")
    legend_above(axis)
    return figure


def soft_rho():
    rows = table("notebook/reproduction_soft.md", "| ρ per example |")[1:]
    figure, axes = panels(1, 2, 2.8)
    for column, (axis, name) in enumerate(zip(axes, ("Frank-Wolfe steps", "pairwise steps"))):
        for k, row in enumerate(rows):
            line(axis, [10, 30, 100, 300], numbers(row[column + 1], "/"),
                 f"ρ = {row[0].split(' ')[0]}", k)
        axis.set_title(name)
        log_axis(axis, "x", [10, 30, 100, 300])
        log_axis(axis, "y")
        axis.set_ylim(0.25, 10)
        axis.set_xlabel("passes")
    axes[0].set_ylabel("suboptimality of g")
    axes[0].legend(loc="lower left", ncol=2)
    return figure


def soft_examples():
    rows = table("notebook/reproduction_soft.md", "| examples |")
    sizes = [number(cell) for cell in rows[0][1:]]
    figure, (axis,) = panels(1, 1, 2.8)
    for k in range(3):
        mean, spread = rows[1 + 2 * k], rows[2 + 2 * k]
        line(axis, sizes, [number(cell) for cell in mean[1:]], mean[0].split(":")[0], k)
        for size, cell in zip(sizes, spread[1:]):
            if cell:
                axis.plot([size, size], numbers(cell, "–"), color=COLORS[k], alpha=0.5)
    log_axis(axis, "x", sizes)
    log_axis(axis, "y", [0.01, 0.1, 1])
    axis.set_xlabel("examples (Yeast; mean, least and most of ten draws)")
    axis.set_ylabel("g − g*")
    legend_below(figure, axis, 3)
    return figure


def two_figures(page, heads, passes, columns):
    """Suboptimality and test error against passes, one row of panels per table."""
    figure, axes = panels(len(heads), 2, 2.5)
    names = []
    for r, head in enumerate(heads):
        rows = [row for row in table(page, head) if "uniform" not in row[0]]
        for row in rows[1:]:
            names += [row[0]] * (row[0] not in names)
        for c, axis in enumerate(axes[2 * r:2 * r + 2]):
            for row in rows[1:]:
                line(axis, passes, numbers(row[1 + c].split(";")[0], "/"), row[0],
                     names.index(row[0]))
            log_axis(axis, "x", passes)
            if c == 0:
                log_axis(axis, "y")
            axis.set_title(rows[0][0].split(" (")[0])
            axis.set_ylabel(columns[c])
    for axis in axes[-2:]:
        axis.set_xlabel("passes")
    legend_below(figure, axes[0], 4)
    return figure


def bcfw_letters():
    return two_figures("notebook/reproduction_bcfw.md",
                       ["| λ = 0.01 (optimum 0.3811)", "| λ = 0.001 (optimum 0.3029)",
                        "| λ = 1/6251 (optimum"], [1, 3, 10, 30],
                       ["suboptimality", "wrong letters"])


def bcfw_matchings():
    rows = table("notebook/reproduction_bcfw.md", "| | λ = 0.01 | λ = 0.001 | λ = 1/300 |")[1:]
    figure, (axis,) = panels(1, 1, 2.4)
    dots(axis, [row[0] for row in rows], [numbers(row[1]) for row in rows],
         ["gap 0.1", "0.01", "0.001"], "oracle calls per example, λ = 0.01")
    legend_above(axis)
    return figure


def regret():
    rows = table("notebook/reproduction_others.md", "| labellings per example |")[1:]
    figure, axes = panels(1, 2)
    for axis, column, name in zip(axes, (1, 3), ("λ = 0.01", "λ = 0.001")):
        for k, row in enumerate(rows):
            line(axis, [1, 3, 10, 30], numbers(row[column]), f"{row[0]} labellings", k)
        line(axis, [1, 3, 10, 30], numbers(rows[0][column + 1]), "bound", 3, linestyle=":")
        log_axis(axis, "x", [1, 3, 10, 30])
        log_axis(axis, "y")
        axis.set_title(name)
        axis.set_xlabel("sweeps")
    axes[0].set_ylabel("average regret")
    axes[0].legend()
    return figure


def sparsity():
    rows = table("notebook/reproduction_others.md", "| `--l1` |")
    x = [number(cell) for cell in rows[0][1:]]
    figure, (axis,) = panels(1, 1, 2.4)
    line(axis, x, [number(cell) / 1533 for cell in rows[1][1:]],
         "share of weights that are not 0", 0)
    line(axis, x, [numbers(cell)[1] for cell in rows[2][1:]], "micro-F1", 1)
    log_axis(axis, "x")
    axis.set_ylim(0, 1)
    axis.set_xlabel("--l1")
    legend_above(axis)
    return figure


PLOTS = [seconds_to_gap, rho_passes, defaults_lambda, defaults_power, growth, oracles,
         sequences_seconds, soft_rho, soft_examples, bcfw_letters, bcfw_matchings, regret,
         sparsity]


def smaller(svg):
    """The same picture in fewer bytes."""
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (d|x|y|transform)="[^"]*"',
                 lambda attribute: re.sub(r"(\d\.\d)\d+", r"\1", attribute.group(0)), svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    return re.sub(r"\s*\n\s*", "\n", svg)


def main():
    chosen = [plot for plot in PLOTS if len(sys.argv) == 1 or plot.__name__ in sys.argv[1:]]
    for plot in chosen:
        figure = plot()
        path = os.path.join(os.path.normpath(FOLDER), plot.__name__ + ".svg")
        figure.savefig(path, transparent=True, bbox_inches="tight", metadata={"Date": None})
        pyplot.close(figure)
        with open(path, encoding="utf-8") as file:
            svg = smaller(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg)
        print(f"{path}: {os.path.getsize(path) // 1000} kB")


if __name__ == "__main__":
    main()
