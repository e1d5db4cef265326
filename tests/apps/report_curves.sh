#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: report_curves.sh CURVES_JS
# Checks the functions of a report page that join the runs of several seeds into one curve, and that
# choose which objective a curve shows. Exit code 77 (skipped) without Node.js.
set -euo pipefail

if ! command -v node > /dev/null; then
  echo "skipped: there is no node"
  exit 77
fi

node - "$1" << 'END'
const assert = require('node:assert');
const script = require('node:fs').readFileSync(process.argv[2], 'utf8');
require('node:vm').runInThisContext(script);  // its functions and constants become global

assert.equal(median([3, 1, 2]), 2);
assert.equal(median([4, null, 1]), 2.5);
assert.equal(median([null]), null);

const passes = {value: (run, k) => run.curve.pass[k]};
const calls = {value: (run, k) => run.curve.oracle_calls[k]};
const primal = (run, k) => run.curve.primal[k];
const run = (pass, primal, oracle_calls = pass) => ({curve: {pass, primal, oracle_calls}});

// Three runs with the same checks.
const three = [run([1, 2], [9, 5]), run([1, 2], [7, 6]), run([1, 2], [8, 1])];
assert.deepEqual(medianCurve(three, passes, primal), [
  {pass: 1, x: 1, y: 8, low: 7, high: 9, count: 3}, {pass: 2, x: 2, y: 5, low: 1, high: 6, count: 3}]);
// Across, the median of what the runs needed.
assert.deepEqual(medianCurve([run([1], [9], [10]), run([1], [7], [30])], calls, primal).map((p) => p.x), [20]);
// A run counts with its check before, also after its end; checks without a figure change nothing.
const uneven = [run([1, 4], [9, 3]), run([1, 2], [7, null]), run([1, 4], [8, 2])];
assert.deepEqual(medianCurve(uneven, passes, primal).map((p) => [p.pass, p.low, p.y, p.high]),
                 [[1, 7, 8, 9], [2, 7, 8, 9], [4, 2, 3, 7]]);
// The line ends where fewer than half of the runs go on.
const ends = [run([1, 9], [9, 3]), run([1], [7]), run([1], [8])];
assert.deepEqual(medianCurve(ends, passes, primal).map((p) => p.pass), [1]);

// Batch methods show the best objective so far, other methods the newest.
const named = (learner, columns) => ({row: {options: {learner}}, curve: Object.assign({primal: [2]}, columns)});
const newest = {check_primal: [5]};
assert.equal(primalColumn(named('bcfw', newest), 'papers'), 'check_primal');
assert.equal(primalColumn(named('bcfw', newest), 'best'), 'primal');
assert.equal(primalColumn(named('bcfw', {}), 'papers'), 'primal');
for (const learner of ['fw', 'cutting-plane-1', 'bmrm']) {
  assert.equal(primalColumn(named(learner, newest), 'papers'), 'primal');
  assert.equal(primalColumn(named(learner, newest), 'newest'), 'check_primal');
}
const bcfw = named('bcfw', newest);
assert.deepEqual(withObjective(bcfw, 'papers').curve.primal, [5]);
assert.deepEqual(bcfw.curve.primal, [2]);

// Logs that differ in the seed alone are one row.
const log = (label, seed, lambda, examples = 3) =>
    ({label, objective: 'o', examples, options: {seed: String(seed), lambda}, runs: [{seed: String(seed)}]});
const rows = [log('a', 1, '1'), log('b', 1, '2'), log('c', 2, '1'), log('d', 1, '2')];
assert.deepEqual(groupSeeds(rows, true).map((row) => [row.label, row.runs.length]),
                 [['a and others, 2 seeds', 2], ['b', 1], ['d', 1]]);
assert.equal(groupSeeds(rows, false), rows);
END
