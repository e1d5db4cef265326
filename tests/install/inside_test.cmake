# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCXX=… -DCXX_FLAGS=… -DMPI=ON|OFF -P inside_test.cmake
# Builds the library as a part of another project, and a program with it: by add_subdirectory as a
# static library, and by FetchContent as a shared one, from the same objects. Nearly all objects are
# those of the build that is tested (reuse_object.sh).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)
include(ProcessorCount)
ProcessorCount(jobs)
set(work ${BUILD_DIR}/install_inside_test)
set(ENV{SLACKLINE_SOURCE} ${SOURCE_DIR})
set(ENV{SLACKLINE_BUILD} ${BUILD_DIR})
file(REMOVE_RECURSE ${work})

function(build_lesson)
  run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/outside_project -B ${work} -DCMAKE_BUILD_TYPE=Debug
      -DSLACKLINE_SOURCE=${SOURCE_DIR} -DPROGRAM=${LESSON}.cc -DSLACKLINE_WITH_VISION=OFF -DSLACKLINE_WITH_MPI=${MPI}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_CXX_FLAGS_DEBUG=-O0
      -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON
      -DCMAKE_CXX_COMPILER_LAUNCHER=${SOURCE_DIR}/tests/install/reuse_object.sh ${ARGV})
  run(${CMAKE_COMMAND} --build ${work} --target outside -j ${jobs})
  check_lesson(${work}/outside)
endfunction()

build_lesson(-DWAY=add_subdirectory -DSLACKLINE_SHARED=OFF)
build_lesson(-DWAY=FetchContent -DSLACKLINE_SHARED=ON)

# The shared library exports the public interface, and nothing internal.
find_program(NM nm REQUIRED)
run(${NM} -D --defined-only -C ${work}/slackline/libslackline.so)
if(NOT output MATCHES "slackline::v1::Train")
  message(FATAL_ERROR "the shared library does not show Train")
endif()
string(REGEX MATCH "[^\n]* [TDBVR] [^\n]*slackline::internal::[^\n]*" hidden "${output}")
if(hidden)
  message(FATAL_ERROR "the shared library shows ${hidden}")
endif()
file(REMOVE_RECURSE ${work})
