# SPDX-License-Identifier: BSD-3-Clause
"""Several processes that train one model together, each with its own examples.

The processes are the ranks of a communicator of mpi4py, which is not imported here: all that is
used of it are the methods of the communicator that a user passes.
"""
from __future__ import annotations

import contextlib
import copyreg
import platform
import sys
import time
import traceback
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, TypeVar

from ._arrays import shown

__all__ = ["Team", "allow_copies", "share_of", "team_of"]

T = TypeVar("T")

_MOST_BYTES = 1 << 30  # MPI counts with 32 bits
# Ranks that fail for the same reason do so within this time, in seconds.
_TIME_TO_FAIL = 10.0

# Errors that keep their type on all ranks.
_KINDS: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (ValueError, TypeError, NotImplementedError, MemoryError)}


def share_of(n: int, comm: Any = None, *, shards: int = 1) -> slice:
    """The part of `n` examples that this process should train on.

    Where every process passes this part of the same data to `fit`, the model is that of one process
    that passes all of them with as many shards, bit for bit.

    Parameters
    ----------
    n : int
        The number of examples of all processes together.
    comm : communicator of mpi4py, optional
        As for the estimator; None for one process alone.
    shards : int, default 1
        As for the estimator; 1 stands for one shard per process.

    Returns
    -------
    slice
        Consecutive examples; the parts of the ranks follow each other. With fewer examples than
        processes, some parts are empty.

    Examples
    --------
    >>> from slackline import share_of
    >>> share_of(10)
    slice(0, 10, None)
    """
    size, rank = (1, 0) if comm is None else (comm.Get_size(), comm.Get_rank())
    if size == 1:
        return slice(0, n)
    total = min(max(int(shards), size), n)
    if total == 0:
        return slice(0, 0)
    first, last = total * rank // size, total * (rank + 1) // size
    return slice(n * first // total, n * last // total)


def allow_copies(comm: Any) -> None:
    """Lets copy.deepcopy, and thus sklearn.base.clone, hand on the communicator itself. mpi4py does
    not define copies of communicators."""
    if type(comm) not in copyreg.dispatch_table:
        # A text stands for the object itself in copies, and for its global name in pickles; other
        # communicators cannot be pickled.
        copyreg.pickle(type(comm), _global_name)


def _global_name(comm: Any) -> str:
    mpi = sys.modules.get("mpi4py.MPI")
    for name in ("COMM_WORLD", "COMM_SELF"):
        if comm is getattr(mpi, name, None):
            return name
    return "a communicator"


class Team:
    """The processes that train together; this one alone, without a communicator.

    All processes must call the same methods in the same order.
    """

    def __init__(self, comm: Any = None):
        self.size = 1
        self.rank = 0
        self.on_this_machine = 1  # processes that share its memory, this one included
        if comm is None:
            return
        try:
            self.size, self.rank = int(comm.Get_size()), int(comm.Get_rank())
        except AttributeError:
            raise TypeError("comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, or "
                            f"None, not {shown(comm)}") from None
        if self.size > 1:
            # Own communicators, which do not meet messages of the caller.
            self._comm = comm.Dup()
            self._failing = comm.Dup()
            machine = platform.node()
            self.on_this_machine = self.gather(machine).count(machine)

    @property
    def alone(self) -> bool:
        return self.size == 1

    def gather(self, value: T) -> list[T]:
        """The values of all ranks, in their order."""
        return [value] if self.alone else self._comm.allgather(value)

    def together(self, work: Callable[[], T]) -> T:
        """What work() returns on this rank. An exception on one rank becomes that of all ranks,
        with the rank in its message."""
        if self.alone:
            return work()
        error: Optional[BaseException] = None
        try:
            result = work()
        except BaseException as raised:  # noqa: B902 (KeyboardInterrupt ends all ranks, too)
            error = raised
        texts = None if error is None else (type(error).__name__, str(error))
        for rank, failed in enumerate(self.gather(texts)):
            if failed is None:
                continue
            name, text = failed
            kind = _KINDS.get(name)
            if error is not None and kind is None:
                raise error
            if kind is None:
                raise RuntimeError(f"rank {rank}: {name}: {text}") from error
            raise kind(f"rank {rank}: {text}") from error
        return result

    def require_some(self, count: int, message: str) -> None:
        """Raises ValueError with this message on all ranks if they have none of something together.
        count: how many this rank has."""
        if sum(self.gather(count)) == 0:
            raise ValueError(message)

    def require_same(self, values: Mapping[str, Any]) -> None:
        """Raises ValueError on all ranks if one of the values, by the names that users know, is not
        the same on all of them."""
        if self.alone:
            return
        of_ranks = self.gather(dict(values))
        for rank, others in enumerate(of_ranks):
            for name, value in of_ranks[0].items():
                if others.get(name) != value:
                    raise ValueError(
                        f"{name} must be the same on all processes, but is {_short(value)} on rank "
                        f"0 and {_short(others.get(name))} on rank {rank}")

    # What slackline._core calls, with memoryviews of bytes.

    def gather_bytes(self, mine: memoryview, lengths: Sequence[int],
                     everything: memoryview) -> None:
        """Writes the bytes of all ranks, of these lengths, one after the other. `mine` may lie in
        its place already."""
        if sum(lengths) <= _MOST_BYTES:
            # The two buffers of MPI must not overlap.
            self._comm.Allgatherv(bytearray(mine), (everything, list(lengths)))
            return
        begin = 0
        for rank, length in enumerate(lengths):
            place = everything[begin:begin + length]
            if rank == self.rank:
                place[:] = bytes(mine)
            self._send_from(rank, place)
            begin += length

    def exchange_bytes(self, to: Sequence[memoryview], come: Sequence[memoryview]) -> None:
        """Sends to[q] to rank q, and receives what it sends in come[q]."""
        requests = []
        for step in range(1, self.size):  # not all ranks to the same one at once
            rank = (self.rank - step) % self.size
            requests += [self._comm.Irecv(piece, rank) for piece in _pieces(come[rank])]
        for step in range(1, self.size):
            rank = (self.rank + step) % self.size
            requests += [self._comm.Isend(piece, rank) for piece in _pieces(to[rank])]
        come[self.rank][:] = to[self.rank]
        for request in requests:
            request.Wait()

    def broadcast_bytes(self, content: memoryview) -> None:
        """Writes the bytes of rank 0 to those of all ranks."""
        self._send_from(0, content)

    def _send_from(self, root: int, content: memoryview) -> None:
        for piece in _pieces(content):
            self._comm.Bcast(piece, root)

    # The end.

    def free(self) -> None:
        if not self.alone:
            self._comm.Free()
            self._failing.Free()

    def failed(self) -> None:
        """To be called while an exception is handled. Returns if all ranks have failed; else they
        would wait for this one forever, so that all are ended."""
        if self.alone:
            return
        request = self._failing.Ibarrier()
        end = time.monotonic() + _TIME_TO_FAIL
        while not request.Test():
            if time.monotonic() > end:
                print(f"slackline: rank {self.rank} has failed alone, and ends all processes:\n"
                      + traceback.format_exc(), file=sys.stderr, flush=True)
                self._comm.Abort(1)
                return
            time.sleep(0.001)
        self.free()


@contextlib.contextmanager
def team_of(comm: Any) -> Iterator[Team]:
    """The processes of a communicator; this one alone for None."""
    team = Team(comm)
    try:
        yield team
    except BaseException:
        team.failed()
        raise
    team.free()


def _pieces(content: memoryview) -> list[memoryview]:
    return [content[begin:begin + _MOST_BYTES] for begin in range(0, len(content), _MOST_BYTES)]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
