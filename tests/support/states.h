// SPDX-License-Identifier: BSD-3-Clause
//
// Saves and loads the states of learners and of other objects by their Archive functions
// (learning/state_archive.h).
#pragma once

#include <string>
#include <string_view>

#include <slackline/learning/state_archive.h>
#include <slackline/learning/train_loop.h>

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

template <class Object, class... More>
std::string StateOf(Object& object, const More&... more) {
  StateWriter writer;
  SaveState(object, &writer, more...);
  return writer.bytes();
}

/// Loads a state that must have nothing behind that of the object.
template <class Object, class... More>
void LoadAll(std::string_view state, Object& object, const More&... more) {
  StateReader reader(state);
  LoadState(object, &reader, more...);
  reader.Finish();
}

/// The plan of a run that begins with a state, which must live as long.
inline CheckpointPlan ContinuedFrom(std::string_view state) {
  CheckpointPlan plan;
  plan.resume = state;
  return plan;
}

}  // namespace slackline::internal::test
