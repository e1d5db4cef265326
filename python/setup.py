# SPDX-License-Identifier: BSD-3-Clause
"""Builds the extension module by CMake.

Settings in the environment:

SLACKLINE_CMAKE_ARGS    further arguments of CMake, separated by blanks; for example
                        -DSLACKLINE_WITH_GLPK=ON (GLPK is GPL-3, and so is then the wheel)
SLACKLINE_BUILD_DIR     an existing or new build folder, so that a later build is incremental
SLACKLINE_JOBS          number of parallel jobs; default: the number of processors
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
# In a source distribution the C++ sources lie beside this file.
SOURCE = HERE / "cpp" if (HERE / "cpp" / "CMakeLists.txt").exists() else HERE.parent
CPP_FOLDERS = ("core", "factors", "inference", "learning", "api", "apps", "vision", "cmake")


def version():
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(slackline VERSION ([0-9.]+)", text).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        output = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        build = pathlib.Path(os.environ.get("SLACKLINE_BUILD_DIR") or
                             pathlib.Path(self.build_temp).resolve() / "cmake")
        build.mkdir(parents=True, exist_ok=True)
        arguments = [
            "-DCMAKE_BUILD_TYPE=Release",
            "-DSLACKLINE_BUILD_PYTHON=ON",
            "-DSLACKLINE_BUILD_APPS=OFF",
            "-DSLACKLINE_BUILD_EXAMPLES=OFF",
            "-DSLACKLINE_BUILD_BENCH=OFF",
            "-DSLACKLINE_INSTALL=OFF",
            "-DSLACKLINE_WITH_GLPK=OFF",
            "-DBUILD_TESTING=OFF",
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DSLACKLINE_PYTHON_OUTPUT={output}",
        ]
        pybind11 = pybind11_folder()
        if pybind11:
            arguments.append(f"-Dpybind11_DIR={pybind11}")
        arguments += shlex.split(os.environ.get("SLACKLINE_CMAKE_ARGS", ""))
        jobs = os.environ.get("SLACKLINE_JOBS") or str(os.cpu_count() or 1)
        try:
            subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(build), *arguments], check=True)
            subprocess.run(["cmake", "--build", str(build), "--parallel", jobs,
                            "--target", "slackline_python"], check=True)
        except FileNotFoundError:
            sys.exit("slackline: building needs CMake (for example apt-get install cmake)")


def pybind11_folder():
    """The CMake folder of the Python package pybind11; None if only the system has one."""
    try:
        import pybind11
    except ImportError:
        return None
    return pybind11.get_cmake_dir()


class SourceDistribution(sdist):
    """Takes the C++ sources along, as cpp/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        target = pathlib.Path(base_dir) / "cpp"
        target.mkdir(parents=True, exist_ok=True)
        for name in ("CMakeLists.txt", "LICENSE"):
            if (SOURCE / name).exists():
                shutil.copy2(SOURCE / name, target / name)
        for name in CPP_FOLDERS:
            shutil.copytree(SOURCE / name, target / name, dirs_exist_ok=True)
        shutil.copytree(HERE / "src", target / "python" / "src", dirs_exist_ok=True)
        shutil.copy2(HERE / "CMakeLists.txt", target / "python" / "CMakeLists.txt")


setup(
    version=version(),
    ext_modules=[Extension("slackline._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild, "sdist": SourceDistribution},
)
