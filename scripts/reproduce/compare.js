// SPDX-License-Identifier: BSD-3-Clause
//
// What a page of comparisons (page.py) has besides the curves of apps/report/report.js: figures against an option, tables of work,
// metrics on test data, commands and machines.
'use strict';

Object.assign(kOrdinates, {
  regret: {text: 'average regret, at most, and the bound of the theory', log: true, needs: 'mean_suffered',
           value: (run, k) => minus(column('mean_suffered')(run, k), bestDual(run)), second: column('regret_bound'),
           secondName: 'bound'},
  online_loss: {text: 'mean loss of predictions before updates, and its bound', log: true, needs: 'mean_loss',
                value: column('mean_loss'), secondName: 'bound',
                second: (run, k) => (run.curve.loss_bound ? run.curve.loss_bound[k] + bestPrimal(run) : null)},
});

// ---- Figures against an option ---------------------------------------------------------------------------------------------

/// The possible positions of a row on the axis of a comparison: sizes of the problem, and options that are numbers.
function parameters(problem, row) {
  const result = {};
  if (problem.sample) result.examples = problem.examples;
  for (const [name, text] of Object.entries(row.options || {})) {
    const value = Number(text);
    if (row.learner.includes(name + '=') && text !== '' && Number.isFinite(value)) result[name] = value;
  }
  return result;
}

/// The learner's name without the option, so that rows that differ only in this option form one series.
const without = (learner, name) => learner.replace(new RegExp('([:,])' + name + '=[^,]*,?'), '$1').replace(/[:,]$/, '');

/// Series of three or more rows that differ in only one number, by the name of this number.
function sweeps() {
  const found = new Map();
  for (const problem of data.problems) {
    for (const row of problem.learners.filter((candidate) => candidate.runs.length > 0)) {
      for (const [name, value] of Object.entries(parameters(problem, row))) {
        const base = problem.sample ? problem.sample.of : problem.name;
        const key = JSON.stringify([name === 'examples' ? base : problem.name, without(row.learner, name)]);
        if (!found.has(name)) found.set(name, new Map());
        const series = found.get(name);
        if (!series.has(key)) series.set(key, []);
        series.get(key).push({value, row, problem});
      }
    }
  }
  for (const [name, series] of found) {
    for (const [key, entries] of series) {
      if (new Set(entries.map((entry) => entry.value)).size < 3) series.delete(key);
    }
    if (series.size === 0) found.delete(name);
  }
  return found;
}

const kFinals = {
  primal_suboptimality: ['primal − best lower bound', (run, k) => minus(run.curve.primal[k], bestDual(run))],
  primal: ['primal objective', (run, k) => run.curve.primal[k]],
  relative_gap: ['certified relative gap', (run, k) => run.curve.relative_gap[k]],
  passes: ['passes', (run, k) => run.curve.pass[k]],
  seconds: ['seconds of training', (run, k) => run.curve.seconds[k]],
  nonzero_weights: ['weights that are not 0, at the end', (run) => run.nonzero_weights],
};

class SweepChart {
  constructor(parent, name, series) {
    this.name = name;
    this.series = series;
    this.hidden = new Set();
    const {sweep} = [...series.values()][0][0].problem.figure || {};
    const controls = element('div', parent, undefined, 'controls');
    const draw = () => this.draw();
    const tests = new Set();
    for (const entry of [...series.values()].flat()) {
      for (const run of entry.row.runs) {
        Object.keys(run.curve).filter((key) => key.startsWith('test:')).forEach((key) => tests.add(key));
      }
    }
    const finals = Object.entries(kFinals).map(([key, [text]]) => [key, text]);
    this.y = select(controls, 'up', 'final', finals.concat([...tests].map((key) => [key, ordinate(key).text])),
                    sweep || 'primal_suboptimality', draw);
    this.at = select(controls, 'after', 'at', [['end', 'the whole run'], [3, '3 passes'], [10, '10 passes'],
                     [30, '30 passes'], [100, '100 passes'], [300, '300 passes']], 'end', draw);
    this.logX = check(controls, 'log across', 'logx', true, draw);
    this.logY = check(controls, 'log up', 'logy', true, draw);
    this.chart = newChart(parent);
    this.chart.slackline = this;
    exportButtons(controls, this.chart, () => `${name}-${this.y.value}`);
    this.draw();
  }

  toggle(label) {
    if (!this.hidden.delete(label)) this.hidden.add(label);
    this.draw();
  }

  figure(run) {
    const passes = run.curve.pass;
    let k = passes.length - 1;
    if (this.at.value !== 'end') {
      const limit = Number(this.at.value);
      if (passes[k] < limit && run.termination === 'time-limit') return null;
      while (k > 0 && passes[k] > limit) --k;
    }
    const test = this.y.value.startsWith('test:');
    if (test) {
      const values = run.curve[this.y.value];
      while (values && k > 0 && values[k] === null) --k;
      return values ? values[k] : null;
    }
    return kFinals[this.y.value][1](run, k);
  }

