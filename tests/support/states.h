// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads the state of one object by its description (learning/state_archive.h).
#pragma once

#include <slackline/learning/state_archive.h>

namespace slackline::internal::test {

/// more: what Archive of the object wants before the archive.
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
