# SPDX-License-Identifier: BSD-3-Clause
"""A communicator whose ranks are threads, with the methods of mpi4py's that slackline uses."""
from __future__ import annotations

import pickle
import threading
import time


class Aborted(Exception):
    """A rank has ended all of them."""


class _Shared:
    """What the ranks of a communicator share."""

    def __init__(self, size):
        self.size = size
        self.barrier = threading.Barrier(size)
        self.given = [None] * size
        self.lock = threading.Lock()
        self.mail = {}  # (from, to): list of bytes
        self.arrived = threading.Condition(self.lock)
        self.children = {}  # number of Dup: _Shared
        self.failing = 0
        self.aborted = False
        self.parent = None

    def root(self):
        return self if self.parent is None else self.parent.root()

    def abort(self):
        self.aborted = True
        self.barrier.abort()
        for child in self.children.values():
            child.abort()
        with self.arrived:
            self.arrived.notify_all()


class ThreadComm:
    """One rank of it."""

    def __init__(self, shared, rank):
        self._shared = shared
        self._rank = rank
        self._dups = 0

    def Get_size(self):
        return self._shared.size

    def Get_rank(self):
        return self._rank

    def _wait(self):
        try:
            self._shared.barrier.wait(timeout=60)
        except threading.BrokenBarrierError:
            raise Aborted("another rank has ended, or all wait for each other") from None

    def _exchange(self, mine):
        """What all ranks give."""
        self._shared.given[self._rank] = mine
        self._wait()
        everything = list(self._shared.given)
        self._wait()
        return everything

    def allgather(self, value):
        return [pickle.loads(text) for text in self._exchange(pickle.dumps(value))]

    def Dup(self):
        number = self._dups
        self._dups += 1
        with self._shared.lock:
            if number not in self._shared.children:
                self._shared.children[number] = _Shared(self._shared.size)
                self._shared.children[number].parent = self._shared
        self._wait()
        return ThreadComm(self._shared.children[number], self._rank)

    def Free(self):
        self._shared = None

    def Allgatherv(self, mine, everything):
        buffer, counts = everything
        begin = 0
        parts = self._exchange(bytes(mine))
        assert [len(part) for part in parts] == counts
        for part in parts:
            buffer[begin:begin + len(part)] = part
            begin += len(part)
        assert begin == len(buffer)

    def Bcast(self, buffer, root=0):
        content = self._exchange(bytes(buffer) if self._rank == root else None)[root]
        if self._rank != root:
            buffer[:] = content

    def Isend(self, buffer, dest):
        with self._shared.arrived:
            self._shared.mail.setdefault((self._rank, dest), []).append(bytes(buffer))
            self._shared.arrived.notify_all()
        return _Done()

    def Irecv(self, buffer, source):
        return _Receipt(self._shared, (source, self._rank), buffer)

    def Ibarrier(self):
        with self._shared.lock:
            self._shared.failing += 1
        return _Failing(self._shared)

    def Abort(self, code):
        self._shared.root().abort()
        raise Aborted(f"rank {self._rank} has ended all with code {code}")


class _Done:
    def Wait(self):
        pass


class _Receipt:
    def __init__(self, shared, key, buffer):
        self._shared, self._key, self._buffer = shared, key, buffer

    def Wait(self):
        with self._shared.arrived:
            end = time.monotonic() + 60
            while not self._shared.mail.get(self._key):
                if self._shared.aborted or time.monotonic() > end:
                    raise Aborted("another rank has ended")
                self._shared.arrived.wait(timeout=1)
            content = self._shared.mail[self._key].pop(0)
        self._buffer[:] = content


class _Failing:
    def __init__(self, shared):
        self._shared = shared

    def Test(self):
        return self._shared.failing == self._shared.size


def on_ranks(size, work):
    """What work(comm) returns on each of `size` ranks, or the exception that it raises there."""
    shared = _Shared(size)
    results = [None] * size

    def run(rank):
        try:
            results[rank] = work(ThreadComm(shared, rank))
        except BaseException as error:  # noqa: B902
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=180)
    assert not any(thread.is_alive() for thread in threads), "ranks wait for each other"
    return results


def fit_on_ranks(size, make, *data, shards=1):
    """make(comm) fitted on each rank with its part of the data; raises what a rank raises."""
    from slackline import share_of

    def work(comm):
        part = share_of(_length(data[0]), comm, shards=shards)
        return make(comm).fit(*(some[part] for some in data))

    models = on_ranks(size, work)
    for model in models:
        if isinstance(model, BaseException):
            raise model
    return models


def _length(data):
    return data.shape[0] if hasattr(data, "shape") else len(data)
