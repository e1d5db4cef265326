# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by the checks of this folder, in the top-level folder of the sources: prints all files
# written for this project, one per line, without build folders and third_party.
source_files() {
  find CMakeLists.txt run .ci cmake core vision factors inference learning api apps tests bench -type f \
    \( -name '*.h' -o -name '*.cc' -o -name '*.cmake' -o -name '*.in' -o -name 'CMakeLists.txt' \
    -o -name '*.sh' -o -name 'run' \) | LC_ALL=C sort
}
