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
order = np.random.default_rng(0).permutation(len(words))
train, test = order[:450], order[450:]
model = SequenceLabeler(lam=0.001)
model.fit([words[m] for m in train], [labels[m] for m in train])
print(f"{len(train)} words; {model.message_}")
right = model.score([words[m] for m in test], [labels[m] for m in test])
print(f"letters right: {100 * right:.1f} %")
last = test[-1]
print(f"'{''.join(labels[last])}' is read as:")
for text, score in model.predict_nbest([words[last]], 3)[0]:
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
