# SPDX-License-Identifier: BSD-3-Clause
"""Every public function has types, and a docstring that names its parameters."""
import importlib
import inspect
import pkgutil

import pytest

import slackline


def public_functions():
    """(name, function) of all public functions and methods of all public modules."""
    found = {}
    names = [name for _, name, _ in pkgutil.iter_modules(slackline.__path__)
             if not name.startswith("_")]
    for module in [slackline] + [importlib.import_module(f"slackline.{name}") for name in names]:
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                found[f"{thing.__module__}.{name}"] = thing
            elif inspect.isclass(thing) and thing.__module__.startswith("slackline"):
                found[f"{thing.__module__}.{name}"] = thing
                for method_name, method in vars(thing).items():
                    if method_name.startswith("_"):
                        continue
                    method = getattr(method, "__func__", method)
                    if inspect.isfunction(method):
                        found[f"{thing.__module__}.{name}.{method_name}"] = method
    return sorted(found.items())


FUNCTIONS = public_functions()


def test_there_are_public_functions():
    assert len(FUNCTIONS) > 50


@pytest.mark.parametrize("name, function", FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_docstring(name, function):
    assert inspect.getdoc(function), f"{name} has no docstring"


@pytest.mark.parametrize("name, function", [(name, function) for name, function in FUNCTIONS
                                            if inspect.isfunction(function)],
                         ids=[name for name, function in FUNCTIONS if inspect.isfunction(function)])
def test_types(name, function):
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        assert parameter.annotation is not inspect.Parameter.empty, f"{name}: {parameter.name}"
    assert signature.return_annotation is not inspect.Signature.empty, f"{name} -> ?"
