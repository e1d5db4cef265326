# SPDX-License-Identifier: BSD-3-Clause
"""The site: `./run docs` builds it. Pages are Markdown; warnings are errors."""

import glob
import importlib.util
import os
import re
import sys

import furo
from docutils.parsers.rst import Directive

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
    release = re.search(r"project\(slackline\s+VERSION\s+([0-9.]+)", file.read()).group(1)



def dark_variables():
    """The theme's colours of dark pages. Debian's build of its styles has lost the rule by which
    pages follow the system; as an option of the theme they are in such a rule."""
    with open(os.path.join(os.path.dirname(furo.__file__), "theme", "furo", "static", "styles",
                           "furo.css"), encoding="utf-8") as file:
        block = re.search(r'body\[data-theme="?dark"?\]\s*\{([^}]*)\}', file.read()).group(1)
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", block + ";"))


project = "Slackline"
author = "The Slackline authors"
version = release
html_title = f"Slackline {release}"

extensions = ["myst_parser"]
# The Python package, from its sources without the compiled part. It needs NumPy to be imported.
if importlib.util.find_spec("numpy"):
    sys.path.insert(0, os.path.join(ROOT, "python"))
    extensions += ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
    autodoc_mock_imports = ["slackline._core", "torch"]
    autodoc_member_order = "bysource"
    autodoc_typehints = "none"  # the docstrings have the types
    napoleon_google_docstring = False
    napoleon_use_rtype = False
exclude_patterns = ["_static"]
smartquotes = False  # -- begins an option
# Headings are targets of links: [text](page.md#the-heading).
myst_heading_anchors = 4

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["slackline.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "dark_css_variables": dark_variables()}
pygments_style = "default"
pygments_dark_style = "monokai"

# The public headers, as Doxygen reads them.
api_xml = os.environ.get("SLACKLINE_API_XML")
if api_xml:
    extensions.append("breathe")
    breathe_projects = {"slackline": api_xml}
    breathe_default_project = "slackline"
    breathe_show_include = False


class NoApi(Directive):
    """Stands in for `doxygenfile` where there is no Doxygen, and for `automodule` where there is no
    NumPy."""

    required_arguments = 1
    has_content = True

    def run(self):
        return []


# Documents outside of docs/ that are pages of the site: each is included by the page named here.
OUTSIDE = {
    "SECURITY.md": "reference/security.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "apps/examples/README.md": "reference/lessons.md",
    "data/README.md": "reference/data.md",
    "scripts/data/README.md": "notebook/data_sets.md",
}
for lesson in sorted(glob.glob(os.path.join(ROOT, "apps", "examples", "*.cc"))):
    name = os.path.splitext(os.path.basename(lesson))[0]
    OUTSIDE[f"apps/examples/{name}.cc"] = f"reference/lessons.md#{name}"
INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def rebase(text, source_folder, page_folder):
    """Links of a text from source_folder, for a page in page_folder (both below ROOT): documents
    that are pages are linked, other files of the repository are named only."""

    def one(match):
        words, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = os.path.normpath(os.path.join(source_folder, target))
        page = OUTSIDE.get(path, path[len("docs/"):] if path.startswith("docs/") else None)
        if page is not None:
            anchor = "" if "#" in page else anchor
            return f"[{words}]({os.path.relpath(os.path.join('docs', page), page_folder)}{anchor})"
        return words if os.path.exists(os.path.join(ROOT, path)) else match.group(0)

    return LINK.sub(one, text)


def read_page(app, docname, source):
    folder = os.path.join("docs", os.path.dirname(docname)).rstrip("/")

    def included(match):
        path = match.group(1)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = re.sub(r"\A<!--.*?-->\s*", "", file.read(), flags=re.DOTALL)
        app.env.note_dependency(os.path.join(ROOT, path))
        return rebase(text, os.path.dirname(path), folder)

    source[0] = INCLUDE.sub(included, rebase(source[0], folder, folder))


def setup(app):
    app.connect("source-read", read_page)
    if not api_xml:
        app.add_directive("doxygenfile", NoApi)
    if "sphinx.ext.autodoc" not in extensions:
        app.add_directive("automodule", NoApi)
