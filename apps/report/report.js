// SPDX-License-Identifier: BSD-3-Clause
//
// Draws the runs that `slackline report` put into this page: curves.js their curves, model.js models. Texts in the data only enter the page as text nodes.
'use strict';

const errors = [];
window.addEventListener('error', (event) => errors.push(String(event.message)));

const data = JSON.parse(document.getElementById('runs').textContent);
const charts = [];

// ---- Figures of a run ------------------------------------------------------------------------------------------------------

const kColours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b', '#e377c2', '#7f7f7f',
                  '#bcbd22', '#003f5c', '#a05195'];

const kAbscissae = {
  passes: {text: 'passes', value: (run, k) => run.curve.pass[k]},
  calls: {text: 'oracle calls per example', value: (run, k) => run.curve.oracle_calls[k] / examplesOf(run)},
  seconds: {text: 'seconds of training', value: (run, k) => run.curve.seconds[k]},
  cpu: {text: 'processor seconds of training', value: (run, k) => {
    const all = run.curve.seconds[k] + run.curve.check_seconds[k];
    return all > 0 ? run.curve.cpu_seconds[k] * run.curve.seconds[k] / all : 0;
  }},
  steps: {text: 'steps of blocks', value: (run, k) => run.curve.block_steps[k]},
};

/// Number of examples that a run is trained on.
const examplesOf = (run) => run.row.examples || run.problem.examples;
const minus = (a, b) => (a === null || b === null ? null : a - b);

// Options that change the objective of the problem: a bound on one objective does not hold for another.
// Logs name the objective of each run.
const objectiveOf = (row) => row.objective || (row.learner.match(/[:,](l1|clusters|kernel[a-z-]*)=[^,]*/g) || []).map((text) => text.slice(1)).join(' ');

// Lower bounds on the exact optimum also hold for the relaxed one, upper bounds on the relaxed one also for the exact one.
const comparable = (run) => run.problem.runs.filter((other) => objectiveOf(other.row) === objectiveOf(run.row));
function bestDual(run) {
  if (run.bestDual === undefined) {
    const kinds = run.last.problem === 'exact' ? ['exact'] : ['exact', 'relaxed'];
    run.bestDual = extreme(comparable(run), 'dual', kinds, -Infinity, Math.max);
  }
  return run.bestDual;
}
function bestPrimal(run) {
  if (run.bestPrimal === undefined) {
    const kinds = run.last.problem === 'exact' ? ['exact', 'relaxed'] : ['relaxed'];
    run.bestPrimal = extreme(comparable(run), 'primal', kinds, Infinity, Math.min);
  }
  return run.bestPrimal;
}

const column = (name) => (run, k) => (run.curve[name] ? run.curve[name][k] : null);
const kOrdinates = {
  primal_suboptimality: {text: 'primal − best lower bound', log: true,
                         value: (run, k) => minus(run.curve.primal[k], bestDual(run))},
  primal: {text: 'primal objective', log: false, value: column('primal')},
  bounds: {text: 'primal objective and lower bound', log: false, value: column('primal'), second: column('dual')},
  dual: {text: 'lower bound', log: false, value: column('dual')},
  dual_suboptimality: {text: 'best primal − lower bound', log: true,
                       value: (run, k) => minus(bestPrimal(run), run.curve.dual[k])},
  gap: {text: 'certified gap', log: true, value: (run, k) => minus(run.curve.primal[k], run.curve.dual[k])},
  relative_gap: {text: 'certified relative gap', log: true, value: column('relative_gap')},
  regret: {text: 'average regret, at most, and the bound of the theory', log: true, needs: 'mean_suffered',
           value: (run, k) => minus(column('mean_suffered')(run, k), bestDual(run)), second: column('regret_bound'),
           secondName: 'bound'},
  online_loss: {text: 'mean loss of predictions before updates, and its bound', log: true, needs: 'mean_loss',
                value: column('mean_loss'), secondName: 'bound',
                second: (run, k) => (run.curve.loss_bound ? run.curve.loss_bound[k] + bestPrimal(run) : null)},
  soft_bounds: {text: 'soft objective and its dual', log: false, needs: 'soft_primal', value: column('soft_primal'),
                second: column('soft_dual')},
};
const ordinate = (name) =>
    kOrdinates[name] || {text: name.replace('test:', 'test data: '), log: false, value: column(name)};

function ordinateNames(problem) {
  const present = new Set();
  for (const run of problem.runs) Object.keys(run.curve).forEach((name) => present.add(name));
  const names = Object.keys(kOrdinates).filter((name) => !kOrdinates[name].needs || present.has(kOrdinates[name].needs));
  return names.concat([...present].filter((name) => name.startsWith('test:')).sort());
}

function extreme(runs, figure, kinds, start, choose) {
  return runs.filter((run) => kinds.includes(run.last.problem))
      .reduce((best, run) => run.curve[figure].reduce((a, b) => (b === null ? a : choose(a, b)), best), start);
}

