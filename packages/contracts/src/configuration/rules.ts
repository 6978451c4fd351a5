import type { z } from 'zod'
import type { IssueCode } from '../codes/index.js'
import { isOfTask } from '../metrics/task-metrics.js'
import { type Phrase, phrase } from '../phrases/index.js'
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
  readonly message: Phrase
  readonly hint: Phrase
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
      message: phrase('model_without_input'),
      hint: phrase('set_one_of_two'),
    }
  else if (model.fusion_type !== 'concatenate')
    yield {
      path: ['model', 'fusion_type'],
      message: phrase('fusion_without_image', { fusion: model.fusion_type }),
      hint: phrase('backbone_or_concatenate'),
    }
}

function* ofTheStart({ model }: Parts): Generator<Found> {
  if (model.fine_tune_from !== null && model.pretrained !== false)
    yield {
      path: ['model', 'pretrained'],
      message: phrase('two_initial_weights'),
      hint: phrase('pretrained_or_fine_tune'),
    }
}

function* ofMembers({ data, model, training }: Parts): Generator<Found> {
  const several = (model.members ?? 1) > 1 || model.fusion_type === 'late'
  if ((model.members ?? 1) > 1 && !hasTableNetwork(model))
    yield {
      path: ['model', 'members'],
      message: phrase('members_of_one_network', { fusion: model.fusion_type }),
      hint: phrase('members_or_late'),
    }
  else if (several && isGroup(training.device))
    yield {
      path: ['training', 'device'],
      message: phrase(model.fusion_type === 'late' ? 'late_in_processes' : 'members_in_processes', {
        device: training.device,
      }),
      hint: phrase('one_device'),
    }
  if (data.validation === 'folds' && BY_LABEL.includes(data.feature_selection.method))
    yield {
      path: ['data', 'validation'],
      message: phrase('selection_sees_validation', { method: data.feature_selection.method }),
      hint: phrase('no_validation_or_selection'),
    }
  if (data.validation === 'folds' && model.fine_tune_from !== null)
    yield {
      path: ['data', 'validation'],
      message: phrase('folds_after_training'),
      hint: phrase('no_validation_with_fine_tuning'),
    }
}

function* ofSizes({ model, data }: Parts): Generator<Found> {
  if (attends(model) && model.hidden_dim % model.num_heads !== 0)
    yield {
      path: ['model', 'hidden_dim'],
      message: phrase('width_not_multiple', {
        width: String(model.hidden_dim),
        heads: String(model.num_heads),
      }),
      hint: phrase('use_width', {
        width: String(Math.ceil(model.hidden_dim / model.num_heads) * model.num_heads),
      }),
    }
  const backbone = findBackbone(model.vision_backbone)
  if (backbone && data.image_size.some((side) => side % backbone.size_multiple !== 0)) {
    const sides = data.image_size.map(
      (side) => Math.max(1, Math.round(side / backbone.size_multiple)) * backbone.size_multiple,
    )
    yield {
      path: ['data', 'image_size'],
      message: phrase('image_not_multiple', {
        backbone: backbone.name,
        multiple: String(backbone.size_multiple),
      }),
      hint: phrase('use_image_size', { sides: sides.join(', ') }),
    }
  }
}

function* ofFolds({ data }: Parts): Generator<Found> {
  if (data.fold === null || !('k' in data.fold)) return
  const { k, index } = data.fold
  if (index >= k)
    yield {
      path: ['data', 'fold', 'index'],
      message: phrase('fold_out_of_range', { index: String(index), k: String(k), last: String(k - 1) }),
      hint: phrase('use_fold_index', { last: String(k - 1) }),
    }
}

const QUESTIONS = {
  label: 'open_question_label',
  patient: 'open_question_patient',
  rows: 'open_question_rows',
} as const satisfies Readonly<Record<RecipeQuestion, string>>

