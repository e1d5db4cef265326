# SPDX-License-Identifier: BSD-3-Clause
#
# Compiles everything for libFuzzer: with coverage counters, and with the sanitizers that turn
# undefined behaviour into failures.
include(CheckCXXSourceCompiles)
set(needed "SLACKLINE_BUILD_FUZZERS needs clang with libFuzzer (Debian: clang and libclang-rt-14-dev;
  cmake -DCMAKE_CXX_COMPILER=clang++)")
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "${needed}; the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer,address,undefined)
check_cxx_source_compiles("#include <cstddef>
#include <cstdint>
extern \"C\" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return 0; }" SLACKLINE_HAS_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT SLACKLINE_HAS_LIBFUZZER)
  message(FATAL_ERROR "${needed}; this one has no libFuzzer")
endif()
if(NOT SLACKLINE_SANITIZE)
  set(SLACKLINE_SANITIZE address,undefined)
endif()
add_compile_options(-fsanitize=fuzzer-no-link)
