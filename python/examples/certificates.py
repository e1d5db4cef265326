# SPDX-License-Identifier: BSD-3-Clause
"""What a certificate says: two bounds that close in on the optimum, for three learners.

The optimum lies in the shaded band, whichever learner made it. All three solve the same problem;
what `auto` chooses has proven 0.1 % when the others have just begun.
"""
import warnings

import matplotlib.pyplot as plt
from shipped import save, yeast

from slackline import MultiLabelClassifier
from slackline.plots import plot_training

X, Y, names = yeast("train")
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharex=True, sharey=True, constrained_layout=True)
for learner, ax in zip(("auto", "bcfw", "ssg"), axes):
    model = MultiLabelClassifier(graph="tree", learner=learner, max_iter=60, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 60 passes do not suffice for all learners
        model.fit(X, Y)
    plot_training(model, x="pass", ax=ax)
    ax.set_title(f"{learner} ({model.learner_}): gap {100 * model.relative_gap_:.2g} %")
    ax.set_ylim(0.1, 0.5)
    print(f"{learner:5} {model.termination_:11} {model.n_iter_:3} passes:"
          f" the optimum lies between {model.dual_:.5f} and {model.primal_:.5f}")
save(figure, "certificates")
