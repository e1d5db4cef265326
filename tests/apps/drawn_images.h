// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers of the tests of the segmentation commands: drawn images, prepared, with a trained model.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <slackline/core/types.h>
#include <tests/apps/program.h>

namespace slackline::internal::test {

namespace fs = std::filesystem;

inline constexpr Index kClasses = 4;

/// Names and contents of all files in and below a folder.
inline std::vector<std::pair<std::string, std::string>> Contents(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    contents.emplace_back(path, entry.is_directory() ? "" : ReadBytes(path));
  }
  std::sort(contents.begin(), contents.end());
  return contents;
}

/// Twelve drawn images, prepared, with a trained model.
struct Drawn {
  Drawn() {
    Succeed({"segment", "draw", "--out", folder.Path("drawn"), "--images", "12", "--classes",
             std::to_string(kClasses), "--size", "72x54", "-q"});
    Succeed(Prepare("tests.fea", {}));
    Succeed(Train({"--model", model, "--lambda", "30"}));
  }
  Drawn(const Drawn&) = delete;

  std::string In(const std::string& name) const { return folder.Path("drawn/" + name); }
  std::string Image(int number) const {
    return In("images/drawn-00" + std::string(number < 10 ? "0" : "") + std::to_string(number) +
              ".png");
  }

  Arguments Prepare(const std::string& out, const Arguments& more) const {
    return Arguments{
               "segment",    "prepare",         "--images",       In("images"), "--labels",
               In("labels"), "--train",         In("train.txt"),  "--test",     In("test.txt"),
               "--classes",  In("classes.txt"), "--superpixels",  "30",         "--coarse",
               "6",          "--out",           folder.Path(out), "--features", "small",
               "-q"} +
           more;
  }
  Arguments Train(const Arguments& more) const {
    return Arguments{"segment", "train", features, "-q"} + more;
  }
  Arguments Evaluate(const Arguments& more = {}) const {
    return EvaluateList(In("test.txt"), more);
  }
  Arguments EvaluateList(const std::string& list, const Arguments& more = {}) const {
    return Arguments{"segment", "evaluate", "--images", In("images"), "--labels", In("labels"),
                     "--list",  list,       "--model",  model,        "-q"} +
           more;
  }
  Arguments EvaluatePrepared(const std::string& with, const Arguments& more = {}) const {
    return Arguments{"segment", "evaluate", "--features", features, "--model", with, "-q"} + more;
  }
  Arguments Predict(const Arguments& images, const std::string& out,
                    const Arguments& more = {}) const {
    return Arguments{"segment", "predict"} + images +
           Arguments{"--model", model, "--out", folder.Path(out), "-q"} + more;
  }

  TemporaryFolder folder;
  std::string features = folder.Path("tests.fea");
  std::string model = folder.Path("model.slk");
};

/// Created once; test cases write into folders of their own inside its folder.
inline const Drawn& Shared() {
  static const Drawn drawn;
  return drawn;
}

inline Json EvaluationOf(const Arguments& arguments) {
  return JsonOf(arguments + Arguments{"--json"});
}

inline Json WithoutTimes(Json json) {
  json.erase("prepare_seconds_per_image");
  json.erase("predict_seconds_per_image");
  return json;
}

/// Checks that the run fails with all parts in its one-line message, and that nothing is written,
/// removed or changed.
inline void CheckRefused(const Drawn& drawn, const Arguments& arguments, const Arguments& parts) {
  const auto before = Contents(drawn.folder.Path(""));
  CheckRefusal(RunProgram(arguments), parts);
  CHECK(Contents(drawn.folder.Path("")) == before);
}

/// A folder for a test case, removed at the end of the case.
struct Scratch {
  explicit Scratch(const std::string& name) : path(Shared().folder.Path(name)) {
    fs::create_directory(path);
  }
  ~Scratch() { fs::remove_all(path); }
  std::string Path(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

}  // namespace slackline::internal::test
