// SPDX-License-Identifier: BSD-3-Clause
//
// Several values of λ, trained one after the other from the largest to the smallest. Learners
// continue from the dual point of the previous value (LambdaFollower::ChangeLambda):
//   - example blocks: with w_θ of the point θ·α + (1 − θ)·(ground truth), the dual at the new λ is
//     f(θ) = θ·loss − θ²·λ/2 ‖w_1‖², which θ = min(1, loss / (λ ‖w_1‖²)) maximises;
//   - planes of all examples (plane_bundle.h) hold for every λ: their quadratic program is solved
//     again;
//   - factor blocks: μ and η stay, ρ keeps its ratio to the scale s = λM/R².
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

/// Reads "L1,L2,…" or "FROM:TO:COUNT" (COUNT ≥ 2 values in a geometric sequence, both ends
/// included, rounded to six digits). Returns the values in decreasing order. Throws DataError on
/// anything else, on values that are not positive and finite, and on values that occur twice.
std::vector<double> ParseLambdaPath(std::string_view text);

/// A text that reads back as this value: "0.0005", "1e-05".
std::string LambdaText(double lambda);

}  // namespace slackline::internal
