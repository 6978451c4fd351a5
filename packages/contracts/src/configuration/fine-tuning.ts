import type { z } from 'zod'
import type { ErrorIssue } from '../codes/index.js'
import { hintOf, messageOf, phrase } from '../phrases/index.js'
import { DataConfig } from './data.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'
import type { TrainerConfig, TrainingConfig } from './training-config.js'

type Section = keyof TrainerConfig
const SECTIONS = { data: DataConfig, model: ModelConfig, training: LoopConfig } as const

/**
 * Keys that a fine-tuning inherits from its trained model, in declaration order: the weights are meaningless for another architecture, other
 * columns or classes, or differently prepared inputs. The declaration of each key marks it.
 */
export const KEPT_KEYS: readonly { readonly section: Section; readonly key: string }[] = Object.entries(
  SECTIONS,
).flatMap(([section, { shape }]) =>
  Object.entries(shape as Record<string, z.ZodType>).flatMap(([key, schema]) =>
    schema.meta()?.kept_by_fine_tuning === true ? [{ section: section as Section, key }] : [],
  ),
)

/** Lists whose order is irrelevant: columns are read in the order of the trained model. */
const SETS = ['numeric_columns', 'categorical_columns']

/**
 * Configuration of a fine-tuning: a key at its default is inherited from the trained model, and a different explicit value is an issue.
 * `trained`: configuration of the trained model, including inferred values.
 */
export function fineTuned(
  config: TrainingConfig,
  trained: TrainingConfig,
  place = 'config',
): { readonly config: TrainingConfig; readonly issues: readonly ErrorIssue[] } {
  const { data, model, training } = config
  const complete = { ...config, data: { ...data }, model: { ...model }, training: { ...training } }
  const issues: ErrorIssue[] = []
  for (const { section, key } of KEPT_KEYS) {
    if (isNotRead(key, trained)) continue
    const keys = complete[section] as Record<string, unknown>
    const before = (trained[section] as Record<string, unknown>)[key]
    if (isSame(key, keys[key], before) || isDefault(section, key, keys[key])) keys[key] = before
    else issues.push(mismatch([place, section, key].filter(Boolean).join('.'), keys[key], before))
  }
  return { config: complete, issues }
}

/** An ablation omits the image or the table, so the columns of the omitted part are irrelevant. */
function isNotRead(key: string, { model }: TrainingConfig): boolean {
  if (key === 'image_columns') return model.vision_backbone === 'none'
  return SETS.includes(key) && model.fusion_type === 'none'
}

function isSame(key: string, one: unknown, other: unknown): boolean {
  const plain = (value: unknown) =>
    JSON.stringify(SETS.includes(key) && Array.isArray(value) ? value.toSorted() : value)
  return plain(one) === plain(other)
}

/** A default value counts as not set. A key without a default is always set. */
function isDefault(section: Section, key: string, value: unknown): boolean {
  const schema = (SECTIONS[section].shape as Record<string, z.ZodType>)[key]
  const absent = schema?.safeParse(undefined)
  return absent?.success === true && JSON.stringify(absent.data) === JSON.stringify(value)
}

function mismatch(path: string, value: unknown, trained: unknown): ErrorIssue {
  const before = JSON.stringify(trained)
  return {
    path,
    code: 'CHECKPOINT_MISMATCH',
    ...messageOf(phrase('differs_from_trained', { value: JSON.stringify(value), before })),
    ...hintOf(phrase('keep_trained_value', { before })),
  }
}
