# SPDX-License-Identifier: BSD-3-Clause
"""Handwritten words: a chain of letters, each with the pixels of its picture.

The weights of a letter are an image, and those of pairs of letters show which follow each other.
"""
import matplotlib.pyplot as plt
import numpy as np
from shipped import letters, save

from slackline import SequenceLabeler
from slackline.plots import plot_label_pairs

words, labels = letters()
train, test = slice(0, 450), slice(450, None)
model = SequenceLabeler(lam=0.005).fit(words[train], labels[train])
print(f"{len(words[train])} words; {model.message_}")
print(f"letters right: {100 * model.score(words[test], labels[test]):.1f} %")
truth = "".join(labels[-1])
print(f"'{truth}' is read as:")
for text, score in model.predict_nbest(words[-1:], 3)[0]:
    print(f"  {''.join(text)}  {score:.3f}")

figure = plt.figure(figsize=(10, 4.2), constrained_layout=True)
left, right = figure.subfigures(1, 2)
weights = model.weights_["token"]
largest = np.abs(weights).max()
for ax, letter, row in zip(left.subplots(4, 7).flat, model.classes_, weights):
    ax.imshow(row.reshape(16, 8), cmap="RdBu", vmin=-largest, vmax=largest)
    ax.set_title(letter, fontsize=8)
for ax in left.axes:
    ax.set_axis_off()
plt.rcParams["font.size"] = 7
plot_label_pairs(model, ax=right.subplots())
save(figure, "words")
