"""The statistics of a study, compared with sums by hand, scikit-learn and SciPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error, roc_auc_score

from medloom_trainer.data.types import Cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.study.comparisons import _estimand
from medloom_trainer.metrics.statistics.holm import holm
from medloom_trainer.metrics.statistics.resampled_t import corrected_resampled_t
from testing.study_cells import StudyFiles, cases_at

ROWS, FOLDS, SEEDS, REPEATS = 120, 4, 2, 2
LABELS = np.arange(ROWS) % 2
PATIENTS = np.asarray([f"P{row // 2}" for row in range(ROWS)])
TRAINED = 72
"""Number of training cases among the 90 that a fold leaves; the others validate."""
STRENGTH = {"weak": 0.4, "strong": 1.5}


def fold_of(repeat: int) -> np.ndarray:
    """(N,) the fold of each case; patients are not divided."""
    return np.random.default_rng(repeat).permutation(np.arange(ROWS // 2) % FOLDS).repeat(2)


def part(repeat: int, fold: int) -> tuple[np.ndarray, Cases]:
    inside = np.flatnonzero(fold_of(repeat) == fold)
    return inside, cases_at(inside + 2, LABELS[inside], PATIENTS[inside].tolist(), f"{repeat} {fold}")


def probabilities(variant: str, seed: int, repeat: int) -> np.ndarray:
    """(N, 2) predictions of the models of one set."""
    random = np.random.default_rng([seed, repeat, len(variant)])
    scores = STRENGTH[variant] * LABELS + random.normal(size=ROWS)
    yes = 1 / (1 + np.exp(-scores))
    return np.stack([1 - yes, yes], axis=1)


def threshold(fold: int) -> float:
    return 0.5 + 0.05 * fold


def crossed(files: StudyFiles, *, without: set[tuple[str, int, int, int]] | None = None) -> StudyFiles:
    for variant in STRENGTH:
        for seed in range(SEEDS):
            for repeat in range(REPEATS):
                for fold in range(FOLDS):
                    if (variant, seed, repeat, fold) in (without or set()):
                        continue
                    inside, cases = part(repeat, fold)
                    predicted = probabilities(variant, seed, repeat)[inside]
                    where = {"seed": seed, "repeat": repeat, "fold": fold}
                    own = {"threshold": threshold(fold), "trained_from": TRAINED}
                    files.add(variant, cases, predicted, **own, **where)
    return files


@pytest.fixture(scope="module")
def complete(tmp_path_factory) -> dict[str, Any]:
    files = StudyFiles(tmp_path_factory.mktemp("study"), classes=("no", "yes"))
    return crossed(files).results(reference="weak")


def codes_of(*messages):
    return [phrase["code"] for phrases in messages for phrase in phrases]


def variant(results: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in results["variants"] if one["name"] == name)


def test_estimates_are_of_pooled_predictions_and_means_of_single_trainings(complete):
    for name in STRENGTH:
        found = variant(complete, name)
        assert (found["num_trainings"], found["num_sets"]) == (SEEDS * REPEATS * FOLDS, SEEDS * REPEATS)
        assert (found["num_cases"], found["num_patients"]) == (ROWS, ROWS // 2)
        single, whole, decided = [], [], []
        for seed in range(SEEDS):
            for repeat in range(REPEATS):
                yes, folds = probabilities(name, seed, repeat)[:, 1], fold_of(repeat)
                whole.append(roc_auc_score(LABELS, yes))
                # Each case is decided by the threshold of the model that predicted it.
                called = yes >= np.asarray([threshold(fold) for fold in folds])
                decided.append(balanced_accuracy_score(LABELS, called))
                single += [roc_auc_score(LABELS[folds == k], yes[folds == k]) for k in range(FOLDS)]
        auc = found["metrics"]["auc"]
        assert auc["estimate"] == pytest.approx(np.mean(whole), abs=1e-9)
        assert (auc["mean"], auc["sd"]) == pytest.approx((np.mean(single), np.std(single, ddof=1)), abs=1e-9)
        assert found["metrics"]["balanced_accuracy"]["estimate"] == pytest.approx(np.mean(decided), abs=1e-9)
        assert auc["low"] < auc["estimate"] < auc["high"]
        assert found["metrics"]["ece"]["low"] is None and "biased upward" in found["metrics"]["ece"]["note"]
    first = variant(complete, "weak")["figures"]
    assert (first["seed"], first["repeat"]) == (0, 0)
    assert np.sum(first["confusion_matrix"]) == ROWS and len(first["roc"]) == 1


def test_the_main_test_is_over_folds_and_holm_corrects_the_primary_metric_alone(complete):
    (auc,) = [one for one in complete["comparisons"] if one["metric"] == "auc"]
    differences = [
        np.mean([
            roc_auc_score(LABELS[part(r, f)[0]], probabilities("strong", s, r)[part(r, f)[0], 1])
            - roc_auc_score(LABELS[part(r, f)[0]], probabilities("weak", s, r)[part(r, f)[0], 1])
            for s in range(SEEDS)
        ])
        for r in range(REPEATS) for f in range(FOLDS)
    ]  # fmt: skip
    by_hand = corrected_resampled_t(np.asarray(differences), ROWS / FOLDS / TRAINED)
    assert by_hand is not None
    assert (auc["a"], auc["b"], auc["test"]) == ("strong", "weak", "corrected_resampled_t")
    assert auc["difference"]["estimate"] == pytest.approx(by_hand.estimate, abs=1e-9)
    assert (auc["difference"]["low"], auc["p"]) == pytest.approx((by_hand.low, by_hand.p), abs=1e-9)
    assert (auc["correction"], auc["p_corrected"]) == ("holm", pytest.approx(auc["p"]))
    assert [test["test"] for test in auc["tests"]] == ["corrected_resampled_t", "patient_bootstrap"]
    assert auc["num_pairs"] == REPEATS * FOLDS and auc["seeds"] == [0, 1]
    others = [one for one in complete["comparisons"] if one["metric"] != "auc"]
    assert {one["correction"] for one in others} == {None} and "prevalence" not in {
        one["metric"] for one in others
    }
    methods = complete["methods"]
    assert methods["test_train_ratio"] == pytest.approx(ROWS / FOLDS / TRAINED)
    assert (methods["folds"], methods["repeats"], methods["seeds"]) == (FOLDS, REPEATS, SEEDS)
    assert methods["main_test"] == "corrected_resampled_t" and methods["resampled"] == "patients"


def test_each_difference_is_that_of_the_two_values_beside_it(complete):
    for comparison in complete["comparisons"]:
        assert comparison["estimand"] == "fold_mean"
        for one in (comparison["difference"] | comparison, *comparison["tests"]):
            if one["estimate"] is not None:
                difference = one["values"]["a"] - one["values"]["b"]
                assert one["estimate"] == pytest.approx(difference, abs=1e-12)
        (pooled,) = [test for test in comparison["tests"] if test["estimand"] == "pooled"]
        for name, role in (("strong", "a"), ("weak", "b")):
            figure = variant(complete, name)["metrics"][comparison["metric"]]
            assert pooled["values"][role] == pytest.approx(figure["estimate"], abs=1e-12)


def test_a_metric_is_compared_in_one_quantity_for_all_pairs():
    def tests(fold_p, pooled_p):
        return [
            {"estimand": "fold_mean", "estimate": 0.1, "p": fold_p},
            {"estimand": "pooled", "estimate": -0.1, "p": pooled_p},
        ]

    assert _estimand([tests(None, 0.2), tests(0.3, 0.1)]) == "fold_mean"
    assert _estimand([tests(None, 0.2), tests(None, None)]) == "pooled"
    assert _estimand([tests(None, None)]) == "fold_mean"


def rare(folder: Path, positives: int, *, folds: int | None) -> dict[str, dict[str, Any]]:
    """Metric → the comparison of two variants on cases of separate patients, few of them positive."""
    files = StudyFiles(folder, classes=("no", "yes"))
    labels = (np.arange(ROWS) < positives).astype(int)
    for repeat in range(REPEATS if folds else 1):
        # Positive cases in different folds.
        fold = np.arange(ROWS) % (folds or 1)
        for name in STRENGTH:
            yes = probabilities(name, 0, repeat)[:, 1]
            for held in range(folds or 1):
                inside = np.flatnonzero(fold == held)
                place = {"repeat": repeat, "fold": held} if folds else {"repeat": None, "fold": None}
                predicted = np.stack([1 - yes[inside], yes[inside]], axis=1)
                cases = cases_at(inside + 2, labels[inside], None, f"{repeat} {held}")
                files.add(name, cases, predicted, **place)
    return {one["metric"]: one for one in files.results()["comparisons"]}


@pytest.mark.parametrize(("positives", "compared"), [(4, False), (5, True)])
def test_the_folds_compare_no_variants_with_few_patients_of_a_class(tmp_path, positives, compared):
    found = rare(tmp_path, positives, folds=5)
    assert (found["auc"]["p"] is not None) is compared
    for test in found["auc"]["tests"]:
        assert test["estimate"] is not None and (test["p"] is not None) is compared
        assert compared or test["note"].startswith("too few patients to compare: fewer than 5 in a class")
    assert compared or found["auc"]["note"].startswith("too few patients to compare")
    assert found["brier"]["test"] == "corrected_resampled_t" and found["brier"]["p"] is not None


def test_a_failed_training_does_not_let_few_patients_compare_variants(tmp_path):
    """No variant has predictions of all cases."""
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    labels = (np.arange(ROWS) < 3).astype(int)
    for fold in range(FOLDS):
        inside = np.flatnonzero(np.arange(ROWS) % FOLDS == fold)
        cases = cases_at(inside + 2, labels[inside], None, str(fold))
        for name in STRENGTH if fold else ("other",):
            files.add(name, cases, probabilities(name if fold else "weak", 0, 0)[inside], fold=fold)
    pairs = [one for one in files.results()["comparisons"] if {one["a"], one["b"]} == set(STRENGTH)]
    (auc,) = [one for one in pairs if one["metric"] == "auc"]
    assert auc["p"] is None and auc["note"].startswith("too few patients to compare")


@pytest.mark.parametrize(("positives", "compared"), [(4, []), (5, ["patient_bootstrap"])])
def test_delong_compares_no_variants_with_few_patients_of_a_class(tmp_path, positives, compared):
    found = rare(tmp_path, positives, folds=None)["auc"]
    assert [test["test"] for test in found["tests"]] == ["delong", "patient_bootstrap"]
    assert [test["test"] for test in found["tests"] if test["p"] is not None] == compared
    assert found["tests"][0]["note"].startswith("too few patients to compare: fewer than 20")


def ratios(folder: Path, **values: Any) -> tuple[dict[tuple[str, str], float], list[str]]:
    """(pair → the ratio of the test over its folds, the sentences on the methods), for one model and one
    baseline. values: contents in the files of the trainings."""
    folder.mkdir()
    files = StudyFiles(folder, classes=("no", "yes"))
    for fold in range(FOLDS):
        inside, cases = part(0, fold)
        beside = {"random_forest": probabilities("strong", 7, 0)[inside]}
        files.add("weak", cases, probabilities("weak", 0, 0)[inside], fold=fold, baselines=beside, **values)
    results = files.results()
    found = {
        (one["a"], one["b"]): one["tests"][0]["test_train_ratio"]
        for one in results["comparisons"] if one["metric"] == "auc"
    }  # fmt: skip
    return found, results["methods"]["statements"]


def test_cases_that_only_validate_are_not_counted_as_trained_from(tmp_path):
    pair, held = ("weak", "random_forest"), ROWS / FOLDS
    both = {"splits": ["train", "val"], "cases": 90, "same_as_model": False}
    found, said = ratios(tmp_path / "fewer", trained_from=TRAINED, fitted_on=both)
    assert found == {pair: pytest.approx(held / TRAINED)}
    assert any("is 0.417" in one for one in said) and not any("older version" in one for one in said)
    found, _ = ratios(tmp_path / "equal", trained_from=90, fitted_on=both)
    assert found == {pair: pytest.approx(held / 90)}


def test_files_that_do_not_report_what_trained_are_counted_by_the_training_split_and_it_is_said(tmp_path):
    pair, held = ("weak", "random_forest"), ROWS / FOLDS
    flow = [{"step": "train split", "cases": 70, "patients": None}]
    found, said = ratios(tmp_path / "flow", flow=flow)
    assert found == {pair: pytest.approx(held / 70)}
    assert any("8 trainings" in one and "those of the training split are assumed" in one for one in said)
    found, said = ratios(tmp_path / "nothing")
    assert found == {pair: pytest.approx(held / 72)}
    assert any("80% of the cases not held out are assumed" in one for one in said)


def test_the_order_of_the_trainings_changes_nothing(complete, tmp_path):
    files = crossed(StudyFiles(tmp_path, classes=("no", "yes")))
    first = files.cells[: len(files.cells) // 2]
    files.cells = [*reversed(first), *reversed(files.cells[len(first) :])]
    again = files.results(reference="weak")
    assert again["comparisons"] == complete["comparisons"]
    assert again["variants"] == complete["variants"]


def test_what_a_failed_training_leaves_incomplete_is_left_out_and_said(tmp_path, complete):
    lost = crossed(StudyFiles(tmp_path, classes=("no", "yes")), without={("strong", 1, 0, 2)})
    results = lost.results(reference="weak")
    strong = variant(results, "strong")
    assert (strong["num_trainings"], strong["num_sets"]) == (SEEDS * REPEATS * FOLDS - 1, SEEDS * REPEATS - 1)
    assert strong["notes"] == ["not pooled because trainings are missing: seed 1, repeat 1, fold 3"]
    assert codes_of(*strong["notes_phrases"]) == ["not_pooled"]
    assert strong["variance"]["trainings"] == REPEATS * FOLDS
    (auc,) = [one for one in results["comparisons"] if one["metric"] == "auc"]
    assert auc["note"] == "1 training was excluded for lack of a counterpart in the other variant"
    assert codes_of(auc["note_phrases"]) == ["trainings_without_counterpart"]
    assert auc["num_pairs"] == REPEATS * FOLDS
    assert variant(results, "weak") == variant(complete, "weak")


def test_a_result_that_is_rare_in_medicine_is_noted_at_its_variant(tmp_path):
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    for fold in range(FOLDS):
        inside, cases = part(0, fold)
        perfect = np.stack([1 - LABELS, LABELS], axis=1)[inside] * 0.8 + 0.1
        beside = {"random_forest": perfect}
        files.add("weak", cases, probabilities("weak", 0, 0)[inside], fold=fold, baselines=beside)
    found = files.results()
    rare = {
        one["name"]: [note for note in one["notes"] if "is rare in medicine" in note]
        for one in found["variants"]
    }
    assert rare["weak"] == [] and len(rare["random_forest"]) == 1
    assert rare["random_forest"][0].startswith("AUROC 1.000 (95% CI ")


def two(tmp_path: Path, **changes: Any) -> StudyFiles:
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    for fold in range(2):
        inside = np.flatnonzero(np.arange(ROWS) // 2 % 2 == fold)
        for name in STRENGTH:
            other = changes if (name, fold) == ("strong", 1) else {}
            rows = other.get("rows", inside + 2)
            labels = other.get("labels", LABELS[inside])
            cases = cases_at(rows, labels, PATIENTS[inside].tolist(), other.get("digest", f"{name} {fold}"))
            files.add(name, cases, probabilities(name, 0, 0)[inside], fold=fold)
    return files


@pytest.mark.parametrize("what", ["rows", "labels"])
def test_variants_of_other_cases_are_refused_by_name(tmp_path, what):
    inside = np.flatnonzero(np.arange(ROWS) // 2 % 2 == 1)
    changed = {"rows": inside + 3, "labels": 1 - LABELS[inside]}[what]
    with pytest.raises(
        TrainerError,
        match=r'"strong", seed 0, repeat 1, fold 2: the cases or .* labels differ .*\(\d+ differences\)',
    ) as caught:
        two(tmp_path, **{what: changed}).results()
    assert caught.value.code == "STUDY_CASES_DIFFER" and "P1" not in caught.value.message


def test_data_that_changed_between_two_seeds_are_refused(tmp_path):
    files = two(tmp_path)
    inside, _ = part(0, 0)
    inside = np.flatnonzero(np.arange(ROWS) // 2 % 2 == 0)
    cases = cases_at(inside + 2, LABELS[inside], PATIENTS[inside].tolist(), "another value of a column")
    files.add("weak", cases, probabilities("weak", 1, 0)[inside], seed=1, fold=0)
    with pytest.raises(TrainerError, match='"weak": the data changed between seed 0') as caught:
        files.results()
    assert caught.value.code == "STUDY_CASES_DIFFER"


def test_models_of_other_classes_a_training_given_twice_and_unknown_names_are_refused(tmp_path):
    files = two(tmp_path)
    with pytest.raises(TrainerError, match='the reference "wek" has no completed training'):
        files.results(reference="wek")
    with pytest.raises(TrainerError, match='"rmse" is not a metric of these models'):
        files.results("rmse")
    files.cells.append(files.cells[0])
    with pytest.raises(
        TrainerError, match='"weak", seed 0, repeat 1, fold 1: the study contains this training twice'
    ):
        files.results()
    files.cells.pop()
    other = StudyFiles(tmp_path / "other", classes=("no", "maybe", "yes"))
    (tmp_path / "other").mkdir()
    other.add("three", part(0, 0)[1], np.full((len(part(0, 0)[0]), 3), 1 / 3))
    files.cells += other.cells
    with pytest.raises(TrainerError, match='"three" does not predict the same classes'):
        files.results()


def test_baselines_are_variants_once_where_they_are_the_same(tmp_path):
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    for fold in range(FOLDS):
        inside, cases = part(0, fold)
        for name in STRENGTH:
            beside = {
                "logistic_regression": probabilities("strong", 7, 0)[inside],
                "image_only": probabilities(name, 8, 0)[inside],
            }
            files.add(name, cases, probabilities(name, 0, 0)[inside], fold=fold, baselines=beside)
    results = files.results(reference="strong")
    named = {one["name"]: (one["kind"], one["carried_by"]) for one in results["variants"]}
    assert named == {
        "weak": ("trained", None), "strong": ("trained", None),
        "logistic_regression": ("baseline", "weak"),
        "image_only (weak)": ("baseline", "weak"), "image_only (strong)": ("baseline", "strong"),
    }  # fmt: skip
    titles = {one["name"]: one.get("title_phrases") for one in results["variants"]}
    assert titles["logistic_regression"] == [{"code": "logistic_regression"}]
    assert titles["image_only (weak)"] == [
        {"code": "trained_with", "values": {"title": [{"code": "image_only_model"}], "variant": "weak"}}
    ]
    primary = [one for one in results["comparisons"] if one["metric"] == "auc"]
    assert {one["b"] for one in primary} == {"strong"} and len(primary) == 4
    assert [one["p_corrected"] for one in primary] == pytest.approx(holm([one["p"] for one in primary]))
    assert results["methods"]["corrected"] == 4


def test_a_baseline_says_which_rows_it_was_fitted_on_where_all_of_its_trainings_agree(tmp_path):
    fitted_on = []
    for place, last in enumerate((["train", "val"], ["train"])):
        (tmp_path / str(place)).mkdir()
        files = StudyFiles(tmp_path / str(place), classes=("no", "yes"))
        for fold in range(FOLDS):
            inside, cases = part(0, fold)
            predicted = probabilities("weak", 0, 0)[inside]
            splits = last if fold == FOLDS - 1 else ["train", "val"]
            rows = {"splits": splits, "cases": 100 + fold, "same_as_model": True}
            beside = {"random_forest": probabilities("strong", 7, 0)[inside]}
            files.add("weak", cases, predicted, fold=fold, baselines=beside, fitted_on=rows)
        own, baseline = files.results()["variants"]
        assert "fitted_on" not in own
        fitted_on.append(baseline["fitted_on"])
    assert fitted_on == [{"splits": ["train", "val"], "same_as_model": True}, None]


@pytest.mark.slow
def test_without_folds_delong_tests_single_models_and_the_bootstrap_several_seeds(tmp_path):
    results = {}
    for seeds in (1, 3):
        (tmp_path / str(seeds)).mkdir()
        files = StudyFiles(tmp_path / str(seeds), classes=("no", "yes"))
        for seed in range(seeds):
            for name in STRENGTH:
                cases = cases_at(np.arange(ROWS) + 2, LABELS, None, "same")
                files.add(name, cases, probabilities(name, seed, 0), seed=seed, repeat=None, fold=None)
        results[seeds] = files.results(reference="weak")
    tests = {
        seeds: next(one["test"] for one in found["comparisons"] if one["metric"] == "auc")
        for seeds, found in results.items()
    }
    assert tests == {1: "delong", 3: "patient_bootstrap"}
    assert results[1]["methods"]["test_train_ratio"] is None and results[1]["methods"]["folds"] is None
    assert results[1]["methods"]["resampled"] == "cases"
    one = variant(results[1], "weak")
    assert one["notes"] == [
        "the interval applies to one seed and repetition and does not include the variation between trainings"
    ]
    assert one["variance"]["note"] == "only one training, so there is no variance"
    assert variant(results[3], "weak")["variance"]["seed"]["variance"] > 0


def test_seeds_may_draw_validation_cases_of_their_own(tmp_path):
    """Without folds and val_csv: paired within each seed."""
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    for seed in range(3):
        inside, cases = part(seed, 0)
        for name in STRENGTH:
            files.add(name, cases, probabilities(name, seed, 0)[inside], seed=seed, repeat=None, fold=None)
    results = files.results(reference="weak")
    (auc,) = [one for one in results["comparisons"] if one["metric"] == "auc"]
    by_hand = [
        roc_auc_score(LABELS[inside], probabilities("strong", seed, 0)[inside, 1])
        - roc_auc_score(LABELS[inside], probabilities("weak", seed, 0)[inside, 1])
        for seed in range(3) for inside in [part(seed, 0)[0]]
    ]  # fmt: skip
    assert auc["difference"]["estimate"] == pytest.approx(np.mean(by_hand), abs=1e-9)
    assert auc["test"] == "patient_bootstrap"


def test_a_site_of_one_class_has_no_area_and_the_others_decide(tmp_path):
    files = StudyFiles(tmp_path, classes=("no", "yes"))
    for site in ("A", "B", "C"):
        inside = np.flatnonzero(np.arange(ROWS) // 2 % 3 == "ABC".index(site))
        inside = inside[LABELS[inside] == 0] if site == "C" else inside
        for name in STRENGTH:
            cases = cases_at(inside + 2, LABELS[inside], PATIENTS[inside].tolist(), site)
            files.add(name, cases, probabilities(name, 0, 0)[inside], repeat=None, fold=site)
    results = files.results(reference="weak")
    at_c = next(one for one in results["trainings"] if one["fold"] == "C")
    assert at_c["metrics"]["auc"] is None and at_c["notes"]["auc"] == "only one class: no positive cases"
    auc = variant(results, "weak")["metrics"]["auc"]
    assert auc["trainings"] == 2 and auc["estimate"] is not None
    (compared,) = [one for one in results["comparisons"] if one["metric"] == "auc"]
    assert compared["test"] == "corrected_resampled_t" and compared["p"] is not None
    assert "only 40 patients of a class" in variant(results, "weak")["notes"][-1]
    assert codes_of(variant(results, "weak")["notes_phrases"][-1]) == ["pooled_few_of_class"]
    (excluded,) = variant(results, "weak")["variance"]["note_phrases"]
    assert variant(results, "weak")["variance"]["note"].startswith("1 training is excluded because AUROC")
    assert codes_of(excluded["values"]["metric"]) == ["metric_auc"]


def test_quantities_have_the_same_statistics(tmp_path):
    files = StudyFiles(tmp_path, task="regression")
    truth = np.random.default_rng(0).normal(size=ROWS)
    predicted = {name: truth + np.random.default_rng(3).normal(0, s, ROWS) for name, s in STRENGTH.items()}
    for fold in range(FOLDS):
        inside, _ = part(0, fold)
        cases = cases_at(inside + 2, truth[inside], PATIENTS[inside].tolist(), str(fold))
        for name in STRENGTH:
            files.add(name, cases, predicted[name][inside], fold=fold)
    results = files.results("rmse", reference="weak")
    for name in STRENGTH:
        found = variant(results, name)["metrics"]["mae"]
        assert found["estimate"] == pytest.approx(mean_absolute_error(truth, predicted[name]), abs=1e-9)
    (rmse,) = [one for one in results["comparisons"] if one["metric"] == "rmse"]
    assert rmse["difference"]["estimate"] > 0 and rmse["p"] < 0.01
    assert variant(results, "weak")["figures"]["regression"] is not None


def test_several_labels_are_each_decided_by_the_threshold_of_their_model(tmp_path):
    files = StudyFiles(tmp_path, task="multilabel", classes=("a", "b"))
    random = np.random.default_rng(5)
    truth = np.stack([LABELS, (np.arange(ROWS) // 2) % 2], axis=1)
    truth[::9, 1] = -1
    predicted = 1 / (1 + np.exp(-(truth + random.normal(size=truth.shape))))
    cut = {fold: [0.5 + 0.04 * fold, 0.6 - 0.04 * fold] for fold in range(FOLDS)}
    for fold in range(FOLDS):
        inside, _ = part(0, fold)
        cases = cases_at(inside + 2, truth[inside], PATIENTS[inside].tolist(), str(fold))
        files.add("one", cases, predicted[inside], fold=fold, threshold=cut[fold])
    found = variant(files.results("hamming_loss"), "one")
    known = truth >= 0
    called = predicted >= np.asarray([cut[fold] for fold in fold_of(0)])
    wrong = (called != (truth == 1))[known].mean()
    assert found["metrics"]["hamming_loss"]["estimate"] == pytest.approx(wrong, abs=1e-9)
    assert [row["name"] for row in found["figures"]["per_class"]] == ["a", "b"]
