// SPDX-License-Identifier: BSD-3-Clause
#include "src/features.h"

#include <cmath>

#include <slackline/core/quoted.h>

namespace slackline::python {
namespace {

namespace py = pybind11;
using internal::Quoted;

bool IsList(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) || PyAnySet_Check(object);
}

class FeatureVisitor {
 public:
  FeatureVisitor(const std::string& place, const std::function<void(std::string_view, double)>& add)
      : place_(place), add_(add) {}

  void Visit(PyObject* features) {
    if (PyDict_Check(features)) {
      AddDict(features);
    } else if (IsList(features)) {
      AddList(features);
    } else {
      Fail("features must be a dict or a list of strings, not " + TypeName(features));
    }
  }

 private:
  static constexpr int kMostNested = 50;

  [[noreturn]] void Fail(const std::string& message) const {
    throw py::value_error(place_ + ": " + message);
  }

  void Add(double value) {
    if (name_.find('\n') != std::string::npos)
      Fail("feature " + Quoted(name_) + " contains a line end");
    if (!std::isfinite(value))
      Fail("feature " + Quoted(name_) + " is " + (std::isnan(value) ? "NaN" : "infinite"));
    add_(name_, value);
  }

  /// Adds the names of a list, each after name_.
  void AddList(PyObject* list) {
    const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(list));
    if (!iterator) throw py::error_already_set();
    const std::size_t size = name_.size();
    while (PyObject* next = PyIter_Next(iterator.ptr())) {
      const auto item = py::reinterpret_steal<py::object>(next);
      if (!IsText(next)) Fail("a list of features must hold strings, not " + TypeName(next));
      name_.append(TextOf(next));
      Add(1);
      name_.resize(size);
    }
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }

  /// Adds the entries of a dict, their names after name_.
  void AddDict(PyObject* dict) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    const std::size_t size = name_.size();
    while (PyDict_Next(dict, &position, &key, &value)) {
      if (!IsText(key)) Fail("names of features must be strings, not " + TypeName(key));
      name_.append(TextOf(key));
      AddValue(value);
      name_.resize(size);
    }
  }

  /// Adds the feature name_ with this value.
  void AddValue(PyObject* value) {
    if (IsText(value)) {
      name_.append("=").append(TextOf(value));
      Add(1);
    } else if (PyDict_Check(value) || IsList(value)) {
      if (++nested_ > kMostNested)
        Fail("dicts of features are nested more than " + std::to_string(kMostNested) + " times");
      name_.append(":");
      Visit(value);
      --nested_;
    } else {
      const double number = PyFloat_AsDouble(value);
      if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        Fail("feature " + Quoted(name_) + " is neither a number nor a string but " +
             TypeName(value));
      }
      Add(number);
    }
  }

  const std::string& place_;
  const std::function<void(std::string_view, double)>& add_;
  std::string name_;
  int nested_ = 0;
};

}  // namespace

bool IsText(PyObject* object) { return PyUnicode_Check(object) || PyBytes_Check(object); }

std::string_view TextOf(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = nullptr;
  if (PyUnicode_Check(object)) {
    text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw py::error_already_set();
  } else {
    text = PyBytes_AS_STRING(object);
    size = PyBytes_GET_SIZE(object);
  }
  return {text, static_cast<std::size_t>(size)};
}

std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

void ForEachFeature(PyObject* features, const std::string& place,
                    const std::function<void(std::string_view, double)>& add) {
  FeatureVisitor(place, add).Visit(features);
}

}  // namespace slackline::python
