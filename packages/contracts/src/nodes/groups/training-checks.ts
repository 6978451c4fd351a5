import { NO_EFFECT, TrainingConfig } from '../../configuration/index.js'
import { hintOf, messageOf, phrase } from '../../phrases/index.js'
import { check } from '../../validation/check.js'
import type {
  ArrivingDescriptions,
  InferenceInput,
  InferredIssue,
  OutputFacts,
  PlacedSetting,
  ValueDescription,
} from '../inference.js'
import { assembled } from '../settings.js'

type Settings = Readonly<Record<string, PlacedSetting>>

/**
 * All settings of upstream nodes meet at a node that trains a model. This function checks the rules between keys (those of TrainingConfig
 * itself, not a copy), and facets that the model reads but the data lacks.
 */
export function checkTraining({ node, inputs, settings: own }: InferenceInput): InferredIssue[] {
  if (!inputs.model) return []
  const settings: Record<string, PlacedSetting> = { ...own }
  for (const value of Object.values(inputs))
    for (const [key, setting] of Object.entries(value.settings ?? {})) settings[key] ??= setting
  return [...crossKeyIssues(node, settings), ...missingFacets(inputs, settings)]
}

/** Inferred facts about a model that is trained on this data: its possible columns, and its classes. */
export function learnedFrom({ columns, classes }: Partial<ValueDescription> = {}): OutputFacts {
  return { ...(columns ? { columns } : {}), ...(classes === undefined ? {} : { classes }) }
}

function crossKeyIssues(node: string, settings: Settings): InferredIssue[] {
  const values = Object.entries(settings).map(([key, { value }]): [string, unknown] => [key, value])
  const document = assembled(Object.fromEntries([['data.train_csv', '-'], ...values]))
  const checked = check(TrainingConfig, document)
  if (checked.ok) return []
  return checked.issues.flatMap(({ path, ...issue }) => {
    const setting = settings[path.split('.').slice(0, 2).join('.')]
    if (!setting) return []
    return [
      {
        ...issue,
        // A form keeps the fields of a previously selected strategy; they do no harm.
        severity: issue.code === NO_EFFECT ? ('warning' as const) : ('error' as const),
        ...messageOf(phrase('trained_by', { message: issue.message_phrases ?? issue.message, node })),
        node: setting.node,
        field: setting.field,
      },
    ]
  })
}

/** Facets that a model with these settings reads but the arriving cases lack, with the remedy. */
export function missingFacets(
  inputs: ArrivingDescriptions,
  settings: Settings = {},
  readsLabels = true,
): InferredIssue[] {
  const reads = (key: string) => settings[key] !== undefined && settings[key].value !== 'none'
  const facets = [
    {
      facet: 'images',
      read: reads('model.vision_backbone'),
      missing: 'backbone_reads_images',
      remedy: 'connect_images',
    },
    {
      facet: 'table',
      read: reads('model.fusion_type'),
      missing: 'fusion_reads_table',
      remedy: 'connect_table',
    },
    {
      facet: 'labels',
      read: readsLabels,
      missing: 'input_without_labels',
      remedy: 'connect_labels',
    },
  ] as const
  return Object.entries(inputs).flatMap(([port, data]) => {
    if (['model', 'config', 'path'].includes(data.type)) return []
    return facets.flatMap(({ facet, read, missing, remedy }) =>
      read && data[facet] === false
        ? [
            {
              severity: 'error' as const,
              code: 'FACET_MISSING' as const,
              ...messageOf(phrase(missing, { port })),
              ...hintOf(phrase(remedy)),
              port,
            },
          ]
        : [],
    )
  })
}
