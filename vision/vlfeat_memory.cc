// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/vlfeat_memory.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
#include <vl/generic.h>
}

// An exception need not pass through C code, so VLFeat is left by longjmp. The jump skips only
// functions of VLFeat and the call; they hold no objects with destructors, and VLFeat holds only
// blocks of memory.

namespace slackline::internal {
namespace {

/// A call in progress in this thread, and the blocks that VLFeat has allocated in it. The list has
/// more room than VLFeat needs; any further block would leak when memory runs out.
struct Frame {
  jmp_buf escape;
  std::array<void*, 64> blocks;
  std::size_t num_blocks = 0;
};

thread_local Frame* frame_of_thread = nullptr;

void ForgetBlock(void* block) {
  Frame* frame = frame_of_thread;
  if (frame == nullptr) return;
  void** end = frame->blocks.data() + frame->num_blocks;
  void** found = std::find(frame->blocks.data(), end, block);
  if (found == end) return;
  *found = *(end - 1);
  --frame->num_blocks;
}

/// Records the block; leaves the call when the allocation failed.
void* RecordBlock(void* block, std::size_t bytes) {
  Frame* frame = frame_of_thread;
  if (frame == nullptr) return block;
  if (block == nullptr && bytes > 0) longjmp(frame->escape, 1);
  if (block != nullptr && frame->num_blocks < frame->blocks.size()) {
    frame->blocks[frame->num_blocks++] = block;
  }
  return block;
}

extern "C" {

static void* VlMalloc(std::size_t bytes) { return RecordBlock(std::malloc(bytes), bytes); }

static void* VlCalloc(std::size_t count, std::size_t size) {
  return RecordBlock(std::calloc(count, size), count == 0 ? 0 : size);
}

static void VlFree(void* block) {
  ForgetBlock(block);
  std::free(block);
}

static void* VlRealloc(void* block, std::size_t bytes) {
  ForgetBlock(block);
  void* moved = std::realloc(block, bytes);
  if (moved == nullptr && bytes > 0)
    RecordBlock(block, 0);  // a failed realloc leaves the block unchanged
  return RecordBlock(moved, bytes);
}
}

/// Runs the call; returns false if it was left for lack of memory.
bool TryCall(Frame* frame, void (*call)(const void*), const void* argument) {
  if (setjmp(frame->escape) != 0) return false;
  call(argument);
  return true;
}

}  // namespace

void CallVlFeat(void (*call)(const void* argument), const void* argument) {
  static const bool installed = [] {
    vl_set_alloc_func(VlMalloc, VlRealloc, VlCalloc, VlFree);
    return true;
  }();
  static_cast<void>(installed);
  Frame frame;
  Frame* const before = frame_of_thread;
  frame_of_thread = &frame;
  const bool done = TryCall(&frame, call, argument);
  frame_of_thread = before;
  if (done) return;
  for (std::size_t k = 0; k < frame.num_blocks; ++k) std::free(frame.blocks[k]);
  throw std::bad_alloc();
}

}  // namespace slackline::internal
