// SPDX-License-Identifier: BSD-3-Clause
//
// What exceptions say.
#pragma once

#include <stdexcept>
#include <string>

#include <slackline/core/check.h>

namespace slackline::internal::test {

/// The message of the exception of type Error that `call` throws; "accepted" where it throws none.
template <class Error, class Call>
std::string MessageOf(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// That of a DataError in a file of this name, without the file's folder: "data.txt:3: message".
template <class Call>
std::string ErrorIn(const std::string& file, Call&& call) {
  const std::string message = MessageOf<DataError>(call);
  const std::size_t name = message.find(file);
  return name == std::string::npos ? message : message.substr(name);
}

/// That of a std::invalid_argument.
template <class Call>
std::string Refusal(Call&& call) {
  return MessageOf<std::invalid_argument>(call);
}

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace slackline::internal::test
