import type { z } from 'zod'
import type { IssueCode } from '../codes/index.js'
import { isOfTask } from '../metrics/of-task.js'
import { findBackbone } from './backbones.js'
import type { Baselines } from './baselines.js'
import { ABLATIONS, IMPUTATIONS, TABLE_BASELINES, type Task } from './choices.js'
import { DataConfig } from './data.js'
import { isGroup } from './device.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'

interface Parts {
  readonly data: z.output<typeof DataConfig>
  readonly model: z.output<typeof ModelConfig>
  readonly training: z.output<typeof LoopConfig>
  readonly baselines: z.output<typeof Baselines>
}

/** Defaults of keys that are not contradictions while they have this value. */
const DEFAULTS = {
  num_heads: ModelConfig.shape.num_heads.parse(undefined),
  survival_intervals: ModelConfig.shape.survival_intervals.parse(undefined),
  operating_points: JSON.stringify(LoopConfig.shape.operating_points.parse(undefined)),
  image_weight: ModelConfig.shape.image_weight.parse(undefined),
  val_fraction: DataConfig.shape.val_fraction.parse(undefined),
}

/** A key that contradicts other keys, with the correction. */
interface Contradiction {
  readonly path: readonly string[]
  readonly code: IssueCode
  readonly message: string
  readonly hint: string
}

/** Code of a key without effect: the training would be the same without it. */
export const NO_EFFECT = 'NO_EFFECT' satisfies IssueCode

const BY_LABEL = ['univariate', 'mutual_information']
const CLASS_LOSSES = ['cross_entropy', 'focal']
const NUMBER_LOSSES = ['mse', 'mae', 'huber']

/**
 * Rules between keys. A key that was set but has no effect is rejected too, because the user expects an effect. A default value is never
 * rejected, so that the complete configuration of a job can be started again. An ablation (no image, or no table) states explicitly what it
 * omits, so keys of the omitted part are allowed; so are keys that turn out to have no effect on the data at hand.
 */
