// SPDX-License-Identifier: BSD-3-Clause
//
// What exceptions say.
#pragma once

#include <stdexcept>
#include <string>

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

/// That of a std::invalid_argument.
template <class Call>
std::string Refusal(Call&& call) {
  return MessageOf<std::invalid_argument>(call);
}

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace slackline::internal::test
