import type { IssueCode } from '../codes/index.js'
import { hintOf, messageOf, type Phrase, phrase } from '../phrases/index.js'
import type { Checked } from '../validation/check.js'
import { type LaterField, withEarlierDefaults } from './earlier-defaults.js'

/**
 * Named migrations from one version of the saved format to the next. A released migration is never edited. A version also defines the
 * defaults of its nodes: a changed default needs a new version, whose migration writes the earlier behavior into older files.
 */

export const WORKFLOW_VERSION = '1.1'

type Document = Record<string, unknown>

export interface WorkflowMigration {
  readonly name: string
  /** Applies to files of every earlier version, and produces this version. */
  readonly to: string
  readonly apply: (document: Document) => Document
}

/** Fields that version 1.0 did not have, and whose default trains another model than version 1.0. */
export const LATER_THAN_1_0: readonly LaterField[] = [
  { type: 'SelectFusion', field: 'members', matters: (_, nodes) => readTableAlone(nodes) },
  { type: 'SelectFusion', field: 'linear_share', matters: (_, nodes) => readTableAlone(nodes) },
  { type: 'SelectFusion', field: 'missing_token', matters: ({ config }) => config.strategy !== 'none' },
  {
    type: 'TabularPreprocess',
    field: 'missing_indicator',
    matters: ({ config }) => !['token', 'drop'].includes(String(config.missing_strategy ?? 'token')),
  },
  { type: 'LoadDataset', field: 'slices', matters: (_, nodes) => !readTableAlone(nodes) },
  {
    type: 'LoadImage',
    field: 'slices',
    matters: ({ config }) => !['PNG', 'JPG'].includes(String(config.format)),
  },
]

type Nodes = readonly { readonly type: string; readonly config: Document }[]

/** Results of readTableAlone, which is called for each node of a file. */
const tableAlone = new WeakMap<Nodes, boolean>()

/** Reports whether the workflow builds a model without images. */
function readTableAlone(nodes: Nodes): boolean {
  const known = tableAlone.get(nodes)
  if (known !== undefined) return known
  const found = nodes.some(({ type, config }) => type === 'SelectBackbone' && config.model_name === 'none')
  tableAlone.set(nodes, found)
  return found
}

export const WORKFLOW_MIGRATIONS: readonly WorkflowMigration[] = [
  {
    // Drafts of the format (0.x) were written by hand: connections without ids, files without an execution history.
    name: '0001-draft-to-1.0',
    to: '1.0',
    apply: (document) => ({
      execution_history: [],
      ...document,
      connections: withIds(document.connections ?? []),
    }),
  },
  {
    name: '0002-defaults-of-1.0',
    to: '1.1',
    apply: (document) => withEarlierDefaults(document, LATER_THAN_1_0),
  },
]

/** Migrates a document to the current version, and returns the names of the applied migrations. */
export function migrateWorkflow(
  document: Document,
  place = '',
): Checked<{ document: Document; steps: string[] }> {
  const refuse = (code: IssueCode, message: Phrase, hint: Phrase) => ({
    ok: false as const,
    issues: [{ path: place ? `${place}.version` : 'version', code, ...messageOf(message), ...hintOf(hint) }],
  })
  const { version } = document
  if (version === undefined)
    return refuse(
      'MISSING_FIELD',
      phrase('required'),
      phrase('version_missing', { version: WORKFLOW_VERSION }),
    )
  const number = typeof version === 'string' ? numberOf(version) : undefined
  if (number === undefined)
    return refuse(
      'INVALID_VALUE',
      phrase('version_expected'),
      phrase('write_version', { version: WORKFLOW_VERSION }),
    )
  if (Math.floor(number) > Math.floor(numberOf(WORKFLOW_VERSION) ?? 0))
    return refuse(
      'UNKNOWN_VERSION',
      phrase('workflow_too_new', { version: String(version).slice(0, 20), most: WORKFLOW_VERSION }),
      phrase('newer_medloom'),
    )

  const steps: string[] = []
  let current = document
  for (const step of WORKFLOW_MIGRATIONS) {
    if ((numberOf(String(current.version)) ?? 0) >= (numberOf(step.to) ?? 0)) continue
    current = { ...step.apply(current), version: step.to }
    steps.push(step.name)
  }
  return { ok: true, value: { document: current, steps } }
}

/** A number that orders versions: "1" is 1.0, "1.4" and "1.4.2" come after it. */
function numberOf(version: string): number | undefined {
  const [, major, minor = '0'] = /^(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d{1,4})?$/.exec(version) ?? []
  return major === undefined ? undefined : Number(major) + Number(minor) / 10_000
}

function withIds(connections: unknown): unknown {
  if (!Array.isArray(connections)) return connections
  const taken = new Set(connections.map((connection) => (connection as Document | null)?.id))
  let next = 1
  return connections.map((connection) => {
    if (connection === null || typeof connection !== 'object' || connection.id !== undefined)
      return connection
    while (taken.has(`c${next}`)) next++
    return { ...connection, id: `c${next++}` }
  })
}
