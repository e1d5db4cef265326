# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators share: parameters of training, and what is known after it."""
from __future__ import annotations

import copy
import functools
import inspect
import warnings
from typing import Any, Callable, ContextManager, Iterable, Mapping, Optional, Union

import numpy as np

from ._arrays import shown
from . import _core
from ._progress import progress_callback
from ._ranks import Team, allow_copies, team_of

try:
    from sklearn.base import BaseEstimator as _Parameters
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
except ImportError:

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """Training ended before the gap was as small as wanted."""

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator has not been fitted."""

    class _Parameters:  # type: ignore[no-redef]
        """The part of scikit-learn's BaseEstimator that needs no scikit-learn."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            parameters = inspect.signature(cls.__init__).parameters
            return sorted(name for name in parameters if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters by name."""
            del deep
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            """Set parameters by name."""
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {shown(name)} for estimator {type(self).__name__}. "
                        f"Valid parameters are: {shown(known)}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            texts = (f"{name}={shown(value)}" for name, value in self.get_params().items()
                     if value is not defaults[name].default and value != defaults[name].default)
            return f"{type(self).__name__}({', '.join(texts)})"


Record = Mapping[str, Any]
Callback = Callable[[Record], Optional[bool]]
Callbacks = Union[None, Callback, Iterable[Callback]]

__all__ = ["ConvergenceWarning", "NotFittedError", "StructuredEstimator", "available_if",
           "option_parameters", "warn_of_limit"]


class available_if:  # noqa: N801 (a decorator)
    """Decorator: the method exists only where the method `condition` of the object returns True;
    elsewhere there is an AttributeError with this message."""

    def __init__(self, condition: str, message: str):
        self._condition = condition
        self._message = message

    def __call__(self, function: Callable[..., Any]) -> "available_if":
        self._function = function
        functools.update_wrapper(self, function)  # type: ignore[arg-type]
        return self

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self._function
        if not getattr(instance, self._condition)():
            raise AttributeError(self._message)
        return self._function.__get__(instance, owner)


# The options of the command line that parameters stand for, and how parameters are read from them.
_OPTION_OF = {"learner": "learner", "lam": "lambda", "tol": "gap-tolerance",
              "max_iter": "max-passes", "time_limit": "time-limit", "n_jobs": "threads",
              "random_state": "seed", "shards": "shards"}
_READERS: dict[str, Callable[[str], Any]] = {
    "learner": str, "tol": float, "max_iter": int, "time_limit": float,
    "n_jobs": lambda text: int(text) or -1, "random_state": int, "shards": int}


def option_parameters(texts: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of training that stand for the options of a model's record. Options with
    their default are left out."""
    defaults = _core.default_options()
    changed = {name: text for name, text in texts.items()
               if name in defaults and text != defaults[name] and text != "auto"}
    changed.pop("lambda", None)
    parameters: dict[str, Any] = {}
    for name, option in _OPTION_OF.items():
        read = _READERS.get(name)
        if read is not None and option in changed:
            parameters[name] = read(changed.pop(option))
    if changed:
        parameters["learner_options"] = {name.replace("-", "_"): text
                                         for name, text in changed.items()}
    return parameters


class StructuredEstimator(_Parameters):
    """Base of all estimators.

    Subclasses set the parameters that ``_train_options`` reads in ``__init__``: C, lam, learner,
    tol, max_iter, time_limit, n_jobs, random_state, learner_options, warm_start, verbose; those
    that can train with shards also set shards, and those that can train with other processes comm.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        comm = getattr(self, "comm", None)
        if comm is not None:
            allow_copies(comm)  # clone copies what this function returns
        return super().get_params(deep)

    def __getstate__(self) -> dict[str, Any]:
        parent = getattr(super(), "__getstate__", None)
        state = dict(self.__dict__ if parent is None else parent())
        if state.get("comm") is not None:
            if not any(name.endswith("_") for name in state):
                raise TypeError(f"a {type(self).__name__} with a communicator (comm) can only be "
                                "pickled when it is fitted: other processes do not have it")
            state["comm"] = None
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            setattr(made, name, value if name == "comm" else copy.deepcopy(value, memo))
        return made

    def _processes(self) -> ContextManager[Team]:
        """The processes that fit together; exceptions that leave the context must be those of all
        of them."""
        return team_of(getattr(self, "comm", None))

    def _agree(self, team: Team, options: Mapping[str, str], train: dict[str, str],
               **more: Any) -> None:
        """Raises ValueError on all processes unless they have the same parameters, and the same of
        all that `more` names. Rank 0 chooses the seed."""
        if team.alone:
            return
        cost = team.together(self._cost)
        train["seed"] = team.gather(train["seed"])[0]
        own = {name: text for name, text in train.items() if name not in ("threads", "time-limit")}
        names = {option: name for name, option in _OPTION_OF.items()}
        texts = {names.get(option, option.replace("-", "_")): text
                 for option, text in {**options, **own}.items()}
        team.require_same({"the parameters": sorted(texts), **texts, "C": cost,
                           "warm_start": bool(self.warm_start), **more})
        if self.warm_start:
            raise ValueError("warm_start needs a single process, but several train together (comm)")
        shards = train.get("shards", "1")
        if shards.isdecimal() and 1 < int(shards) < team.size:
            raise ValueError(f"shards == {shards}, but each of the {team.size} processes needs a "
                             "shard")

    def _train_options(self) -> dict[str, str]:
        """The parameters of training as texts, by the names of the command line."""
        options = {"learner": str(self.learner)}
        if self.lam is not None:
            if self.C is not None:
                raise ValueError("lam and C exclude each other: C stands for lam = 1/(C*M)")
            options["lambda"] = _positive("lam", self.lam)
        options["gap-tolerance"] = _number("tol", self.tol)
        options["max-passes"] = _integer("max_iter", self.max_iter, 1)
        if self.time_limit is not None:
            options["time-limit"] = _positive("time_limit", self.time_limit)
        options["threads"] = str(self._threads())
        options["seed"] = str(_seed(self.random_state))
        shards = _integer("shards", getattr(self, "shards", 1), 1)
        if shards != "1":
            if "shards" in (self.learner_options or {}):
                raise ValueError("shards is a parameter, and cannot be in learner_options as well")
            options["shards"] = shards
        return {**options, **option_texts(self.learner_options)}

    def _cost(self) -> float:
        """The value of C, 0 if not given."""
        return 0.0 if self.C is None else float(_positive("C", self.C))

    def _threads(self) -> int:
        """The number of threads; 0 = all of the machine, as n_jobs=-1; of several
        processes on it, a part each."""
        if self.n_jobs is None:
            return 1
        jobs = int(_integer("n_jobs", self.n_jobs, -1))
        if jobs == 0:
            raise ValueError("n_jobs == 0 has no meaning; it must be a positive number or -1")
        return 0 if jobs < 0 else jobs

    def _callback(self, callbacks: Callbacks,
                  first: bool = True) -> tuple[Optional[Callback], Any]:
        """One function for the callbacks of fit and the progress of verbose, which only the first
        process shows; None for none."""
        given = _callback_list(callbacks)
        shows = self.verbose and first
        progress = progress_callback(type(self).__name__, self.tol) if shows else None
        if progress is not None:
            given.append(progress)
        if not given:
            return None, None

        def call(record: Record) -> bool:
            stops = [callback(record) for callback in given]
            return any(isinstance(stop, (bool, np.bool_)) and bool(stop) for stop in stops)

        return call, progress

    def _state(self) -> bytes:
        """The state to continue from."""
        return getattr(self, "_state_", b"") if self.warm_start else b""

    def _arguments(self, options: dict[str, str], train: dict[str, str],
                   callback: Optional[Callback] = None, team: Optional[Team] = None) -> Any:
        """What the fit functions of slackline._core have in common: the options of the application
        and of training as texts, and the rest of the parameters."""
        return _core.FitArguments(options, train, self._cost(), callback, bool(self.warm_start),
                                  self._state(), None if team is None or team.alone else team)

    def _run(self, callbacks: Callbacks, options: dict[str, str], train: dict[str, str],
             fit: Callable[[Any], Any], team: Team) -> tuple[Any, dict[str, Any]]:
        """The model and the result that fit(arguments) returns; its notes begin with the
        scaling."""
        callback, progress = team.together(lambda: self._callback(callbacks, team.rank == 0))
        try:
            model, result = fit(self._arguments(options, train, callback, team))
        finally:
            if progress is not None:
                progress.close()
        if result["scaling"]:
            result["notes"].insert(0, result["scaling"])
        return model, result

    def _finish(self, result: dict[str, Any], team: Optional[Team] = None) -> None:
        """Stores what is known about a training, then raises what a callback or Ctrl-C raised on
        any of the processes."""
        self.primal_ = result["primal"]
        self.dual_ = result["dual"]
        self.gap_ = result["gap"]
        self.relative_gap_ = result["relative_gap"]
        self.certified_problem_ = result["problem"]
        self.lam_ = result["lam"]
        self.n_iter_ = result["passes"]
        self.learner_ = result["learner"]
        self.termination_ = result["termination"]
        self.message_ = result["message"]
        self.notes_ = list(result["notes"])
        self.history_ = result["history"]
        self.fit_seconds_ = result["seconds"]
        if self.warm_start:
            self._state_ = result["state"]
        for warning in result.get("warnings", ()):
            warnings.warn(warning, UserWarning, stacklevel=3)
        (team or Team()).together(lambda: _raise(result["exception"]))
        warn_of_limit(self.termination_, self.relative_gap_, self.tol, self.message_, stacklevel=4)

    def _set_record(self, record: dict[str, Any]) -> None:
        """Stores what a model file says about its training."""
        for name in ("primal", "dual", "gap", "relative_gap", "lam", "termination", "message"):
            setattr(self, name + "_", record[name])
        self.certified_problem_ = record["problem"]
        self.n_iter_ = record["passes"]
        self.learner_ = record["options"].get("learner", "")
        self.notes_ = []
        self.history_ = record["curve"]
        self.fit_seconds_ = record["seconds"]

    def _check_fitted(self, attribute: str) -> None:
        if not hasattr(self, attribute):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' before using "
                "this estimator.")


def _raise(exception: Optional[BaseException]) -> None:
    if exception is not None:
        raise exception


def warn_of_limit(termination: str, relative_gap: float, tol: float, message: str, *,
                  stacklevel: int) -> None:
    """Warns if training ended at a limit, before the gap was as small as wanted."""
    if termination in ("max-passes", "time-limit", "stalled"):
        warnings.warn(
            f"training ended with a certified gap of {100 * relative_gap:.3g} %, where "
            f"{100 * tol:.3g} % was wanted: {message}", ConvergenceWarning, stacklevel=stacklevel)


def _callback_list(callbacks: Callbacks) -> list[Callback]:
    if callbacks is None:
        return []
    if callable(callbacks):
        return [callbacks]
    if not isinstance(callbacks, Iterable):
        raise ValueError(f"callbacks: {shown(callbacks)} is not callable")
    given = list(callbacks)
    for callback in given:
        if not callable(callback):
            raise ValueError(f"callbacks: {shown(callback)} is not callable")
    return given


def _number(name: str, value: Any) -> str:
    import math
    import numbers
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} must be a number, not {shown(value)}")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} == {shown(value)}; it must be a finite number >= 0")
    return repr(float(value))


def _positive(name: str, value: Any) -> str:
    text = _number(name, value)
    if float(text) == 0:
        raise ValueError(f"{name} == {shown(value)}; it must be > 0")
    return text


def _integer(name: str, value: Any, smallest: int) -> str:
    import numbers
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ValueError(f"{name} must be an integer, not {shown(value)}")
    if value < smallest:
        raise ValueError(f"{name} == {shown(value)}; it must be >= {smallest}")
    return str(int(value))


def option_texts(learner_options: Optional[Mapping[str, Any]]) -> dict[str, str]:
    """Options of a learner as texts, by the names of the command line."""
    texts = {}
    for name, value in (learner_options or {}).items():
        text = str(value)
        if isinstance(value, bool):
            text = "on" if value else "off"
        texts[str(name).replace("_", "-")] = text
    return texts


def _seed(random_state: Any) -> int:
    """The seed of the learner: that of the command line (1) for None."""
    import numbers
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state == {shown(random_state)}; it must be >= 0")
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(1, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(1, 2**31 - 1))
    raise ValueError(f"random_state must be None, an integer or a generator, not "
                     f"{shown(random_state)}")