function* ofTheRecipe({ data }: Parts): Generator<Found> {
  const named = {
    label: (data.label_column ?? data.label_columns ?? data.time_column) !== null,
    patient: data.patient_column !== null,
  }
  for (const question of openQuestions(data.recipe, named))
    yield {
      path: ['data', 'recipe', 'open'],
      message: phrase(QUESTIONS[question]),
      hint: phrase('answer_question', { question }),
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
        message: phrase('labels_required'),
        hint: phrase('set_label_columns'),
      }
    return
  }
  if (taskOf({ data, model }) !== 'multilabel')
    yield {
      path: ['model', 'task'],
      message: phrase('several_labels', { task: String(model.task) }),
      hint: phrase('no_task_or_one_label'),
    }
  if (label_column !== null)
    yield {
      path: ['data', 'label_column'],
      message: phrase('both_label_keys'),
      hint: phrase('remove_one_of_them'),
    }
  if (positive_class !== null)
    yield {
      path: ['data', 'positive_class'],
      message: phrase('positive_of_labels'),
      hint: phrase('remove_key', { key: 'positive_class' }),
    }
  if (new Set(label_columns).size < label_columns.length)
    yield {
      path: ['data', 'label_columns'],
      message: phrase('label_column_twice'),
      hint: phrase('list_each_once'),
    }
}

function* ofSurvival({ data, model, training }: Parts): Generator<Found> {
  const { time_column, event_column } = data
  const named = time_column !== null || event_column !== null
  if (taskOf({ data, model }) !== 'survival') {
    if (named)
      yield {
        path: ['model', 'task'],
        message: phrase('survival_keys', { task: String(taskOf({ data, model })) }),
        hint: phrase('no_task_or_no_times'),
      }
    return
  }
  for (const key of ['time_column', 'event_column'] as const)
    if (data[key] === null && (named || taskOfRecipe(data.recipe) !== 'survival'))
      yield {
        path: ['data', key],
        message: phrase('survival_key_missing', { key }),
        hint: phrase('set_time_and_event'),
      }
  for (const key of ['label_column', 'label_columns', 'positive_class'] as const)
    if (data[key] !== null)
      yield {
        path: ['data', key],
        message: phrase('not_for_survival', { key }),
        hint: phrase('remove_key', { key }),
      }
  if (training.loss_function !== 'auto')
    yield {
      path: ['training', 'loss_function'],
      message: phrase('loss_of_survival', { loss: training.loss_function }),
      hint: phrase('remove_key', { key: 'loss_function' }),
    }
}

function* ofTheTask({ data, model, training }: Parts): Generator<Found> {
  const { loss_function, early_stopping } = training
  const task = taskOf({ data, model })
  if (task !== null && task !== 'regression' && NUMBER_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: phrase('loss_of_regression', { loss: loss_function }),
      hint: phrase('use_class_loss'),
    }
  if (task === 'regression' && CLASS_LOSSES.includes(loss_function))
    yield {
      path: ['training', 'loss_function'],
      message: phrase('loss_of_classes', { loss: loss_function }),
      hint: phrase('use_number_loss'),
    }
  if (task !== null && !isOfTask(task, early_stopping.monitor))
    yield {
      path: ['training', 'early_stopping', 'monitor'],
      message:
        task === 'survival'
          ? phrase('not_a_metric_of_survival', { metric: early_stopping.monitor })
          : phrase('not_a_metric_of', { metric: early_stopping.monitor, task }),
      hint: phrase('use_auto_monitor'),
    }
}

function* ofTheSchedule({ training }: Parts): Generator<Found> {
  if (training.warmup_epochs > 0 && training.warmup_epochs >= training.epochs)
    yield {
      path: ['training', 'warmup_epochs'],
      message: phrase('warmup_too_long', {
        warmup: String(training.warmup_epochs),
        epochs: String(training.epochs),
        scheduler: training.scheduler,
      }),
      hint: phrase('shorter_warmup', { epochs: String(training.epochs) }),
    }
}

function* ofBaselines({ data, model, baselines }: Parts): Generator<Found> {
  const refused = (message: Phrase, hint: Phrase) => ({ path: ['baselines'], message, hint })
  const ofTable = TABLE_BASELINES.find((name) => baselines?.includes(name))
  if (ofTable && model.fusion_type === 'none')
    yield refused(
      phrase('baseline_reads_table', { baseline: ofTable }),
      phrase('no_baseline_or_fusion', { baseline: ofTable }),
    )
  const survival = taskOf({ data, model }) === 'survival'
  if (survival && baselines?.includes('logistic_regression'))
    yield refused(phrase('logistic_for_survival'), phrase('use_cox'))
  if (!survival && baselines?.includes('cox_regression'))
    yield refused(phrase('cox_without_survival'), phrase('use_logistic'))
  const ablation = ABLATIONS.find((name) => baselines?.includes(name))
  if (!ablation) return
  if (model.vision_backbone === 'none' || model.fusion_type === 'none') {
    const alone = model.vision_backbone === 'none' ? 'ablation_of_table' : 'ablation_of_image'
    yield refused(
      phrase(alone, { baseline: ablation }),
      phrase('no_baseline_or_both', { baseline: ablation }),
    )
  } else if (model.fine_tune_from !== null)
    yield refused(
      phrase('ablation_of_fine_tuning', { baseline: ablation }),
      phrase('baselines_of_table_stay', { baseline: ablation }),
    )
}