function prepare() {
  for (const problem of data.problems) {
    problem.runs = [];
    problem.learners.forEach((row, index) => {
      row.label = row.learner;
      if (problem.learners.some((other) => other !== row && other.learner === row.learner)) {
        row.label += ' (' + data.files[row.file].file + ')';
      }
      row.colour = kColours[index % kColours.length];
      row.dash = [[], [8, 3], [2, 2]][Math.floor(index / kColours.length) % 3];
      row.runs.forEach((run) => problem.runs.push(Object.assign(run, {row, problem})));
    });
  }
}

// ---- Text ------------------------------------------------------------------------------------------------------------------

function element(tag, parent, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  if (parent) parent.append(node);
  return node;
}

function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return String(Number(value.toPrecision(digits)));
}

function table(parent, head, rows) {
  const node = element('table', element('div', parent, undefined, 'scroll'));
  const first = element('tr', element('thead', node));
  head.forEach((text) => element('th', first, text));
  const body = element('tbody', node);
  for (const cells of rows) {
    const line = element('tr', body);
    cells.forEach((text) => element('td', line, text));
  }
  return node;
}

// ---- Controls --------------------------------------------------------------------------------------------------------------

function select(parent, label, name, choices, value, onChange) {
  const holder = element('label', parent, label + ' ');
  const node = element('select', holder);
  node.name = name;
  for (const [key, text] of choices) {
    const option = element('option', node, text);
    option.value = key;
  }
  node.value = choices.some(([key]) => String(key) === String(value)) ? value : choices[0][0];
  node.addEventListener('change', onChange);
  return node;
}

function check(parent, label, name, checked, onChange) {
  const holder = element('label', parent);
  const node = element('input', holder);
  node.type = 'checkbox';
  node.name = name;
  node.checked = checked;
  holder.append(label);
  node.addEventListener('change', onChange);
  return node;
}

function button(parent, text, onClick) {
  element('button', parent, text).addEventListener('click', onClick);
}

function download(name, address) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

const fileName = (text, ending) => text.replace(/[^A-Za-z0-9.-]+/g, '_') + ending;

// ---- Charts ----------------------------------------------------------------------------------------------------------------

const whiteGround = {
  id: 'whiteGround',
  beforeDraw(chart) {
    chart.ctx.save();
    chart.ctx.fillStyle = '#fff';
    chart.ctx.fillRect(0, 0, chart.width, chart.height);
    chart.ctx.restore();
  },
};

/// Labels powers of ten, and on short axes also 2 and 5 times them.
function logTick(value) {
  const power = Math.floor(Math.log10(value) + 1e-9);
  const lead = Math.round(value / 10 ** power);
  const decades = Math.log10(this.max / this.min);
  const exact = Math.abs(value / 10 ** power - lead) < 1e-6;
  if (!exact || (lead !== 1 && !(decades < 2.5 && (lead === 2 || lead === 5)))) return '';
  return power < -3 || power > 4 ? lead + 'e' + power : String(Number((lead * 10 ** power).toPrecision(3)));
}

function axis(log, text) {
  const title = {display: true, text};
  if (!log) return {type: 'linear', title, ticks: {maxTicksLimit: 9}};
  return {type: 'logarithmic', title, ticks: {callback: logTick, autoSkip: false, maxRotation: 0}};
}

function newChart(parent, plugins = []) {
  const canvas = element('canvas', element('div', parent, undefined, 'chart'));
  const chart = new Chart(canvas, {
    type: 'scatter',
    data: {datasets: []},
    options: {
      animation: false, maintainAspectRatio: false, parsing: false, normalized: false,
      interaction: {mode: 'nearest', intersect: false},
      scales: {x: axis(true, ''), y: axis(true, '')},
      elements: {line: {borderWidth: 1.6}, point: {hitRadius: 6, hoverRadius: 5}},
      plugins: {
        legend: {
          labels: {usePointStyle: true, pointStyle: 'line', filter: (item, all) => all.datasets[item.datasetIndex].first},
          onClick: (event, item) => chart.slackline.toggle(chart.data.datasets[item.datasetIndex].group),
        },
        tooltip: {callbacks: {label: (item) => item.raw.text}},
      },
    },
    plugins: [whiteGround, ...plugins],
  });
  charts.push(chart);
  return chart;
}

