import { readdir, readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { EvaluationResult } from '@medloom/contracts'
import type { EpochRecord, EvaluationRecord } from '@medloom/reports'
import { belongsToAttempt } from '../storage/belongs-to-attempt.js'
import { evaluationFiles, RunDirectory } from '../storage/run-directory.js'
import { readHistory } from '../storage/run-history.js'

/** The files of a run directory that a report reads. A file that is absent is null; one that cannot be parsed is listed in `unreadable`. */
export interface RunFiles {
  readonly history: readonly EpochRecord[]
  readonly validation: EvaluationResult | null
  readonly heldOut: EvaluationResult | null
  readonly evaluations: readonly EvaluationRecord[]
  readonly unreadable: readonly string[]
}

/** @param attempt of the job: files of other attempts do not count. */
export async function readRunFiles(runDir: string, attempt: number): Promise<RunFiles> {
  const run = new RunDirectory(runDir)
  const unreadable: string[] = []
  const readKnown: ReadKnown = async (path, read) => {
    const text = await readOptional(path)
    const json = text === null ? undefined : parse(text, (json) => json)
    if (json === undefined || !belongsToAttempt(json, attempt)) return null
    const value = read(json)
    if (value === null) unreadable.push(relative(runDir, path))
    return value
  }
  const { epochs, file } = await readHistory(run, attempt)
  if (epochs === null) unreadable.push(relative(runDir, file))
  return {
    history: (epochs ?? []).map(({ epoch, metrics }) => ({ epoch, metrics, seconds: null })),
    validation: await readKnown(run.validation, readResult),
    heldOut: await readKnown(run.heldOut, readResult),
    evaluations: await readEvaluations(run, readKnown),
    unreadable,
  }
}

type ReadKnown = <Value>(path: string, read: (json: unknown) => Value | null) => Promise<Value | null>

async function readEvaluations(run: RunDirectory, readKnown: ReadKnown): Promise<EvaluationRecord[]> {
  const listed = await knownEvaluations(run)
  const found: EvaluationRecord[] = []
  for (const id of await readFolder(run.evaluations)) {
    const path = evaluationFiles(run.evaluation(id)).result
    const result = await readKnown(path, readResult)
    if (!result) continue
    const known = listed.get(id)
    found.push({
      evaluation_id: id,
      evaluated_at: known?.evaluated_at ?? (await stat(path)).mtime.toISOString(),
      test_evaluations: known?.test_evaluations ?? null,
      result,
    })
  }
  return found.sort(
    (a, b) => a.evaluated_at.localeCompare(b.evaluated_at) || a.evaluation_id.localeCompare(b.evaluation_id),
  )
}

/** From the last summary.json: the time of each evaluation, and the number of evaluations of the split at that time. */
async function knownEvaluations(run: RunDirectory) {
  const text = await readOptional(run.summary)
  const known = new Map<string, { evaluated_at: string; test_evaluations: number | null }>()
  const entries = text === null ? null : parse(text, (json) => listOf(json, 'evaluations'))
  for (const entry of entries ?? []) {
    const { evaluation_id, evaluated_at, test_evaluations } = entry
    if (typeof evaluation_id === 'string' && typeof evaluated_at === 'string')
      known.set(evaluation_id, {
        evaluated_at,
        test_evaluations: typeof test_evaluations === 'number' ? test_evaluations : null,
      })
  }
  return known
}

function readResult(json: unknown): EvaluationResult | null {
  const parsed = EvaluationResult.safeParse(json)
  return parsed.success ? parsed.data : null
}

/** The parsed history: null when the document has another format. */
export function parseHistory(json: unknown): EpochRecord[] | null {
  return (
    (listOf(json, 'epochs') ?? listOf(json, 'history'))?.flatMap(
      ({ epoch, metrics, seconds, duration_seconds }): EpochRecord[] => {
        if (typeof epoch !== 'number' || typeof metrics !== 'object' || metrics === null) return []
        const numbers = Object.entries(metrics).map(([key, value]: [string, unknown]) => [
          key,
          typeof value === 'number' ? value : null,
        ])
        const time = seconds ?? duration_seconds
        return [
          { epoch, metrics: Object.fromEntries(numbers), seconds: typeof time === 'number' ? time : null },
        ]
      },
    ) ?? null
  )
}

function listOf(json: unknown, key: string): Record<string, unknown>[] | null {
  const list = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[key] : null
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : null
}

function parse<Value>(text: string, read: (json: unknown) => Value | null): Value | null {
  try {
    return read(JSON.parse(text))
  } catch {
    return null
  }
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function readFolder(path: string): Promise<string[]> {
  try {
    return (await readdir(path, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}