function* withoutEffect({ data, model, training }: Parts): Generator<Found> {
  if (model.survival_intervals !== DEFAULTS.survival_intervals && taskOf({ data, model }) !== 'survival')
    yield {
      path: ['model', 'survival_intervals'],
      message: phrase('intervals_without_survival'),
      hint: phrase('no_intervals'),
    }
  const alone = model.vision_backbone === 'none' || model.fusion_type === 'none'
  if (model.modality_dropout > 0 && model.fusion_type === 'late')
    yield {
      path: ['model', 'modality_dropout'],
      message: phrase('dropout_of_late'),
      hint: phrase('remove_key', { key: 'modality_dropout' }),
    }
  if (model.modality_dropout > 0 && alone)
    yield {
      path: ['model', 'modality_dropout'],
      message: phrase(model.vision_backbone === 'none' ? 'dropout_of_table' : 'dropout_of_image'),
      hint: phrase('no_dropout_or_both'),
    }
  if (model.num_heads !== DEFAULTS.num_heads && !alone && !attends(model))
    yield {
      path: ['model', 'num_heads'],
      message: phrase('heads_without_attention', {
        fusion: model.fusion_type,
        encoder: model.tabular_encoder,
        aggregator: model.aggregator,
      }),
      hint: phrase('no_heads'),
    }
  if (model.image_weight !== DEFAULTS.image_weight && model.fusion_type !== 'late')
    yield {
      path: ['model', 'image_weight'],
      message: phrase('weight_without_late', { fusion: model.fusion_type }),
      hint: phrase('no_image_weight'),
    }
  if (model.linear_share && model.fusion_type !== 'late' && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['model', 'linear_share'],
      message: phrase('share_of_one_network'),
      hint: phrase('no_linear_share'),
    }
  if (data.validation !== null && (model.members === 1 || !hasTableNetwork(model)))
    yield {
      path: ['data', 'validation'],
      message: phrase('validation_of_one_network'),
      hint: phrase('no_validation'),
    }
  if (training.compile === 'on' && model.fusion_type === 'late')
    yield {
      path: ['training', 'compile'],
      message: phrase('compile_of_late'),
      hint: phrase('no_compile'),
    }
  if (training.backbone_learning_rate !== null && model.freeze_layers === 'all')
    yield {
      path: ['training', 'backbone_learning_rate'],
      message: phrase('rate_of_frozen'),
      hint: phrase('no_backbone_rate'),
    }
  if (!data.missing_indicator && model.fusion_type !== 'none' && !IMPUTATIONS.includes(data.missing_strategy))
    yield {
      path: ['data', 'missing_indicator'],
      message: phrase('indicator_without_statistic', { strategy: data.missing_strategy }),
      hint: phrase('no_indicator'),
    }
  if (data.val_fraction !== DEFAULTS.val_fraction && data.val_csv !== null && data.fold === null)
    yield {
      path: ['data', 'val_fraction'],
      message: phrase('fraction_with_table'),
      hint: phrase('remove_one_of_two'),
    }
}

function* ofClassesAlone({ data, model, training }: Parts): Generator<Found> {
  const { loss_function, class_weights, label_smoothing, operating_points } = training
  const task = taskOf({ data, model })
  if (task !== 'regression' && task !== 'survival' && !NUMBER_LOSSES.includes(loss_function)) return
  if (class_weights !== 'none')
    yield {
      path: ['training', 'class_weights'],
      message: phrase('weights_without_classes'),
      hint: phrase('remove_key', { key: 'class_weights' }),
    }
  const points = JSON.stringify(operating_points)
  if (operating_points.length > 0 && points !== DEFAULTS.operating_points)
    yield {
      path: ['training', 'operating_points'],
      message: phrase('points_of_regression'),
      hint: phrase('remove_key', { key: 'operating_points' }),
    }
  if (label_smoothing > 0)
    yield {
      path: ['training', 'label_smoothing'],
      message: phrase('smoothing_without_classes'),
      hint: phrase('remove_key', { key: 'label_smoothing' }),
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
