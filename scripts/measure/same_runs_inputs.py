# SPDX-License-Identifier: BSD-3-Clause
"""The inputs of same_runs_cases.py: parts of the data of the repository, and drawn texts."""
import gzip
import pathlib
import random
import re

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
# Inputs that the program refuses, by the ending of their names.
BAD = {
    "svm": ("", "9 1:1\n", "x 1:1\n", "0 1:nan\n", "0 0:1\n", "0 2:1 1:1\n", "0 1\n", "? 1:1\n"),
    "arff": ("@relation r\n@attribute f numeric\n@data\n1\n",
             "@relation r\n@attribute Class1 {0,1}\n@data\n1,2\n",
             "@relation r\n@attribute f what\n@data\n"),
    "csv": ("a,tag\n1,1\n2\n", "a,tag\n1,7\n", "a,b\n1,2\n", "a,a,tag\n1,1,1\n", 'a,tag\n"1,1\n'),
    "conll": ("a X\nb c X\n", "a\n", "a ?\n"),
    "letters": ("1\ta\t2\t1\t1\t0\t0\t2\n", "1\ta\t-1\t1\t1\t0\t1\n1\ta\t-1\t1\t1\t0\n",
                "1\ta\t-1\t1\t2\t0\t0\t1\n"),
    "match": ("2\n", "2 2\n0 5 1 a\n", "2 2\n0 0 x a\n", "2 2\n0 0 1 a:b\n",
              "1 1\n0 0 1 a\n0 0 1 a\n", "1 2\n0 0 1 a\n0 1 1 a\n"),
    "graph": ("0 99\n", "0\n", "0 0\n", "0 1\n1 0\n"),
    "weights": ("0 -1\n", "0 1\n0 2\n", "99 1\n", "0 x\n"),
    "costs": ("B-NP O x\n", "B-NP B-NP 1\n", "X-Y O 1\n", "true,0\n0,1\n"),
    "template": ("word\n", "word: %x[0]\n", "word: %x[0,9]\n", 'word: %m[0,0,"("]\n',
                 "a: b\na: c\n"),
}
STATES = ("O", "B-NP", "I-NP", "B-VP", "I-VP")


def unzipped(name):
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return file.read()


def yeast(part, count):
    head, rows = re.split(r"(?<=@data\n)", unzipped(f"yeast/yeast-{part}.arff.gz"))
    return head + "".join(rows.splitlines(True)[:count])


def letters(words):
    """The first words, half of them in another fold."""
    text = ""
    for line in unzipped("letters/letter-fold0.data.gz").splitlines():
        cells = line.split("\t")
        cells[5] = str(words % 2)
        text += "\t".join(cells) + "\n"
        words -= cells[2] == "-1"
        if not words:
            return text


def libsvm(draw, examples, features, label_of):
    """Lines of LIBSVM, where label_of(values) is the first field."""
    text = ""
    for _ in range(examples):
        values = [draw.gauss(0, 1) for _ in range(features)]
        row = " ".join(f"{k + 1}:{value:.4f}" for k, value in enumerate(values)
                       if k != 5 or value > 0)
        text += f"{label_of(values)} {row}\n"
    return text


def label_set(draw):
    return lambda values: ",".join(
        str(k) for k in range(6) if values[k] + values[k - 1] / 2 + draw.gauss(0, 0.5) > 0.3)


