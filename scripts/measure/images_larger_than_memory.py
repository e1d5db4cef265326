#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Training on prepared images that do not fit in memory.

Usage: images_larger_than_memory.py PROGRAM FOLDER [--images N] [--drawn N] [--limit-mb MB]
                                    [--runs NAMES] [--options "..."]

Draws and prepares some images, writes a file with many noisy copies of them, converts it, and trains
on it to a certified relative gap of 0.01, under a limit of memory, without one, and on the prepared
file, whose features are then in memory. NAMES: some of draw, convert, limited, unlimited, prepared.
The limit is that of a control group, as in larger_than_memory.py. FOLDER needs room for both files.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import zlib

import numpy as np

from larger_than_memory import drop_caches, run

NOISE = 0.2


class Reader:
    """Numbers and texts of a directory (docs/reference/feature_file.md)."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    def text(self):
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size:self.at]


def aligned(place):
    return (place + 15) // 16 * 16


def copies(prepared, count, out):
    """Writes a file of prepared images with noisy copies of another one's training images."""
    data = prepared.read_bytes()
    begin = struct.unpack_from("<Q", data, 24)[0]
    directory = Reader(data[begin:])
    classes = directory.take("Q")
    for _ in range(classes):
        directory.text()
    dimension = directory.take("Q")
    for _ in range(directory.take("Q")):
        directory.text()
        directory.take("i")
    directory.text()
    if struct.unpack_from("<I", data, 8)[0] == 2:
        directory.text()
    head = directory.data[:directory.at]
    images = []
    for _ in range(directory.take("Q")):
        directory.text()
        role, sizes = directory.take("B"), directory.take("4i")
        neighbours, place, check, _ = directory.take("QQII")
        if role == 0:
            images.append((sizes, neighbours, place, check))
    source = np.random.default_rng(1)
    entries = []
    with open(out, "wb") as file:
        file.write(bytes(64))
        for k in range(count):
            sizes, neighbours, place, check = images[k % len(images)]
            _, _, fine, coarse = sizes
            pixels = aligned(place + 4 * fine) + 16 * neighbours
            features = aligned(aligned(pixels + 4 * fine * (classes + 1))
                               + 4 * coarse * (classes + 1))
            entry = file.tell()
            file.write(data[place:features])
            checksum = 0
            for rows in (fine, coarse):
                size = rows * dimension
                values = np.frombuffer(data, np.float16, size, features).astype(np.float32)
                values += NOISE * values.std() * source.standard_normal(size, np.float32)
                block = values.astype(np.float16).tobytes()
                block += bytes(aligned(len(block)) - len(block))
                checksum = zlib.crc32(block, checksum)
                file.write(block)
                features += aligned(2 * size)
            name = b"image%d" % k
            entries.append(struct.pack("<Q", len(name)) + name
                           + struct.pack("<B4iQQII", 0, *sizes, neighbours, entry, check, checksum))
        place = file.tell()
        listing = head + struct.pack("<Q", count) + b"".join(entries)
        file.write(listing)
        header = data[:12] + struct.pack("<IQQ", 0, place + len(listing), place) + bytes(24)
        header += struct.pack("<I", zlib.crc32(listing))
        file.seek(0)
        file.write(header + struct.pack("<I", zlib.crc32(header)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--drawn", type=int, default=40)
    parser.add_argument("--limit-mb", type=int, default=500)
    parser.add_argument("--runs", default="draw,convert,limited,unlimited,prepared")
    parser.add_argument("--options", default="")
    args = parser.parse_args()
    small, many, data = (args.folder / name for name in ("small.fea", "many.fea", "many.data"))
    limit = args.limit_mb * 1_000_000
    runs = args.runs.split(",")

    def train(what, name, most):
        drop_caches()
        log = args.folder / f"{what}.jsonl"
        run(what, [args.program, "segment", "train", name, "--gap-tolerance", "0.01", "--log", log,
                   "--model", args.folder / f"{what}.slk", *args.options.split()], most)
        checks = [json.loads(line) for line in log.read_text().splitlines()]
        last = [check for check in checks if "relative_gap" in check][-1]
        print(f"{what}: pass {last['pass']}, gap {last['relative_gap']:.4f}", flush=True)

    if "draw" in runs:
        drawn = args.folder / "drawn"
        for command in (["draw", "--out", drawn, "--images", args.drawn, "--size", "64x48"],
                        ["prepare", "--images", drawn / "images", "--labels", drawn / "labels",
                         "--classes", drawn / "classes.txt", "--train", drawn / "train.txt",
                         "--out", small]):
            subprocess.run([args.program, "segment", *map(str, command), "-q"], check=True)
        copies(small, args.images, many)
        print(f"prepared: {many.stat().st_size / 1e6:.0f} MB", flush=True)
    if "convert" in runs:
        drop_caches()
        run("convert", [args.program, "segment", "convert", many, "--out", data], limit)
        print(f"file: {data.stat().st_size / 1e6:.0f} MB", flush=True)
    if "limited" in runs:
        train("limited", data, limit)
    if "unlimited" in runs:
        train("unlimited", data, 0)
    if "prepared" in runs:
        train("prepared", many, 0)


if __name__ == "__main__":
    main()
