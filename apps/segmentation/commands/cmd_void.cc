// SPDX-License-Identifier: BSD-3-Clause
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_void.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal::program {

void VoidFlag::Register(Command* app, const std::string& default_text) {
  AddTextOption(app, "void", &values, "N,M,...",
                "values in label images that mean `no label`. The other values are the classes, in "
                "increasing order: if 255 is void, they count from 0; if 0 is void, from 1",
                default_text);
}

LabelCoding VoidFlag::Read(const LabelCoding& otherwise, Index num_classes) const {
  if (values.empty()) return otherwise;
  std::vector<std::uint8_t> list;
  for (const std::string& text : Split(values, ',')) {
    Index value = 0;
    if (!ParseIndex(text, &value) || value > 255)
      throw DataError("--void: " + Quoted(text) +
                      " is not allowed; it must be a whole number from 0 to 255");
    if (std::find(list.begin(), list.end(), value) != list.end())
      throw DataError("--void: " + Quoted(text) + " is given twice");
    list.push_back(static_cast<std::uint8_t>(value));
  }
  const Offset taken = static_cast<Offset>(list.size()) + num_classes;
  if (taken > 256)
    throw DataError("--void: " + Count(static_cast<Offset>(list.size()), "void value") + " and " +
                    std::to_string(num_classes) +
                    " classes are more than the 256 values of a pixel");
  std::sort(list.begin(), list.end());
  return LabelCoding(std::move(list));
}

}  // namespace slackline::internal::program
#endif
