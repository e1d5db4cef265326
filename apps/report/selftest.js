// SPDX-License-Identifier: BSD-3-Clause
//
// The page's check of itself when opened as page.html#selftest: uses controls as a reader would, and writes what it finds
// into an element of that name.
'use strict';

/// What a chart shows: its visible sets, their points and the types of its axes.
const shown = (chart) => JSON.stringify([
  chart.data.datasets.filter((set, index) => chart.isDatasetVisible(index)).map((set) => [set.label, set.data.length, set.data[0]]),
  chart.scales.x.type, chart.scales.y.type]);

function changes(chart, act) {
  const before = shown(chart);
  act();
  return shown(chart) !== before;
}

const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/// What the page of a model shows, before and after another label is chosen.
function modelTest() {
  const report = {charts: charts.length, points: 0, bars: document.querySelectorAll('.bar').length,
                  squares: document.querySelectorAll('.heat rect').length, changed: {}, errors};
  for (const chart of charts) for (const set of chart.data.datasets) report.points += set.data.length;
  const wide = [...document.querySelectorAll('body > *, section > *')].filter((node) => node.getBoundingClientRect().right > innerWidth);
  report.wide = wide.map((node) => node.tagName + '.' + node.className);
  const choice = document.querySelector('select[name=label]');
  if (choice) {
    const names = () => [...choice.closest('section').querySelectorAll('.bar')].map((bar) => bar.title).join('\n');
    const before = names();
    choice.value = choice.options.length - 1;
    choice.dispatchEvent(new Event('change'));
    report.changed.label = names() !== before;
  }
  return report;
}

async function selfTest() {
  if (data.model) {
    element('pre', document.body, JSON.stringify(modelTest())).id = 'selftest';
    return;
  }
  const report = {charts: charts.length, datasets: 0, points: 0, changed: {}, tooltip: [], png: 0};
  for (const chart of charts) {
    report.datasets += chart.data.datasets.length;
    for (const set of chart.data.datasets) report.points += set.data.length;
  }
  if (charts.length > 0) {
    const chart = charts[charts.length - 1];
    const owner = chart.slackline;
    const root = chart.canvas.closest('section');
    const click = (selector) => () => root.querySelector(selector).click();
    report.changed.log = changes(chart, click('input[name=logx]'));
    report.changed.learner = changes(chart, () => {
      const item = chart.legend.legendItems[0], box = chart.legend.legendHitBoxes[0];
      chart.options.plugins.legend.onClick({}, item, chart.legend, box);
    });
    if (root.querySelector('input[name=learner]')) report.changed.box = changes(chart, click('input[name=learner]'));
    if (root.querySelector('input[name=medians]')) report.changed.medians = changes(chart, click('input[name=medians]'));
    report.changed.ordinate = changes(chart, () => {
      const node = owner.y;
      node.value = node.value === 'primal' ? 'gap' : 'primal';
      node.dispatchEvent(new Event('change'));
    });
    const index = chart.data.datasets.findIndex((set) => set.data.length > 0);
    const point = chart.getDatasetMeta(index).data[0];
    const area = chart.canvas.getBoundingClientRect();
    chart.canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: area.left + point.x, clientY: area.top + point.y, bubbles: true}));
    await later(300);
    report.tooltip = (chart.tooltip.body || []).flatMap((part) => part.lines);
    report.png = chart.toBase64Image().length;
  }
  report.errors = errors;
  element('pre', document.body, JSON.stringify(report)).id = 'selftest';
}

if (location.hash === '#selftest') {
  window.addEventListener('load', async () => {
    await later(100);
    try {
      await selfTest();
    } catch (error) {
      element('pre', document.body, JSON.stringify({errors: errors.concat([String(error) + ' ' + error.stack])})).id = 'selftest';
    }
  });
}
