// SPDX-License-Identifier: BSD-3-Clause
//
// Checked reading of JSON that this program has written. Part of the program only.
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// Parses a text. first_line: the line number of the text's first line in the file. Throws
/// DataError with the line when the text is not JSON, numbers are too large, or brackets are nested
/// deeper than in any result of this program.
Json ParseJson(const std::string& path, const std::string& text, long first_line = 1);

/// Reads members of JSON objects. Throws DataError on missing or wrong ones.
class JsonChecker {
 public:
  /// `what` precedes messages. line: 0 = none.
  JsonChecker(std::string path, std::string what, long line = 0)
      : path_(std::move(path)), what_(std::move(what)), line_(line) {}

  [[noreturn]] void Fail(const std::string& message) const;

  /// The member of an object; `where` names the object in messages.
  const Json& Member(const Json& object, const char* name, Json::value_t type,
                     const std::string& where) const;
  const Json& Object(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::object, where);
  }
  const Json& Text(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::string, where);
  }
  const Json& Number(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::number_float, where);
  }

 private:
  std::string path_, what_;
  long line_;
};

}  // namespace slackline::internal::program
