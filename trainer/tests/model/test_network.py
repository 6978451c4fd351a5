"""Every fusion with every aggregator: the same cases for all of them (validity.md, Models)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from _pytest.mark.structures import ParameterSet

from medloom_trainer.contract.schemas import contract
from medloom_trainer.data.types import TableLayout
from medloom_trainer.errors import TrainerError
from medloom_trainer.model.aggregate import AGGREGATORS, ViewAggregator
from medloom_trainer.model.ensemble import build_network
from medloom_trainer.model.fusion import FUSIONS
from medloom_trainer.model.tabular import ENCODERS, ColumnTokens
from testing.checkpoints import optimizer_of
from testing.features import inputs, network
from testing.synthetic import LAYOUT, configuration

MODEL = contract("spec")["$defs"]["ModelConfig"]["properties"]
EVERY = list(itertools.product(FUSIONS, AGGREGATORS))
MASK = torch.tensor([[True, True, False], [False, True, False], [False, False, False]])

pytestmark = pytest.mark.usefixtures("quick_networks")


def test_the_registries_hold_what_the_contract_names():
    assert {*FUSIONS, "late", "none"} == set(MODEL["fusion_type"]["enum"])
    assert set(AGGREGATORS) == set(MODEL["aggregator"]["enum"])
    assert set(ENCODERS) == set(MODEL["tabular_encoder"]["enum"])


def _with_an_encoder() -> list[ParameterSet]:
    """Every fusion with every aggregator, and each of both with every encoder; the rest in the full run."""
    names = list(FUSIONS), list(AGGREGATORS), list(ENCODERS)
    return [
        pytest.param(
            fusion, aggregator, encoder, marks=[] if (f + a) % len(ENCODERS) == e else [pytest.mark.full]
        )
        for (f, fusion), (a, aggregator), (e, encoder) in itertools.product(*map(enumerate, names))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("fusion", "aggregator", "encoder"), _with_an_encoder())
def test_every_combination_learns_with_missing_views_and_values(fusion, aggregator, encoder):
    model = network(num_views=3, fusion_type=fusion, aggregator=aggregator, tabular_encoder=encoder).train()
    output = model(*inputs(num_views=3, mask=MASK))
    assert output.shape == (3, 2)
    output.square().sum().backward()
    without = [name for name, p in model.rest.named_parameters() if p.grad is None]
    assert without == []
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize(("fusion", "aggregator"), EVERY)
def test_one_view_alone_equals_the_same_view_plus_three_missing_ones(fusion, aggregator):
    model = network(num_views=4, fusion_type=fusion, aggregator=aggregator).eval()
    images, _, *table = inputs(num_views=1)
    padded = torch.cat([images, torch.randn(3, 3, 3, 32, 32)], dim=1)
    mask = torch.tensor([[True, False, False, False]] * 3)
    torch.testing.assert_close(model(padded, mask, *table), model(images, None, *table), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("aggregator", ["mean", "max", "attention", "cross_view"])
@pytest.mark.parametrize("fusion", ["concatenate", "cross_attention"])
def test_the_order_of_unordered_views_does_not_matter(fusion, aggregator):
    model = network(num_views=3, fusion_type=fusion, aggregator=aggregator).eval()
    images, mask, *table = inputs(num_views=3, mask=MASK)
    order = [2, 0, 1]
    torch.testing.assert_close(
        model(images[:, order], mask[:, order], *table), model(images, mask, *table), rtol=1e-5, atol=1e-6
    )


def test_learned_weight_tells_the_view_columns_apart():
    model = network(num_views=2, aggregator="learned_weight").eval()
    images, _, *table = inputs(num_views=2)
    model.rest.aggregator.method.logits.data = torch.tensor([50.0, -50.0])
    assert torch.allclose(model(images, None, *table), model(images[:, :1], None, *table), atol=1e-5)
    assert not torch.allclose(model(images.flip(1), None, *table), model(images, None, *table), atol=1e-5)


@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_more_views_than_in_training_work(aggregator):
    model = network(num_views=2, aggregator=aggregator).eval()
    assert torch.isfinite(model(*inputs(num_views=5))).all()


@pytest.mark.parametrize("aggregator", AGGREGATORS)
def test_an_aggregator_that_is_not_learnable_stays_as_it_starts(aggregator):
    """Its own parameters do not change: the token for a missing view, and everything around it, learn."""
    model = network(num_views=3, aggregator=aggregator, aggregator_learnable=False).train()
    model(*inputs(num_views=3, mask=MASK)).square().sum().backward()
    method = dict(model.rest.aggregator.method.named_parameters())
    assert all(parameter.grad is None for parameter in method.values())
    learning = [parameter for name, parameter in model.named_parameters() if ".method." not in name]
    assert all(parameter.requires_grad for parameter in learning)
    optimizer = optimizer_of(model, configuration()["training"])
    moved = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    assert moved == {id(parameter) for parameter in learning}


@pytest.mark.parametrize("aggregator", AGGREGATORS)
@pytest.mark.parametrize("missing_view", ["mask", "token"])
def test_a_case_without_any_view_is_the_learned_token_whatever_the_pixels(aggregator, missing_view):
    model = network(num_views=2, aggregator=aggregator, missing_view=missing_view).eval()
    images, _, *table = inputs(num_views=2)
    nothing = torch.zeros(3, 2, dtype=torch.bool)
    before = model(images, nothing, *table)
    assert torch.equal(before, model(torch.randn_like(images), nothing, *table))
    model.rest.aggregator.missing.data.normal_()
    assert not torch.equal(before, model(images, nothing, *table))


def test_missing_view_token_counts_a_missing_view_and_mask_leaves_it_out():
    images, _, *table = inputs(num_views=2)
    mask = torch.tensor([[True, False]] * 3)
    for choice, counts in (("mask", False), ("token", True)):
        model = network(num_views=2, missing_view=choice).eval()
        before = model(images, mask, *table)
        model.rest.aggregator.missing.data.normal_()
        assert torch.equal(before, model(images, mask, *table)) != counts


def test_missing_views_do_not_touch_the_statistics_of_the_backbone():
    images, _, *table = inputs(cases=4, num_views=2)
    mask = torch.tensor([[True, False]] * 4)
    alone, padded = network(num_views=2).train(), network(num_views=2).train()
    alone(images[:, :1], None, *table)
    padded(images, mask, *table)
    for (name, one), other in zip(alone.named_buffers(), padded.buffers(), strict=True):
        torch.testing.assert_close(one, other, msg=name)


@pytest.mark.parametrize("fusion", ["attention", "cross_attention"])
def test_queries_and_keys_receive_gradients(fusion):
    model = network(fusion_type=fusion, image_size=[64, 64]).train()
    model(*inputs(side=64)).square().sum().backward()
    seen = 0
    for name, parameter in model.rest.fusion.named_parameters():
        if name.endswith(("to_query.weight", "to_key.weight")):
            seen += 1
            assert parameter.grad.abs().max() > 1e-9, name
    assert seen == (2 if fusion == "attention" else 4)


def test_bilinear_keeps_each_side_by_itself():
    """The constant 1 in each vector: if one side is zero, the other still has an effect."""
    fusion = network(fusion_type="bilinear").rest.fusion.eval()
    zero, one, two = torch.zeros(1, 16), torch.randn(1, 16), torch.randn(1, 16)
    assert not torch.allclose(fusion(one, None, zero, None), fusion(two, None, zero, None))
    assert not torch.allclose(fusion(zero, None, one, None), fusion(zero, None, two, None))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_both_modalities_count_and_arrive_normalized(fusion):
    model = network(fusion_type=fusion).eval()
    images, _, values, codes, present = inputs()
    before = model(images, None, values, codes, present)
    assert not torch.allclose(before, model(images * 0.5 + 1, None, values, codes, present))
    assert not torch.allclose(before, model(images, None, values + 1, codes, present))
    projection = model.rest.image_tokens or model.rest.image
    assert isinstance(projection[-1], torch.nn.LayerNorm)


def test_the_ablations_see_one_modality_only():
    images, _, values, codes, present = inputs()
    image_only = network(fusion_type="none").eval()
    assert torch.equal(
        image_only(images, None, values, codes, present), image_only(images, None, values + 1, codes, present)
    )
    table_only = network(vision_backbone="none").eval()
    assert torch.isfinite(table_only(None, None, values, codes, present)).all()
    assert table_only.backbone is None


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("fusion", ["concatenate", "cross_attention"])
def test_a_missing_value_is_the_learned_token_of_its_column(encoder, fusion):
    model = network(tabular_encoder=encoder, fusion_type=fusion).eval()
    images, _, values, codes, _ = inputs()
    without_age = torch.tensor([[False, True, True]] * 3)
    other_age = values.clone()
    other_age[:, 0] += 5
    before = model(images, None, values, codes, without_age)
    torch.testing.assert_close(before, model(images, None, other_age, codes, without_age))
    model.rest.table.columns.missing.data[1] += torch.randn(16)  # of another column
    torch.testing.assert_close(before, model(images, None, values, codes, without_age))
    model.rest.table.columns.missing.data[0] += torch.randn(16)
    assert not torch.allclose(before, model(images, None, values, codes, without_age))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_column_reaches_the_output(encoder):
    model = network(vision_backbone="none", tabular_encoder=encoder).eval()
    _, _, values, codes, _ = inputs()
    present = torch.ones(3, 3, dtype=torch.bool)
    before = model(None, None, values, codes, present)
    for p in range(4):
        changed = values.clone()
        changed[:, p] += 1
        assert not torch.allclose(before, model(None, None, changed, codes, present))
    assert not torch.allclose(before, model(None, None, values, (codes + 1) % 5, present))


def test_the_first_layer_of_the_mlp_is_the_sum_of_the_column_tokens():
    columns = network().rest.table.columns
    _, _, values, codes, present = inputs()
    torch.testing.assert_close(
        columns.total(values, codes, present), columns(values, codes, present).sum(dim=1)
    )


def test_modality_dropout_takes_one_modality_from_its_share_of_the_training_cases_and_never_both():
    model = network(modality_dropout=0.5, dropout=0.0, vision_backbone="resnet18").train()
    torch.manual_seed(0)
    images, values = torch.zeros(2000, 1, 3, 1, 1), torch.ones(2000, 4)
    mask, values, present = model._drop_modalities(
        None, values, torch.ones(2000, 3, dtype=torch.bool), images
    )
    no_image, no_table = ~mask.any(dim=1), ~present.any(dim=1)
    assert 0.2 < no_image.float().mean() < 0.3
    assert 0.2 < no_table.float().mean() < 0.3
    assert not (no_image & no_table).any()
    assert (values[no_table] == 0).all()
    model.eval()
    table = inputs()
    assert torch.equal(model(*table), model(*table))


def test_image_dim_hidden_dim_and_num_heads_set_their_widths():
    model = network(image_dim=24, hidden_dim=32, num_heads=8, fusion_type="attention")
    assert model.rest.image_tokens[0].out_features == 24
    assert model.rest.head[1].in_features == 32
    assert model.rest.fusion.block.attention.num_heads == 8
    torch.manual_seed(0)
    assert torch.isfinite(model.eval()(*inputs())).all()


def test_dropout_drops_in_training():
    def differs(dropout: float) -> bool:
        model = network(dropout=dropout, freeze_layers="all").train()
        batch = inputs()
        return not torch.equal(model(*batch), model(*batch))

    assert differs(0.5)
    assert not differs(0.0)


def test_the_task_decides_the_number_of_outputs():
    assert network(num_outputs=1)(*inputs()).shape == (3, 1)
    assert network(num_outputs=6)(*inputs()).shape == (3, 6)


@pytest.mark.parametrize(
    ("changes", "layout", "num_views", "code"),
    [
        ({"hidden_dim": 8192, "fusion_type": "bilinear"}, LAYOUT, 1, "MODEL_TOO_LARGE"),
        ({}, LAYOUT, 0, "INVALID_CONFIG"),
        ({}, TableLayout((), 0, 0), 1, "INVALID_CONFIG"),
    ],
)
def test_what_cannot_be_built_is_refused(changes, layout, num_views, code):
    with pytest.raises(TrainerError) as caught:
        build_network(
            configuration(**changes), layout=layout, num_views=num_views, num_outputs=2, task="classification"
        )
    assert caught.value.code == code


def with_means(layout, values, codes):
    """Means as from training rows without gaps."""
    shares = np.bincount(codes[:, 0], minlength=5) / len(codes)
    means = [values[:, :1].mean(0), values[:, 1:].mean(0), shares]
    columns = [replace(c, means=tuple(map(float, m))) for c, m in zip(layout.columns, means, strict=True)]
    return replace(layout, columns=tuple(columns))


def test_missing_tokens_at_random_leave_every_draw_that_of_the_first_release():
    torch.manual_seed(3)
    columns = ColumnTokens(LAYOUT, 8, random_missing=True)
    after = torch.rand(1)
    torch.manual_seed(3)
    weight, bias, missing = (
        torch.empty(rows, 8).uniform_(-(8**-0.5), 8**-0.5) for rows in (LAYOUT.num_values, 3, 3)
    )
    assert torch.equal(columns.weight, weight) and torch.equal(columns.bias, bias)
    assert torch.equal(columns.missing, missing)
    for column in LAYOUT.columns:
        if column.kind == "embedding":
            torch.nn.Embedding(column.cardinality, 8).weight.data.uniform_(-1, 1)
    assert torch.equal(after, torch.rand(1))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_gap_that_training_never_saw_reads_as_the_mean_token_of_its_column(encoder):
    random = np.random.default_rng(0)
    values = random.normal(size=(40, 4)).astype(np.float32)
    codes = random.integers(1, 4, (40, 1))
    layout = with_means(LAYOUT, values, codes)
    config = configuration(vision_backbone="none", tabular_encoder=encoder)
    model = build_network(config, layout=layout, num_views=0, num_outputs=2, task="classification").train()
    table = (torch.from_numpy(values), torch.from_numpy(codes))
    complete = torch.ones(40, 3, dtype=torch.bool)
    optimizer = optimizer_of(model, config["training"] | {"weight_decay": 0.5})
    for _ in range(5):
        optimizer.zero_grad()
        model(None, None, *table, complete).square().sum().backward()
        optimizer.step()
    columns = model.rest.table.columns
    tokens = columns(*table, complete)
    torch.testing.assert_close(columns(*table, ~complete)[0], tokens.mean(dim=0), rtol=1e-4, atol=1e-5)
    # A code that no training row has does not use the random start of its embedding either.
    unseen = columns(table[0][:1], torch.zeros(1, 1, dtype=torch.long), complete[:1])
    torch.testing.assert_close(unseen[0, 2], tokens[:, 2].mean(dim=0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("missing_view", ["mask", "token"])
def test_a_view_that_training_never_missed_reads_as_the_mean_of_its_views(missing_view):
    aggregator = ViewAggregator("mean", missing_view, num_views=2, width=8, num_heads=2, dropout=0.0).train()
    views = torch.randn(16, 2, 8) + 3
    for _ in range(30):
        aggregator(views, None)
    aggregator.eval()
    nothing = aggregator(views[:1], torch.zeros(1, 2, dtype=torch.bool))
    torch.testing.assert_close(nothing[0], views.mean(dim=(0, 1)))
    again = ViewAggregator("mean", missing_view, num_views=2, width=8, num_heads=2, dropout=0.0).eval()
    again.load_state_dict(aggregator.state_dict())
    assert torch.equal(again(views[:1], torch.zeros(1, 2, dtype=torch.bool)), nothing)


def test_tokens_of_an_older_version_stay_what_they_were():
    older = network(num_views=2)
    older.rest.table.columns.missing.data.normal_()
    older.rest.aggregator.missing.data.normal_()
    state = {name: t for name, t in older.state_dict().items() if not name.endswith((".mean", ".batches"))}
    given = inputs(num_views=2, mask=torch.tensor([[True, False], [False, False], [True, True]]))
    same = network(num_views=2, seed=1)
    same.load_state_dict(state)
    torch.testing.assert_close(same.eval()(*given), older.eval()(*given))
    random = np.random.default_rng(0)
    layout = with_means(LAYOUT, random.normal(size=(9, 4)), random.integers(1, 4, (9, 1)))
    resumed = build_network(configuration(), layout=layout, num_views=2, num_outputs=2, task="classification")
    resumed.load_state_dict(state)
    resumed.measure_missing_from_means()
    images, mask, values, _, present = given
    codes = torch.ones(3, 1, dtype=torch.long)
    torch.testing.assert_close(
        resumed.eval()(images, mask, values, codes, present), older(images, mask, values, codes, present)
    )
