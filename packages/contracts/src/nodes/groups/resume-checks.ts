import { NO_EFFECT } from '../../configuration/index.js'
import type { ArrivingDescriptions, InferredIssue } from '../inference.js'

const DATA = ['train_dataset', 'val_dataset'] as const

/** A continued training cannot change its learning rate: the schedule and the optimizer moments depend on it. */
export function checkContinuation(config: Readonly<Record<string, unknown>>): InferredIssue[] {
  if (config.learning_rate === null) return []
  return [
    {
      severity: 'warning',
      code: NO_EFFECT,
      message: 'learning_rate has no effect: mode "continue" uses the learning rate of the original training',
      hint: 'Leave learning_rate empty, or set mode to "fine_tune".',
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
  const named = (classes: readonly string[] | null) => (classes ? classes.join(', ') : 'a number')
  return [
    {
      severity: 'error',
      code: 'CHECKPOINT_MISMATCH',
      message: `the label at ${port} is ${named(given)}, but the trained model predicts ${named(trained)}`,
      hint: 'Connect data with the label that the model was trained on, or train a new model with TrainModel.',
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
      message: `the data at ${port} do not have the columns ${absent.slice(0, 10).join(', ')} of the data of the trained model`,
      hint: 'Rename the columns as in the original data. Fine-tuning fails if the model reads one of them.',
      port,
    },
  ]
}
