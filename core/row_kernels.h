// SPDX-License-Identifier: BSD-3-Clause
//
// The two sweeps over a weight block that make up every step on linear features. W has `rows` rows
// stored side by side for each feature (core/weights.h). Cost of each: count·rows multiply-adds;
// reads (and for the update writes) count·rows·8 bytes of W in runs of rows·8 bytes.
#pragma once

#include <span>

#include <slackline/core/feature_rows.h>

namespace slackline::internal {

/// scores[r] = Σ_f x_f W[f·rows + r] for r < rows.
void RowScores(const double* weights, Index rows, const FeatureRow& x, double* scores);

/// W[f·rows + r] += x_f · delta[r] for all features f of x and r < rows.
void RowUpdate(double* weights, Index rows, const FeatureRow& x, const double* delta);

/// RowScores and RowUpdate for several inputs: scores[k] and delta[k] belong to inputs[k]. Six
/// consecutive dense inputs of equal length are taken together when there are at least eight rows,
/// so that W is read a sixth as often; other inputs one by one.
void RowsScores(const double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<double* const> scores);
void RowsUpdate(double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<const double* const> delta);

}  // namespace slackline::internal
