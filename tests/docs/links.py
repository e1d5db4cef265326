#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: links.py SOURCE_DIR

Checks the Markdown files of the repository without a generator: every relative link leads to a
file, every anchor to a heading of the file; every page of docs/ is reached from docs/index.md by
tables of contents; every mention of a document below docs/ in sources, scripts and documents names
an existing one.
"""
import os
import re
import subprocess
import sys

CODE_BLOCK = re.compile(r"^(```+|~~~+)(?!\{toctree\}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)
MENTION = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.md")
SOURCES = (".md", ".h", ".cc", ".py", ".sh", ".txt", ".cmake", ".in", "run")
# Folders outside the repository, for a tree without git.
NOT_OURS = ("build", "run-out", ".git")


def repository_files(root):
    try:
        listing = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                                 capture_output=True, check=True, text=True).stdout.splitlines()
        return [path for path in listing if os.path.exists(os.path.join(root, path))]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if not name.startswith(NOT_OURS)]
            found += [os.path.relpath(os.path.join(folder, file), root) for file in files]
        return found


def slug(heading):
    """The anchor that MyST and code hosts give a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


class Documents:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.texts = {}
        self.anchors = {}
        self.links = 0

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def headings(self, path):
        if path not in self.anchors:
            text = self.text(path)
            for included in INCLUDE.findall(text):
                text += "\n" + self.text(included)
            seen = set()
            for heading in HEADING.findall(CODE_BLOCK.sub("", text)):
                name, number = slug(heading), 1
                while name in seen:
                    name, number = f"{slug(heading)}-{number}", number + 1
                seen.add(name)
            self.anchors[path] = seen
        return self.anchors[path]

    def check_links(self, path):
        text = CODE.sub("", CODE_BLOCK.sub("", self.text(path)))
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            self.links += 1
            file, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(os.path.join(self.root, file)):
                self.faults.append(f"{path}: {target}: there is no {file}")
            elif anchor and file.endswith(".md") and anchor not in self.headings(file):
                self.faults.append(f"{path}: {target}: {file} has no such heading")

    def reach(self, path, pages, reached):
        """Follows tables of contents from a page of docs/."""
        if path in reached:
            return
        reached.add(path)
        for tree in TOCTREE.findall(self.text(path)):
            for entry in tree.split("\n"):
                entry = entry.strip()
                if not entry or entry.startswith(":"):
                    continue
                entry = re.sub(r"^.*<(.*)>$", r"\1", entry)
                wanted = os.path.normpath(os.path.join(os.path.dirname(path), entry)) + ".md"
                pattern = re.compile(re.escape(wanted).replace(r"\*", "[^/]*") + "$")
                found = [page for page in pages if pattern.match(page)]
                if not found and "*" not in entry:
                    self.faults.append(f"{path}: its table of contents has no page {wanted}")
                for page in found:
                    self.reach(page, pages, reached)


def main():
    root = sys.argv[1]
    files = repository_files(root)
    ours = [path for path in files if not path.startswith("third_party/")]
    documents = Documents(root)
    markdown = [path for path in ours if path.endswith(".md")]
    for path in markdown:
        documents.check_links(path)

    pages = [path for path in markdown if path.startswith("docs/")]
    reached = set()
    documents.reach("docs/index.md", pages, reached)
    for page in sorted(set(pages) - reached):
        documents.faults.append(f"{page}: no table of contents has it")

    mentions = 0
    for path in ours:
        if path.endswith(SOURCES):
            for mention in MENTION.findall(documents.text(path)):
                mentions += 1
                if not os.path.exists(os.path.join(root, mention)):
                    documents.faults.append(f"{path}: names {mention}, which there is not")

    print(f"{len(markdown)} documents, {documents.links} links, {len(pages)} pages of the site, "
          f"{mentions} mentions")
    if len(pages) < 10 or documents.links < 20 or mentions < 20:
        documents.faults.append(f"found hardly anything: is {root} the source folder?")
    print("\n".join(documents.faults))
    return 1 if documents.faults else 0


if __name__ == "__main__":
    sys.exit(main())
