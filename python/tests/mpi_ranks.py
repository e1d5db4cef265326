# SPDX-License-Identifier: BSD-3-Clause
"""What test_ranks.py runs under mpirun: prints "good" on every rank."""
import copy
import pickle

import numpy as np
from mpi4py import MPI

import slackline
from slackline import MultiLabelClassifier, SequenceLabeler, share_of


def main():
    comm = MPI.COMM_WORLD
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 6))
    Y = (X @ random.normal(size=(6, 4)) + random.normal(size=(90, 4)) > 0).astype(int)
    part = share_of(len(X), comm)
    one = MultiLabelClassifier(shards=comm.Get_size()).fit(X, Y)
    model = MultiLabelClassifier(comm=comm).fit(X[part], Y[part])
    assert model.weights_["labels"].tolist() == one.weights_["labels"].tolist()
    assert (model.primal_, model.dual_, model.lam_) == (one.primal_, one.dual_, one.lam_)
    assert pickle.loads(pickle.dumps(model)).comm is None

    words = [[f"w{k}" for k in random.integers(0, 30, 5)] for _ in range(30)]
    tags = [[word[-1] for word in sentence] for sentence in words]
    sentences = [[[word] for word in sentence] for sentence in words]
    part = share_of(len(words), comm)
    one = SequenceLabeler(shards=3).fit(sentences, tags)
    tagger = SequenceLabeler(comm=comm).fit(sentences[part], tags[part])
    assert tagger.state_features_ == one.state_features_

    pair = comm.Split(0 if comm.Get_rank() < 2 else 1)  # some of the processes
    again = MultiLabelClassifier(comm=pair, tol=0.1)
    assert again.get_params()["comm"] is pair and copy.deepcopy(pair) is pair
    again.fit(X[share_of(len(X), pair)], Y[share_of(len(X), pair)])

    team = slackline._ranks.Team(comm)
    slackline._ranks._MOST_BYTES = 1000
    big = np.full(5000 + comm.Get_rank(), comm.Get_rank(), dtype=np.uint8)
    everything = np.zeros(15003, dtype=np.uint8)
    team.gather_bytes(memoryview(big), [5000, 5001, 5002], memoryview(everything))
    assert np.bincount(everything).tolist() == [5000, 5001, 5002]
    team.free()

    if comm.Get_rank() == 2:
        X[89, 1] = np.nan
    part = share_of(len(X), comm)
    try:
        MultiLabelClassifier(comm=comm).fit(X[part], Y[part])
    except ValueError as error:
        assert str(error) == "rank 2: Input X contains NaN: row 29, column 1.", error
    else:
        raise AssertionError("no error")
    print("good", flush=True)


if __name__ == "__main__":
    main()
