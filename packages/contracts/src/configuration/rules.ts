import type { z } from 'zod'
import type { IssueCode } from '../codes/index.js'
import { isOfTask } from '../metrics/task-metrics.js'
import { findBackbone } from './backbones.js'
import type { Baselines } from './baselines.js'
import { ABLATIONS, IMPUTATIONS, TABLE_BASELINES, type Task } from './choices.js'
import { DataConfig } from './data.js'
import { isGroup } from './device.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'
import { openQuestions, type RecipeQuestion, taskOfRecipe } from './recipe/index.js'

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
    ofTheRecipe,
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
        'the model has no input: vision_backbone "none" excludes the image and fusion_type "none" excludes the table',
      hint: 'Set one of the two to another value.',
    }
  else if (model.fusion_type !== 'concatenate')
    yield {
      path: ['model', 'fusion_type'],
      message: `"${model.fusion_type}" fuses an image with a table, but vision_backbone is "none"`,
      hint: 'Set a backbone, or set fusion_type to "concatenate" for a model of the table only.',
    }
}

function* ofTheStart({ model }: Parts): Generator<Found> {
  if (model.fine_tune_from !== null && model.pretrained !== false)
    yield {
      path: ['model', 'pretrained'],
      message:
        'pretrained and fine_tune_from both set the initial weights; the weights of the trained model include the backbone',
      hint: 'Remove pretrained, or remove fine_tune_from to train a new model.',
    }
}

function* ofMembers({ data, model, training }: Parts): Generator<Found> {
  const several = (model.members ?? 1) > 1 || model.fusion_type === 'late'
  if ((model.members ?? 1) > 1 && !hasTableNetwork(model))
    yield {
      path: ['model', 'members'],
      message: `members is the number of table networks, but fusion "${model.fusion_type}" with a backbone trains one network that also reads the image`,
      hint: 'Remove members, or use fusion_type "late".',
    }
  else if (several && isGroup(training.device))
    yield {
      path: ['training', 'device'],
      message: `device "${training.device}" uses several processes, but ${model.fusion_type === 'late' ? 'fusion "late"' : 'an ensemble of members'} trains in one process`,
      hint: 'Use one device, or set members to 1.',
    }
  if (data.validation === 'folds' && BY_LABEL.includes(data.feature_selection.method))
    yield {
      path: ['data', 'validation'],
      message: `feature_selection "${data.feature_selection.method}" uses the labels of all cases, including those on which another network is validated`,
      hint: 'Remove validation, or use feature_selection "none" or "variance".',
    }
  if (data.validation === 'folds' && model.fine_tune_from !== null)
    yield {
      path: ['data', 'validation'],
      message:
        'with folds, networks would be validated on cases that the trained model has already learned from, so the choice of the epoch would be biased',
      hint: 'Remove validation: fine-tuning validates on the validation split.',
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
      message: `${backbone.name} requires an image width and height that are multiples of ${backbone.size_multiple}`,
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
      message: `fold index ${index} is out of range: with ${k} folds, indices are 0 to ${k - 1}`,
      hint: `Use an index from 0 to ${k - 1}.`,
    }
}

const QUESTIONS: Readonly<Record<RecipeQuestion, string>> = {
  label: 'which column is the label',
  patient: 'which column identifies the patient',
  rows: 'which of several rows describes a case',
}

function* ofTheRecipe({ data }: Parts): Generator<Found> {
  const named = {
    label: (data.label_column ?? data.label_columns ?? data.time_column) !== null,
    patient: data.patient_column !== null,
  }
  for (const question of openQuestions(data.recipe, named))
    yield {
      path: ['data', 'recipe', 'open'],
      message: `not ready: a question of the recipe is open: ${QUESTIONS[question]}`,
      hint: `Answer it with --${question} of medloom data adopt or in data.recipe.${question}. If no answer is needed, remove it from data.recipe.open.`,
    }
}

/** Task as far as the configuration determines it; null: determined by the label. */
function taskOf({ data, model }: Pick<Parts, 'data' | 'model'>): Task | null {
  if (model.task !== null) return model.task
  if (data.label_columns !== null) return 'multilabel'
  if (data.time_column !== null || data.event_column !== null) return 'survival'
  return data.label_column === null ? taskOfRecipe(data.recipe) : null
}

