// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/table_entries.h>

#include <doctest/doctest.h>

#include <cmath>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Integers = std::vector<std::int64_t>;
using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

/// Features age, colour=green, colour=red; labels a and b; no pairs; a constant.
MultiLabelModel ColouredModel() {
  auto table = std::make_shared<TableSchema>();
  table->columns = {{"age", {}}, {"colour", {"green", "red"}}};
  table->ignored = {"id"};
  table->separator = ';';
  MultiLabelModel model({"a", "b"}, 3, true, {});
  model.set_feature_names(table->FeatureNames());
  model.set_input({{30.5, 0, 0}, table});
  return model;
}

/// The error of loading the example with one entry replaced or, without a value, removed.
template <class T>
std::string ErrorWith(const std::string& changed, const T* value) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  ColouredModel().Save(path);
  const ModelReader reader(path);
  ModelWriter writer;
  for (const std::string& name : reader.names()) {
    if (name == changed) {
      if (value != nullptr) writer.Add(name, *value);
      continue;
    }
    const auto copy = [&](const auto& get) {
      return MessageOf<DataError>([&] { writer.Add(name, get(name)); }) == "accepted";
    };
    if (copy([&](const std::string& n) { return reader.String(n); })) continue;
    if (copy([&](const std::string& n) { return reader.Strings(n); })) continue;
    if (copy([&](const std::string& n) { return reader.Integers(n); })) continue;
    writer.Add(name, reader.Doubles(name));
  }
  writer.Save(path);
  return MessageOf<DataError>([&] { MultiLabelModel::Load(path); });
}

template <class T>
void CheckRefused(const std::string& changed, const T& value, const std::string& entry) {
  const std::string message = ErrorWith(changed, &value);
  CHECK_MESSAGE(Contains(message, "entry '" + entry + "' does not fit"), message);
}

}  // namespace

TEST_CASE("the columns of a table come back from the file of a model") {
  const TemporaryFolder folder;
  ColouredModel().Save(folder.Path("m.slk"));
  const MultiLabelModel model = MultiLabelModel::Load(folder.Path("m.slk"));
  const MultiLabelReadOptions options = model.ReadOptions();
  REQUIRE(options.table != nullptr);
  CHECK(options.fill_values == Doubles{30.5, 0, 0});
  CHECK(options.table->FeatureNames() == Strings{"age", "colour=green", "colour=red"});
  CHECK(options.table->ignored == Strings{"id"});
  CHECK(options.table->separator == ';');
  CHECK_FALSE(options.table->columns[0].categorical());
  CHECK(options.table->columns[1].Find("red") == 1);
  CHECK(options.table->columns[1].Find("blue") == kAbsent);
}

TEST_CASE("models without the entries load without a table") {
  const TemporaryFolder folder;
  MultiLabelModel({"a", "b"}, 3, true, {}).Save(folder.Path("m.slk"));
  const MultiLabelModel model = MultiLabelModel::Load(folder.Path("m.slk"));
  CHECK(model.input().table == nullptr);
  CHECK(model.ReadOptions().fill_values.empty());
}

TEST_CASE("entries that contradict each other, the features or the labels are refused") {
  CheckRefused("fill_values", Doubles{1, 2}, "fill_values");
  CheckRefused("fill_values", Doubles{1, 2, kInfinity}, "fill_values");
  CheckRefused("fill_values", Doubles{1, 2, 1e60}, "fill_values");
  CheckRefused("fill_values", Doubles{1, 2, std::nan("")}, "fill_values");
  CheckRefused("table_columns", Strings{"age", "age"}, "table_columns");
  CheckRefused("table_columns", Strings{"age", "a"}, "table_columns");
  CheckRefused("table_columns", Strings{"", "colour"}, "table_columns");
  CheckRefused("table_columns", Strings{"age", "color"}, "table_columns");
  CheckRefused("table_columns", Strings{"age"}, "table_category_counts");
  CheckRefused("table_category_counts", Integers{0}, "table_category_counts");
  CheckRefused("table_category_counts", Integers{0, -1}, "table_category_counts");
  CheckRefused("table_category_counts", Integers{0, 3}, "table_category_counts");
  CheckRefused("table_category_counts", Integers{std::int64_t{1} << 62, 2},
               "table_category_counts");
  CheckRefused("table_category_counts", Integers{0, 1}, "table_categories");
  CheckRefused("table_category_counts", Integers{2, 0}, "table_columns");
  CheckRefused("table_categories", Strings{"red", "green"}, "table_categories");
  CheckRefused("table_categories", Strings{"red", "red"}, "table_categories");
  CheckRefused("table_categories", Strings{"green", "violet"}, "table_columns");
  CheckRefused("table_separator", std::string("||"), "table_separator");
  CheckRefused("table_separator", std::string(), "table_separator");
  CheckRefused("feature_names", Strings{"age", "colour=red", "colour=green"}, "table_columns");
  const Strings* const none = nullptr;
  CHECK(Contains(ErrorWith("fill_values", none), "entry 'fill_values' does not fit"));
  CHECK(Contains(ErrorWith("feature_names", none), "entry 'feature_names' does not fit"));
  CHECK(Contains(ErrorWith("table_categories", none), "table_categories"));
  CHECK(Contains(ErrorWith("table_ignored", none), "table_ignored"));
}

TEST_CASE("a model accepts only input that fits its features") {
  MultiLabelModel model = ColouredModel();
  CHECK_THROWS_AS(model.set_input({{1, 2}, nullptr}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_input({{}, model.input().table}), std::invalid_argument);
  auto other = std::make_shared<TableSchema>(*model.input().table);
  other->columns[0].name = "height";
  CHECK_THROWS_AS(model.set_input({{1, 2, 3}, other}), std::invalid_argument);
  model.set_input({});
  CHECK(model.input().fill_values.empty());
}
