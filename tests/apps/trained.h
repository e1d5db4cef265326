// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <tests/apps/program.h>

namespace slackline::internal::test {

/// A small multi-label model, with its data and the log of its training.
struct Trained {
  explicit Trained(const Arguments& more = {}, const std::string& lambda = "0.01") {
    Succeed(Arguments{"multilabel", "train", data, "--labels", labels, "--model", model, "--lambda",
                      lambda, "--log", log, "-q"} +
            more);
  }
  TemporaryFolder folder;
  std::string data = folder.Write("train.arff", ArffText(60, 5, 4, 3));
  std::string labels = folder.Write("labels.xml", XmlText(4));
  std::string model = folder.Path("m.slk");
  std::string log = folder.Path("run.jsonl");
};

}  // namespace slackline::internal::test
