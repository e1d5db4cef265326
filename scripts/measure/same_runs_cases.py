# SPDX-License-Identifier: BSD-3-Clause
"""What same_runs.py runs: scenarios, each a list of commands in a folder of their own that has the
inputs (same_runs_inputs.py). A command is `[exit code: ]arguments[ < input]`.

The lists of same_runs/*.txt begin with a line [NAME]; a backslash continues a line.
"""
import pathlib
import re

from same_runs_inputs import BAD

MEASURE = pathlib.Path(__file__).resolve().parent
COMMANDS = MEASURE.parents[1] / "docs/reference/commands.md"
LABELS = "multilabel train m.svm --num-labels 6"
LABEL_SCORES = "multilabel predict m-test.svm --output scores"
CYCLES, STATES, TABLES = "with cycles", "with more than two states", "with tables of pairs"
KERNELS = "for models without kernels"
# How each task trains, what it does with the model, and what is refused (same_runs/learners.txt).
TASKS = {
    "multilabel": (LABELS, LABEL_SCORES, [CYCLES]),
    "multilabel tree": (LABELS + " --graph tree", LABEL_SCORES, []),
    "sequence": ("sequence train w.conll", "sequence predict w-test.conll --output scores",
                 [STATES, TABLES]),
    "segment": ("segment train d.fea", "segment evaluate --features d.fea",
                [KERNELS, STATES, TABLES, "for images"]),
    "matching": ("matching train drawn/train.txt",
                 "matching predict drawn/test.txt --output scores",
                 [KERNELS, CYCLES, "for matchings"]),
    "multiclass": ("multiclass train c.svm", "multiclass predict c-test.svm --output scores",
                   [STATES]),
}
MORE_DATA = {
    "multilabel": ("multilabel train y.arff --labels y.xml", "multilabel predict y-test.arff",
                   [CYCLES]),
    "sequence": ("sequence train letters.txt", "sequence predict letters.txt", []),
    "segment": ("segment train d.fea --layers neighbours", "segment evaluate --features d.fea",
                [KERNELS, CYCLES]),
}
# How training reads the inputs that it refuses, by the ending of their names.
REFUSING = {
    "svm": "multilabel train FILE --num-labels 6",
    "arff": "multilabel train FILE --labels y.xml",
    "csv": "multilabel train FILE --label-columns tag",
    "conll": "sequence train FILE",
    "letters": "sequence train FILE",
    "match": "matching train FILE",
    "graph": LABELS + " --graph FILE",
    "weights": LABELS + " --loss-weights FILE",
    "costs": "sequence train w.conll --costs FILE",
    "template": "sequence train w.conll --template FILE",
}


def read_lists():
    lists = {}
    for path in sorted(MEASURE.glob("same_runs/*.txt")):
        for line in path.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
            if line.startswith("["):
                newest = lists.setdefault(line[1:-1], [])
            elif line:
                newest.append(line)
    return lists


def trainings(train, predict, learners, refused, stateless):
    """Every learner trains, keeps a checkpoint if it has a state, goes on from it, and predicts; or
    it is refused."""
    for number, learner in enumerate(learners):
        run = f"{train} --learner {learner} --seed {number} --verbose --model {number}.slk"
        begin = f"{run} --max-passes 8 --log {number}.jsonl"
        keep = f" --checkpoint {number}.ckpt"
        if learner.startswith(refused):
            yield "2: " + begin
        elif learner.startswith(stateless):
            yield begin + " --verify"
            yield f"{predict} --model {number}.slk"
        else:
            yield begin + keep + " --checkpoint-every 0"
            yield f"{run} --max-passes 12 --log - --resume {number}.ckpt --verify"
            yield f"{predict} --model {number}.slk"


def in_folds(command, learners, refused):
    """Every learner trains on two folds for a command that writes no model; or it is refused."""
    for learner in learners:
        code = "2: " if learner.startswith(refused) else ""
        yield (f"{code}{command} --folds 2 --max-passes 5 --check-every 2 --gap-tolerance 1e-4 "
               f"--absolute-gap 1e-9 --time-limit 1000 --learner {learner}")


def each(train, options, after):
    """Trains without options, then with each of them; runs the commands `after` on each M.slk."""
    for number, option in enumerate(["", *options]):
        model = f"{number}.slk"
        yield f"{train} --max-passes 30 {option} --model {model}"
        yield from (command.replace("M.slk", model) for command in after)


def help_texts():
    yield "--version"
    names = re.findall(r"^## slackline ?(.*)$", COMMANDS.read_text(encoding="utf-8"), re.MULTILINE)
    for name in names:
        yield f"{name} --help"
        if name.endswith(("train", "cv", "online")):
            yield f"{name} --help-all"


def refusals(lists):
    yield from ("2: " + command for command in lists["refused commands"])
    yield from (f"2: {LABELS} --model x.slk {option}" for option in lists["refused options"])
    for ending, train in REFUSING.items():
        for number in range(len(BAD[ending])):
            yield f"2: {train} --model x.slk".replace("FILE", f"bad{number}.{ending}")


def learner_scenarios(lists):
    """Names and commands; `more data` takes longest."""
    learners, variants = lists["learners"], lists["variants"]
    stateless = tuple(lists["without a state"])

    def all_refused(names):
        return tuple(learner for name in names for learner in lists["refused " + name])

    for task, (train, predict, refused) in MORE_DATA.items():
        yield f"{task} learners, more data", trainings(train, predict, learners,
                                                       all_refused(refused), stateless)
    for task, (train, predict, names) in TASKS.items():
        refused = all_refused(names)
        yield f"{task} learners", trainings(train, predict, learners, refused, stateless)
        yield f"{task} variants", trainings(train, predict, variants, refused, stateless)
        cv = train.replace(" train ", " cv ") + " --lambda-path 0.1 --no-refit --json"
        yield f"{task} variants, cv", in_folds(cv, variants, refused)
    yield "segment variants, potentials", in_folds(
        "segment potentials d.fea --lambda 1 --out -", variants, all_refused(TASKS["segment"][2]))


def scenarios():
    """Names and commands."""
    lists = read_lists()
    found = dict(learner_scenarios(lists))
    for task, (train, *_) in {**TASKS, "linear": ["linear train l.svm"]}.items():
        if task + " options" in lists:
            found[task + " options"] = each(train, lists[task + " options"],
                                            lists["look"] + lists[task + " after"])
            found[task + " more"] = lists[task + " more"]
    for name in ("multilabel cv", "multilabel online", "convert"):
        found[name] = lists[name]
    found.update(help=help_texts(), refused=refusals(lists))
    return {name: [*lists.get(name.split()[0] + " before", ()), *commands]
            for name, commands in found.items()}
