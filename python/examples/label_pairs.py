# SPDX-License-Identifier: BSD-3-Clause
"""Labels that depend on each other: 14 functions of yeast genes.

The model learns a weight for every pair of labels. Joined labels are predicted together.
"""
import matplotlib
from shipped import save, yeast
from sklearn.metrics import f1_score, hamming_loss

from slackline import MultiLabelClassifier
from slackline.plots import plot_label_pairs

X, Y, names = yeast("train")
X_test, Y_test, _ = yeast("test")

print("graph   pairs  Hamming  subset  macro F1  certified gap")
for graph in ("none", "tree", "full"):
    model = MultiLabelClassifier(graph=graph).fit(X, Y, label_names=names)
    predicted = model.predict(X_test)
    print(f"{graph:6} {len(model.label_pairs_):6} {hamming_loss(Y_test, predicted):8.4f}"
          f" {model.score(X_test, Y_test):7.4f}"
          f" {f1_score(Y_test, predicted, average='macro', zero_division=0):9.4f}"
          f" {100 * model.relative_gap_:12.3f} %")

matplotlib.rcParams["font.size"] = 8
axes = plot_label_pairs(model, annotate=False)
axes.set_title("weights of pairs of labels")
save(axes.figure, "label_pairs")