function* ofTheLabel({ data, model }: Parts): Generator<Found> {
  const { label_columns, label_column, positive_class } = data
  if (label_columns === null) {
    if (model.task === 'multilabel' && taskOfRecipe(data.recipe) !== 'multilabel')
      yield {
        path: ['data', 'label_columns'],
        message: 'task "multilabel" requires label columns',
        hint: 'Set data.label_columns to two or more columns with yes or no.',
      }
    return
  }
  if (taskOf({ data, model }) !== 'multilabel')
    yield {
      path: ['model', 'task'],
      message: `label_columns lists several labels, but task is "${model.task}"`,
      hint: 'Remove task, or set one column in data.label_column.',
    }
  if (label_column !== null)
    yield {
      path: ['data', 'label_column'],
      message: 'label_column and label_columns are both set',
      hint: 'Remove one of them.',
    }
  if (positive_class !== null)
    yield {
      path: ['data', 'positive_class'],
      message: 'positive_class applies to two classes, but each of several labels is yes or no',
      hint: 'Remove positive_class.',
    }
  if (new Set(label_columns).size < label_columns.length)
    yield {
      path: ['data', 'label_columns'],
      message: 'label_columns lists a column twice',
      hint: 'List each column once.',
    }
}

function* ofSurvival({ data, model, training }: Parts): Generator<Found> {
  const { time_column, event_column } = data
  const named = time_column !== null || event_column !== null
  if (taskOf({ data, model }) !== 'survival') {
    if (named)
      yield {
        path: ['model', 'task'],
        message: `time_column and event_column are for task "survival", but task is "${taskOf({ data, model })}"`,
        hint: 'Remove task, or remove time_column and event_column.',
      }
    return
  }
  for (const key of ['time_column', 'event_column'] as const)
    if (data[key] === null && (named || taskOfRecipe(data.recipe) !== 'survival'))
      yield {
        path: ['data', key],
        message: `survival requires time_column and event_column; ${key} is missing`,
        hint: 'Set the columns of the follow-up time and of the event.',
      }
  for (const key of ['label_column', 'label_columns', 'positive_class'] as const)
    if (data[key] !== null)
      yield {
        path: ['data', key],
        message: `${key} does not apply to survival, whose label consists of a time and an event`,
        hint: `Remove ${key}.`,
      }
  if (training.loss_function !== 'auto')
    yield {
      path: ['training', 'loss_function'],
      message: `survival always uses the likelihood of its time intervals as the loss, not ${training.loss_function}`,
      hint: 'Remove loss_function.',
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
      message: `${loss_function} is a loss for classification`,
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
      message: `warmup_epochs (${training.warmup_epochs}) is not less than epochs (${training.epochs}): learning_rate is never reached, and scheduler "${training.scheduler}" has no effect`,
      hint: `Set warmup_epochs to less than ${training.epochs}.`,
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
      'reads the table, but fusion_type "none" excludes the table',
      `Remove ${ofTable} from baselines, or set another fusion_type.`,
    )
  const survival = taskOf({ data, model }) === 'survival'
  if (survival && baselines?.includes('logistic_regression'))
    yield refused(
      'logistic_regression',
      'predicts classes; the linear model for survival is Cox regression',
      'Use cox_regression instead.',
    )
  if (!survival && baselines?.includes('cox_regression'))
    yield refused(
      'cox_regression',
      'is for survival, but the task is not survival',
      'Use logistic_regression instead.',
    )
  const ablation = ABLATIONS.find((name) => baselines?.includes(name))
  if (!ablation) return
  if (model.vision_backbone === 'none' || model.fusion_type === 'none') {
    const alone = model.vision_backbone === 'none' ? 'table' : 'image'
    yield refused(
      ablation,
      `excludes one modality, but this model reads only the ${alone}`,
      `Remove ${ablation} from baselines, or train on image and table.`,
    )
  } else if (model.fine_tune_from !== null)
    yield refused(
      ablation,
      'would start without the weights that the model gets from fine_tune_from, so the comparison would not be fair',
      `Remove ${ablation} from baselines; baselines of the table can stay.`,
    )
}

