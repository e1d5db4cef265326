// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/vlfeat_memory.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <thread>

extern "C" {
#include <vl/generic.h>
}

using namespace slackline::internal;

namespace {

constexpr std::size_t kTooMuch = std::numeric_limits<std::ptrdiff_t>::max() / 2;

}  // namespace

#ifndef SLACKLINE_SANITIZED  // sanitizers end the process where malloc would return null
TEST_CASE("failed allocations end a call of VLFeat, for every allocation function") {
  bool went_on = false;
  CHECK_THROWS_AS(CallVlFeat([&] {
                    static_cast<void>(vl_malloc(100));
                    static_cast<void>(vl_malloc(kTooMuch));
                    went_on = true;
                  }),
                  std::bad_alloc);
  CHECK_THROWS_AS(CallVlFeat([&] {
                    static_cast<void>(vl_calloc(kTooMuch / 8, 8));
                    went_on = true;
                  }),
                  std::bad_alloc);
  CHECK_THROWS_AS(CallVlFeat([&] {
                    static_cast<void>(vl_realloc(vl_malloc(100), kTooMuch));
                    went_on = true;
                  }),
                  std::bad_alloc);
  CHECK_FALSE(went_on);
}
#endif

TEST_CASE("memory of VLFeat is kept, moved and freed on request") {
  char* text = nullptr;
  CallVlFeat([&] {
    void* other = vl_malloc(10);
    text = static_cast<char*>(vl_calloc(4, 4));
    vl_free(other);
    std::strcpy(text, "kept");
  });
  CallVlFeat([&] { text = static_cast<char*>(vl_realloc(text, 100000)); });
  CHECK(std::strcmp(text, "kept") == 0);
  vl_free(text);
}

#ifndef SLACKLINE_SANITIZED
TEST_CASE("nested and concurrent calls end independently") {
  bool outer_went_on = false;
  CallVlFeat([&] {
    bool caught = false;
    try {
      CallVlFeat([] { static_cast<void>(vl_malloc(kTooMuch)); });
    } catch (const std::bad_alloc&) {
      caught = true;
    }
    outer_went_on = caught;
  });
  CHECK(outer_went_on);
  bool thrown = false;
  std::thread other([&] {
    try {
      CallVlFeat([] { static_cast<void>(vl_malloc(kTooMuch)); });
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
  });
  other.join();
  CHECK(thrown);
}
#endif
