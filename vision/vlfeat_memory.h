// SPDX-License-Identifier: BSD-3-Clause
//
// VLFeat does not check whether an allocation succeeded. Calls through these functions end with
// std::bad_alloc instead.
#pragma once

namespace slackline::internal {

/// Runs `call(argument)`. When an allocation of VLFeat fails, the call is left at once, everything
/// that VLFeat has allocated in it is freed, and std::bad_alloc is thrown. The call must hold no
/// object with a destructor and must not throw. Several threads may make such calls at once.
void CallVlFeat(void (*call)(const void* argument), const void* argument);

/// The same for a lambda.
template <class Call>
void CallVlFeat(const Call& call) {
  CallVlFeat([](const void* argument) { (*static_cast<const Call*>(argument))(); }, &call);
}

}  // namespace slackline::internal
