import {
  NODE_STATUSES,
  type NodeState,
  type Phrase,
  type RunRecord,
  type RunStatus,
  readWarnings,
  type Workflow,
} from '@medloom/contracts'
import type { KeyParts, PreviousResult } from '@medloom/workflow'
import type { Selectable } from 'kysely'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { BATCH_ROWS, upsert } from '../../database/batches.js'
import type { Connection, Database } from '../../database/database.js'
import { parsed } from '../../database/parsed.js'
import type { WorkflowDocumentRow, WorkflowRunRow } from '../../database/schema.js'
import { type Page, readPageToken, toPage } from '../../http/pagination.js'
import { keepDocument, readDocument } from '../documents.repository.js'

/** A result that differs from that of the previous run. */
export interface RenewedResult {
  readonly node: string
  readonly key: string
  readonly parts: KeyParts
  /** Duration of its computation, in this run or earlier for this workflow; null: not known. */
  readonly seconds: number | null
}

export interface StoredRun {
  readonly run_id: string
  readonly workflow_id: string
  readonly revision: number
  readonly status: RunStatus
  readonly reason: string | null
  readonly reason_phrases?: Phrase[] | undefined
  readonly progress: number
  /** Digest of the document. */
  readonly digest: string
  /** The workflow as it runs, without executions. */
  readonly workflow: Workflow
  readonly targets: string[] | null
  readonly force: string[]
  readonly from_run: string | null
  readonly attempt: number
  readonly request: string | null
  readonly owner: string | null
  readonly created_at: string
  readonly ended_at: string | null
}

export type NodeCounts = RunRecord['counts']

/** Changes of a run. `counts` changes together with the states of its nodes, in one transaction. */
export type RunChanges = Partial<
  Pick<WorkflowRunRow, 'status' | 'reason' | 'progress' | 'request' | 'ended_at' | 'attempt'>
> & { readonly counts?: NodeCounts; readonly reason_phrases?: Phrase[] | undefined }

/** Counts nodes by status. */
export function countNodes(states: Iterable<Pick<NodeState, 'status'>>): NodeCounts {
  const counts = withEvery({})
  for (const { status } of states) counts[status]++
  return counts
}

/** Targets and forced nodes of a run, in the format of the engine. */
export function goalsOf({ targets, force }: Pick<StoredRun, 'targets' | 'force'>) {
  return { ...(targets ? { targets } : {}), force }
}

/** Rows of nodes, page by page. */
async function* eachRow<Row extends { readonly node: string }>(page: (after: string) => Promise<Row[]>) {
  for (let rows = await page(''); rows.length > 0; rows = await page(rows.at(-1)?.node ?? '')) {
    yield* rows
    if (rows.length < BATCH_ROWS) return
    await yieldIfDue()
  }
}

/** Runs and the states of their nodes. */
export class RunsRepository {
  constructor(readonly database: Database) {}

  async insert(
    run: Omit<
      StoredRun,
      'status' | 'reason' | 'reason_phrases' | 'progress' | 'request' | 'owner' | 'ended_at'
    > &
      Partial<Pick<StoredRun, 'owner'>>,
    connection: Connection,
  ) {
    const { digest, workflow, targets, force, ...rest } = run
    await keepDocument(connection, { digest, workflow })
    await connection
      .insertInto('workflow_runs')
      .values({
        ...rest,
        status: 'pending',
        progress: 0,
        document_digest: digest,
        targets: targets === null ? null : JSON.stringify(targets),
        force: JSON.stringify(force),
      })
      .execute()
  }

  async update(
    runId: string,
    { counts, reason_phrases: phrases, ...changes }: RunChanges,
    connection: Connection = this.database,
  ): Promise<void> {
    const columns = {
      ...changes,
      ...(counts ? { counts: JSON.stringify(counts) } : {}),
      ...(phrases ? { reason_phrases: JSON.stringify(phrases) } : {}),
    }
    await connection.updateTable('workflow_runs').set(columns).where('run_id', '=', runId).execute()
  }

  /** For data that can be recomputed: the commit does not wait for the disk. */
  async saveProgress(
    runId: string,
    states: readonly (readonly [string, NodeState])[],
    changes: Required<Pick<RunChanges, 'status' | 'progress' | 'counts'>>,
  ): Promise<void> {
    await this.database.withoutWaiting(async (transaction) => {
      await this.saveNodes(runId, states, transaction)
      await this.update(runId, changes, transaction)
    })
  }

  saveNodes(
    runId: string,
    states: readonly (readonly [string, NodeState])[],
    connection: Connection = this.database,
  ): Promise<void> {
    return upsert(connection, 'workflow_run_nodes', ['run_id', 'node'], states, ([node, state]) => ({
      run_id: runId,
      node,
      status: state.status,
      state: JSON.stringify(state),
    }))
  }

  /** Store the inputs of the latest results; only changed ones are written. */
  saveMade(workflowId: string, made: readonly RenewedResult[], connection: Connection): Promise<void> {
    return upsert(
      connection,
      'workflow_made',
      ['workflow_id', 'node'],
      made,
      ({ node, key, parts, seconds }) => ({
        workflow_id: workflowId,
        node,
        key,
        seconds,
        parts: JSON.stringify(parts),
      }),
    )
  }

