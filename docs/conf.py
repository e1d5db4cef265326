# SPDX-License-Identifier: BSD-3-Clause
"""The site: `./run docs` builds it. Pages are Markdown; warnings are errors."""

import os
import re

from docutils.parsers.rst import Directive

with open(os.path.join(os.path.dirname(__file__), "..", "CMakeLists.txt"), encoding="utf-8") as file:
    release = re.search(r"project\(slackline\s+VERSION\s+([0-9.]+)", file.read()).group(1)

project = "Slackline"
author = "The Slackline authors"
version = release
html_title = f"Slackline {release}"

extensions = ["myst_parser"]
exclude_patterns = ["_static"]
myst_enable_extensions = ["deflist", "colon_fence"]
# Headings are targets of links: [text](page.md#the-heading).
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

# The public headers, as Doxygen reads them. Without it (a build of the Markdown part alone) the
# pages of reference/api have their introductions only.
api_xml = os.environ.get("SLACKLINE_API_XML")
if api_xml:
    extensions.append("breathe")
    breathe_projects = {"slackline": api_xml}
    breathe_default_project = "slackline"
    breathe_show_include = False


class NoApi(Directive):
    """Stands in for `doxygenfile` where there is no Doxygen."""

    required_arguments = 1
    has_content = True

    def run(self):
        return []


def setup(app):
    if not api_xml:
        app.add_directive("doxygenfile", NoApi)

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["slackline.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_button": None}
pygments_style = "default"
pygments_dark_style = "monokai"
