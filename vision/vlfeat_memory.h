// SPDX-License-Identifier: BSD-3-Clause
//
// VLFeat uses the memory that it asks for without a look at whether it was given any. Here its
// calls end with std::bad_alloc instead.
#pragma once

namespace slackline::internal {

/// Runs `call(argument)`. When VLFeat gets no memory in it, the call is left at once, all that
/// VLFeat has allocated in it is freed, and std::bad_alloc is thrown. The call must hold no object
/// with a destructor, and must not throw. Several threads may do this at a time.
void CallVlFeat(void (*call)(const void* argument), const void* argument);

/// The same for a lambda.
template <class Call>
void CallVlFeat(const Call& call) {
  CallVlFeat([](const void* argument) { (*static_cast<const Call*>(argument))(); }, &call);
}

}  // namespace slackline::internal
