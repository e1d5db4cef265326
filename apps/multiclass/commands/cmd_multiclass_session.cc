// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/commands/cmd_multiclass_session.h>

#include <utility>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/multiclass/class_costs.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/core/check.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal::program {

void MulticlassFlags::Register(Command* app) {
  data.Register(app, "the classes", "classes");
  scale.Register(app);
  app->StartGroup(kModelGroup);
  AddTextOption(app, "costs", &costs, "FILE",
                "what errors cost: a table with a row for every true class and a column for every "
                "predicted class, both named; 0 on the diagonal",
                "1 for every error");
  AddTextOption(app, "bias", &bias, "0|1", "add a constant feature", "1")
      ->SetAudience(Audience::kCommand);
}

MultiLabelReadOptions MulticlassFlags::ReadOptions(const TrainOptions& train) const {
  MultiLabelReadOptions read = data.ReadOptions();
  read.append_constant = CheckChoice("bias", bias, {"0", "1"}) == 1 && !UsesKernel(train);
  read.ranks = train.ranks;
  read.shards = ShardsFor(train);
  return read;
}

MulticlassTrainingOptions MulticlassFlags::TrainingOptions(const TrainOptions& train) const {
  MulticlassTrainingOptions options;
  options.constant = CheckChoice("bias", bias, {"0", "1"}) == 1;
  options.kernelized = UsesKernel(train);
  options.scale = scale.Read();
  options.ranks = ExactRanks(train);
  options.texts.loss = costs.empty() ? "0/1" : "costs";
  options.texts.options = {{"bias", bias}, {"scale", scale.scale}};
  if (!costs.empty()) options.texts.options.emplace_back("costs", costs);
  data.AddTo(&options.texts.options);
  return options;
}

std::vector<std::string> MulticlassFlags::inputs() const {
  std::vector<std::string> files = {data.data};
  if (!costs.empty()) files.push_back(costs);
  return files;
}

MulticlassInput LoadMulticlass(const MulticlassFlags& flags, const TrainOptions& train) {
  MulticlassInput input;
  input.options = flags.TrainingOptions(train);
  input.data = ReadMulticlassData(flags.data.data, flags.ReadOptions(train));
  if (!flags.costs.empty()) {
    input.options.costs =
        MakeOnAllRanks([&] { return ReadClassCosts(flags.costs, input.data.class_names); });
    input.options.texts.costs = input.options.costs;
  }
  input.scaled = ScaleClasses(input.data, input.options);
  input.data.rows = input.scaled.rows;
  return input;
}

}  // namespace slackline::internal::program
