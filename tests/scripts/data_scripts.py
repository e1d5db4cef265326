# SPDX-License-Identifier: BSD-3-Clause
"""Usage: data_scripts.py SOURCE_DIR

Tests the scripts of scripts/data on small made-up raw files."""
import bz2
import gzip
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

SCRIPTS = os.path.join(sys.argv[1], "scripts", "data")


def run(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments], capture_output=True, text=True)


def bmp(rows):
    """A BMP file. rows: from the top, each of (red, green, blue)."""
    width, height = len(rows[0]), len(rows)
    padding = b"\0" * (-3 * width % 4)
    body = b"".join(b"".join(bytes((b, g, r)) for r, g, b in row) + padding for row in reversed(rows))
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(body), 0, 0, 0, 0) + body


def png_rows(path):
    """The rows of bytes of a PNG, without their filter bytes, which must be 0."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, bits, colour = struct.unpack_from(">IIBB", data, 16)
    assert bits == 8
    start = data.index(b"IDAT")
    size, = struct.unpack_from(">I", data, start - 4)
    raw = zlib.decompress(data[start + 4:start + 4 + size])
    stride = 1 + width * (3 if colour == 2 else 1)
    assert len(raw) == stride * height
    return [raw[k * stride + 1:(k + 1) * stride] for k in range(height)]


class Scripts(unittest.TestCase):
    """For each script: its output, and the inputs that it refuses."""
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.folder.name, "out")

    def tearDown(self):
        self.folder.cleanup()

    def raw(self, name, content):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode("latin-1")
        with {".gz": gzip.open, "bz2": bz2.open}.get(name[-3:], open)(path, "wb") as file:
            file.write(data)
        return path

    def unpacked(self, name):
        with gzip.open(os.path.join(self.out, name), "rb") as file:
            return file.read().decode("utf-8")

    def refused(self, message, script, *arguments):
        result = run(script, *arguments)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(message, result.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_letters(self):
        line = "\t".join(["1", "a", "-1", "1", "1", "0"] + ["0"] * 127 + ["1"]) + "\t\n"
        raw = self.raw("letter.data.gz", line * 2)
        self.refused("letters per fold: [2], but [4617, ", "letters.py", raw, self.out)
        self.refused("there is no such file", "letters.py", raw + "x", self.out)
        self.refused("letter.data:1: not a letter", "letters.py", self.raw("letter.data", "1\ta\n"), self.out)
        result = run("letters.py", raw, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not the very bytes", result.stdout)
        self.assertEqual(self.unpacked("letters/letter.data.gz"), line * 2)

    def test_conll(self):
        text = "He PRP B-NP\nran VBD B-VP\n\nYes UH O\n"
        self.raw("train.txt", text)
        self.raw("test.txt.gz", text)
        self.refused("train: sentences, tokens, tags: (2, 3, 3), but", "conll2000.py", self.folder.name, self.out)
        result = run("conll2000.py", self.folder.name, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.unpacked("conll2000/test.txt.gz"), text)
        self.raw("train.txt", "He PRP\n")
        result = run("conll2000.py", self.folder.name, self.out, "--any-counts")
        self.assertIn("train.txt:1: a line has", result.stderr)

    def test_reuters(self):
        def story(split, topics, body, flag="YES"):
            marks = "".join(f"<D>{topic}</D>" for topic in topics)
            return (f'<REUTERS TOPICS="{flag}" LEWISSPLIT="{split}" NEWID="1">\n<TOPICS>{marks}</TOPICS>\n<TEXT>\n<TITLE>Gold &lt;up></TITLE>'
                    f"<BODY>{body}</BODY></TEXT>\n</REUTERS>\n")
        self.raw("reut2-000.sgm", story("TRAIN", ["gold", "earn"], "gold mine 12") + story("TRAIN", ["gold"], "mine rose") +
                 story("TRAIN", ["acq"], "mine") + story("TRAIN", ["earn"], "shares") + story("TRAIN", ["rice"], "mine") +
                 story("NOT-USED", ["earn"], "mine") + story("TRAIN", ["earn"], "mine", "NO") + story("TEST", ["acq"], "Mine, mine"))
        self.refused("TRAIN: documents per topic", "reuters30.py", self.folder.name, self.out)
        result = run("reuters30.py", self.folder.name, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        # gold and up are in all four documents: weight 0. mine is in three.
        self.assertEqual(self.unpacked("reuters30/reuters30-train.svm.gz"), "0,16 2:1\n16 2:1\n1 2:1\n0\n")
        self.assertEqual(self.unpacked("reuters30/reuters30-test.svm.gz"), "1 2:1\n")
        self.assertIn("features: 3", result.stdout)

    def test_rcv1(self):
        head = "@relation r\n" + "".join(f"@attribute a{k} numeric\n" for k in range(3)) + "".join(
            f"@attribute l{k} {{0,1}}\n" for k in range(101)) + "@data\n"
        raw = self.raw("rcv1.arff", head + "{0 0.5,2 0.1,3 1}\n{1 0.2,2 1,4 1,103 1}\n{2 1}\n{0 0}\n")
        self.refused("documents, columns: (4, 104), but (6000, 47337)", "rcv1s1.py", raw, self.out)
        self.refused("not a sparse row", "rcv1s1.py", self.raw("bad.arff", head + "1,2\n"), self.out)
        result = run("rcv1s1.py", raw, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.unpacked("rcv1s1/rcv1s1-train.svm.gz"), "0 1:0.70711 3:0.70711\n1,100 2:0.70711 3:0.70711\n")
        self.assertEqual(self.unpacked("rcv1s1/rcv1s1-test.svm.gz"), " 3:1\n\n")

    def test_rcv1_with_30_labels(self):
        first = self.raw("first.svm.bz2", "40,7 1:0.6 3:0.8\n7 2:1\n 2:1\n")
        second = self.raw("second.svm.gz", "7,40 4:1\n7 1:0.8 4:0.6\n99 47000:1\n")
        self.refused("documents: 6, but at least 6000 were expected", "rcv1.py", first, second, self.out)
        self.refused("first.svm: there is no such file", "rcv1.py", first.removesuffix(".bz2"), self.out)
        for line in ("x 1:1", "1 2:1 2:1", "1 2", "1 1:nan", "-1 1:1"):
            self.refused("bad.svm:2: not a line of labels", "rcv1.py", self.raw("bad.svm", f"1 1:1\n{line}\n"), self.out)
        self.refused("bad.svm: no documents", "rcv1.py", self.raw("bad.svm", "\n"), self.out)
        shifted = self.raw("shifted.svm", "6,39 4:1\n6 1:0.8 4:0.6\n")
        self.refused("shifted.svm: its label counts fit those of the first file better with labels +1", "rcv1.py", first, shifted, self.out)
        result = run("rcv1.py", first, second, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("documents: 5 + 1, features: 47236", result.stdout)
        with open(self.out + "/rcv1/labels.txt", encoding="ascii") as file:
            self.assertEqual(file.read(), "7\n40\n99\n")
        lines = self.unpacked("rcv1/rcv1-train.svm.gz").splitlines()
        lines[0] = lines[0].removesuffix(" 47236:0")
        lines += self.unpacked("rcv1/rcv1-test.svm.gz").splitlines()
        self.assertEqual(sorted(lines), sorted(["0,1 1:0.6 3:0.8", "0 2:1", " 2:1", "0,1 4:1", "0 1:0.8 4:0.6", "2 47000:1"]))

    def test_more_labels_and_documents_than_rcv1_takes(self):
        text = "".join(f"{0 if k < 6000 else 1},{2 + k % 40} {1 + k % 5}:1\n" for k in range(6400))
        result = run("rcv1.py", self.raw("all.svm", text), self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        train, test = (self.unpacked(f"rcv1/rcv1-{part}.svm.gz").splitlines() for part in ("train", "test"))
        self.assertEqual((len(train), len(test)), (5000, 1000))
        self.assertTrue(train[0].endswith(" 47236:0"))
        labels = {label for line in train + test for label in line.split(" ")[0].split(",") if label}
        self.assertEqual(labels, set(map(str, range(30))))
        with open(self.out + "/rcv1/labels.txt", encoding="ascii") as file:
            self.assertEqual(file.read().split()[:2], ["0", "1"])

    def test_the_drawn_stand_in_for_rcv1(self):
        result = run("rcv1_drawn.py", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count(": the very bytes"), 2, result.stdout)
        train = self.unpacked("rcv1/rcv1-train.svm.gz").splitlines()
        self.assertEqual(len(train), 5000)
        self.assertEqual(len(self.unpacked("rcv1/rcv1-test.svm.gz").splitlines()), 1000)
        self.assertTrue(train[0].endswith(" 47236:0"))
        cells = [line.split()[1:] for line in train]
        self.assertAlmostEqual(sum(map(len, cells)) / 5000, 76, delta=2)
        self.assertAlmostEqual(sum(line.split()[0].count(",") + 1 for line in train) / 5000, 2.4, delta=0.1)
        self.assertAlmostEqual(sum(float(cell.split(":")[1]) ** 2 for cell in cells[1]), 1, delta=1e-3)

    def test_msrc(self):
        image = [[(1, 2, 3), (4, 5, 6), (7, 8, 9)], [(10, 11, 12), (13, 14, 15), (16, 17, 18)]]
        truth = [[(128, 0, 0), (0, 128, 0), (0, 0, 0)], [(128, 0, 128), (192, 64, 0), (64, 0, 0)]]
        raw = os.path.join(self.folder.name, "raw")
        self.raw("raw/Images/1_1_s.bmp", bmp(image))
        self.raw("raw/GroundTruth/1_1_s_GT.bmp", bmp(truth))
        for split in ("Train", "Validation", "Test"):
            self.raw(f"splits/{split}.txt", "1_1_s.bmp\n")
        splits = os.path.join(self.folder.name, "splits")
        self.refused("train: images: 1, but 276", "msrc21.py", raw, splits, self.out)
        result = run("msrc21.py", raw, splits, self.out, "--any-counts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(png_rows(os.path.join(self.out, "msrc21/labels/1_1.png")), [bytes((0, 1, 255)), bytes((255, 20, 255))])
        self.assertEqual(png_rows(os.path.join(self.out, "msrc21/images/1_1.png")), [bytes(range(1, 10)), bytes(range(10, 19))])
        truth[0][0] = (1, 1, 1)
        self.raw("raw/GroundTruth/1_1_s_GT.bmp", bmp(truth))
        self.assertIn("the colour of no class", run("msrc21.py", raw, splits, self.out, "--any-counts").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
