# SPDX-License-Identifier: BSD-3-Clause
"""Choosing the regularisation, and a graph of labels, by scikit-learn's search."""
import matplotlib.pyplot as plt
import numpy as np
from shipped import save, yeast
from sklearn.model_selection import GridSearchCV

from slackline import MultiLabelClassifier
from slackline.plots import plot_path

X, Y, names = yeast("train")
search = GridSearchCV(MultiLabelClassifier(tol=0.01),
                      {"lam": list(np.geomspace(0.3, 3e-5, 5)), "graph": ["none", "tree"]},
                      scoring="f1_micro", cv=4)
search.fit(X, Y)
print("best:", {name: round(float(value), 6) if isinstance(value, float) else value
                for name, value in search.best_params_.items()})
print(f"micro F1 {search.best_score_:.4f}; the default lambda is"
      f" {MultiLabelClassifier().fit(X, Y).lam_:.3g}")
figure, ax = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
plot_path(search, ax=ax)
ax.set_ylabel("micro F1 on held-out examples")
save(figure, "choose_lambda")
