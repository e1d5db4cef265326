// SPDX-License-Identifier: BSD-3-Clause
//
// The two sweeps over a weight block that every step on linear features consists of. W has `rows`
// rows stored side by side for each feature (core/weights.h). Cost of each: count·rows
// multiply-adds; reads (and for the update writes) count·rows·8 bytes of W in runs of rows·8 bytes.
#pragma once

#include <span>

#include <slackline/core/feature_rows.h>

namespace slackline::internal {

/// scores[r] = Σ_f x_f W[f·rows + r] for r < rows.
void RowScores(const double* weights, Index rows, const FeatureRow& x, double* scores);

/// W[f·rows + r] += x_f · delta[r] for all features f of x and r < rows.
void RowUpdate(double* weights, Index rows, const FeatureRow& x, const double* delta);

/// The same for several inputs: scores[k][r] of inputs[k], and the update with delta[k] of
/// inputs[k]. Dense inputs of one length are taken several at a time, so that W is read a sixth as
/// often; others one by one.
void RowsScores(const double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<double* const> scores);
void RowsUpdate(double* weights, Index rows, std::span<const FeatureRow> inputs,
                std::span<const double* const> delta);

}  // namespace slackline::internal
