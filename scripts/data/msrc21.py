#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MSRC-21: OUT/msrc21/{images, labels, splits, classes.txt} from the pixel-wise labelled image
database, version 2.

RAW is the folder of the database ((c) Microsoft Research Cambridge, research use) with
Images/NAME_s.bmp and GroundTruth/NAME_s_GT.bmp, SPLITS the folder with Train.txt, Validation.txt
and Test.txt of Shotton et al. (ECCV 2006), one file name per line. Images become PNG without
changes, labels PNG with one byte per pixel: the number of the class, or 255 for void, to which
mountain and horse belong.

This is the database's own ground truth. The figures of docs/notebook/images.md were measured with a
cleaned one (Malisiewicz and Efros 2007), so accuracies differ a little."""
import os
import struct
import zlib

import common

CLASSES = {
    "building": (128, 0, 0), "grass": (0, 128, 0), "tree": (128, 128, 0), "cow": (0, 0, 128), "sheep": (0, 128, 128),
    "sky": (128, 128, 128), "aeroplane": (192, 0, 0), "water": (64, 128, 0), "face": (192, 128, 0), "car": (64, 0, 128),
    "bicycle": (192, 0, 128), "flower": (64, 128, 128), "sign": (192, 128, 128), "bird": (0, 64, 0), "book": (128, 64, 0),
    "chair": (0, 192, 0), "road": (128, 64, 128), "cat": (0, 192, 128), "dog": (128, 192, 128), "body": (64, 64, 0),
    "boat": (192, 64, 0),
}
VOID = {(0, 0, 0), (64, 0, 0), (128, 0, 128)}  # void, mountain, horse
SPLITS = {"train": 276, "validation": 59, "test": 256}


def read_bmp(path):
    """Width, height, and the rows from the top, each of red, green and blue bytes."""
    data = common.read_bytes(path)
    if len(data) < 54 or data[:2] != b"BM":
        common.fail(f"{path}: no BMP file")
    start, = struct.unpack_from("<I", data, 10)
    width, height, _, bits, compression = struct.unpack_from("<iiHHI", data, 18)
    stride = (3 * width + 3) // 4 * 4
    if bits != 24 or compression != 0 or width < 1 or height == 0 or len(data) < start + stride * abs(height):
        common.fail(f"{path}: not a whole BMP file of 24 bits without compression")
    rows = []
    for k in range(abs(height)):
        begin = start + stride * k
        row = bytearray(data[begin:begin + 3 * width])
        row[0::3], row[2::3] = row[2::3], row[0::3]
        rows.append(bytes(row))
    return width, abs(height), rows[::-1] if height > 0 else rows


def png(width, height, rows, colour):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colour else 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def labels_of(path, rows):
    numbers = {colour: k for k, colour in enumerate(CLASSES.values())}
    numbers.update({colour: 255 for colour in VOID})
    result = []
    for row in rows:
        colours = list(zip(row[0::3], row[1::3], row[2::3]))
        unknown = set(colours) - numbers.keys()
        if unknown:
            common.fail(f"{path}: {unknown.pop()} is the colour of no class")
        result.append(bytes(numbers[colour] for colour in colours))
    return result


def main():
    args = common.arguments(__doc__, [("RAW", "folder with Images and GroundTruth"), ("SPLITS", "folder with Train.txt, …")])
    folder = os.path.join(args.OUT, "msrc21")
    for split, wanted in SPLITS.items():
        lines = common.read_bytes(os.path.join(args.SPLITS, split.capitalize() + ".txt")).decode("utf-8").split()
        names = [os.path.splitext(line)[0].removesuffix("_s") for line in lines]
        common.check(f"{split}: images", len(names), wanted, args.any_counts)
        for name in names:
            width, height, rows = read_bmp(os.path.join(args.RAW, "Images", name + "_s.bmp"))
            path = os.path.join(args.RAW, "GroundTruth", name + "_s_GT.bmp")
            truth_width, truth_height, truth = read_bmp(path)
            if (width, height) != (truth_width, truth_height):
                common.fail(f"{path}: not as large as its image")
            common.write(os.path.join(folder, "images", name + ".png"), png(width, height, rows, True))
            common.write(os.path.join(folder, "labels", name + ".png"), png(width, height, labels_of(path, truth), False))
        common.write(os.path.join(folder, "splits", split + ".txt"), "".join(n + "\n" for n in names).encode("utf-8"))
    common.write(os.path.join(folder, "classes.txt"), "".join(n + "\n" for n in CLASSES).encode("ascii"))


if __name__ == "__main__":
    main()
