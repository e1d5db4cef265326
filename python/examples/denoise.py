# SPDX-License-Identifier: BSD-3-Clause
"""A model of your own: pictures of letters without their noise.

Every pixel is a binary variable that sees its noisy value; neighbours have a Potts factor. The
graph has cycles, so training solves the LP relaxation, and prediction says which pictures are
proven to be the best ones.
"""
import matplotlib.pyplot as plt
import numpy as np
from shipped import letters, save

import slackline as sl

clean = np.concatenate(letters()[0])[:60].reshape(-1, 16, 8).astype(int)
noise = np.random.default_rng(0).random(clean.shape) < 0.12
noisy = np.where(noise, 1 - clean, clean)


def inputs(picture):
    """One row per pixel: its value and a constant."""
    return np.column_stack([picture.ravel().astype(float), np.ones(picture.size)])


model = sl.Model()
pixel = model.add_weights("pixel", 2, 2)
change = model.add_weights("change")
grid = sl.GraphBuilder(model)
at = np.array(grid.add_variables(16 * 8, 2)).reshape(16, 8)
for row, variable in enumerate(at.ravel()):
    grid.add_input(variable, pixel, row)
for first, second in [(at[:-1], at[1:]), (at[:, :-1], at[:, 1:])]:
    for pair in zip(first.ravel(), second.ravel()):
        grid.add_factor(pair, sl.factors.potts(2), change)
graph = grid.build()

data = sl.Dataset(model)
for picture, target in zip(noisy[:40], clean[:40]):
    data.add(graph, inputs(picture), target.ravel())
result = sl.train(data, lam=1e-3, tol=0.01)
print(f"certified gap {100 * result.relative_gap:.2g} %; weight of a change of state "
      f"{result.weights['change'].item():.4f}")

predictions = [sl.predict(graph, inputs(picture), result.weights) for picture in noisy[40:]]
denoised = np.array([p.labels for p in predictions]).reshape(-1, 16, 8)
print(f"wrong pixels: {100 * (noisy[40:] != clean[40:]).mean():.1f} % before, "
      f"{100 * (denoised != clean[40:]).mean():.1f} % after; "
      f"{sum(p.optimal for p in predictions)} of {len(predictions)} pictures are proven optimal")

figure, axes = plt.subplots(3, 10, figsize=(7, 4), constrained_layout=True)
for row, (title, pictures) in enumerate([("noisy", noisy[40:]), ("denoised", denoised),
                                         ("truth", clean[40:])]):
    for ax, picture in zip(axes[row], pictures):
        ax.imshow(picture, cmap="gray_r")
        ax.set_xticks([]), ax.set_yticks([])
    axes[row][0].set_ylabel(title)
save(figure, "denoise")
