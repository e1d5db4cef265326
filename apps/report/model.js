// SPDX-License-Identifier: BSD-3-Clause
//
// Draws the model that `slackline report` put into this page, with the helpers of report.js, which is loaded after this
// file and calls drawModel. Names of labels and features only enter the page as text nodes.
'use strict';

const kSvg = 'http://www.w3.org/2000/svg';

function svgElement(tag, parent, attributes, text) {
  const node = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

const shortened = (text, most) => ([...text].length <= most ? text : [...text].slice(0, most - 1).join('') + '…');

/// A colour: white at 0, blue above, red below; `share` from −1 to 1.
function heat(share) {
  const [r, g, b] = share >= 0 ? [31, 119, 180] : [214, 39, 40];
  const strength = Math.min(1, Math.abs(share));
  const mix = (to) => Math.round(255 + (to - 255) * strength);
  return `rgb(${mix(r)}, ${mix(g)}, ${mix(b)})`;
}

// ---- What the model is -----------------------------------------------------------------------------------------------------

/// Folds a long text, except for its beginning.
function factCell(parent, text) {
  const kMost = 300;
  if ([...text].length <= kMost) return element('td', parent, text);
  const cell = element('td', parent);
  const details = element('details', cell);
  element('summary', details, shortened(text, 120));
  element('p', details, text);
  return cell;
}

function factSection(main, model) {
  const section = element('section', main);
  const body = element('tbody', element('table', section, undefined, 'facts'));
  for (const [name, text] of model.facts) {
    const line = element('tr', body);
    element('th', line, name);
    factCell(line, text);
  }
}

// ---- How it was trained ----------------------------------------------------------------------------------------------------

function plainChart(parent, datasets, [x, y], plugins) {
  const chart = newChart(parent, plugins);
  chart.options.plugins.legend.onClick = (event, item) => {
    chart.setDatasetVisibility(item.datasetIndex, !chart.isDatasetVisible(item.datasetIndex));
    chart.update();
  };
  chart.data.datasets = datasets;
  chart.options.scales = {x, y};
  chart.update();
  return chart;
}

function curvePoints(curve, name) {
  const points = [];
  curve[name].forEach((y, k) => {
    if (y === null) return;
    points.push({x: curve.seconds[k], y, text: [
      `pass ${curve.pass[k]}, ${number(curve.seconds[k], 3)} s`,
      `objective ${number(curve.primal[k], 6)}, lower bound ${number(curve.dual[k], 6)}`]});
  });
  return points;
}

function trainingSection(main, model) {
  const section = element('section', main);
  element('h2', section, 'Training');
  const known = model.certificate;
  const problem = known.problem === 'exact' ? 'exact' : 'LP-relaxed';
  element('p', section, known.primal === null || known.dual === null ?
      'There is no certificate of how good the weights are.' :
      `The optimum of the ${problem} problem lies between ${number(known.dual, 7)} and ${number(known.primal, 7)}; ` +
      `the weights reach the upper value (relative gap ${number(100 * known.relative_gap, 3)} %).`);
  if (model.curve === null) {
    element('p', section, 'The model does not hold the curve of its training.', 'note');
    return;
  }
  const set = (name, label, colour) => ({label, first: true, data: curvePoints(model.curve, name), showLine: true,
                                         borderColor: colour, backgroundColor: colour, pointRadius: 2});
  const sets = [set('primal', 'objective', kColours[0]), set('dual', 'lower bound', kColours[1])];
  const values = sets.flatMap((one) => one.data.map((point) => point.y));
  const logUp = values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 20 * Math.min(...values);
  const logAcross = model.curve.seconds.filter((seconds) => seconds > 0).length > 10;
  if (logAcross) sets.forEach((one) => { one.data = one.data.filter((point) => point.x > 0); });
  plainChart(section, sets, [axis(logAcross, 'seconds of training and checks'), axis(logUp, 'objective')]);
}

/// Draws one standard deviation on either side of each point as a vertical line; lines of several sets are side by side.
const errorBars = {
  id: 'errorBars',
  afterDatasetsDraw(chart) {
    chart.data.datasets.forEach((set, index) => {
      if (!chart.isDatasetVisible(index)) return;
      chart.ctx.save();
      chart.ctx.strokeStyle = set.borderColor;
      chart.ctx.beginPath();
      const shift = 4 * (index - (chart.data.datasets.length - 1) / 2);
      for (const point of set.data.filter((candidate) => candidate.deviation > 0)) {
        const x = chart.scales.x.getPixelForValue(point.x) + shift;
        for (const side of [-1, 1]) {
          const y = chart.scales.y.getPixelForValue(point.y + side * point.deviation);
          chart.ctx.moveTo(x, chart.scales.y.getPixelForValue(point.y));
          chart.ctx.lineTo(x, y);
          chart.ctx.moveTo(x - 4, y);
          chart.ctx.lineTo(x + 4, y);
        }
      }
      chart.ctx.stroke();
      chart.ctx.restore();
    });
  },
};

function validationSection(main, model) {
  const section = element('section', main);
  element('h2', section, 'Cross-validation');
  const record = model.cross_validation;
  if (record === null) {
    element('p', section, 'λ was not chosen by cross-validation, or the model does not hold its figures.', 'note');
    return;
  }
  const best = record.points[record.best];
  const where = (point) => (point.candidate ? point.candidate + ', ' : '') + `λ = ${number(point.lambda)}`;
  element('p', section, `${record.metric.replaceAll('_', ' ')}, mean over ${record.folds} folds; bars are one standard deviation.` +
      (best ? ` Chosen: ${number(best.mean)} ± ${number(best.deviation, 2)} with ${where(best)}.` : ''));
  const names = [...new Set(record.points.map((point) => point.candidate || ''))];
  const sets = names.map((name, index) => {
    const colour = kColours[index % kColours.length];
    const points = record.points.filter((point) => (point.candidate || '') === name).sort((a, b) => a.lambda - b.lambda);
    return {label: name || record.metric, first: names.length > 1, showLine: true, borderColor: colour, backgroundColor: colour,
            pointRadius: points.map((point) => (point === best ? 7 : 3)), borderWidth: 1.6,
            data: points.map((point) => ({x: point.lambda, y: point.mean, deviation: point.deviation,
                                          text: [where(point), `${number(point.mean)} ± ${number(point.deviation, 2)}`]}))};
  });
  const up = axis(false, record.metric.replaceAll('_', ' '));
  const ends = record.points.flatMap((point) => [point.mean - point.deviation, point.mean + point.deviation]);
  up.suggestedMin = Math.min(...ends);
  up.suggestedMax = Math.max(...ends);
  plainChart(section, sets, [axis(true, 'λ'), up], [errorBars]);
}

// ---- Weights ---------------------------------------------------------------------------------------------------------------

/// Rows of name, bar and number. Bars to the right are positive, to the left negative.
function bars(parent, entries) {
  const largest = Math.max(...entries.map((entry) => Math.abs(entry.weight)), 1e-300);
  const holder = element('div', parent, undefined, 'bars');
  for (const entry of entries) {
    const line = element('div', holder, undefined, 'bar');
    const size = entry.size === undefined ? '' : `, size ${number(entry.size, 3)}`;
    line.title = `${entry.whole || entry.name}: ${number(entry.weight, 5)}${size}`;
    element('span', line, entry.name, 'name');
    const track = element('span', element('span', line, undefined, 'track'), undefined, entry.weight < 0 ? 'below' : 'above');
    track.style.width = 50 * Math.abs(entry.weight) / largest + '%';
    element('span', line, number(entry.weight, 3), 'value');
  }
}

function labelBars(place, label) {
  place.replaceChildren();
  if (label.constants.length > 0) {
    element('p', place, label.constants.map((constant) => `${constant.name} ${number(constant.weight, 4)}`).join(', '));
  }
  const entries = label.positive.concat([...label.negative].reverse());
  if (entries.length === 0) {
    element('p', place, 'No feature has a weight of its own here.', 'note');
    return;
  }
  const hidden = (all, shown) => (all > shown.length ? `${shown.length} of ${all}` : `all ${all}`);
  element('p', place, `Positive weights: ${hidden(label.num_positive, label.positive)}; negative ones: ` +
      `${hidden(label.num_negative, label.negative)}.`, 'note');
  bars(place, entries);
}

function featureSection(main, model) {
  const labels = model.strongest.labels;
  if (labels.length === 0) return;
  const section = element('section', main);
  element('h2', section, 'Features that speak for and against a label');
  model.strongest.notes.forEach((note) => element('p', section, note, 'note'));
  const place = element('div');
  if (labels.length > 1) {
    const controls = element('div', section, undefined, 'controls');
    const choice = select(controls, 'label', 'label', labels.map((label, index) => [index, shortened(label.label, 60)]), 0,
                          () => labelBars(place, labels[Number(choice.value)]));
  }
  section.append(place);
  labelBars(place, labels[0]);
}

/// A square for every pair; its colour shows the weight, and so does its tooltip.
function heatMap(parent, pairs) {
  const labels = pairs.matrix.labels, n = labels.length;
  const kCell = Math.max(14, Math.min(34, Math.floor(620 / n)));
  const kMost = 16;
  const side = 16 + 7 * Math.max(3, ...labels.map((label) => Math.min(kMost, [...label].length)));
  const largest = Math.max(...pairs.matrix.rows.flat().map((weight) => Math.abs(weight || 0)), 1e-300);
  const width = side + n * kCell + 60, height = side + n * kCell + 4;
  const svg = svgElement('svg', element('div', parent, undefined, 'scroll'), {width, height, viewBox: `0 0 ${width} ${height}`, class: 'heat'});
  labels.forEach((label, k) => {
    const middle = side + (k + 0.5) * kCell;
    const row = svgElement('text', svg, {x: side - 6, y: middle + 4, 'text-anchor': 'end'}, shortened(label, kMost));
    const column = svgElement('text', svg, {transform: `translate(${middle + 4} ${side - 6}) rotate(-60)`}, shortened(label, kMost));
    for (const node of [row, column]) svgElement('title', node, {}, label);
  });
  pairs.matrix.rows.forEach((row, a) => row.forEach((weight, b) => {
    if (weight === null) return;
    const cell = svgElement('rect', svg, {x: side + b * kCell, y: side + a * kCell, width: kCell - 1, height: kCell - 1,
                                          fill: heat(weight / largest), stroke: '#ddd'});
    svgElement('title', cell, {}, `${labels[a]} ${pairs.directed ? '→' : '+'} ${labels[b]}: ${number(weight, 4)}`);
  }));
}

function legend(parent, largest) {
  const holder = element('p', parent, undefined, 'note');
  for (const [share, text] of [[-1, number(-largest, 3)], [0, '0'], [1, number(largest, 3)]]) {
    const swatch = element('span', holder, undefined, 'cell');
    swatch.style.background = heat(share);
    holder.append(text + '  ');
  }
}

function pairSection(main, model) {
  const all = model.strongest.pairs.filter((pairs) => pairs.count > 0);
  if (all.length === 0 && model.strongest.lists.length === 0) {
    if (model.task === 'multilabel') element('p', element('section', main), 'The model has no pairs of labels.', 'note');
    return;
  }
  for (const pairs of all) {
    const section = element('section', main);
    element('h2', section, pairs.title[0].toUpperCase() + pairs.title.slice(1));
    const {matrix} = pairs;
    element('p', section, (pairs.directed ? 'Rows: first, columns: second. ' : '') + 'Blue pairs attract, red ones repel each other; ' +
        'pairs without a square have no weight.' + (matrix.left_out > 0 ? ` Drawn are the ${matrix.labels.length} labels with the strongest ` +
        `pairs; ${matrix.left_out} more are left out.` : ''), 'note');
    legend(section, Math.max(...matrix.rows.flat().map((weight) => Math.abs(weight || 0))));
    heatMap(section, pairs);
    element('h3', section, 'The strongest');
    const name = (pair, most) => `${shortened(pair.first, most)} ${pairs.directed ? '→' : '+'} ${shortened(pair.second, most)}`;
    bars(section, pairs.positive.concat([...pairs.negative].reverse()).map(
        (pair) => ({name: name(pair, 18), whole: name(pair, Infinity), weight: pair.weight})));
  }
  for (const list of model.strongest.lists) {
    const section = element('section', main);
    element('h2', section, list.title[0].toUpperCase() + list.title.slice(1));
    bars(section, list.weights);
  }
}

function drawModel(main, model) {
  factSection(main, model);
  featureSection(main, model);
  pairSection(main, model);
  trainingSection(main, model);
  validationSection(main, model);
}
