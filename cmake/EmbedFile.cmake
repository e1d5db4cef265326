# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DINPUT=FILE -DOUTPUT=FILE.cc -DFUNCTION=Name -P EmbedFile.cmake
# Writes a source file that defines `std::string_view slackline::internal::program::Name()`,
# which apps/report/cmd_report_assets.h declares: the bytes of INPUT.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
       "${bytes}")
file(WRITE ${OUTPUT} "// Made from ${FUNCTION}'s file by EmbedFile.cmake.
#include <slackline/apps/report/cmd_report_assets.h>

namespace slackline::internal::program {
namespace {
constexpr unsigned char kBytes[] = {
${bytes}
};
}  // namespace

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }

}  // namespace slackline::internal::program
")
