# SPDX-License-Identifier: BSD-3-Clause
"""A structured hinge loss on a PyTorch module.

A network scores the states of the variables of a chain, and one table of parameters scores its
pairs of neighbours. Slackline finds the best labelling, or the solution of the LP relaxation, for a
whole batch at once; its marginals are the gradient. Needs PyTorch (python3-torch):

    python3 torch_layer.py
"""
import numpy as np

import slackline

try:
    import torch
except ImportError as error:
    raise SystemExit(f"this example needs PyTorch: {error}")


class StructuredHinge(torch.autograd.Function):
    """max_y [loss(y) + score(y)] − score(truth) for each row of scores."""

    @staticmethod
    def forward(ctx, scores, graph, labels, method, n_jobs):
        hinges, gradients = slackline.graphs.structured_hinge(
            graph, scores.detach().cpu().double().numpy(), labels.cpu().numpy(), method=method,
            n_jobs=n_jobs)
        ctx.save_for_backward(torch.from_numpy(gradients).to(scores))
        return torch.from_numpy(hinges).to(scores)

    @staticmethod
    def backward(ctx, grad_hinges):
        (gradients,) = ctx.saved_tensors
        return grad_hinges[:, None] * gradients, None, None, None, None


def structured_hinge(graph, scores, labels, method="lp", n_jobs=-1):
    """Hinge losses, shape (rows,), of scores of shape (rows, graph.n_scores) for true labels of
    shape (rows, graph.n_variables)."""
    return StructuredHinge.apply(scores, graph, labels, method, n_jobs)


def chain(length, states):
    """A chain for which the network gives all scores."""
    builder = slackline.GraphBuilder(slackline.Model())
    builder.add_variables(length, states)
    for t in range(1, length):
        builder.add_factor([t - 1, t])
    return builder.build()


class Tagger(torch.nn.Module):
    """Scores of states from a small network, and of pairs from a table; one row per sequence."""

    def __init__(self, features, states):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(features, 16), torch.nn.Tanh(),
                                           torch.nn.Linear(16, states))
        self.pairs = torch.nn.Parameter(torch.zeros(states, states))

    def forward(self, x):
        rows, length, _ = x.shape
        unary = self.network(x).reshape(rows, -1)
        pairs = self.pairs.reshape(1, -1).expand(rows * (length - 1), -1).reshape(rows, -1)
        return torch.cat([unary, pairs], dim=1)


def sequences(rng, rows, length):
    """Two hidden states that seldom change, seen through noise on a circle: no linear function of
    the features tells them apart."""
    change = rng.random((rows, length)) < 0.1
    labels = np.cumsum(change, axis=1) % 2
    radius = 1.0 + labels + 0.4 * rng.normal(size=labels.shape)
    angle = 2 * np.pi * rng.random(labels.shape)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(labels)


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    x, labels = sequences(rng, 200, 20)
    test_x, test_labels = sequences(rng, 100, 20)
    graph = chain(20, 2)
    tagger = Tagger(2, 2)
    optimiser = torch.optim.Adam(tagger.parameters(), lr=0.02, weight_decay=1e-4)
    for step in range(150):
        hinge = structured_hinge(graph, tagger(x), labels).mean()
        optimiser.zero_grad()
        hinge.backward()
        optimiser.step()
        if step % 30 == 0:
            print(f"step {step}: mean hinge loss {hinge.item():.4f}")
    with torch.no_grad():
        scores = tagger(test_x).double().numpy()
    found = slackline.infer(graph, scores, n_jobs=-1)
    alone = scores[:, :40].reshape(-1, 20, 2).argmax(axis=-1)
    wrong = np.mean(found.labels != test_labels.numpy())
    print(f"wrong states of new sequences: {wrong:.3f}; without the pairs: "
          f"{np.mean(alone != test_labels.numpy()):.3f}")
    return wrong


if __name__ == "__main__":
    main()
