#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: commands.py PROGRAM [--check]

Writes docs/reference/commands.md, the page with every command and every option, from the output of
--help-all; with --check only compares. Exit code 1 where the page is out of date, 77 (skipped)
where the program was built without images and so lacks their texts.
"""
import dataclasses
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
An option that several commands share stands once, and each of these commands links to it. Brackets
hold defaults; `-h` or `--help` prints the help of any command. [The command line](command_line.md)
explains exit codes. This page is made by `scripts/docs/commands.py build/apps/slackline`.
"""
# Sections of options that several tasks share, and the last words of the commands that share them.
SHARED = [
    ("Cross-validation options", {"cv", "potentials"}),
    ("Training options", {"train", "cv", "online", "potentials"}),
    ("Prediction options", {"predict", "evaluate", "prepare"}),
    ("Conversion options", {"convert"}),
    ("Common options", None),
]
LEARNERS = "slackline options"  # the command that lists the options of learners


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


@dataclasses.dataclass(frozen=True)
class Option:
    name: str  # with its values
    text: str
    default: str

    @property
    def flag(self):
        found = re.search(r"--[\w-]+", self.name)
        return found.group() if found else self.name

    @property
    def key(self):
        return self.name, self.text

    def line(self, note=""):
        default = f" [{escape(self.default)}]" if self.default else ""
        return f"- `{self.name}`: {self.text}{note}{default}"


def option(name, text):
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
    default = re.search(r" ?\[([^\[\]]*)\]$", text)
    if default:
        text = text[:default.start()]
    notes = [note for note in ("required" if required else "", needs) if note]
    text = escape(text) + (f" ({'; '.join(notes)})" if notes else "")
    return Option(name.replace(" REQUIRED", ""), text.strip(), default.group(1) if default else "")


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


@dataclasses.dataclass
class Command:
    name: str
    description: list
    usage: str
    sections: list  # (title, options or lines)
    subcommands: list

    @property
    def task(self):
        return " ".join(self.name.split()[:2])

    @property
    def action(self):
        return self.name.split()[-1]

    def options(self):
        return [entry for title, found in self.sections if title != "Positionals"
                for entry in found if isinstance(entry, Option)]


def read_commands(program, words):
    """The command and its subcommands."""
    text = help_text(program, words)
    if words == ["options"]:  # with the list that the command prints
        text = text.replace("Examples:", run(program, words).stdout + "\nExamples:", 1)
    description, usage, sections = split(text)
    read = Command(" ".join(["slackline", *words]), description, usage, [], [])
    for title, lines in sections:
        found = entries(lines)
        if title == "Subcommands":
            read.subcommands = [name for name, _ in found]
        elif title and found and not title.startswith("Example"):
            options = [option(*entry) for entry in found]
            read.sections.append((title, [one for one in options if one.name != "-h,--help"]))
        else:
            read.sections.append((title, lines))
    return [read] + [other for name in read.subcommands
                     for other in read_commands(program, [*words, name])]


