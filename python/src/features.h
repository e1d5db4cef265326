// SPDX-License-Identifier: BSD-3-Clause
//
// Features by name from Python's dicts and lists.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <string_view>

namespace slackline::python {

/// Whether an object is a str or bytes, and its text in UTF-8, valid as long as the object.
bool IsText(PyObject* object);
std::string_view TextOf(PyObject* object);

/// "dict"
std::string TypeName(PyObject* object);

/// Calls add(name, value) for features as python-crfsuite takes them: a dict {name: value}, where a
/// text as value stands for the feature "name=text" with value 1, and a dict or list for features
/// "name:…"; or a list, tuple or set of names, whose values are 1. Throws pybind11::value_error
/// with `place` on anything else, and on values that are not finite. Requires the GIL.
void ForEachFeature(PyObject* features, const std::string& place,
                    const std::function<void(std::string_view name, double value)>& add);

}  // namespace slackline::python
