import { factsOf, type NodeDefinition } from './definition.js'
import type { NodeSetting } from './inference.js'
import { schemaOfKey, WHOLE_KEYS } from './training-fields.js'

/** Training settings that the complete configuration of a node defines: dotted key → setting. */
export function declaredSettings(
  definition: Pick<NodeDefinition, 'config'>,
  config: Readonly<Record<string, unknown>>,
): Record<string, NodeSetting> {
  const settings: Record<string, NodeSetting> = {}
  for (const { name, key, part, values, ...facts } of settingFields(definition)) {
    const given = config[name]
    const value = values?.[String(given)] ?? asPair(given)
    const before = settings[key]
    settings[key] =
      part === undefined
        ? { field: name, value, ...facts }
        : {
            field: before?.field ?? name,
            value: { ...(before?.value as Record<string, unknown> | undefined), [part]: value },
            ...facts,
          }
  }
  return settings
}

/** Settings by dotted key → the sections and root keys of a training configuration. */
export function assembled(settings: Readonly<Record<string, unknown>>): Record<string, object> {
  const document: Record<string, Record<string, unknown>> = { data: {}, model: {}, training: {} }
  for (const [key, value] of Object.entries(settings)) {
    const [section = '', name] = key.split('.')
    if (name === undefined) document[key] = value as Record<string, unknown>
    else document[section] = { ...document[section], [name]: value }
  }
  return document
}

interface SettingField {
  readonly name: string
  readonly key: string
  /** Several fields may each set a part of one value: data.augmentation.methods, data.augmentation.intensity. */
  readonly part: string | undefined
  readonly values: Readonly<Record<string, string>> | undefined
  readonly default: unknown
  readonly fit_only: boolean
}
const FIELDS = new WeakMap<object, readonly SettingField[]>()

function settingFields({ config }: Pick<NodeDefinition, 'config'>): readonly SettingField[] {
  let fields = FIELDS.get(config)
  if (!fields) {
    fields = Object.entries(config.shape).flatMap(([name, schema]) => {
      const { training_key, training_values: values, fit_only = false } = factsOf(schema)
      if (!training_key) return []
      const [section = '', whole, part] = training_key.split('.')
      return [
        {
          name,
          key: section in WHOLE_KEYS ? section : `${section}.${whole}`,
          part,
          values,
          default: schemaOfKey(training_key)?.safeParse(undefined).data,
          fit_only,
        },
      ]
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
