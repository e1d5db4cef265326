#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: commands.py PROGRAM [--check]

Writes docs/reference/commands.md, the page with every command and every option, from the output of
--help-all; with --check only compares. Exit code 1 where the page is out of date, 77 (skipped)
where the program was built without images and so lacks their texts.
"""
import os
import re
import subprocess
import sys
import textwrap

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "reference",
                    "commands.md")
COLUMN = 34  # where the texts of options begin
HEAD = """\
# Commands

Every command and every option, from the help texts of the program (`slackline COMMAND --help-all`).
[The command line](command_line.md) explains exit codes and the options that all training commands
share. This page is made by `scripts/docs/commands.py build/apps/slackline`.
"""


def run(program, words):
    """The result of a command. The environment must change neither defaults nor widths."""
    return subprocess.run([program, *words], capture_output=True, text=True, check=False,
                          env={"LC_ALL": "C.UTF-8"})


def help_text(program, words):
    """The help text of a command, with all options where the command has --help-all."""
    for option in ("--help-all", "--help"):
        result = run(program, [*words, option])
        if result.returncode == 0:
            return result.stdout
    raise SystemExit(f"slackline {' '.join(words)}: {result.stderr}")


def split(text):
    """The lines before the usage, the usage, and the sections: (title, lines). Text between
    sections has no title."""
    description, usage, sections = [], "", []
    for line in text.rstrip().split("\n"):
        if line.startswith("Usage: "):
            usage = line[len("Usage: "):]
        elif usage and re.match(r"[A-Z][A-Za-z ,]*:$", line):
            sections.append((line[:-1], []))
        elif sections and re.match(r"\S", line) and sections[-1][0]:
            sections.append(("", [line]))
        elif sections:
            sections[-1][1].append(line)
        else:
            description.append(line)
    return description, usage, sections


def escape(text):
    return re.sub(r"([\\*_<>\[\]|#])", r"\\\1", text)


def entries(lines):
    """Pairs of an option (or a subcommand) and its text, which may continue in indented lines."""
    found = []
    for line in lines:
        if re.match(r"  \S", line):
            parts = re.split(r" {2,}", line.strip(), maxsplit=1)
            # Behind a name that fills its column there is one blank.
            if len(parts) == 1 and len(line) > COLUMN and line[COLUMN - 1] == " " and \
                    not re.search("Needs:|Excludes:", line):
                parts = [line[:COLUMN].strip(), line[COLUMN:].strip()]
            elif behind := re.fullmatch(r"(.*(?:Needs|Excludes):(?: --[\w-]+)+) (?!--|Needs:|Excludes:)(.+)", parts[0]):
                parts = behind.groups()
            found.append([parts[0], parts[1] if len(parts) > 1 else ""])
        elif found and line.strip():
            found[-1][1] += " " + line.strip()
    return [(name, text.strip()) for name, text in found]


def option_row(name, text):
    """A row of the table of options: option, meaning, default."""
    needs = ""
    match = re.match(r"(.*?) (?=(?:Needs|Excludes): )(.*)$", name)
    if match:
        name = match.group(1)
        needs = "; ".join(
            f"{'needs' if word == 'Needs' else 'not with'} " +
            ", ".join(f"`{other}`" for other in others.split())
            for word, others in re.findall(r"(Needs|Excludes): ([^:]*?)(?= Needs:| Excludes:|$)",
                                           match.group(2)))
    required = " REQUIRED" in name
    name = name.replace(" REQUIRED", "")
    default = re.search(r" ?\[([^\[\]]*)\]$", text)
    if default:
        text = text[:default.start()]
    notes = [note for note in ("required" if required else "", needs) if note]
    text = escape(text) + (f" ({'; '.join(notes)})" if notes else "")
    name = name.replace("|", r" \| ")  # allows a line break
    return f"| `{name}` | {text.strip()} | {escape(default.group(1)) if default else ''} |"


def description_lines(lines):
    """The lines joined into paragraphs, except for columns and indented lines."""
    text = "\n".join(lines).strip()
    if not text:
        return []
    if re.search(r"^ |\S {2,}\S", text, re.MULTILINE):
        first, _, rest = text.partition("\n")
        block = ["```text", *rest.strip("\n").split("\n"), "```", ""] if rest else []
        return [escape(first), "", *block]
    out = []
    for paragraph in text.split("\n\n"):
        out += [*textwrap.wrap(escape(" ".join(paragraph.split())), 100), ""]
    return out


def slug(words):
    return "-".join(["slackline", *words])


def command(program, words, out):
    text = help_text(program, words)
    if words == ["options"]:  # with the list that the command prints
        text = text.replace("Examples:", run(program, words).stdout + "\nExamples:", 1)
    description, usage, sections = split(text)
    out += [f"## slackline {' '.join(words)}".rstrip(), "", *description_lines(description),
            "```text", usage, "```", ""]
    subcommands = []
    for title, lines in sections:
        if title == "Subcommands":
            subcommands = [name for name, _ in entries(lines)]
            out += [f"- [`slackline {' '.join([*words, name])}`](#{slug([*words, name])})"
                    for name in subcommands] + [""]
        elif not title:
            out += description_lines(lines)
        elif title.startswith("Example") or not entries(lines):
            out += [f"**{title}**", "", "```text", *textwrap.dedent("\n".join(lines)).strip("\n")
                    .split("\n"), "```", ""]
        else:
            out += [f"**{title}**", "", "| option | meaning | default |", "|---|---|---|"]
            out += [option_row(*entry) for entry in entries(lines)] + [""]
    for name in subcommands:
        command(program, [*words, name], out)


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    train = subprocess.run([program, "segment", "train", "--help"], capture_output=True, text=True,
                           check=False)
    if train.returncode != 0:
        print("skipped: this program has no images")
        sys.exit(77)
    out = [HEAD]
    command(program, [], out)
    page = "\n".join(out).rstrip() + "\n"
    if not check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    if old != page:
        new_lines, old_lines = set(page.split("\n")), set(old.split("\n"))
        for line in sorted(new_lines - old_lines):
            print(f"the program says: {line}")
        for line in sorted(old_lines - new_lines):
            print(f"the page says:    {line}")
        raise SystemExit("docs/reference/commands.md is out of date: "
                         "scripts/docs/commands.py build/apps/slackline makes it anew")
    print(f"{page.count(chr(10) + '## ')} commands, {page.count(chr(10) + '| `')} options")


if __name__ == "__main__":
    main()
