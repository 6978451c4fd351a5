import { z } from 'zod'
import { Baselines, DataConfig, LoopConfig, ModelConfig } from '../configuration/index.js'
import { type FieldFacts, field } from './definition.js'

/**
 * Node fields that are keys of the training configuration: type, range and default are taken from there, and `training_key` stores the key.
 */

export const SECTIONS = { data: DataConfig, model: ModelConfig, training: LoopConfig } as const
export type SectionName = keyof typeof SECTIONS
type Sections = { [S in keyof typeof SECTIONS]: (typeof SECTIONS)[S]['shape'] }
type Facts = Omit<FieldFacts, 'training_key' | 'training_values'>

/** Root keys of the training configuration, outside its sections. */
export const WHOLE_KEYS = { baselines: Baselines } as const

/** Schema of the training key of a field, without the part of its value: "data.augmentation.methods", "baselines". */
export function schemaOfKey(training_key: string): z.ZodType | undefined {
  const [section = '', key = ''] = training_key.split('.')
  if (section in WHOLE_KEYS) return WHOLE_KEYS[section as keyof typeof WHOLE_KEYS]
  return (SECTIONS[section as SectionName]?.shape as Record<string, z.ZodType> | undefined)?.[key]
}

/** Schema of training key `section.key`: its type, range and default. */
export function trainingSchema<S extends keyof Sections, K extends keyof Sections[S] & string>(
  section: S,
  key: K,
): Sections[S][K] {
  return SECTIONS[section].shape[key as never] as Sections[S][K]
}

/** Field for training key `section.key`, with the title and help of the node. */
export function fromTraining<S extends keyof Sections, K extends keyof Sections[S] & string>(
  section: S,
  key: K,
  facts: Facts,
): Sections[S][K] {
  return field(trainingSchema(section, key) as z.ZodType, {
    ...facts,
    training_key: `${section}.${key}`,
  }) as Sections[S][K]
}

/** A choice with other names than in the training configuration; the default is that of the training key. */
export function renamed<const V extends Readonly<Record<string, string>>>(
  training_key: string,
  values: V,
  facts: Facts,
) {
  const names = Object.keys(values) as [keyof V & string, ...(keyof V & string)[]]
  const original: unknown = schemaOfKey(training_key)?.safeParse(undefined).data
  const fallback = names.find((name) => values[name] === original) ?? names[0]
  return field(z.enum(names).default(fallback as never), { ...facts, training_key, training_values: values })
}
