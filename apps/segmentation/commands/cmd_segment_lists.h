// SPDX-License-Identifier: BSD-3-Clause
//
// The text files that describe a collection of labelled images. Part of the program only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal::program {

/// Reads one name per line; the number of a class is that of its line, from 0. Throws DataError on
/// fewer than 2 or more than 255 classes, an empty name, and a repeated name.
std::vector<std::string> ReadClassNames(const std::string& path);

/// Extensions of file names, which lists omit, in the order in which they are tried.
inline constexpr std::string_view kImageEndings[] = {".jpg", ".jpeg", ".png",
                                                     ".JPG", ".JPEG", ".PNG"};
inline constexpr std::string_view kLabelEndings[] = {".png", ".PNG"};

/// An image of a list, and the file and line of its name.
struct ListedImage {
  std::string name;
  std::string list;
  long line = 0;
};

/// Appends the names of a list, one per line; blank lines are ignored. Throws DataError on a list
/// without names and on repeated names.
void ReadImageList(const std::string& path, std::vector<ListedImage>* images);

}  // namespace slackline::internal::program