class Sharing:
    """Which options several commands share, and the section that has them."""

    def __init__(self, commands):
        owners = {}  # of an option's key: the commands that have the option
        for command in commands:
            for one in command.options():
                owners.setdefault(one.key, []).append((command, one.default))
        self.section = {}  # of an option's key
        self.contents = {}  # of a section: pairs of an option and the commands that have it
        self.learner_flags = [one.flag for command in commands if command.name == LEARNERS
                              for one in command.options() if one.flag.startswith("--")]
        for key, found in owners.items():
            if len(found) > 1:
                sharing, defaults = zip(*found)
                self.section[key] = section = self.choose(sharing)
                default = defaults[-1] if section == LEARNERS else max(defaults, key=defaults.count)
                self.contents.setdefault(section, []).append((Option(*key, default), sharing))

    @staticmethod
    def choose(commands):
        tasks, actions = {one.task for one in commands}, {one.action for one in commands}
        if LEARNERS in tasks:
            return LEARNERS
        if len(tasks) == 1:
            return tasks.pop()
        return next(title for title, kinds in SHARED if kinds is None or actions <= kinds)

    def lines(self, section):
        """The options of a section. Options with the same name also name their commands."""
        found = self.contents.get(section, [])
        flags = [one.flag for one, _ in found]
        return [one.line(f" ({', '.join(dict.fromkeys(command.action for command in sharing))})"
                         if flags.count(one.flag) > 1 else "") for one, sharing in found]

    def mentions(self, command):
        """A line per section that has options of the command."""
        mine = {}
        for one in command.options():
            if one.key in self.section:
                mine.setdefault(self.section[one.key], {})[one.key] = one
        out = []
        for section, found in mine.items():
            defaults = {one.key: one.default for one, _ in self.contents[section]}
            names = [f"`{one.flag}`" + (f" [{escape(one.default) or 'no default'}]"
                                        if one.default != defaults[key] else "")
                     for key, one in found.items()]
            if section == LEARNERS and len(found) > len(self.learner_flags) / 2:
                flags = [one.flag for one in found.values()]
                names = ["all but " + ", ".join(f"`{flag}`" for flag in self.learner_flags
                                                if flag not in flags)]
            elif {key: one.default for key, one in found.items()} == defaults:
                names = ["all of them"]
            out.append(f"- {link(section)}: {', '.join(names)}")
        return out


def link(heading, text=""):
    return f"[{text or heading}](#{heading.lower().replace(' ', '-')})"


def example_lines(command):
    return {line.strip() for title, lines in command.sections if title.startswith("Example")
            for line in lines}


def text_block(title, lines):
    return [f"**{title}**", "", "```text",
            *textwrap.dedent("\n".join(lines)).strip("\n").split("\n"), "```", ""]


def command_lines(command, commands, sharing):
    """The section of a command. The section of a task has the options that only its commands share,
    and no examples that other commands have."""
    out = [f"## {command.name}", "", *description_lines(command.description)]
    if command.subcommands:
        links = (link(f"{command.name} {name}", name) for name in command.subcommands)
        out += [*textwrap.wrap(f"Commands: {', '.join(links)}.", 100, break_on_hyphens=False), ""]
    else:
        out += [f"Usage: `{command.usage}`", ""]
    notes = []
    for title, found in command.sections:
        if not found or title.startswith("Example"):
            pass
        elif not title:
            notes += [line.replace(LEARNERS, link(LEARNERS)) for line in description_lines(found)]
        elif isinstance(found[0], str):
            notes += text_block(title, found)
        else:
            own = [one.line() for one in found if one.key not in sharing.section
                   or title == "Positionals" or command.name == LEARNERS]
            heading = [] if title == "Positionals" else [f"**{title}**", ""]
            out += [*heading, *own, ""] if own else []
    if command.subcommands and command.name in sharing.contents:
        out += ["**Options of several of these commands**", "", *sharing.lines(command.name), ""]
    if command.name != LEARNERS and sharing.mentions(command):
        out += ["**Shared options**", "", *sharing.mentions(command), ""]
    out += notes
    others = set().union(*[example_lines(one) for one in commands if one is not command and
                           (not one.subcommands or one is commands[0])])
    for title, found in command.sections:
        if title.startswith("Example") and not (command.subcommands and
                                                example_lines(command) <= others):
            out += text_block(title, found)
    return out


def page_lines(commands):
    sharing = Sharing(commands)
    out = [HEAD]
    for command in commands:
        out += command_lines(command, commands, sharing)
    for title, _ in SHARED:
        out += [f"## {title}", "", *sharing.lines(title), ""]
    return out


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    train = subprocess.run([program, "segment", "train", "--help"], capture_output=True, text=True,
                           check=False)
    if train.returncode != 0:
        print("skipped: this program has no images")
        sys.exit(77)
    page = "\n".join(page_lines(read_commands(program, []))).rstrip() + "\n"
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
    print(f"{page.count(chr(10) + '## slackline')} commands, "
          f"{page.count(chr(10) + '- `-')} options")


if __name__ == "__main__":
    main()
