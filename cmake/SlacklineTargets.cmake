# SPDX-License-Identifier: BSD-3-Clause
#
# slackline_add_library(name): the library of one folder, from all .cc files that lie directly in it.

set(SLACKLINE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND SLACKLINE_WARNINGS -Wno-restrict)  # false alarms for string concatenation (GCC bug 105651)
endif()
if(SLACKLINE_SANITIZE)
  add_compile_options(-fsanitize=${SLACKLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLACKLINE_SANITIZE})
  # Functions with several versions are resolved before the sanitizers' runtime is ready.
  add_compile_definitions(SLACKLINE_NO_MULTIVERSION SLACKLINE_SANITIZED)
endif()

function(slackline_add_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/(main|cmd_[a-z_]*)\\.cc$")
  add_library(${name} ${sources})
  string(REPLACE "slackline_" "" export_name ${name})
  add_library(slackline::${export_name} ALIAS ${name})
  # Before 1.0, every minor version may change the interface.
  set_target_properties(${name} PROPERTIES
    EXPORT_NAME ${export_name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${SLACKLINE_INCLUDE_DIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE ${SLACKLINE_WARNINGS})
endfunction()
