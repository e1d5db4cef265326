// SPDX-License-Identifier: BSD-3-Clause
//
// The curves of one problem: which objective a curve shows, and one line for several runs of a learner. Used by report.js.
'use strict';

/// Learners that take all examples at once. Their iterates need not improve, and the papers draw the best one so far.
const kBatchLearners = new Set(['fw', 'kernel-fw', 'cutting-plane-1', 'cutting-plane-n', 'bmrm', 'excessive-gap', 'extragradient']);

const kObjectives = {
  papers: 'best so far for batch methods, newest for others',
  best: 'best so far',
  newest: 'newest',
};

/// The column of primal objectives that a run shows. Files of older versions have only the best so far.
function primalColumn(run, objective) {
  const newest = objective === 'newest' || (objective === 'papers' && !kBatchLearners.has((run.row.options || {}).learner));
  return newest && run.curve.check_primal ? 'check_primal' : 'primal';
}

/// The same run with the objective in its column `primal`.
function withObjective(run, objective) {
  const column = primalColumn(run, objective);
  return column === 'primal' ? run : Object.assign({}, run, {curve: Object.assign({}, run.curve, {primal: run.curve[column]})});
}

const median = (values) => {
  const sorted = values.filter((value) => value !== null && value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/// Median, least and most of several runs at every pass at which one of them has a check. A run without a check there counts
/// with its check before, and a run that has ended with its last one. The line ends where fewer than half of the runs go on.
function medianCurve(runs, across, value) {
  const passes = [...new Set(runs.flatMap((run) => run.curve.pass))].sort((a, b) => a - b);
  const at = runs.map(() => -1), newest = runs.map(() => null);
  const list = [];
  let last = -Infinity;
  for (const pass of passes) {
    const xs = [];
    runs.forEach((run, r) => {
      const own = run.curve.pass;
      while (at[r] + 1 < own.length && own[at[r] + 1] <= pass) {
        ++at[r];
        const y = value(run, at[r]);
        if (y !== null && Number.isFinite(y)) newest[r] = y;
      }
      if (at[r] >= 0 && own[own.length - 1] >= pass) xs.push(across.value(run, at[r]));
    });
    const ys = newest.filter((y) => y !== null);
    if (2 * xs.length < runs.length || ys.length === 0) continue;
    last = Math.max(last, median(xs));
    list.push({pass, x: last, y: median(ys), low: Math.min(...ys), high: Math.max(...ys), count: ys.length});
  }
  return list;
}

/// Rows of logs that differ in nothing but the seed and the file, as one row; other rows as they are.
function groupSeeds(rows, logs) {
  if (!logs) return rows;
  const groups = new Map();
  for (const row of rows) {
    const options = Object.entries(row.options || {}).filter(([name]) => name !== 'seed').sort();
    const key = JSON.stringify([options, row.objective, row.examples]);
    groups.set(key, (groups.get(key) || []).concat([row]));
  }
  return [...groups.values()].flatMap((group) => {
    const runs = group.flatMap((row) => row.runs);
    const seeds = new Set(runs.map((run) => run.seed));
    if (group.length === 1 || seeds.size < runs.length) return group;
    return [Object.assign({}, group[0], {runs, label: `${group[0].label} and others, ${group.length} seeds`})];
  });
}

// ---- Drawing ---------------------------------------------------------------------------------------------------------------

const drawable = (value, log) => value !== null && Number.isFinite(value) && (!log || value > 0);

function hoverText(run, k, name, x, y) {
  const c = run.curve;
  return [run.row.label + (run.seed === undefined ? '' : `, seed ${run.seed}`), `${name.text} ${number(y, 6)} at ${number(x)}`,
          `pass ${c.pass[k]}, ${number(c.seconds[k], 3)} s, ${number(c.oracle_calls[k] / examplesOf(run))} calls per example`,
          `primal ${number(c.primal[k], 6)}, lower bound ${number(c.dual[k], 6)}, relative gap ${number(c.relative_gap[k], 3)}`];
}

function points(run, across, along, value, logX, logY) {
  const list = [];
  for (let k = 0; k < run.curve.pass.length; ++k) {
    const x = across.value(run, k), y = value(run, k);
    if (drawable(x, logX) && drawable(y, logY)) list.push({x, y, text: hoverText(run, k, along, x, y)});
  }
  return list;
}

/// Fills the area between the two edges of every band.
const bands = {
  id: 'bands',
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea: area, scales: {x, y}} = chart;
    chart.data.datasets.forEach((set, index) => {
      if (!set.band || !chart.isDatasetVisible(index) || set.band.length === 0) return;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      ctx.beginPath();
      set.band.forEach((point) => ctx.lineTo(x.getPixelForValue(point.x), y.getPixelForValue(point.high)));
      [...set.band].reverse().forEach((point) => ctx.lineTo(x.getPixelForValue(point.x), y.getPixelForValue(point.low)));
      ctx.closePath();
      ctx.globalAlpha = 0.15;
      ctx.fillStyle = set.borderColor;
      ctx.fill();
      ctx.restore();
    });
  },
};

