// SPDX-License-Identifier: BSD-3-Clause
//
// The extension module slackline._core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <slackline/core/parallel.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/options.h>
#include <slackline/version.h>
#include "src/module.h"
#include "src/run.h"

namespace slackline::python {
namespace {

/// The options of training: name → (text, default, placeholder).
py::dict OptionTexts() {
  py::dict options;
  for (const internal::OptionRecord& record : internal::OptionRecords()) {
    options[py::str(std::string(record.name))] =
        py::make_tuple(std::string(record.text), std::string(record.default_text),
                       std::string(record.placeholder));
  }
  return options;
}

/// The texts of the options as model files have them, for options that nobody has changed.
py::dict DefaultOptions() {
  py::dict options;
  for (const internal::OptionRecord& record : internal::OptionRecords())
    options[py::str(std::string(record.name))] = internal::OptionText(record, {});
  return options;
}

}  // namespace
}  // namespace slackline::python

PYBIND11_MODULE(_core, module) {
  using namespace slackline::python;
  module.doc() = "The compiled part of slackline.";
  RegisterErrors(&module);
  module.attr("__version__") = SLACKLINE_VERSION_STRING;
#ifdef SLACKLINE_WITH_VISION
  module.attr("has_vision") = true;
  module.attr("vision_missing") = "";
#else
  module.attr("has_vision") = false;
  module.attr("vision_missing") = SLACKLINE_VISION_MISSING;  // names of libraries
#endif
  module.def("use_one_thread", &slackline::internal::UseOneThread,
             "All further work is done by the calling thread; for forked processes.");
  module.def("option_texts", &OptionTexts);
  module.def("default_options", &DefaultOptions);
  BindFitArguments(&module);
  BindMultiLabel(&module);
  BindGraphs(&module);
  BindOracle(&module);
  BindSequence(&module);
#ifdef SLACKLINE_WITH_VISION
  BindSegmentation(&module);
#endif
  BindMulticlass(&module);
  BindMatching(&module);
}
