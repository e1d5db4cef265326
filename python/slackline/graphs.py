# SPDX-License-Identifier: BSD-3-Clause
"""Own graphs: models with named weights, graphs over any variables and factors, training with a
certificate, prediction, and inference with scores from anywhere.

Examples
--------
Three days, two choices each; the choice of a day depends on its weather and on the day before:

>>> import slackline
>>> model = slackline.Model()
>>> taste = model.add_weights("taste", 2, 2)     # 2 choices, 2 features
>>> change = model.add_weights("change")         # one weight
>>> builder = slackline.GraphBuilder(model)
>>> day = builder.add_variables(3, 2)
>>> for t in range(3):
...     builder.add_input(day[t], taste, t)
>>> for t in range(1, 3):
...     builder.add_factor([day[t - 1], day[t]], slackline.factors.potts(2), change)
>>> trip = builder.build()
>>> data = slackline.Dataset(model)
>>> data.add(trip, [[1, 0], [0, 1], [0, 1]], [0, 1, 1])
0
>>> data.add(trip, [[0, 1], [1, 0], [1, 1]], [1, 0, 0])
1
>>> result = slackline.train(data, lam=0.1, tol=1e-6)
>>> round(result.primal, 4), round(result.dual, 4)
(0.0139, 0.0139)
>>> slackline.predict(trip, [[0, 1], [0, 1], [1, 0]], result.weights).labels
array([1, 1, 0], dtype=int32)
"""
from ._graph import Graph, GraphBuilder, Model, WeightBlock
from ._graph_online import OnlineSummary, OnlineTrainer
from ._graph_prediction import (Marginals, Prediction, Predictor, k_best, marginals, max_marginals,
                                predict, score)
from ._graph_training import Dataset, TrainResult, train
from ._inference import InferResult, infer, structured_hinge

__all__ = ["Dataset", "Graph", "GraphBuilder", "InferResult", "Marginals", "Model",
           "OnlineSummary", "OnlineTrainer", "Prediction", "Predictor", "TrainResult",
           "WeightBlock", "infer", "k_best", "marginals", "max_marginals", "predict", "score",
           "structured_hinge", "train"]
