# SPDX-License-Identifier: BSD-3-Clause
#
# Precompiled headers: these headers take a quarter of the compile time of most files. Every file
# still includes the headers that it needs. Off with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
set(SLACKLINE_PRECOMPILED <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <filesystem> <functional>
    <limits> <map> <memory> <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <utility> <variant>
    <vector>)

set(SLACKLINE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND SLACKLINE_WARNINGS -Wno-restrict)  # false alarms for string concatenation (GCC bug 105651)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    list(APPEND SLACKLINE_WARNINGS -Wno-array-bounds -Wno-stringop-overflow)  # false alarms with precompiled headers
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (SLACKLINE_BATCH_SIZE GREATER 1 OR SLACKLINE_TEST_BATCH_SIZE GREATER 1))
  list(APPEND SLACKLINE_WARNINGS -Wno-subobject-linkage)  # is for headers, as which sources of a batch count
endif()
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

# slackline_in_batches(target): compiles the sources of this target in batches of at most
# SLACKLINE_BATCH_SIZE (scripts/tidy/batches.py), except for sources with options of their own. To be
# called in the folder of the target, which may still get sources afterwards.
function(slackline_in_batches target)
  if(SLACKLINE_BATCH_SIZE GREATER 1)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL slackline_make_batches ${target})")
  endif()
endfunction()

function(slackline_make_batches target)
  get_target_property(sources ${target} SOURCES)
  set(single "")
  set(together "")
  foreach(source ${sources})
    get_filename_component(source ${source} ABSOLUTE)
    set(own OFF)
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES SKIP_PRECOMPILE_HEADERS GENERATED
             SKIP_UNITY_BUILD_INCLUSION)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(own ON)
      endif()
    endforeach()
    if(own)
      list(APPEND single ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/tidy/batches.py ${PROJECT_BINARY_DIR}/batches/${target}
                          ${SLACKLINE_BATCH_SIZE} ${together}
                  OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(${target} PROPERTIES SOURCES "${single};${batches}")
endfunction()

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
  target_precompile_headers(${name} PRIVATE ${SLACKLINE_PRECOMPILED})
  slackline_in_batches(${name})
endfunction()