/// The sets of a median with its band: the median, and thin lines along the edges, which the axes have to make room for.
function bandSets(runs, look, across, along, value, logX, logY) {
  const list = medianCurve(runs, across, value).filter((p) => drawable(p.x, logX) && drawable(p.low, logY));
  const set = (key, name) => list.map((p) => ({x: p.x, y: p[key], text: [
    look.label, `${name} ${along.text} ${number(p[key], 6)} at ${number(p.x)}`,
    `pass ${p.pass}; median of ${p.count} runs ${number(p.y, 6)}, from ${number(p.low, 6)} to ${number(p.high, 6)}`]}));
  const edge = {...look, first: false, borderWidth: 0.4, pointRadius: 0};
  return [{...look, data: set('y', 'median of'), band: list},
          {...edge, label: look.label + ', least', data: set('low', 'least')},
          {...edge, label: look.label + ', most', data: set('high', 'largest')}];
}

/// The curves of one problem and their controls.
class CurveChart {
  constructor(parent, problem) {
    const figure = problem.figure || {};
    this.problem = problem;
    this.hidden = new Set();
    const controls = element('div', parent, undefined, 'controls');
    const draw = () => this.draw();
    this.x = select(controls, 'across', 'x', Object.entries(kAbscissae).map(([key, {text}]) => [key, text]),
                    figure.x || 'seconds', draw);
    this.y = select(controls, 'up', 'y', ordinateNames(problem).map((name) => [name, ordinate(name).text]),
                    figure.y || 'relative_gap', () => {
                      this.logY.checked = ordinate(this.y.value).log;
                      this.draw();
                    });
    this.logX = check(controls, 'log across', 'logx', true, draw);
    this.logY = check(controls, 'log up', 'logy', ordinate(this.y.value).log, draw);
    this.rows = problem.learners.filter((row) => row.runs.length > 0);
    this.grouped = groupSeeds(this.rows, data.logs);
    if (problem.runs.some((run) => run.curve.check_primal)) {
      this.objective = select(controls, 'objective', 'objective', Object.entries(kObjectives), 'papers', draw);
    }
    if (this.grouped.some((row) => row.runs.length > 1)) {
      this.medians = check(controls, 'median of the seeds, with a band from least to most', 'medians', true, () => this.list());
    }
    this.boxes = new Map();
    this.learners = element('div', parent, undefined, 'learners');
    this.chart = newChart(parent, [bands]);
    this.chart.slackline = this;
    exportButtons(controls, this.chart, () => `${problem.name}-${this.y.value}-${this.x.value}`);
    this.list();
  }

  /// The rows that are drawn: with medians, logs of several seeds are one.
  shown() {
    return this.medians && this.medians.checked ? this.grouped : this.rows;
  }

  /// Fills the list of learners, and draws.
  list() {
    this.learners.replaceChildren();
    this.boxes.clear();
    for (const row of this.shown()) {
      const box = check(this.learners, '', 'learner', !this.hidden.has(row.label), () => this.toggle(row.label));
      const swatch = element('span', box.parentNode, undefined, 'swatch');
      swatch.style.background = row.colour;
      box.parentNode.append(row.label);
      this.boxes.set(row.label, box);
    }
    this.draw();
  }

  toggle(label) {
    if (!this.hidden.delete(label)) this.hidden.add(label);
    this.boxes.get(label).checked = !this.hidden.has(label);
    this.draw();
  }

  draw() {
    const across = kAbscissae[this.x.value], along = ordinate(this.y.value);
    const logX = this.logX.checked, logY = this.logY.checked;
    const ofObjective = ['primal', 'primal_suboptimality', 'bounds'].includes(this.y.value);
    const objective = this.objective && ofObjective ? this.objective.value : 'best';
    const sets = [];
    for (const row of this.shown()) {
      const runs = row.runs.map((run) => withObjective(run, objective));
      const look = {borderColor: row.colour, backgroundColor: row.colour, borderDash: row.dash, showLine: true,
                    pointRadius: runs[0].curve.pass.length > 40 ? 0 : 2, group: row.label, label: row.label, first: true,
                    hidden: this.hidden.has(row.label)};
      const second = {...look, borderDash: [3, 3], first: false, label: row.label + ', ' + (along.secondName || 'lower')};
      if (runs.length > 1 && this.medians.checked) {
        sets.push(...bandSets(runs, look, across, along, along.value, logX, logY));
        if (along.second) sets.push(...bandSets(runs, second, across, along, along.second, logX, logY));
        continue;
      }
      runs.forEach((run, index) => {
        sets.push({...look, first: index === 0, data: points(run, across, along, along.value, logX, logY)});
        if (along.second) sets.push({...second, data: points(run, across, along, along.second, logX, logY)});
      });
    }
    this.chart.data.datasets = sets;
    this.chart.options.scales = {x: axis(logX, across.text), y: axis(logY, along.text)};
    this.chart.update();
  }
}
