// SPDX-License-Identifier: BSD-3-Clause
//
// The text files that describe a collection of labelled images. Part of the program only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal::program {

/// One name a line; the number of a class is that of its line, from 0. Throws DataError: less than
/// 2 or more than 255 classes, an empty name, a name twice.
std::vector<std::string> ReadClassNames(const std::string& path);

/// Endings of file names, which lists leave out, in the order in which they are tried.
inline constexpr std::string_view kImageEndings[] = {".jpg", ".jpeg", ".png",
                                                     ".JPG", ".JPEG", ".PNG"};
inline constexpr std::string_view kLabelEndings[] = {".png", ".PNG"};

/// An image of a list, and the place of its name there.
struct ListedImage {
  std::string name;
  std::string list;
  long line = 0;
};

/// Appends the names of a list, one a line; blank lines are left out. Throws DataError: no names, a
/// name that is there already.
void ReadImageList(const std::string& path, std::vector<ListedImage>* images);

}  // namespace slackline::internal::program
