# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the scripts of this folder: reading and writing, plain or packed, and checks of the
results."""
import argparse
import bz2
import gzip
import hashlib
import os
import sys


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def arguments(description, inputs):
    """inputs: (name, help) of the positional arguments before OUT. A name that ends with + takes
    one file or several."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, text in inputs:
        parser.add_argument(name.rstrip("+"), help=text, nargs="+" if name.endswith("+") else None)
    parser.add_argument("OUT", help="data folder that is filled (as DATA_FOLDER of slackline-bench)")
    parser.add_argument("--any-counts", action="store_true", help="do not compare counts with those of the known data")
    return parser.parse_args()


def existing(path):
    """The path, or the path with .gz where only that exists."""
    for candidate in (path, path + ".gz"):
        if os.path.isfile(candidate):
            return candidate
    fail(f"{path}: there is no such file, also not as .gz")


def read_bytes(path):
    path = existing(path)
    try:
        with {".gz": gzip.open, ".bz2": bz2.open}.get(os.path.splitext(path)[1], open)(path, "rb") as file:
            return file.read()
    except (OSError, EOFError) as error:
        fail(f"{path}: cannot be read: {error}")


def write(path, data):
    """Writes the file as a whole or not at all. Gzip files get no time stamp: equal data give equal
    files."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + ".tmp"
    with open(temporary, "wb") as file:
        if path.endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.write(data)
        else:
            file.write(data)
    os.replace(temporary, path)
    print(f"wrote {path}")


def check(what, found, wanted, any_counts):
    """Ends the script where a count differs from that of the known data."""
    if found == wanted or any_counts:
        print(f"{what}: {found}")
    else:
        fail(f"{what}: {found}, but {wanted} were expected; --any-counts goes on all the same")


def tell_checksum(name, data, wanted):
    same = hashlib.sha256(data).hexdigest() == wanted
    print(f"{name}: {'the very' if same else 'not the very'} bytes that the figures of docs/notebook/reproduction.md were made from")


def write_libsvm_parts(folder, parts, label_names):
    """Writes {part: lines} as folder/NAME-{part}.svm.gz, where NAME is that of the folder, and
    labels.txt."""
    for part, lines in parts.items():
        write(os.path.join(folder, f"{os.path.basename(folder)}-{part}.svm.gz"), "".join(lines).encode("ascii"))
    write(os.path.join(folder, "labels.txt"), "".join(f"{name}\n" for name in label_names).encode("ascii"))


def declare_width(rows, features):
    """The first row gets feature number `features`, with value 0 if it has none, so that readers
    find as many features whatever the largest feature of the rows is."""
    rows[0].setdefault(features, 0)


def libsvm_line(labels, row):
    """A line of LIBSVM text. labels: numbers from 0. row: {feature from 1: value}, written with
    five digits."""
    return ",".join(map(str, sorted(labels))) + "".join(f" {f}:{row[f]:.5g}" for f in sorted(row)) + "\n"
