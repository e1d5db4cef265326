// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the module, one file each.
#pragma once

#include <pybind11/pybind11.h>

namespace slackline::python {

void BindMultiLabel(pybind11::module_* module);
void BindGraphs(pybind11::module_* module);
void BindOracle(pybind11::module_* module);
void BindSequence(pybind11::module_* module);
void BindSegmentation(pybind11::module_* module);  // only with vision
void BindMulticlass(pybind11::module_* module);
void BindMatching(pybind11::module_* module);

}  // namespace slackline::python
