# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSOURCE_DIR=… -DBUILD_DIR=… -DCONFIG=… -DCXX=… -DCXX_FLAGS=… -DLIBDIR=… -DPROGRAM=… -P
# install_test.cmake
# Installs the build, moves the installed tree elsewhere, and builds an outside project against it:
# once through find_package, once through pkg-config.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/run_command.cmake)
set(work ${BUILD_DIR}/install_test)
set(prefix ${work}/moved)
set(outside ${SOURCE_DIR}/tests/install/outside_project)

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/first --config "${CONFIG}")
file(RENAME ${work}/first ${prefix})

# The installed files: of sources headers only, and no file that contains a path of the source or
# build tree.
file(GLOB_RECURSE files RELATIVE ${prefix} ${prefix}/*)
foreach(wanted include/slackline/slackline.h include/slackline/predictors.h include/slackline/version.h
               share/doc/slackline/copyright share/doc/libslackline-dev/copyright ${LIBDIR}/pkgconfig/slackline.pc
               ${LIBDIR}/cmake/slackline/slacklineConfig.cmake)
  if(NOT wanted IN_LIST files)
    message(FATAL_ERROR "${wanted} was not installed")
  endif()
endforeach()
foreach(file ${files})
  if((file MATCHES "^include/" AND NOT file MATCHES "^include/slackline/[a-z_]+\\.h$") OR file MATCHES "_impl\\.h$")
    message(FATAL_ERROR "${file} has no place among the headers")
  endif()
  if(file MATCHES "\\.(cmake|pc|h)$")
    file(READ ${prefix}/${file} text)
    foreach(path ${SOURCE_DIR} ${BUILD_DIR})
      string(FIND "${text}" "${path}" place)
      if(NOT place EQUAL -1)
        message(FATAL_ERROR "${file} names ${path}")
      endif()
    endforeach()
  endif()
endforeach()
if(PROGRAM)
  run(${prefix}/bin/slackline --help)
  foreach(wanted share/man/man1/slackline-multilabel-train.1 share/bash-completion/completions/slackline)
    if(NOT wanted IN_LIST files)
      message(FATAL_ERROR "${wanted} was not installed")
    endif()
  endforeach()
endif()

# Through find_package.
run(${CMAKE_COMMAND} -S ${outside} -B ${work}/outside -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DWAY=find_package -DPROGRAM=${LESSON}.cc -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${work}/outside)
check_lesson(${work}/outside/outside)

# Another minor version has another interface.
file(WRITE ${work}/newer/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(newer LANGUAGES CXX)\n"
     "find_package(slackline 0.2 CONFIG REQUIRED)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work}/newer -B ${work}/newer/build -DCMAKE_PREFIX_PATH=${prefix}
                        -DCMAKE_CXX_COMPILER=${CXX}
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "version 0.1 was found where 0.2 was asked for")
endif()

# Through pkg-config.
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --cflags --libs slackline)
separate_arguments(flags UNIX_COMMAND "${CXX_FLAGS}")
separate_arguments(package_flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${flags} ${LESSON}.cc -o ${work}/plain ${package_flags} -Wl,-rpath,${prefix}/${LIBDIR})
check_lesson(${work}/plain)
file(REMOVE_RECURSE ${work})
