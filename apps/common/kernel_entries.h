// SPDX-License-Identifier: BSD-3-Clause
//
// Support vectors in model files: the entries "kernel", "kernel_numbers", "support_…" and
// "coefficients".
#pragma once

#include <slackline/apps/common/kernel_support.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/core/model_file.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal {

/// Whether the model in the file is kernelized.
inline bool HasSupport(const ModelEntries& entries) { return entries.file().Has("kernel"); }

void SaveSupport(const KernelSupport& support, ModelWriter* writer);
/// rows: of the block. columns: the number of features that a support vector may have. Throws
/// DataError when the entries do not fit.
KernelSupport LoadSupport(const ModelEntries& entries, Index rows, Index columns);

/// The support vectors of a block after training: the inputs with a nonzero coefficient. `weights`
/// is an expansion (learning/kernels/kernel_expansion.h).
KernelSupport SupportOf(const KernelExpansion& expansion, const Kernel& kernel, Index block,
                        std::span<const double> weights);

}  // namespace slackline::internal
