// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_choices.h>

#include <initializer_list>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

template <class T>
T ReadChoice(std::string_view option, std::string_view value, std::initializer_list<T> choices) {
  std::vector<std::string_view> names;
  for (const T choice : choices) names.push_back(Name(choice));
  return choices.begin()[CheckChoice(option, value, names)];
}

}  // namespace

void SegmentChoices::Check() const {
  ReadLayers();
  ReadPairwise();
  ReadLoss();
  if (RegionsText() == "all") return;
  for (const std::string& region : Split(regions, ','))
    CheckChoice("regions", region, {"own", "neighbours", "image"});
}

SegmentLayers SegmentChoices::ReadLayers() const {
  return ReadChoice("layers", layers,
                    {SegmentLayers::kTwo, SegmentLayers::kFine, SegmentLayers::kNeighbours});
}

SegmentPairwise SegmentChoices::ReadPairwise() const {
  if (pairwise.empty())
    return potentials.empty() ? SegmentPairwise::kTable : SegmentPairwise::kPotts;
  return ReadChoice(
      "pairwise", pairwise,
      {SegmentPairwise::kPotts, SegmentPairwise::kTable, SegmentPairwise::kAgreement});
}

SegmentLoss SegmentChoices::ReadLoss() const {
  return ReadChoice("loss", loss, {SegmentLoss::kPixels, SegmentLoss::kBalanced});
}

RecordTexts TextsOf(const SegmentChoices& choices, std::string_view scale,
                    const SegmentModel& model) {
  RecordTexts texts;
  texts.loss = choices.loss;
  texts.options = {{"layers", choices.layers},
                   {"pairwise", std::string(Name(model.pairwise()))},
                   {"loss", choices.loss},
                   {"regions", choices.RegionsText()},
                   {"potentials", choices.potentials},
                   {"scale", std::string(scale)}};
  return texts;
}

}  // namespace slackline::internal
