# SPDX-License-Identifier: BSD-3-Clause
#
# What `cmake --install` gives: public headers, one library, program, CMake package, pkg-config file,
# licence. Nothing in it names the source tree, the build tree or the prefix, so that an installed
# tree can be moved.
include(CMakePackageConfigHelpers)

set(SLACKLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/slackline)

install(FILES ${SLACKLINE_PUBLIC_HEADERS} ${SLACKLINE_PUBLIC_INCLUDE_DIR}/slackline/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/slackline)
install(TARGETS slackline_library EXPORT slacklineTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The program.
if(SLACKLINE_BUILD_APPS)
  install(TARGETS slackline_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(SLACKLINE_STATIC ON)
if(SLACKLINE_SHARED)
  set(SLACKLINE_STATIC OFF)
endif()

# find_package(slackline). Before 1.0, every minor version may change the interface.
install(EXPORT slacklineTargets NAMESPACE slackline:: DESTINATION ${SLACKLINE_CMAKE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/slacklineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/slacklineConfig.cmake
                              INSTALL_DESTINATION ${SLACKLINE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/slacklineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/slacklineConfig.cmake ${PROJECT_BINARY_DIR}/slacklineConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindGLPK.cmake
        DESTINATION ${SLACKLINE_CMAKE_DIR})

# pkg-config. What a static library needs, its user needs.
set(needed_packages pugixml zlib)
set(needed_libraries "")
if(SLACKLINE_WITH_GLPK)
  list(APPEND needed_libraries glpk)  # comes without a .pc file
endif()
if(SLACKLINE_WITH_OPENMP)
  list(APPEND needed_libraries ${OpenMP_CXX_LIB_NAMES})
endif()
set(SLACKLINE_PC_REQUIRES "")
set(SLACKLINE_PC_LIBS slackline)
if(SLACKLINE_STATIC)
  list(APPEND SLACKLINE_PC_REQUIRES ${needed_packages})
  list(APPEND SLACKLINE_PC_LIBS ${needed_libraries})
endif()
list(JOIN SLACKLINE_PC_REQUIRES ", " SLACKLINE_PC_REQUIRES)
list(TRANSFORM SLACKLINE_PC_LIBS PREPEND -l)
list(JOIN SLACKLINE_PC_LIBS " " SLACKLINE_PC_LIBS)
file(RELATIVE_PATH SLACKLINE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SLACKLINE_PC_TO_PREFIX ${SLACKLINE_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/slackline.pc.in ${PROJECT_BINARY_DIR}/slackline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/slackline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slackline)
if(SLACKLINE_BUILD_APPS)  # Chart.js is in the program
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/chart.js/LICENSE.md
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slackline RENAME chart.js-LICENSE.md)
endif()
