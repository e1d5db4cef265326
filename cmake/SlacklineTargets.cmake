# SPDX-License-Identifier: BSD-3-Clause
#
# Sources of a target are compiled in batches: most of the time of a compiler goes to headers and to
# templates, which the sources of a batch share. Names in unnamed namespaces therefore differ within
# a target. Sources with options of their own are compiled alone.
if(SLACKLINE_BATCH_SIZE GREATER 1)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${SLACKLINE_BATCH_SIZE})
endif()

set(SLACKLINE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND SLACKLINE_WARNINGS -Wno-subobject-linkage)  # is for headers, as which sources of a batch count
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND SLACKLINE_WARNINGS -Wno-restrict)  # false alarms for string concatenation (GCC bug 105651)
  else()
    list(APPEND SLACKLINE_WARNINGS -Wno-stringop-overflow)  # false alarms for std::fill and copies of vectors
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  list(APPEND SLACKLINE_WARNINGS -Wno-deprecated-declarations)  # std::stable_sort of libstdc++ 12
endif()
# Release builds optimise with CMake's -O3, except where that costs compile time and saves no run
# time (docs/notebook/build.md has the table).
set(SLACKLINE_O2 $<$<CONFIG:Release>:-O2>)
set(SLACKLINE_O1 $<$<CONFIG:Release>:-O1>)
if(SLACKLINE_BUILD_FUZZERS)
  include(SlacklineFuzzers)
endif()
if(SLACKLINE_SANITIZE)
  add_compile_options(-fsanitize=${SLACKLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(SLACKLINE_SANITIZE MATCHES "undefined" AND SLACKLINE_SANITIZE MATCHES "address")
    # These checks at every access would double the build time. Null pointers end the program
    # without them, too, and the address sanitizer finds accesses beyond an object.
    add_compile_options(-fno-sanitize=null,vptr,alignment,object-size)
  endif()
  add_link_options(-fsanitize=${SLACKLINE_SANITIZE})
  # Functions with several versions are resolved before the runtime of the sanitizers is ready.
  add_compile_definitions(SLACKLINE_NO_MULTIVERSION SLACKLINE_SANITIZED)
endif()

# slackline_add_library(name [regex]): the library of one folder, from all .cc files in the folder
# and its subfolders, except for files of the program (main.cc, cmd_*.cc), examples, and paths that
# match the regular expression.
function(slackline_add_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/(examples/.*|main\\.cc|cmd_[a-z_]*\\.cc)$")
  if(ARGC GREATER 1)
    list(FILTER sources EXCLUDE REGEX "${ARGV1}")
  endif()
  add_library(${name} STATIC ${sources})
  # A shared library exports only symbols with SLACKLINE_EXPORT.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${name} PUBLIC ${SLACKLINE_INCLUDE_DIR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE ${SLACKLINE_WARNINGS})
endfunction()

# slackline_add_test(name [ALL] [TARGETS target...] COMMAND argument...): a test that needs these
# targets. `./run test` runs it, but with ALL only `./run test --all` does (CONTRIBUTING.md says what
# belongs where). A test that cannot run here ends with exit code 77 and prints why.
function(slackline_add_test name)
  cmake_parse_arguments(test ALL "" "TARGETS;COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${test_COMMAND})
  set(labels "")
  foreach(target ${test_TARGETS})
    list(APPEND labels target:${target})
  endforeach()
  if(test_ALL)
    list(APPEND labels all)
  endif()
  set(timeout 900)
  if(SLACKLINE_SANITIZE)
    set(timeout 2400)  # sanitizers are several times slower, and even slower without optimisation
  endif()
  # Spinning threads would take most of the time while other programs are running.
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
                       ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()
