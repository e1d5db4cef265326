// SPDX-License-Identifier: BSD-3-Clause
//
// What the classes of all models have in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>

#include <slackline/apps/common/training_record.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/model_file.h>
#include "src/convert.h"
#include "src/run.h"

namespace slackline::python {

/// The class `name` of a type that holds a model. make(model) makes an object of the type;
/// of(object) returns its model. The class can load and save model files and be pickled, and has
/// `record` (what the file says about the training), `scaling` and `scaling_numbers`.
template <class Model, class Holder, class Make, class Of>
py::class_<Holder, std::shared_ptr<Holder>> BindModel(py::module_* module, const char* name,
                                                      const Make& make, const Of& of) {
  return py::class_<Holder, std::shared_ptr<Holder>>(*module, name)
      .def_static("load", [make](const std::string& path) { return make(Model::Load(path)); })
      .def(py::pickle([of](const Holder& holder) { return BytesOf(of(holder).File()); },
                      [make](const py::bytes& bytes) {
                        return make(Model::Load(
                            internal::ModelReader::FromBytes(std::string_view(bytes), "pickle")));
                      }))
      .def("save", [of](const Holder& holder, const std::string& path) { of(holder).Save(path); })
      .def_property_readonly("record",
                             [of](const Holder& holder) { return RecordDict(of(holder).record); })
      .def_property_readonly("scaling",
                             [of](const Holder& holder) {
                               return std::string(internal::Name(of(holder).scaling().kind()));
                             })
      .def_property_readonly("scaling_numbers", [of](const Holder& holder) {
        return ScalingNumbers(of(holder).scaling());
      });
}

/// The same for the model itself.
template <class Model>
py::class_<Model, std::shared_ptr<Model>> BindModel(py::module_* module, const char* name) {
  return BindModel<Model, Model>(
      module, name, [](Model model) { return std::make_shared<Model>(std::move(model)); },
      [](const Model& model) -> const Model& { return model; });
}

}  // namespace slackline::python
