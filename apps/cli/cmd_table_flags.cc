// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_table_flags.h>

#include <slackline/apps/common/choice.h>

namespace slackline::internal::program {

void RegisterSeparator(Command* app, std::string* separator) {
  AddTextOption(app, "separator", separator, "CHARACTER",
                "what stands between columns: a character, or tab", "by the first line")
      ->SetAudience(Audience::kCommand);
}

void CellFlags::Register(Command* app) {
  AddTextOption(app, "categories", &categories, "LIST",
                "columns whose texts are categories, even if they are numbers")
      ->SetAudience(Audience::kCommand);
  app->AddFlag("--decimal-comma", &decimal_comma,
               "1,5 and 1.234,5 are numbers, with a comma before the decimals")
      ->SetAudience(Audience::kCommand);
  RegisterSeparator(app, &separator);
}

void CellFlags::AddTo(std::vector<std::pair<std::string, std::string>>* options) const {
  if (!separator.empty()) options->emplace_back("separator", separator);
  if (!categories.empty()) options->emplace_back("categories", categories);
  if (decimal_comma) options->emplace_back("decimal-comma", "1");
}

}  // namespace slackline::internal::program
