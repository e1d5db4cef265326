// SPDX-License-Identifier: BSD-3-Clause
//
// Saves and loads the state of one object by its Archive function (learning/state_archive.h).
#pragma once

#include <slackline/learning/state_archive.h>

namespace slackline::internal::test {

/// more: the arguments that the object's Archive takes before the archive.
template <class Object, class... More>
void SaveState(Object& object, StateWriter* writer, const More&... more) {
  StateArchive archive(writer);
  object.Archive(more..., &archive);
}

template <class Object, class... More>
void LoadState(Object& object, StateReader* reader, const More&... more) {
  StateArchive archive(reader);
  object.Archive(more..., &archive);
}

}  // namespace slackline::internal::test
