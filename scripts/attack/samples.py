# SPDX-License-Identifier: BSD-3-Clause
"""Small data and a model of every application, made once, for all attacks to copy or to damage."""
import dataclasses
import glob
import os


@dataclasses.dataclass
class Application:
    """Arguments of the commands of one application. The attacks add those of outputs."""

    name: str
    data: str  # input of `train`
    train: list[str]
    predict: list[str]
    evaluate: list[str]
    model: str = ""
    predict_folder: bool = False  # predict --out names a folder
    cv: list[str] = dataclasses.field(default_factory=list)
    convert: list[str] = dataclasses.field(default_factory=list)
    online: list[str] = dataclasses.field(default_factory=list)
    learners: bool = True  # whether training reads --learner and --threads

    def with_data(self, arguments, data):
        return [data if part == self.data else part for part in arguments]

    def with_model(self, arguments, model=None):
        return [*arguments, "--model", model or self.model]


def libsvm_text(random, examples, features, labels):
    lines = []
    for _ in range(examples):
        values = [random.gauss(0, 1) for _ in range(features)]
        given = [
            str(label) for label in range(labels) if values[label] + random.gauss(0, 0.5) > 0.3
        ]
        row = " ".join(f"{f + 1}:{value:.6f}" for f, value in enumerate(values))
        lines.append(",".join(given) + " " + row)
    return "\n".join(lines) + "\n"


