import {
  type Phrase,
  StudyConfig,
  type StudyStatus,
  type StudyTraining,
  type TrainingConfig,
  withEarlierBehavior,
} from '@medloom/contracts'
import type { Selectable, Transaction } from 'kysely'
import { BoundedMap } from '../concurrency/bounded-map.js'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import { parsed } from '../database/parsed.js'
import type { StudyRow, Tables } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import type { StoredPaths } from '../training/configuration/stored-paths.js'
import type { StudyRecord } from './study-record.js'
import { StudyTrainingsRepository } from './study-trainings.repository.js'

export type NewStudy = Pick<
  StudyRecord,
  | 'study_id'
  | 'name'
  | 'message'
  | 'message_phrases'
  | 'config'
  | 'digests'
  | 'metric'
  | 'reference'
  | 'owner'
  | 'created_at'
>

export interface StudyFilter {
  readonly status?: StudyStatus | undefined
  readonly owner?: string | undefined
}

/** Number of studies whose parsed configurations are cached. */
const MOST_READ = 16

/** Studies in the database; `trainings` gives their trainings. */
export class StudiesRepository {
  /** Parsed configurations: validating one takes longer than reading it, and a running study is read repeatedly. */
  readonly #read = new BoundedMap<string, { readonly text: string; readonly config: StudyConfig }>(MOST_READ)

  readonly trainings: StudyTrainingsRepository

  constructor(
    readonly database: Database,
    readonly paths: StoredPaths,
  ) {
    this.trainings = new StudyTrainingsRepository(database)
  }

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  async insert(
    study: NewStudy,
    trainings: readonly StudyTraining[],
    transaction: Transaction<Tables>,
  ): Promise<void> {
    const { study_id } = study
    await transaction
      .insertInto('studies')
      .values({
        ...study,
        status: 'running',
        phase: 'training',
        message_phrases: storedPhrases(study.message_phrases),
        config: JSON.stringify(withPaths(study.config, (config) => this.paths.toStored(config))),
        digests: JSON.stringify(study.digests),
      })
      .execute()
    await this.trainings.insert(study_id, trainings, transaction)
  }

  async find(studyId: string, connection: Connection = this.database): Promise<StudyRecord | undefined> {
    const row = await connection
      .selectFrom('studies')
      .selectAll()
      .where('study_id', '=', studyId)
      .executeTakeFirst()
    return row && this.#recordOf(row)
  }

  /** Studies that an earlier service left running, oldest first. */
  async running(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('studies')
      .select('study_id')
      .where('status', '=', 'running')
      .orderBy('number')
      .execute()
    return rows.map(({ study_id }) => study_id)
  }

  /** Newest first. */
  async list(
    size: number,
    token: string | undefined,
    { status, owner }: StudyFilter = {},
  ): Promise<Page<SummaryRecord>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('studies')
      .select(SUMMARY)
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (status !== undefined) query = query.where('status', '=', status)
    if (owner !== undefined) query = query.where('owner', '=', owner)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(summaryOf) }
  }

  /** The existing ones of these studies, as shown in lists. */
  async summaries(studyIds: readonly string[]): Promise<SummaryRecord[]> {
    const found: SummaryRecord[] = []
    for await (const ids of batches(studyIds)) {
      const rows = await this.database
        .selectFrom('studies')
        .select(SUMMARY)
        .where('study_id', 'in', ids)
        .execute()
      found.push(...rows.map(summaryOf))
    }
    return found
  }

  /** Change a study that still has the status `from`. @returns false when it has another status by now. */
  async update(
    { study_id, status }: Pick<StudyRecord, 'study_id' | 'status'>,
    changes: Partial<
      Pick<
        StudyRecord,
        | 'status'
        | 'phase'
        | 'message'
        | 'message_phrases'
        | 'error'
        | 'results'
        | 'report'
        | 'request'
        | 'ended_at'
      >
    >,
    connection: Connection = this.database,
  ): Promise<boolean> {
    const { error, results, message_phrases, ...plain } = changes
    const result = await connection
      .updateTable('studies')
      .set({
        ...plain,
        // Phrases of the message before would describe another message.
        ...(changes.message === undefined ? {} : { message_phrases: storedPhrases(message_phrases) }),
        ...(error === undefined ? {} : { error: error && JSON.stringify(error) }),
        ...(results === undefined ? {} : { results: results && JSON.stringify(results) }),
      })
      .where('study_id', '=', study_id)
      .where('status', '=', status)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** Removes its trainings too; its jobs are removed separately. */
  async remove(studyId: string, transaction: Transaction<Tables>): Promise<void> {
    await this.trainings.remove(studyId, transaction)
    await transaction.deleteFrom('studies').where('study_id', '=', studyId).execute()
  }

  #configOf({ study_id, config: text }: Selectable<StudyRow>): StudyConfig {
    const before = this.#read.get(study_id)
    if (before?.text === text) return before.config
    const config = readStored(withPaths(JSON.parse(text), (one) => this.paths.fromStored(one)))
    this.#read.set(study_id, { text, config })
    return config
  }

  #recordOf(row: Selectable<StudyRow>): StudyRecord {
    const { message_phrases: _, ...columns } = row
    return {
      ...columns,
      ...summaryOf(row),
      request: row.request as StudyRecord['request'],
      config: this.#configOf(row),
      digests: JSON.parse(row.digests),
      results: parsed(row.results),
    }
  }
}

/** Columns of a list. */
const SUMMARY = [
  'number',
  'study_id',
  'name',
  'status',
  'phase',
  'message',
  'message_phrases',
  'error',
  'metric',
  'reference',
  'report',
  'owner',
  'created_at',
  'ended_at',
] as const satisfies readonly (keyof StudyRow)[]

export type SummaryRecord = Pick<StudyRecord, (typeof SUMMARY)[number]>

function summaryOf(row: Pick<Selectable<StudyRow>, (typeof SUMMARY)[number]>): SummaryRecord {
  return {
    ...row,
    status: row.status as StudyRecord['status'],
    phase: row.phase as StudyRecord['phase'],
    message_phrases: parsed<Phrase[]>(row.message_phrases) ?? undefined,
    error: parsed(row.error),
  }
}

const storedPhrases = (phrases: readonly Phrase[] | undefined) => (phrases ? JSON.stringify(phrases) : null)

/** The base and the changes of each variant, with converted paths. */
function withPaths(study: StudyConfig, change: (config: object) => object): StudyConfig {
  return {
    ...study,
    config: change(study.config) as TrainingConfig,
    variants: study.variants.map((variant) => ({
      ...variant,
      config: change(variant.config) as Record<string, unknown>,
    })),
  }
}

/**
 * Stored possibly by an earlier version: newer keys get the values that match the former behavior. A configuration that is no longer valid
 * is returned unchanged.
 */
function readStored(stored: StudyConfig): StudyConfig {
  const completed = { ...stored, config: withEarlierBehavior(stored.config) as TrainingConfig }
  const parsed = StudyConfig.safeParse(completed)
  return parsed.success ? parsed.data : completed
}
