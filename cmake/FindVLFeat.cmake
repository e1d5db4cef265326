# SPDX-License-Identifier: BSD-3-Clause
#
# Defines the target VLFeat::VLFeat (BSD-2-Clause): VLFeat has no CMake configuration of its own.
find_path(VLFeat_INCLUDE_DIR vl/slic.h)
find_library(VLFeat_LIBRARY NAMES vl)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(VLFeat REQUIRED_VARS VLFeat_LIBRARY VLFeat_INCLUDE_DIR)
if(VLFeat_FOUND AND NOT TARGET VLFeat::VLFeat)
  add_library(VLFeat::VLFeat UNKNOWN IMPORTED)
  set_target_properties(VLFeat::VLFeat PROPERTIES IMPORTED_LOCATION ${VLFeat_LIBRARY}
                                                  INTERFACE_INCLUDE_DIRECTORIES ${VLFeat_INCLUDE_DIR})
endif()
mark_as_advanced(VLFeat_INCLUDE_DIR VLFeat_LIBRARY)