def largest(draw, classes):
    return lambda values: max(range(classes), key=lambda k: values[k % 8] * (1 + k // 8) +
                              draw.gauss(0, 0.5))


def table(draw, examples, columns, separator=","):
    """A table of lengths, widths (some are missing), colours and columns(length, width, colour)."""
    text = ""
    for number in range(examples):
        length, width = draw.gauss(3, 1), draw.gauss(200, 50)
        colour = draw.choice(("red", "green", "dark blue"))
        cells = {"id": f'"n{number}"', "length": f"{length:.3f}",
                 "width": "" if draw.random() < 0.1 else f"{width:.1f}", "colour": colour}
        cells.update(columns(length, width, colour))
        if not text:
            text = separator.join(cells) + "\n"
        text += separator.join(cells.values()) + "\n"
    return text


def tags(draw):
    def columns(length, width, colour):
        tall = length + draw.gauss(0, 0.3) > 3
        return {"tag_tall": "?" if draw.random() < 0.1 else str(int(tall)),
                "tag_wide": str(int(width > 200)), "tag_red": str(int(colour == "red" or tall))}
    return columns


def species(length, width, colour):
    large = "rose" if colour == "red" or length > 4 else "oak"
    return {"species": "iris" if width < 180 else large}


def price(draw):
    return lambda length, width, colour: {
        "price": f"{1000 * length + 3 * width + draw.gauss(0, 200):.0f}",
        "sold": "yes" if length > 3 else "no"}


def sentences(draw, count, line):
    """Tokens whose words depend on their states and these on the ones before."""
    text = ""
    for _ in range(count):
        state = "O"
        for _ in range(draw.randint(2, 8)):
            following = [s for s in STATES if s[0] != "I" or s[1:] == state[1:]]
            state = draw.choice(following)
            shown = state if draw.random() < 0.8 else draw.choice(STATES)
            word = f"{'Word' if shown[0] == 'B' else 'word'}{draw.randrange(4)}{shown[-1].lower()}"
            text += line(word, shown[-1] + str(draw.randrange(2)), state) + "\n"
        text += "\n"
    return text


def conll(word, tag, state):
    return f"{word} {tag} {state}"


def attributes(word, tag, state):
    return f"{state}\tw={word}\tlength:{len(word) / 10}\t{tag}"


def texts():
    """Names and texts of all inputs."""
    draw = random.Random(1)
    return {
        "y.arff": yeast("train", 60), "y-test.arff": yeast("test", 15),
        "y.xml": (DATA / "yeast/yeast.xml").read_text(encoding="utf-8"),
        "letters.txt": letters(24),
        "m.svm": libsvm(draw, 50, 8, label_set(draw)),
        "m-test.svm": libsvm(draw, 15, 8, label_set(draw)) + "? 1:1 9:3\n",
        "graph.txt": "0 1\n2 3\n1 4\n", "weights.txt": "0 2\n3 1.5 0.5\n",
        "tags.csv": table(draw, 60, tags(draw)),
        "tags-test.tsv": table(draw, 15, tags(draw), "\t").replace("green", "pink"),
        "w.conll": sentences(draw, 40, conll), "w-test.conll": sentences(draw, 12, conll),
        "w.attr": sentences(draw, 30, attributes),
        "templates.txt": 'word: %x[0,0]\nnear: %x[-1,0]/%x[1,1]\nform: %shape[0,0]%suf[0,0,1]\n'
                         'end: %m[0,0,"[a-z]$"]\n',
        "token-costs.txt": "B-NP O 2\nO * 0.5\n",
        "c.svm": libsvm(draw, 60, 8, largest(draw, 4)),
        "c-test.svm": libsvm(draw, 20, 8, largest(draw, 4)),
        "many.svm": libsvm(draw, 90, 8, largest(draw, 16)),
        "class-costs.csv": "true,0,1,2,3\n0,0,1,1,2\n1,1,0,0.2,1\n2,5,3,0,1\n3,1,1,1,0\n",
        "flowers.csv": table(draw, 60, species), "flowers-test.csv": table(draw, 20, species),
        "l.svm": libsvm(draw, 60, 8, lambda x: 1 if sum(x[:3]) + draw.gauss(0, 1) > 0 else -1),
        "houses.csv": table(draw, 60, price(draw)), "houses-test.csv": table(draw, 15, price(draw)),
    }


def inputs():
    """Names and bytes of all inputs."""
    found = {name: text.encode() for name, text in texts().items()}
    found["y.arff.gz"] = gzip.compress(found["y.arff"], mtime=0)
    rows = found["c.svm"].splitlines(True)
    found["c.parts/part-1"], found["c.parts/part-2"] = b"".join(rows[:25]), b"".join(rows[25:])
    for ending, contents in BAD.items():
        found.update({f"bad{k}.{ending}": text.encode() for k, text in enumerate(contents)})
    found["cut.gz"] = found["y.arff.gz"][:5000]
    found["damaged.slk"] = b"SLACKLIN\1\0\0\0" + bytes(40)
    return found
