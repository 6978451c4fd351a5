import { NO_EFFECT } from '../../configuration/index.js'
import { hintOf, listed, messageOf, phrase } from '../../phrases/index.js'
import type { ArrivingDescriptions, InferredIssue } from '../inference.js'

const DATA = ['train_dataset', 'val_dataset'] as const

/** A continued training cannot change its learning rate: the schedule and the optimizer moments depend on it. */
export function checkContinuation(config: Readonly<Record<string, unknown>>): InferredIssue[] {
  if (config.learning_rate === null) return []
  return [
    {
      severity: 'warning',
      code: NO_EFFECT,
      ...messageOf(phrase('rate_of_original')),
      ...hintOf(phrase('leave_rate_empty')),
      field: 'learning_rate',
    },
  ]
}

/** A model reads the columns and predicts the classes of its training; data with other columns or classes cannot be used. */
export function checkFineTuning(inputs: ArrivingDescriptions): InferredIssue[] {
  const { checkpoint_path: trained } = inputs
  if (!trained) return []
  return DATA.flatMap((port) => {
    const data = inputs[port]
    if (!data) return []
    return [...otherClasses(port, trained.classes, data.classes), ...missing(port, trained, data)]
  })
}

function otherClasses(
  port: (typeof DATA)[number],
  trained: readonly string[] | null | undefined,
  given: readonly string[] | null | undefined,
): InferredIssue[] {
  if (trained === undefined || given === undefined) return []
  if (JSON.stringify(trained?.toSorted() ?? null) === JSON.stringify(given?.toSorted() ?? null)) return []
  const named = (classes: readonly string[] | null) => (classes ? listed(classes) : [phrase('a_number')])
  return [
    {
      severity: 'error',
      code: 'CHECKPOINT_MISMATCH',
      ...messageOf(phrase('label_of_other_training', { port, given: named(given), trained: named(trained) })),
      ...hintOf(phrase('connect_same_label')),
      port,
    },
  ]
}

type Described = ArrivingDescriptions[string]

function missing(port: (typeof DATA)[number], trained: Described, data: Described): InferredIssue[] {
  const absent = (trained.columns ?? []).filter((name) => data.columns && !data.columns.includes(name))
  if (absent.length === 0) return []
  return [
    {
      severity: 'warning',
      code: 'COLUMN_NOT_FOUND',
      ...messageOf(phrase('columns_of_training_missing', { port, columns: listed(absent.slice(0, 10)) })),
      ...hintOf(phrase('rename_columns')),
      port,
    },
  ]
}
