# SPDX-License-Identifier: BSD-3-Clause
#
# Contents of `cmake --install`: public headers, one library, the program, a CMake package, a
# pkg-config file, the licence. Nothing in them names the source tree, the build tree or the prefix,
# so an installed tree can be moved.
include(CMakePackageConfigHelpers)

set(SLACKLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/slackline)

install(FILES ${SLACKLINE_PUBLIC_HEADERS} ${SLACKLINE_PUBLIC_INCLUDE_DIR}/slackline/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/slackline COMPONENT development)
install(TARGETS slackline_library EXPORT slacklineTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# The program.
if(SLACKLINE_BUILD_APPS)
  install(TARGETS slackline_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/cli/completion.bash RENAME slackline COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/apps/man/ COMPONENT program OPTIONAL
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
endif()

set(SLACKLINE_STATIC ON)
if(SLACKLINE_SHARED)
  set(SLACKLINE_STATIC OFF)
endif()

# find_package(slackline). Before 1.0, every minor version may change the interface.
install(EXPORT slacklineTargets NAMESPACE slackline:: DESTINATION ${SLACKLINE_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/slacklineConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/slacklineConfig.cmake
                              INSTALL_DESTINATION ${SLACKLINE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/slacklineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/slacklineConfig.cmake ${PROJECT_BINARY_DIR}/slacklineConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindGLPK.cmake
        DESTINATION ${SLACKLINE_CMAKE_DIR} COMPONENT development)

# pkg-config. Users of a static library also link the libraries that it needs.
set(needed_packages pugixml zlib)
set(needed_libraries "")
if(SLACKLINE_WITH_GLPK)
  list(APPEND needed_libraries -lglpk)  # GLPK has no .pc file
endif()
if(SLACKLINE_WITH_MPI)
  list(APPEND needed_libraries -lmpi)
endif()
if(SLACKLINE_WITH_OPENMP)
  # clang does not look for its own library in the folder that has it.
  foreach(library ${OpenMP_CXX_LIB_NAMES})
    get_filename_component(folder ${OpenMP_${library}_LIBRARY} DIRECTORY)
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND needed_libraries -L${folder})
    endif()
    list(APPEND needed_libraries -l${library})
  endforeach()
endif()
set(SLACKLINE_PC_REQUIRES "")
set(SLACKLINE_PC_LIBS -lslackline)
if(SLACKLINE_STATIC)
  list(APPEND SLACKLINE_PC_REQUIRES ${needed_packages})
  list(APPEND SLACKLINE_PC_LIBS ${needed_libraries})
endif()
list(JOIN SLACKLINE_PC_REQUIRES ", " SLACKLINE_PC_REQUIRES)
list(JOIN SLACKLINE_PC_LIBS " " SLACKLINE_PC_LIBS)
file(RELATIVE_PATH SLACKLINE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SLACKLINE_PC_TO_PREFIX ${SLACKLINE_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/slackline.pc.in ${PROJECT_BINARY_DIR}/slackline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/slackline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# The licences in each package.
set(folder_program slackline)
set(folder_development libslackline-dev)
foreach(component program development)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${folder_${component}} RENAME copyright)
endforeach()
if(SLACKLINE_BUILD_APPS)  # the program contains Chart.js
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/chart.js/LICENSE.md COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slackline RENAME chart.js-LICENSE.md)
endif()

# `cpack` (./run package): two Debian packages, and a tarball of each.
set(CPACK_PACKAGE_NAME slackline)
set(CPACK_PACKAGE_VENDOR "Slackline")
set(CPACK_PACKAGE_CONTACT "The authors of Slackline <slackline@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL development)
if(SLACKLINE_BUILD_APPS)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "The program slackline: trains structured support vector machines, with certificates.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers and library of Slackline, with a CMake package and a pkg-config file.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME slackline)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libslackline-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
if(SLACKLINE_SHARED)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "zlib1g-dev, libpugixml-dev")
  if(SLACKLINE_WITH_GLPK)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libglpk-dev")
  endif()
endif()
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # packages need neither tests nor examples
include(CPack)
