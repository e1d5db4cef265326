// SPDX-License-Identifier: BSD-3-Clause
//
// Draws the runs that `slackline report` put into this page: curves.js their curves, model.js models. A page of comparisons has
// scripts/reproduce/compare.js in addition. Texts in the data only enter the page as text nodes.
'use strict';

const errors = [];
window.addEventListener('error', (event) => errors.push(String(event.message)));

const data = JSON.parse(document.getElementById('runs').textContent);
const charts = [];

/// What another script adds to the page: in front of all problems, below the name of a problem, and below its curves and behind all
/// problems. `folded`: whether the section of a problem starts folded.
const additions = {page() {}, problem() {}, work() {}, end() {}, folded: () => false};

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

// ---- Tables ----------------------------------------------------------------------------------------------------------------

/// Columns of the final figures: heading, and text of a run.
const kFinalColumns = [
  [data.logs ? 'log' : 'learner', (run) => run.row.label],
  ['seed', (run) => (run.seed === undefined ? '–' : String(run.seed))],
  ['ended by', (run) => run.termination],
  ['passes', (run) => number(run.last.pass, 6)],
  ['calls per example', (run) => number(run.last.oracle_calls / examplesOf(run))],
  ['s of training', (run) => number(run.last.seconds, 3)],
  ['s of checks', (run) => number(run.last.check_seconds, 3)],
  ['primal', (run) => number(run.last.primal, 7)],
  ['lower bound', (run) => number(run.last.dual, 7)],
  ['relative gap', (run) => number(run.last.relative_gap, 3)],
];

function finalTable(parent, problem) {
  table(parent, kFinalColumns.map(([name]) => name), problem.runs.map((run) => kFinalColumns.map(([, text]) => text(run)))).className = 'final';
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
    return `${run.last.problem} optimum${objective ? (run.row.objective ? ' of ' : ' with ') + objective : ''} between ${number(bestDual(run), 8)} and ${number(bestPrimal(run), 8)}`;
  });
  return [...new Set(texts)];
}

function problemSection(parent, problem) {
  const folded = additions.folded(problem);
  const section = element(folded ? 'details' : 'section', parent);
  element(folded ? 'summary' : 'h2', section, problem.title || problem.name);
  if (problem.text) element('p', section, problem.text, 'note');
  element('p', section, (problem.sizes ? [problem.sizes] : []).concat(bounds(problem)).join('; '));
  additions.problem(section, problem);
  if (problem.runs.length === 0) return;
  const place = element('div', section);
  if (folded) {
    section.addEventListener('toggle', () => new CurveChart(place, problem), {once: true});
  } else {
    new CurveChart(place, problem);
  }
  if (problem.thinned) element('p', section, 'Curves with many checks are drawn without some of the checks.', 'note');
  additions.work(section, problem);
  element('h3', section, 'At the end');
  finalTable(section, problem);
  optionList(section, problem);
}

function draw() {
  const main = document.getElementById('report');
  if (data.model) {
    drawModel(main, data.model);
    return;
  }
  prepare();
  element('p', main, 'Seconds are those of training, without checks. Bounds hold for each run alone; a suboptimality compares with the ' +
      'best bound of all runs of the problem. Click a name to hide its curves; point at a curve to see its figures.', 'note');
  additions.page(main);
  for (const problem of data.problems) problemSection(main, problem);
  const sources = data.files.filter((file) => file.source).map((file) => `${file.file}: ${file.source}`);
  if (sources.length > 0) element('p', main, sources.join('; '), 'note');
  additions.end(main);
}

// When all scripts of the page are there.
document.addEventListener('DOMContentLoaded', () => {
  try {
    draw();
  } catch (error) {
    errors.push(String(error));
    element('p', document.body, 'The page could not be drawn: ' + error, 'error');
  }
});
