import {
  type Job,
  type JobSettings,
  type JobStatus,
  storedConfig,
  type TrainingConfig,
} from '@medloom/contracts'
import type { Selectable, Updateable } from 'kysely'
import { parsed } from '../database/parsed.js'
import type { JobRow } from '../database/schema.js'
import type { StoredPaths } from './configuration/stored-paths.js'
import type { JobRecord } from './job-record.js'

/** Columns of a summary: no configuration, and no other document that grows with the data. */
const SHORT = [
  'number',
  'job_id',
  'job_name',
  'tags',
  'pinned',
  'archived',
  'status',
  'phase',
  'reason',
  'reason_phrases',
  'stalled',
  'error',
  'metrics',
  'best',
  'baseline_verdict',
  'epoch',
  'total_epochs',
  'eta_seconds',
  'attempt',
  'request',
  'resumed_from',
  'resumed_checkpoint',
  'fine_tuned_from',
  'study_id',
  'model_id',
  'report_path',
  'owner',
  'created_at',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof JobRow)[]

export const SUMMARY = [...SHORT, 'headline'] as const

/** Columns of a record. */
export const STORED = [
  ...SHORT,
  'note',
  'config',
  'prepared',
  'notes',
  'handle',
  'places',
  'events_offset',
  'last_seq',
  'ensemble',
  'study_position',
] as const satisfies readonly (keyof JobRow)[]

type Row<Columns extends readonly (keyof JobRow)[]> = Pick<Selectable<JobRow>, Columns[number]>
export type StoredJob = Row<typeof STORED>

/** Fields of lists in addition to the record. */
export interface InLists {
  readonly has_note: boolean
  readonly settings: JobSettings
}
export type JobSummaryRecord = Pick<JobRecord, (typeof SHORT)[number]> & InLists

export function summaryOf(
  { has_note, headline, ...row }: Row<typeof SUMMARY> & { readonly has_note: unknown },
  paths: StoredPaths,
): JobSummaryRecord {
  return { ...row, ...readOf(row), has_note: Boolean(has_note), settings: settingsOf(headline, paths) }
}

export function recordOf({ ensemble, ...row }: StoredJob, paths: StoredPaths): JobRecord {
  return {
    ...row,
    ...readOf(row),
    ...(ensemble === null ? {} : { ensemble: JSON.parse(ensemble) }),
    config: storedConfig(paths.fromStored(JSON.parse(row.config))) as TrainingConfig,
    notes: JSON.parse(row.notes),
    prepared: parsed(row.prepared),
    handle: parsed(row.handle),
    places: parsed(row.places),
  }
}

/** The columns of a summary whose stored form differs from the shown form. */
function readOf(row: Row<typeof SHORT>) {
  return {
    status: row.status as JobStatus,
    phase: row.phase as Job['phase'],
    request: row.request as JobRecord['request'],
    metrics: JSON.parse(row.metrics) as Job['metrics'],
    reason_phrases: parsed<NonNullable<Job['reason_phrases']>>(row.reason_phrases) ?? undefined,
    error: parsed<NonNullable<Job['error']>>(row.error),
    best: parsed<NonNullable<Job['best']>>(row.best),
    baseline_verdict: parsed<NonNullable<Job['baseline_verdict']>>(row.baseline_verdict),
    stalled: parsed<NonNullable<Job['stalled']>>(row.stalled),
    fine_tuned_from: parsed<NonNullable<Job['fine_tuned_from']>>(row.fine_tuned_from),
    tags: JSON.parse(row.tags) as string[],
    pinned: row.pinned === 1,
    archived: row.archived === 1,
  }
}

type StoredSettings = Omit<JobSettings, 'reads'> &
  Pick<TrainingConfig['model'], 'task'> & { named_task: Job['config']['model']['task'] }

export function settingsOf(text: string, paths: StoredPaths): JobSettings {
  const { task, named_task, train_csv, ...model } = JSON.parse(text) as StoredSettings
  const { data } = paths.fromStored({ data: { train_csv } })
  return {
    train_csv: data.train_csv,
    task: task ?? named_task,
    reads: readsOf(model),
    ...model,
  }
}

function readsOf({ vision_backbone, fusion_type }: Pick<JobSettings, 'vision_backbone' | 'fusion_type'>) {
  if (vision_backbone === 'none') return 'table'
  return fusion_type === 'none' ? 'image' : 'image and table'
}

const DOCUMENTS = [
  'reason_phrases',
  'config',
  'metrics',
  'notes',
  'error',
  'prepared',
  'best',
  'baseline_verdict',
  'handle',
  'places',
  'stalled',
  'fine_tuned_from',
  'ensemble',
] as const

export function columnsOf(changes: Partial<JobRecord>, paths: StoredPaths): Updateable<JobRow> {
  const columns: Record<string, unknown> = { ...changes }
  if (changes.config) columns.config = paths.toStored(changes.config)
  // Phrases of the reason before would describe another reason.
  if (changes.reason !== undefined) columns.reason_phrases = changes.reason_phrases ?? null
  for (const name of DOCUMENTS)
    if (columns[name] !== undefined && columns[name] !== null) columns[name] = JSON.stringify(columns[name])
  return columns as Updateable<JobRow>
}