def conll_text(random, sentences, words=30):
    """Sentences of words of three kinds; the kind of a word depends a little on its predecessor."""
    lines = []
    for _ in range(sentences):
        kind = 0
        for _ in range(random.randint(2, 9)):
            kind = (kind + random.choice((0, 1, 1, 2))) % 3
            word = random.randrange(words if random.random() < 0.2 else words // 3)
            lines.append(f"w{word}k{kind if random.random() < 0.8 else 0} T{kind} {'OBI'[kind]}-x")
        lines.append("")
    return "\n".join(lines) + "\n"


def labelled_text(random, examples, label_of):
    """LIBSVM with 8 features; label_of(values) is the label."""
    lines = []
    for _ in range(examples):
        values = [random.gauss(0, 1) for _ in range(8)]
        row = " ".join(f"{f + 1}:{value:.6f}" for f, value in enumerate(values))
        lines.append(f"{label_of(values)} {row}\n")
    return "".join(lines)


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _multilabel(lab, folder, size, _):
    data = _write(f"{folder}/d.svm", libsvm_text(lab.random("libsvm"), 60 * size, 8, 6))
    train = ["multilabel", "train", data, "--num-labels", "6", "--lambda", "0.01"]
    return Application(
        "multilabel",
        data,
        train,
        ["multilabel", "predict", data],
        ["multilabel", "evaluate", data],
        cv=["multilabel", "cv", data, "--num-labels", "6"],
        convert=["multilabel", "convert", data, "--num-labels", "6"],
        online=["multilabel", "online", data, "--num-labels", "6", "--num-features", "8", "--lambda", "0.01"],
    )


def _sequence(lab, folder, size, _):
    data = _write(f"{folder}/d.conll", conll_text(lab.random("conll"), 40 * size))
    template = _write(f"{folder}/template", "word: %x[0,0]\nbefore: %x[-1,0]\n")
    features = ["--template", template, "--min-count", "2"]
    return Application(
        "sequence",
        data,
        ["sequence", "train", data, "--lambda", "0.05", *features],
        ["sequence", "predict", data],
        ["sequence", "evaluate", data],
        cv=["sequence", "cv", data, *features],
        convert=["sequence", "convert", data, *features],
    )


def _multiclass(lab, folder, size, _):
    def label(values):
        return "uvw"[values.index(max(values[:3]))]

    text = labelled_text(lab.random("classes"), 60 * size, label)
    data = _write(f"{folder}/classes.svm", text)
    return Application(
        "multiclass",
        data,
        ["multiclass", "train", data, "--lambda", "0.01"],
        ["multiclass", "predict", data],
        ["multiclass", "evaluate", data],
        cv=["multiclass", "cv", data],
    )


def _linear(lab, folder, size, _):
    random = lab.random("linear")

    def label(values):
        return 1 if sum(values[:3]) + random.gauss(0, 1) > 0 else -1

    data = _write(f"{folder}/linear.svm", labelled_text(random, 60 * size, label))
    return Application(
        "linear",
        data,
        ["linear", "train", data, "--loss", "logistic", "--lambda", "0.01"],
        ["linear", "predict", data],
        ["linear", "evaluate", data],
        learners=False,
    )


def _matching(lab, folder, size, _):
    drawn = f"{folder}/matching"
    draw = ["matching", "draw", "--out", drawn, "--examples", str(16 * size), "-q"]
    lab.must([*draw, "--no-lexical", "--seed", str(lab.seed)])
    data = f"{drawn}/train.txt"
    return Application(
        "matching",
        data,
        ["matching", "train", data, "--lambda", "0.01"],
        ["matching", "predict", data],
        ["matching", "evaluate", data],
    )


def prepare_arguments(drawn):
    """Arguments of segment prepare, without --out."""
    lists = ["--train", f"{drawn}/train.txt", "--test", f"{drawn}/test.txt"]
    folders = ["--images", f"{drawn}/images", "--labels", f"{drawn}/labels"]
    sizes = ["--features", "small", "--superpixels", "40", "--coarse", "8"]
    return ["segment", "prepare", *folders, "--classes", f"{drawn}/classes.txt", *lists, *sizes]


def _segment(lab, folder, size, pixels):
    drawn = f"{folder}/images"
    few = ["--images", str(4 + 4 * size), "--classes", "3", "--size", pixels, "-q"]
    lab.must(["segment", "draw", "--out", drawn, *few, "--seed", str(lab.seed)])
    data = f"{folder}/d.fea"
    lab.must([*prepare_arguments(drawn), "--out", data, "-q"])
    images = sorted(glob.glob(f"{drawn}/images/*.png"))
    lists = ["--images", f"{drawn}/images", "--labels", f"{drawn}/labels"]
    return Application(
        "segment",
        data,
        ["segment", "train", data],
        ["segment", "predict", *images[:6]],
        ["segment", "evaluate", *lists, "--list", f"{drawn}/test.txt"],
        predict_folder=True,
        cv=["segment", "cv", data, "--folds", "2"],
    )


def log(lab, applications):
    """A file for `report`."""
    folder = lab.new_folder()
    train = next(iter(applications.values())).train
    lab.must([*train, "--max-passes", "3", "-q", "--model", f"{folder}/m.slk", "--log", f"{folder}/log.jsonl"])
    return f"{folder}/log.jsonl"


def writers(lab, applications):
    """(command, option for an output file): training, prediction, and others."""
    for application in applications.values():
        few = ["--max-passes", "25", "-q"]
        yield [*application.train, *few], "--model"
        if not application.predict_folder:
            yield [*application.with_model(application.predict), "-q"], "--out"
        if application.cv:
            yield [*application.cv, "--lambda-path", "0.1,0.01", *few], "--model"
        if application.convert:
            yield [*application.convert, "-q"], "--out"
        if application.online:
            yield [*application.online, "-q"], "--model"
        if application.name == "segment":
            drawn = os.path.dirname(application.data) + "/images"
            yield [*prepare_arguments(drawn), "-q"], "--out"
            yield ["segment", "potentials", application.data, "--folds", "2", *few], "--out"
    yield ["report", log(lab, applications)], "--out"


def make(lab, size=1, pixels="64x48"):
    """name -> Application, for all applications in this program. A larger `size` means more data,
    larger `pixels` larger images."""
    folder = lab.new_folder("samples")
    makers = [_multilabel, _sequence, _matching, _multiclass, _linear]
    if lab.run(["segment", "draw", "--help"]).code == 0:
        makers.append(_segment)
    found = {}
    for maker in makers:
        application = maker(lab, folder, size, pixels)
        application.model = os.path.join(folder, application.name + ".slk")
        arguments = application.with_model(application.train)
        lab.must([*arguments, "--max-passes", "15", "-q"])
        found[application.name] = application
    return found
