import { JOB_STATUSES, type JobStatus } from '@medloom/contracts/plain'

export const GROUPS = ['data', 'backbone', 'fusion', 'task', 'status'] as const
export type Group = (typeof GROUPS)[number]
export const COLUMNS = [
  'status',
  'progress',
  'curve',
  'reads',
  'backbone',
  'fusion',
  'data',
  'task',
  'owner',
  'seed',
  'batch',
  'rate',
  'created',
  'duration',
  'tags',
  'verdict',
] as const
export type ColumnId = (typeof COLUMNS)[number] | `metrics.${string}`
const DEFAULT_COLUMNS: readonly ColumnId[] = [
  'status',
  'progress',
  'curve',
  'metrics.val_auc',
  'metrics.val_loss',
  'reads',
  'backbone',
  'created',
  'tags',
]

/** Columns of the table if the user has not selected any. */
export function defaultColumns(hasOwners: boolean): readonly ColumnId[] {
  return hasOwners ? ['owner', ...DEFAULT_COLUMNS] : DEFAULT_COLUMNS
}

/** Settings of the list, stored entirely in the address: a link shows the same list, and going back loses nothing. */
export interface RunsSearch {
  readonly q?: string | undefined
  readonly status?: JobStatus | undefined
  readonly tag?: string | undefined
  readonly owner?: string | undefined
  readonly archived?: 'true' | 'all' | undefined
  readonly by?: string | undefined
  readonly order?: 'asc' | undefined
  readonly group?: Group | undefined
  readonly columns?: readonly ColumnId[] | undefined
  readonly selected?: readonly string[] | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function runsSearch(params: Record<string, unknown>): RunsSearch {
  const { q, status, tag, owner, archived, by, order, group, columns, selected } = params
  return {
    q: text(q),
    status: JOB_STATUSES.find((known) => known === status),
    tag: text(tag),
    owner: text(owner),
    archived: archived === 'true' || archived === 'all' ? archived : undefined,
    by: text(by),
    order: order === 'asc' ? order : undefined,
    group: GROUPS.find((known) => known === group),
    columns: texts(columns)?.filter((id): id is ColumnId => isColumn(id)),
    selected: texts(selected),
  }
}

export function isColumn(id: string): id is ColumnId {
  return id.startsWith('metrics.') || COLUMNS.some((known) => known === id)
}

function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
}

function texts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((item): item is string => typeof item === 'string')
}