/// Buttons that save a chart for papers: as a picture of three times the size, or as its points.
function exportButtons(parent, chart, name) {
  button(parent, 'PNG', () => {
    const ratio = chart.options.devicePixelRatio;
    chart.options.devicePixelRatio = 3;
    chart.resize();
    download(fileName(name(), '.png'), chart.toBase64Image('image/png', 1));
    chart.options.devicePixelRatio = ratio;
    chart.resize();
  });
  button(parent, 'CSV', () => {
    const quoted = (text) => '"' + String(text).replace(/"/g, '""') + '"';
    const lines = ['series,x,y'];
    for (const set of chart.data.datasets) {
      for (const point of set.hidden ? [] : set.data) lines.push([quoted(set.label), point.x, point.y].join(','));
    }
    download(fileName(name(), '.csv'), 'data:text/csv;charset=utf-8,' + encodeURIComponent(lines.join('\n') + '\n'));
  });
}

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

/// Columns of the final figures: heading, text of a run, whether runs of logs have the column.
const kFinalColumns = [
  ['learner', (run) => run.row.label, true],
  ['seed', (run) => (run.seed === undefined ? '–' : String(run.seed)), true],
  ['ended by', (run) => run.termination, true],
  ['passes', (run) => number(run.last.pass, 6), true],
  ['calls per example', (run) => number(run.last.oracle_calls / examplesOf(run)), true],
  ['s of training', (run) => number(run.last.seconds, 3), true],
  ['s of checks', (run) => number(run.last.check_seconds, 3), true],
  ['primal', (run) => number(run.last.primal, 7), true],
  ['lower bound', (run) => number(run.last.dual, 7), true],
  ['relative gap', (run) => number(run.last.relative_gap, 3), true],
  ['weights ≠ 0', (run) => (run.nonzero_weights === undefined ? '–' : String(run.nonzero_weights)), false],
  ['memory MB', (run) => number(run.peak_memory_bytes / 1e6, 3), false],
];

function finalTable(parent, problem) {
  const tests = problem.runs.some((run) => lastTests(run) !== '');
  const columns = kFinalColumns.filter(([, , logs]) => logs || !data.logs).concat(tests ? [['test data', lastTests]] : []);
  table(parent, columns.map(([name]) => (data.logs && name === 'learner' ? 'log' : name)),
        problem.runs.map((run) => columns.map(([, text]) => text(run)))).className = 'final';
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

function optionList(parent, problem) {
  const details = element('details', parent);
  element('summary', details, data.logs ? 'Options of the trainings' : 'Options of the learners');
  for (const row of problem.learners.filter((candidate) => candidate.options)) {
    const text = Object.entries(row.options).map(([name, value]) => `${name}=${value}`).join(' ');
    element('p', details, `${row.label}: ${text}` + (row.choice ? `. Chosen: ${row.choice}` : ''), 'note');
  }
}

/// The bounds from which suboptimalities are measured, one text for each kind of optimum and objective.
function bounds(problem) {
  const texts = problem.runs.map((run) => {
    const objective = objectiveOf(run.row);
    return `; ${run.last.problem} optimum${objective ? (run.row.objective ? ' of ' : ' with ') + objective : ''} between ${number(bestDual(run), 8)} and ${number(bestPrimal(run), 8)}`;
  });
  return [...new Set(texts)].join('');
}

/// Whether the page has other samples of the same problem. A chart of all samples says more then, and that of each sample starts folded.
function oneOfMany(problem) {
  const alike = (other) => other.sample && other.sample.of === problem.sample.of && (other.figure || {}).name === (problem.figure || {}).name;
  return problem.sample !== undefined && data.problems.filter(alike).length > 2;
}

function problemSection(parent, problem) {
  const folded = oneOfMany(problem);
  const section = element(folded ? 'details' : 'section', parent);
  element(folded ? 'summary' : 'h2', section, (problem.figure ? problem.figure.name + ': ' : '') + problem.name);
  if (problem.text) element('p', section, problem.text, 'note');
  element('p', section, data.logs ? bounds(problem).slice(2) :
      `${problem.examples} examples, ${problem.weights} weights, λ = ${number(problem.lambda, 6)}` + bounds(problem));
  refusals(section, problem);
  if (problem.runs.length === 0) return;
  const place = element('div', section);
  if (folded) {
    section.addEventListener('toggle', () => new CurveChart(place, problem), {once: true});
  } else {
    new CurveChart(place, problem);
  }
  if (problem.thinned) element('p', section, 'Curves with many checks are drawn without some of the checks.', 'note');
  if (!data.logs) {
    element('h3', section, 'Work');
    workTable(section, problem);
  }
  element('h3', section, 'At the end');
  finalTable(section, problem);
  optionList(section, problem);
}

function sources(parent) {
  if (data.logs) {
    element('p', parent, data.files.map((file) => `${file.file}: ${file.program}`).join('; '), 'note');
    return;
  }
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
}

function draw() {
  const main = document.getElementById('report');
  if (data.model) {
    drawModel(main, data.model);
    return;
  }
  prepare();
  for (const file of data.files.filter((candidate) => candidate.figure)) {
    element('p', main, `${file.figure.name}: ${file.figure.text}`);
  }
  element('p', main, 'Seconds are those of training, without checks. Bounds hold for each run alone; a suboptimality compares with the ' +
      'best bound of all runs of the problem. Click a name to hide its curves; point at a curve to see its figures.', 'note');
  for (const [name, series] of sweeps()) {
    const section = element('section', main);
    element('h2', section, `Against ${name}`);
    new SweepChart(section, name, series);
  }
  for (const problem of data.problems) problemSection(main, problem);
  sources(main);
}

try {
  draw();
} catch (error) {
  errors.push(String(error));
  element('p', document.body, 'The page could not be drawn: ' + error, 'error');
}
