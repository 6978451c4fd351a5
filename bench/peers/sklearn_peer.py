"""Logistic regression or a random forest on the table, in typical scikit-learn code."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from study import Columns, Order, labels_of, macro_auc

CANDIDATES = {
    "logistic": {f"C {c:g}": LogisticRegression(C=c, max_iter=5000) for c in (0.01, 0.1, 1, 10)},
    "forest": {
        f"500 trees, leaves of {leaf}": RandomForestClassifier(500, min_samples_leaf=leaf, random_state=0)
        for leaf in (1, 3, 10)
    },
}


def main() -> None:
    order = Order.read()
    train, val, test = (order.table(split) for split in ("train", "val", "test"))
    columns = Columns(train)
    best = None
    for settings, model in CANDIDATES[order.name].items():
        model.fit(columns.numbers(train), labels_of(train))
        classes = list(model.classes_)
        score = macro_auc(labels_of(val), classes, model.predict_proba(columns.numbers(val)))
        if best is None or score > best[0]:
            best = (score, settings, model, classes)
    assert best is not None
    _, settings, model, classes = best
    order.answer(classes, model.predict_proba(columns.numbers(test)), settings)


if __name__ == "__main__":
    main()