export function* contradictions(config: Parts): Generator<Contradiction> {
  for (const wrong of [
    betweenModalities,
    ofTheStart,
    ofMembers,
    ofSizes,
    ofFolds,
    ofTheLabel,
    ofSurvival,
    ofTheTask,
    ofTheSchedule,
    ofBaselines,
  ])
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

function* ofMembers({ data, model, training }: Parts): Generator<Found> {
  const several = (model.members ?? 1) > 1 || model.fusion_type === 'late'
  if ((model.members ?? 1) > 1 && !hasTableNetwork(model))
    yield {
      path: ['model', 'members'],
      message: `members are networks of the table, but fusion "${model.fusion_type}" with a backbone trains one network that reads the image`,
      hint: 'Leave members out, or use fusion_type "late".',
    }
  else if (several && isGroup(training.device))
    yield {
      path: ['training', 'device'],
      message: `${training.device} are several processes, but ${model.fusion_type === 'late' ? 'fusion "late"' : 'an ensemble of members'} trains in one`,
      hint: 'Name one device, or set members to 1.',
    }
  if (data.validation === 'folds' && BY_LABEL.includes(data.feature_selection.method))
    yield {
      path: ['data', 'validation'],
      message: `feature_selection "${data.feature_selection.method}" chooses columns by the labels of all cases that train a network, also of those that would validate another one`,
      hint: 'Leave validation out, or use feature_selection "none" or "variance".',
    }
  if (data.validation === 'folds' && model.fine_tune_from !== null)
    yield {
      path: ['data', 'validation'],
      message:
        'the trained model has learned from cases that would validate a network here: its epoch would be chosen by what it remembers',
      hint: 'Leave validation out: the networks of a fine-tuning validate on the validation split.',
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

function* ofFolds({ data }: Parts): Generator<Found> {
  if (data.fold === null || !('k' in data.fold)) return
  const { k, index } = data.fold
  if (index >= k)
    yield {
      path: ['data', 'fold', 'index'],
      message: `there is no fold ${index} of ${k}: the first is 0, the last ${k - 1}`,
      hint: `Use an index from 0 to ${k - 1}.`,
    }
}

/** Task as far as the configuration determines it; null: determined by the label. */
function taskOf({ data, model }: Pick<Parts, 'data' | 'model'>): Task | null {
  if (model.task !== null) return model.task
  if (data.label_columns !== null) return 'multilabel'
  return data.time_column === null && data.event_column === null ? null : 'survival'
}

function* ofTheLabel({ data, model }: Parts): Generator<Found> {
  const { label_columns, label_column, positive_class } = data
  if (label_columns === null) {
    if (model.task === 'multilabel')
      yield {
        path: ['data', 'label_columns'],
        message: 'task "multilabel" needs the columns of its labels',
        hint: 'Name two or more columns of yes or no in data.label_columns.',
      }
    return
  }
  if (taskOf({ data, model }) !== 'multilabel')
    yield {
      path: ['model', 'task'],
      message: `label_columns names several labels, but task is "${model.task}"`,
      hint: 'Leave task out, or name one column in data.label_column.',
    }
  if (label_column !== null)
    yield {
      path: ['data', 'label_column'],
      message: 'label_column and label_columns both name the label',
      hint: 'Leave one of them out.',
    }
  if (positive_class !== null)
    yield {
      path: ['data', 'positive_class'],
      message: 'positive_class is of two classes; each of several labels is yes or no',
      hint: 'Leave positive_class out.',
    }
  if (new Set(label_columns).size < label_columns.length)
    yield {
      path: ['data', 'label_columns'],
      message: 'label_columns names a column twice',
      hint: 'Name each column once.',
    }
}

function* ofSurvival({ data, model, training }: Parts): Generator<Found> {
  const { time_column, event_column } = data
  if (taskOf({ data, model }) !== 'survival') {
    if (time_column !== null || event_column !== null)
      yield {
        path: ['model', 'task'],
        message: `time_column and event_column are of survival, but task is "${taskOf({ data, model })}"`,
        hint: 'Leave task out, or leave time_column and event_column out.',
      }
    return
  }
  for (const key of ['time_column', 'event_column'] as const)
    if (data[key] === null)
      yield {
        path: ['data', key],
        message: `survival needs both time_column and event_column: ${key} is missing`,
        hint: 'Name the column of the follow-up time and that of the event.',
      }
  for (const key of ['label_column', 'label_columns', 'positive_class'] as const)
    if (data[key] !== null)
      yield {
        path: ['data', key],
        message: `${key} is not of survival, whose label are a time and an event`,
        hint: `Leave ${key} out.`,
      }
  if (training.loss_function !== 'auto')
    yield {
      path: ['training', 'loss_function'],
      message: `survival has one loss, the likelihood of its intervals, not ${training.loss_function}`,
      hint: 'Leave loss_function out.',
    }
}

function* ofTheTask({ data, model, training }: Parts): Generator<Found> {
  const { loss_function, early_stopping } = training
  const task = taskOf({ data, model })
  if (task !== null && task !== 'regression' && NUMBER_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: `${loss_function} is a loss for regression`,
      hint: 'Use cross_entropy or focal.',
    }
  if (task === 'regression' && CLASS_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: `${loss_function} is a loss for classes`,
      hint: 'Use mse, mae or huber.',
    }
  if (task !== null && !isOfTask(task, early_stopping.monitor))
    yield {
      path: ['training', 'early_stopping', 'monitor'],
      message: `${early_stopping.monitor} is not a metric of ${task === 'survival' ? task : `a ${task}`}`,
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

function* ofBaselines({ data, model, baselines }: Parts): Generator<Found> {
  const refused = (wrong: string, message: string, hint: string) => ({
    path: ['baselines'],
    message: `${wrong} ${message}`,
    hint,
  })
  const ofTable = TABLE_BASELINES.find((name) => baselines?.includes(name))
  if (ofTable && model.fusion_type === 'none')
    yield refused(
      ofTable,
      'reads the table, but fusion_type "none" leaves out the table',
      `Leave ${ofTable} out of baselines, or name a fusion.`,
    )
  const survival = taskOf({ data, model }) === 'survival'
  if (survival && baselines?.includes('logistic_regression'))
    yield refused(
      'logistic_regression',
      'predicts a class; of times to an event the linear model is Cox regression',
      'Name cox_regression instead.',
    )
  if (!survival && baselines?.includes('cox_regression'))
    yield refused(
      'cox_regression',
      'is for times to an event, and this task is not survival',
      'Name logistic_regression instead.',
    )
  const ablation = ABLATIONS.find((name) => baselines?.includes(name))
  if (!ablation) return
  if (model.vision_backbone === 'none' || model.fusion_type === 'none') {
    const alone = model.vision_backbone === 'none' ? 'table' : 'image'
    yield refused(
      ablation,
      `leaves out one half of the inputs, but this model reads the ${alone} alone`,
      `Leave ${ablation} out of baselines, or train on image and table.`,
    )
  } else if (model.fine_tune_from !== null)
    yield refused(
      ablation,
      'would start without the weights that fine_tune_from gives to the model: the comparison would not be fair',
      `Leave ${ablation} out of baselines; those of the table can stay.`,
    )
}

function* withoutEffect({ data, model, training }: Parts): Generator<Found> {
  if (model.survival_intervals !== DEFAULTS.survival_intervals && taskOf({ data, model }) !== 'survival')
    yield {
      path: ['model', 'survival_intervals'],
      message: 'survival_intervals has no effect: the task is not survival',
      hint: 'Leave survival_intervals out, or name time_column and event_column.',
    }
  const alone = model.vision_backbone === 'none' || model.fusion_type === 'none'
  if (model.modality_dropout > 0 && model.fusion_type === 'late')
    yield {
      path: ['model', 'modality_dropout'],
      message: 'modality_dropout has no effect: fusion "late" trains a network for each modality by itself',
      hint: 'Leave modality_dropout out.',
    }
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
  if (model.image_weight !== DEFAULTS.image_weight && model.fusion_type !== 'late')
    yield {
      path: ['model', 'image_weight'],
      message: `image_weight has no effect: fusion "${model.fusion_type}" does not combine predictions`,
      hint: 'Leave image_weight out, or use fusion_type "late".',
    }
  if (model.linear_share && model.fusion_type !== 'late' && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['model', 'linear_share'],
      message:
        'linear_share has no effect: a linear model stands beside the networks of an ensemble, and this model is one network',
      hint: 'Leave linear_share out, or set model.members.',
    }
  if (data.validation !== null && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['data', 'validation'],
      message: 'validation has no effect: it is about the networks of an ensemble, and this model is one',
      hint: 'Leave validation out, or set model.members.',
    }
  if (training.compile === 'on' && model.fusion_type === 'late')
    yield {
      path: ['training', 'compile'],
      message: 'compile has no effect: only a backbone that learns in one network with the table is compiled',
      hint: 'Leave compile out, or use another fusion_type than "late".',
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
  if (data.val_fraction !== DEFAULTS.val_fraction && data.val_csv !== null && data.fold === null)
    yield {
      path: ['data', 'val_fraction'],
      message: 'val_fraction has no effect: val_csv names the validation cases',
      hint: 'Leave out one of the two.',
    }
}

function* ofClassesAlone({ data, model, training }: Parts): Generator<Found> {
  const { loss_function, class_weights, label_smoothing, operating_points } = training
  const task = taskOf({ data, model })
  if (task !== 'regression' && task !== 'survival' && !NUMBER_LOSSES.includes(loss_function)) return
  if (class_weights !== 'none')
    yield {
      path: ['training', 'class_weights'],
      message: 'class weights are for classes; this task has none',
      hint: 'Leave class_weights out.',
    }
  const points = JSON.stringify(operating_points)
  if (operating_points.length > 0 && points !== DEFAULTS.operating_points)
    yield {
      path: ['training', 'operating_points'],
      message: 'operating points are thresholds of a class; a regression has none',
      hint: 'Leave operating_points out.',
    }
  if (label_smoothing > 0)
    yield {
      path: ['training', 'label_smoothing'],
      message: 'label smoothing is for classes; this task has none',
      hint: 'Leave label_smoothing out.',
    }
}

/** Reports whether a network reads only the table: the only network, or one next to the image network. */
function hasTableNetwork({ vision_backbone, fusion_type }: Parts['model']): boolean {
  return fusion_type === 'late' || vision_backbone === 'none'
}

/** Reports whether any part of the model divides its width among attention heads. */
function attends({ fusion_type, tabular_encoder, aggregator }: Parts['model']): boolean {
  return (
    fusion_type === 'attention' ||
    fusion_type === 'cross_attention' ||
    tabular_encoder === 'ft_transformer' ||
    aggregator === 'attention' ||
    aggregator === 'cross_view'
  )
}
