import type { IssueCode } from '../codes/index.js'
import type { Checked } from '../validation/check.js'

/** Named steps from one version of the saved format to the next. A step that was released is never edited. */

export const WORKFLOW_VERSION = '1.0'

type Document = Record<string, unknown>

export interface WorkflowMigration {
  readonly name: string
  /** Applies to files of this major version … */
  readonly from: number
  /** … and leaves one of this version. */
  readonly to: string
  readonly apply: (document: Document) => Document
}

export const WORKFLOW_MIGRATIONS: readonly WorkflowMigration[] = [
  {
    // Drafts of the format (0.x) were written by hand: connections without ids, files without a history.
    name: '0001-draft-to-1.0',
    from: 0,
    to: '1.0',
    apply: (document) => ({
      execution_history: [],
      ...document,
      connections: withIds(document.connections ?? []),
    }),
  },
]

/** Bring a document to the current version, and say which steps that took. */
export function migrateWorkflow(
  document: Document,
  place = '',
): Checked<{ document: Document; steps: string[] }> {
  const refuse = (code: IssueCode, message: string, hint: string) => ({
    ok: false as const,
    issues: [{ path: place ? `${place}.version` : 'version', code, message, hint }],
  })
  const { version } = document
  if (version === undefined)
    return refuse('MISSING_FIELD', 'required', `Add "version": "${WORKFLOW_VERSION}".`)
  const major = typeof version === 'string' ? majorOf(version) : undefined
  if (major === undefined)
    return refuse('INVALID_VALUE', 'expected a version such as "1.0"', `Write "${WORKFLOW_VERSION}".`)
  if (major > (majorOf(WORKFLOW_VERSION) ?? 0))
    return refuse(
      'UNKNOWN_VERSION',
      `the file has version ${String(version).slice(0, 20)}; this software reads up to ${WORKFLOW_VERSION}`,
      'Open it with a newer version of the software.',
    )

  const steps: string[] = []
  let current = document
  for (const step of WORKFLOW_MIGRATIONS) {
    if (majorOf(String(current.version)) !== step.from) continue
    current = { ...step.apply(current), version: step.to }
    steps.push(step.name)
  }
  return { ok: true, value: { document: current, steps } }
}

/** "1", "1.4" and "1.4.2" are versions of major 1. */
function majorOf(version: string): number | undefined {
  const [, major] = /^(\d{1,4})(\.\d{1,4}){0,2}$/.exec(version) ?? []
  return major === undefined ? undefined : Number(major)
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
