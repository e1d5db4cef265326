// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for the script of the theme, which Debian ships as a module, but loads as a plain
// script: the switch between light and dark. Without a choice pages follow the system.
"use strict";

function systemIsDark() {
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function nextTheme() {
  const theme = document.body.dataset.theme || "auto";
  const order = systemIsDark() ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
  document.body.dataset.theme = order[(order.indexOf(theme) + 1) % order.length];
  try {
    localStorage.setItem("theme", document.body.dataset.theme);
  } catch (error) {
    // A browser may keep nothing for files; the choice then holds for this page.
  }
}

document.documentElement.classList.remove("no-js");
for (const button of document.querySelectorAll(".theme-toggle")) {
  button.addEventListener("click", nextTheme);
}