function* withoutEffect({ data, model, training }: Parts): Generator<Found> {
  if (model.survival_intervals !== DEFAULTS.survival_intervals && taskOf({ data, model }) !== 'survival')
    yield {
      path: ['model', 'survival_intervals'],
      message: 'survival_intervals has no effect: the task is not survival',
      hint: 'Remove survival_intervals, or set time_column and event_column.',
    }
  const alone = model.vision_backbone === 'none' || model.fusion_type === 'none'
  if (model.modality_dropout > 0 && model.fusion_type === 'late')
    yield {
      path: ['model', 'modality_dropout'],
      message: 'modality_dropout has no effect: fusion "late" trains a separate network for each modality',
      hint: 'Remove modality_dropout.',
    }
  if (model.modality_dropout > 0 && alone)
    yield {
      path: ['model', 'modality_dropout'],
      message: `modality_dropout leaves out the image or the table of a case, but this model reads the ${
        model.vision_backbone === 'none' ? 'table' : 'image'
      } alone`,
      hint: 'Remove modality_dropout, or train on image and table.',
    }
  if (model.num_heads !== DEFAULTS.num_heads && !alone && !attends(model))
    yield {
      path: ['model', 'num_heads'],
      message: `num_heads has no effect: fusion "${model.fusion_type}", table encoder "${model.tabular_encoder}" and aggregator "${model.aggregator}" do not use attention`,
      hint: 'Remove num_heads, or use fusion_type "attention" or "cross_attention".',
    }
  if (model.image_weight !== DEFAULTS.image_weight && model.fusion_type !== 'late')
    yield {
      path: ['model', 'image_weight'],
      message: `image_weight has no effect: fusion "${model.fusion_type}" does not combine predictions`,
      hint: 'Remove image_weight, or use fusion_type "late".',
    }
  if (model.linear_share && model.fusion_type !== 'late' && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['model', 'linear_share'],
      message:
        'linear_share has no effect: it applies to the networks of an ensemble, but this model has one network',
      hint: 'Remove linear_share, or set model.members.',
    }
  if (data.validation !== null && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['data', 'validation'],
      message:
        'validation has no effect: it applies to the networks of an ensemble, but this model has one network',
      hint: 'Remove validation, or set model.members.',
    }
  if (training.compile === 'on' && model.fusion_type === 'late')
    yield {
      path: ['training', 'compile'],
      message:
        'compile has no effect: a backbone is compiled only if it is trained in one network with the table',
      hint: 'Remove compile, or use a fusion_type other than "late".',
    }
  if (training.backbone_learning_rate !== null && model.freeze_layers === 'all')
    yield {
      path: ['training', 'backbone_learning_rate'],
      message: 'backbone_learning_rate has no effect: freeze_layers "all" freezes the backbone',
      hint: 'Remove backbone_learning_rate, or freeze fewer stages.',
    }
  if (!data.missing_indicator && model.fusion_type !== 'none' && !IMPUTATIONS.includes(data.missing_strategy))
    yield {
      path: ['data', 'missing_indicator'],
      message: `missing_indicator has no effect: missing_strategy "${data.missing_strategy}" does not replace missing values by a statistic`,
      hint: 'Remove missing_indicator, or use missing_strategy "mean", "median" or "mode".',
    }
  if (data.val_fraction !== DEFAULTS.val_fraction && data.val_csv !== null && data.fold === null)
    yield {
      path: ['data', 'val_fraction'],
      message: 'val_fraction has no effect: val_csv contains the validation cases',
      hint: 'Remove one of the two.',
    }
}

function* ofClassesAlone({ data, model, training }: Parts): Generator<Found> {
  const { loss_function, class_weights, label_smoothing, operating_points } = training
  const task = taskOf({ data, model })
  if (task !== 'regression' && task !== 'survival' && !NUMBER_LOSSES.includes(loss_function)) return
  if (class_weights !== 'none')
    yield {
      path: ['training', 'class_weights'],
      message: 'class_weights applies to classes, but this task has no classes',
      hint: 'Remove class_weights.',
    }
  const points = JSON.stringify(operating_points)
  if (operating_points.length > 0 && points !== DEFAULTS.operating_points)
    yield {
      path: ['training', 'operating_points'],
      message: 'operating points are decision thresholds, but a regression has no threshold',
      hint: 'Remove operating_points.',
    }
  if (label_smoothing > 0)
    yield {
      path: ['training', 'label_smoothing'],
      message: 'label_smoothing applies to classes, but this task has no classes',
      hint: 'Remove label_smoothing.',
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