  /** Keys of the latest results, and their durations, by node. */
  async made(workflowId: string): Promise<Map<string, Pick<RenewedResult, 'key' | 'seconds'>>> {
    const made = new Map<string, Pick<RenewedResult, 'key' | 'seconds'>>()
    const page = (after: string) =>
      this.database
        .selectFrom('workflow_made')
        .select(['node', 'key', 'seconds'])
        .where('workflow_id', '=', workflowId)
        .where('node', '>', after)
        .orderBy('node')
        .limit(BATCH_ROWS)
        .execute()
    for await (const { node, ...row } of eachRow(page)) made.set(node, row)
    return made
  }

  /** Key of the latest result of a node; undefined: it has never run. */
  async key(workflowId: string, node: string): Promise<string | undefined> {
    const row = await this.database
      .selectFrom('workflow_made')
      .select('key')
      .where('workflow_id', '=', workflowId)
      .where('node', '=', node)
      .executeTakeFirst()
    return row?.key
  }

  /** The inputs of the latest results of these nodes, and their durations. */
  async previous(workflowId: string, nodes: readonly string[]): Promise<Map<string, PreviousResult>> {
    const previous = new Map<string, PreviousResult>()
    for (let start = 0; start < nodes.length; start += BATCH_ROWS) {
      await yieldIfDue()
      const rows = await this.database
        .selectFrom('workflow_made')
        .select(['node', 'parts', 'seconds'])
        .where('workflow_id', '=', workflowId)
        .where('node', 'in', nodes.slice(start, start + BATCH_ROWS))
        .execute()
      for (const { node, parts, seconds } of rows) previous.set(node, { parts: JSON.parse(parts), seconds })
    }
    return previous
  }

  async find(runId: string, workflowId: string): Promise<StoredRun | undefined> {
    const row = await this.#stored()
      .where('run_id', '=', runId)
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    return row && runOf(row)
  }

  async latest(workflowId: string): Promise<StoredRun | undefined> {
    const row = await this.#stored()
      .where('workflow_id', '=', workflowId)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && runOf(row)
  }

  /** Runs that an earlier service left without an end. */
  async unfinished(): Promise<StoredRun[]> {
    const rows = await this.#stored().where('ended_at', 'is', null).orderBy('number').execute()
    return rows.map(runOf)
  }

  #stored() {
    return this.database
      .selectFrom('workflow_runs')
      .innerJoin('workflow_documents', 'workflow_documents.digest', 'workflow_runs.document_digest')
      .selectAll('workflow_runs')
      .select('document')
  }

  async nodes(runId: string): Promise<Record<string, NodeState>> {
    const states: [string, NodeState][] = []
    const page = (after: string) =>
      this.database
        .selectFrom('workflow_run_nodes')
        .select(['node', 'state'])
        .where('run_id', '=', runId)
        .where('node', '>', after)
        .orderBy('node')
        .limit(BATCH_ROWS)
        .execute()
    for await (const { node, state } of eachRow(page)) states.push([node, readState(state)])
    return Object.fromEntries(states)
  }

  /** The newest `limit` runs of all workflows, restricted to these ids if given. */
  async records(limit: number, runIds?: readonly string[]): Promise<RunRecord[]> {
    if (runIds?.length === 0) return []
    let query = this.database
      .selectFrom('workflow_runs')
      .select(RECORD)
      .orderBy('number', 'desc')
      .limit(limit)
    if (runIds) query = query.where('run_id', 'in', runIds)
    return (await query.execute()).map(recordOf)
  }

  async list(
    workflowId: string,
    size: number,
    token: string | undefined,
    owner?: string,
  ): Promise<Page<RunRecord>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('workflow_runs')
      .select(RECORD)
      .where('workflow_id', '=', workflowId)
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (owner !== undefined) query = query.where('owner', '=', owner)
    const page = toPage(await query.execute(), size)
    return {
      ...page,
      items: page.items.map(recordOf),
    }
  }
}

/** Columns of a list of runs. */
const RECORD = [
  'number',
  'run_id',
  'workflow_id',
  'revision',
  'status',
  'reason',
  'reason_phrases',
  'targets',
  'force',
  'from_run',
  'owner',
  'created_at',
  'ended_at',
  'counts',
] as const satisfies readonly (keyof WorkflowRunRow)[]

function recordOf({
  number: _,
  status,
  reason_phrases,
  targets,
  force,
  counts,
  ...run
}: Pick<Selectable<WorkflowRunRow>, (typeof RECORD)[number]>): RunRecord {
  return {
    ...run,
    status: status as RunStatus,
    reason_phrases: parsed<Phrase[]>(reason_phrases) ?? undefined,
    targets: targets === null ? null : JSON.parse(targets),
    force: JSON.parse(force),
    counts: withEvery(JSON.parse(counts)),
  }
}

/** Missing statuses count as 0. */
function withEvery(counts: Partial<NodeCounts>): NodeCounts {
  return Object.fromEntries(NODE_STATUSES.map((name) => [name, counts[name] ?? 0])) as NodeCounts
}

function readState(text: string): NodeState {
  const state = JSON.parse(text)
  return state.warnings ? { ...state, warnings: readWarnings(state.warnings) } : state
}

function runOf({
  number: _,
  counts: _counts,
  document_digest: digest,
  document,
  targets,
  force,
  status,
  reason_phrases,
  ...row
}: Selectable<WorkflowRunRow> & Pick<WorkflowDocumentRow, 'document'>): StoredRun {
  return {
    ...row,
    status: status as RunStatus,
    reason_phrases: parsed<Phrase[]>(reason_phrases) ?? undefined,
    digest,
    workflow: readDocument(document),
    targets: targets === null ? null : JSON.parse(targets),
    force: JSON.parse(force),
  }
}