  draw() {
    const logX = this.logX.checked, logY = this.logY.checked;
    const sets = [...this.series].map(([key, entries], index) => {
      const [problem, learner] = JSON.parse(key);
      const label = `${problem}, ${learner}`;
      const values = [...new Set(entries.map((entry) => entry.value))].sort((a, b) => a - b);
      const points = [];
      for (const x of values) {
        const runs = entries.filter((entry) => entry.value === x).flatMap((entry) => entry.row.runs);
        const figures = runs.map((run) => this.figure(run)).filter((y) => y !== null && y !== undefined);
        const y = median(figures);
        if (!drawable(x, logX) || !drawable(y, logY)) continue;
        points.push({x, y, text: [label, `${this.name} ${number(x)}: ${number(y, 6)}`,
                                  `median of ${figures.length}, from ${number(Math.min(...figures))} to ${number(Math.max(...figures))}`]});
      }
      const colour = kColours[index % kColours.length];
      return {label, group: label, first: true, data: points, showLine: true, borderColor: colour,
              backgroundColor: colour, pointRadius: 3, hidden: this.hidden.has(label)};
    });
    this.chart.data.datasets = sets;
    const text = this.y.selectedOptions[0].textContent;
    this.chart.options.scales = {x: axis(logX, this.name), y: axis(logY, text)};
    this.chart.update();
  }
}

// ---- Tables ----------------------------------------------------------------------------------------------------------------

const kWork = [['training_cpu_seconds', 'processor seconds of training'], ['passes', 'passes'],
               ['oracle_calls_per_example', 'oracle calls per example']];

/// The last metrics on test data in a curve; fractions are shown in percent.
function lastTests(run) {
  return Object.keys(run.curve).filter((key) => key.startsWith('test:')).map((key) => {
    const values = run.curve[key].filter((value) => value !== null);
    return `${key.replace('test:', '')} ${number(values[values.length - 1])}`;
  }).join(', ');
}

function workTable(parent, problem) {
  const rows = problem.learners.filter((row) => row.runs.length > 0 && row.work.length > 0);
  if (rows.length === 0) return;
  const holder = element('div', parent);
  const controls = element('div', holder, undefined, 'controls');
  const place = element('div', holder);
  const draw = () => {
    place.replaceChildren();
    const gaps = rows[0].work.map((entry) => number(entry.relative_gap));
    table(place, ['to a certified relative gap of'].concat(gaps),
          rows.map((row) => [row.label].concat(row.work.map((entry) => number(entry[unit.value], 3)))));
  };
  const unit = select(controls, 'work in', 'work', kWork, kWork[0][0], draw);
  draw();
}

function refusals(parent, problem) {
  for (const row of problem.learners.filter((candidate) => candidate.runs.length === 0)) {
    element('p', parent, `${row.label}: ${row.state}. ${row.reason}`, row.state === 'failed' ? 'error' : 'note');
  }
}

/// Whether the page has other samples of the same problem. A chart of all samples says more then, and that of each sample starts folded.
function oneOfMany(problem) {
  const alike = (other) => other.sample && other.sample.of === problem.sample.of && (other.figure || {}).name === (problem.figure || {}).name;
  return problem.sample !== undefined && data.problems.filter(alike).length > 2;
}

kFinalColumns.push(['weights ≠ 0', (run) => String(run.nonzero_weights)], ['memory MB', (run) => number(run.peak_memory_bytes / 1e6, 3)]);
if (data.problems.some((problem) => problem.learners.some((row) => row.runs.some((run) => lastTests(run) !== '')))) {
  kFinalColumns.push(['test data', lastTests]);
}

// ---- The page --------------------------------------------------------------------------------------------------------------

additions.page = (main) => {
  for (const file of data.files.filter((candidate) => candidate.figure)) {
    element('p', main, `${file.figure.name}: ${file.figure.text}`);
  }
  for (const [name, series] of sweeps()) {
    const section = element('section', main);
    element('h2', section, `Against ${name}`);
    new SweepChart(section, name, series);
  }
};

additions.folded = oneOfMany;
additions.problem = refusals;

additions.work = (section, problem) => {
  element('h3', section, 'Work');
  workTable(section, problem);
};

additions.end = (parent) => {
  element('h2', parent, 'Commands and machines');
  for (const file of data.files) {
    element('h3', parent, file.file + (file.interrupted ? ' (interrupted)' : ''));
    element('pre', parent, file.command_line);
    const machine = file.machine, build = file.build;
    const megabytes = machine.memory_bytes ? `, ${number(machine.memory_bytes / 1e9, 3)} GB` : '';
    element('p', parent, `${file.date}; ${file.program}; ${machine.cpu || 'processor unknown'}, ${machine.cores} cores${megabytes}; ${machine.system || ''}`);
    element('p', parent, `${build.compiler}, ${build.type}, flags ${build.flags || 'none'}` +
        (build.sanitizers ? `, sanitizers ${build.sanitizers}` : '') + `, GLPK ${build.glpk ? 'yes' : 'no'}`);
    element('p', parent, 'Settings: ' + Object.entries(file.settings).map(([name, value]) => `${name} ${value}`).join('; '), 'note');
  }
};
