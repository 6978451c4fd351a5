import { z } from 'zod'
import { DataConfig, LoopConfig, ModelConfig } from '../configuration/index.js'
import { type FieldFacts, factsOf, field, type NodeDefinition } from './definition.js'

/**
 * Node fields that are keys of the training configuration: their type, range and default are taken from there, and `training_key`
 * remembers which key they are.
 */

const SECTIONS = { data: DataConfig, model: ModelConfig, training: LoopConfig } as const
type Sections = { [S in keyof typeof SECTIONS]: (typeof SECTIONS)[S]['shape'] }
type Facts = Omit<FieldFacts, 'training_key' | 'training_values'>

/** The schema of training key `section.key`: its type, range and default. */
export function trainingSchema<S extends keyof Sections, K extends keyof Sections[S] & string>(
  section: S,
  key: K,
): Sections[S][K] {
  return SECTIONS[section].shape[key as never] as Sections[S][K]
}

/** A field that is training key `section.key`, with the title and help of the node. */
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

/** A choice that is written differently here than in the training configuration; the default is the one of the training key. */
export function renamed<const V extends Readonly<Record<string, string>>>(
  training_key: string,
  values: V,
  facts: Facts,
) {
  const names = Object.keys(values) as [keyof V & string, ...(keyof V & string)[]]
  const [section, key] = training_key.split('.') as [keyof Sections, string]
  const original: unknown = (SECTIONS[section].shape as Record<string, z.ZodType>)[key]?.safeParse(
    undefined,
  ).data
  const fallback = names.find((name) => values[name] === original) ?? names[0]
  return field(z.enum(names).default(fallback as never), { ...facts, training_key, training_values: values })
}

/** One value of the training configuration and the node field that it comes from. */
export interface TrainingSetting {
  readonly field: string
  readonly value: unknown
}

/** The part of a training configuration that a node's complete config stands for: dotted key → setting. */
export function trainingSettings(
  definition: Pick<NodeDefinition, 'config'>,
  config: Readonly<Record<string, unknown>>,
): Record<string, TrainingSetting> {
  const settings: Record<string, TrainingSetting> = {}
  for (const { name, key, values } of trainingFields(definition)) {
    const given = config[name]
    const value = values?.[String(given)] ?? asPair(given)
    const [section, whole, part] = key.split('.')
    if (part === undefined) settings[key] = { field: name, value }
    else settings[`${section}.${whole}`] = joined(settings[`${section}.${whole}`], name, part, value)
  }
  return settings
}

/** Several fields may each give one part of a value: data.augmentation.methods, data.augmentation.intensity. */
function joined(
  before: TrainingSetting | undefined,
  name: string,
  part: string,
  value: unknown,
): TrainingSetting {
  return {
    field: before?.field ?? name,
    value: { ...(before?.value as Record<string, unknown> | undefined), [part]: value },
  }
}

interface TrainingField {
  readonly name: string
  readonly key: string
  readonly values: Readonly<Record<string, string>> | undefined
}
const FIELDS = new WeakMap<object, readonly TrainingField[]>()

function trainingFields({ config }: Pick<NodeDefinition, 'config'>): readonly TrainingField[] {
  let fields = FIELDS.get(config)
  if (!fields) {
    fields = Object.entries(config.shape).flatMap(([name, schema]) => {
      const { training_key: key, training_values: values } = factsOf(schema)
      return key ? [{ name, key, values }] : []
    })
    FIELDS.set(config, fields)
  }
  return fields
}

/** {width, height} is [width, height] in the training configuration. */
function asPair(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { width, height, ...rest } = value as Record<string, unknown>
  return width !== undefined && height !== undefined && Object.keys(rest).length === 0
    ? [width, height]
    : value
}
