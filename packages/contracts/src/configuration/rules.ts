import type { z } from 'zod'
import type { IssueCode } from '../codes/index.js'
import { findBackbone } from './backbones.js'
import { IMPUTATIONS } from './choices.js'
import { DataConfig } from './data.js'
import type { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'

interface Parts {
  readonly data: z.output<typeof DataConfig>
  readonly model: z.output<typeof ModelConfig>
  readonly training: z.output<typeof LoopConfig>
}

/** Defaults of keys that are no contradiction while they keep them. */
const DEFAULTS = {
  num_heads: ModelConfig.shape.num_heads.parse(undefined),
  val_fraction: DataConfig.shape.val_fraction.parse(undefined),
}

/** A key that cannot do what it says beside the others, and what to write instead. */
interface Contradiction {
  readonly path: readonly string[]
  readonly code: IssueCode
  readonly message: string
  readonly hint: string
}

/** The training would be the same without the key: whoever leaves it out loses nothing. */
export const NO_EFFECT = 'NO_EFFECT' satisfies IssueCode

const CLASS_LOSSES = ['cross_entropy', 'focal']
const NUMBER_LOSSES = ['mse', 'mae', 'huber']
const CLASS_METRICS = ['val_accuracy', 'val_auc']
const NUMBER_METRICS = ['val_mae', 'val_r2']

/**
 * Rules between keys. A key that was set and would be without effect is refused too: whoever set it believes that it does something.
 * What stands where nothing was said is never refused, so the complete configuration of a job can be started again. An ablation (no
 * image, or no table) says itself what it leaves out, so the keys of that half may stay; so may keys that turn out to have nothing to
 * do in the data at hand.
 */
export function* contradictions(config: Parts): Generator<Contradiction> {
  for (const wrong of [betweenModalities, ofTheStart, ofSizes, ofTheTask, ofTheSchedule])
    for (const found of wrong(config)) yield { ...found, code: 'INVALID_CONFIG' }
  for (const ineffective of [withoutEffect, ofClassesAlone])
    for (const found of ineffective(config)) yield { ...found, code: NO_EFFECT }
}

type Found = Omit<Contradiction, 'code'>

function* betweenModalities({ model }: Parts): Generator<Found> {
  if (model.vision_backbone !== 'none') return
  if (model.fusion_type === 'none')
    yield {
      path: ['model', 'fusion_type'],
      message:
        'vision_backbone "none" leaves out the image and fusion_type "none" leaves out the table: nothing is left to learn from',
      hint: 'Set one of the two.',
    }
  else if (model.fusion_type !== 'concatenate')
    yield {
      path: ['model', 'fusion_type'],
      message: `"${model.fusion_type}" fuses an image with a table, but vision_backbone is "none"`,
      hint: 'Name a backbone, or set fusion_type to "concatenate" for a model of the table alone.',
    }
}

function* ofTheStart({ model }: Parts): Generator<Found> {
  if (model.fine_tune_from !== null && model.pretrained !== false)
    yield {
      path: ['model', 'pretrained'],
      message:
        'pretrained and fine_tune_from both name the weights that the training starts from; those of the trained model hold the backbone too',
      hint: 'Leave pretrained out, or leave fine_tune_from out to train a new model.',
    }
}

function* ofSizes({ model, data }: Parts): Generator<Found> {
  if (attends(model) && model.hidden_dim % model.num_heads !== 0)
    yield {
      path: ['model', 'hidden_dim'],
      message: `hidden_dim ${model.hidden_dim} is not a multiple of num_heads ${model.num_heads}`,
      hint: `Use hidden_dim ${Math.ceil(model.hidden_dim / model.num_heads) * model.num_heads}.`,
    }
  const backbone = findBackbone(model.vision_backbone)
  if (backbone && data.image_size.some((side) => side % backbone.size_multiple !== 0)) {
    const sides = data.image_size.map(
      (side) => Math.max(1, Math.round(side / backbone.size_multiple)) * backbone.size_multiple,
    )
    yield {
      path: ['data', 'image_size'],
      message: `${backbone.name} needs sides that are multiples of ${backbone.size_multiple}`,
      hint: `Use [${sides.join(', ')}].`,
    }
  }
}

function* ofTheTask({ model, training }: Parts): Generator<Found> {
  const { loss_function, early_stopping } = training
  if (model.task === 'classification' && NUMBER_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: `${loss_function} is a loss for regression`,
      hint: 'Use cross_entropy or focal.',
    }
  if (model.task === 'regression' && CLASS_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: `${loss_function} is a loss for classes`,
      hint: 'Use mse, mae or huber.',
    }
  const foreign = { classification: NUMBER_METRICS, regression: CLASS_METRICS }
  if (model.task !== null && foreign[model.task].includes(early_stopping.monitor))
    yield {
      path: ['training', 'early_stopping', 'monitor'],
      message: `${early_stopping.monitor} is not a metric of a ${model.task}`,
      hint: 'Use "auto" or "val_loss".',
    }
}

function* ofTheSchedule({ training }: Parts): Generator<Found> {
  if (training.warmup_epochs > 0 && training.warmup_epochs >= training.epochs)
    yield {
      path: ['training', 'warmup_epochs'],
      message: `a warm-up of ${training.warmup_epochs} epochs takes the whole training of ${training.epochs}: learning_rate is never reached, scheduler "${training.scheduler}" has no effect`,
      hint: `Use less than ${training.epochs}.`,
    }
}

function* withoutEffect({ data, model, training }: Parts): Generator<Found> {
  const alone = model.vision_backbone === 'none' || model.fusion_type === 'none'
  if (model.modality_dropout > 0 && alone)
    yield {
      path: ['model', 'modality_dropout'],
      message: `modality_dropout leaves out the image or the table of a case, but this model reads the ${
        model.vision_backbone === 'none' ? 'table' : 'image'
      } alone`,
      hint: 'Leave modality_dropout out, or train on image and table.',
    }
  if (model.num_heads !== DEFAULTS.num_heads && !alone && !attends(model))
    yield {
      path: ['model', 'num_heads'],
      message: `num_heads has no effect: fusion "${model.fusion_type}", table encoder "${model.tabular_encoder}" and aggregator "${model.aggregator}" have no attention`,
      hint: 'Leave num_heads out, or use fusion_type "attention" or "cross_attention".',
    }
  if (training.backbone_learning_rate !== null && model.freeze_layers === 'all')
    yield {
      path: ['training', 'backbone_learning_rate'],
      message: 'backbone_learning_rate has no effect: freeze_layers "all" keeps the backbone from learning',
      hint: 'Leave backbone_learning_rate out, or freeze fewer stages.',
    }
  if (!data.missing_indicator && model.fusion_type !== 'none' && !IMPUTATIONS.includes(data.missing_strategy))
    yield {
      path: ['data', 'missing_indicator'],
      message: `missing_indicator has no effect: missing_strategy "${data.missing_strategy}" replaces no value by a statistic`,
      hint: 'Leave missing_indicator out, or use missing_strategy "mean", "median" or "mode".',
    }
  if (data.val_fraction !== DEFAULTS.val_fraction && data.val_csv !== null)
    yield {
      path: ['data', 'val_fraction'],
      message: 'val_fraction has no effect: val_csv names the validation cases',
      hint: 'Leave out one of the two.',
    }
}

function* ofClassesAlone({ model, training }: Parts): Generator<Found> {
  const { loss_function, class_weights, label_smoothing } = training
  if (model.task !== 'regression' && !NUMBER_LOSSES.includes(loss_function)) return
  if (class_weights !== 'none')
    yield {
      path: ['training', 'class_weights'],
      message: 'class weights are for classes; a regression has none',
      hint: 'Leave class_weights out.',
    }
  if (label_smoothing > 0)
    yield {
      path: ['training', 'label_smoothing'],
      message: 'label smoothing is for classes; a regression has none',
      hint: 'Leave label_smoothing out.',
    }
}

/** Whether any part of the model divides its width among attention heads. */
function attends({ fusion_type, tabular_encoder, aggregator }: Parts['model']): boolean {
  return (
    fusion_type === 'attention' ||
    fusion_type === 'cross_attention' ||
    tabular_encoder === 'ft_transformer' ||
    aggregator === 'attention' ||
    aggregator === 'cross_view'
  )
}
