// SPDX-License-Identifier: BSD-3-Clause
//
// Comparison of whole model files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>

#include "tests/apps/program.h"

namespace slackline::internal::test {

/// The bytes of an entry of any type, with times set to 0.
inline std::string EntryBytes(const ModelReader& model, const std::string& name) {
  const auto bytes = [](const auto& values) {
    return std::string(reinterpret_cast<const char*>(values.data()),
                       values.size() * sizeof(values[0]));
  };
  try {
    return model.String(name);
  } catch (const DataError&) {
  }
  try {
    std::string text;
    for (const std::string& part : model.Strings(name)) text += part + '\n';
    return text;
  } catch (const DataError&) {
  }
  try {
    return bytes(model.Integers(name));
  } catch (const DataError&) {
  }
  const auto numbers = model.Doubles(name);
  std::vector<double> values(numbers.begin(), numbers.end());
  if (name == "figures") values[5] = values[6] = 0;
  for (std::size_t k = 1; name == "curve" && k < values.size(); k += 4) values[k] = 0;
  return bytes(values);
}

/// Names and bytes of the entries of a model file, times aside.
inline std::vector<std::string> ModelEntriesOf(const std::string& path) {
  const ModelReader model(path);
  std::vector<std::string> entries;
  for (const std::string& name : model.names())
    entries.push_back(name + ": " + EntryBytes(model, name));
  return entries;
}

/// Those of the model of training on a file under the name `data`, which the model records.
inline std::vector<std::string> TrainedEntries(const std::string& task, const std::string& file,
                                               const std::string& data, const Arguments& more) {
  std::filesystem::remove_all(data);
  std::filesystem::copy(file, data, std::filesystem::copy_options::recursive);
  const std::string model = data + ".slk";
  Succeed(Arguments{task, "train", data, "--model", model, "-q"} + more);
  return ModelEntriesOf(model);
}

}  // namespace slackline::internal::test
