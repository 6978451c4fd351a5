import { readFile } from 'node:fs/promises'
import { EpochsHeader, FinishedEpoch, RunMetrics } from '@medloom/contracts'
import type { z } from 'zod'
import { belongsToAttempt } from './belongs-to-attempt.js'
import { nullIfMissing } from './null-if-missing.js'
import type { RunDirectory } from './run-directory.js'

export interface RunHistory {
  /** Every finished epoch, even while the run trains: empty before the first one, null when `file` cannot be parsed. */
  readonly epochs: z.infer<typeof FinishedEpoch>[] | null
  readonly file: string
}

/** @param attempt of the job: files of later attempts do not count. */
export async function readHistory(
  run: RunDirectory,
  attempt = Number.POSITIVE_INFINITY,
): Promise<RunHistory> {
  const lines = await nullIfMissing(readFile(run.epochs, 'utf8'))
  const file = lines === null ? run.metrics : run.epochs
  const text = lines ?? (await nullIfMissing(readFile(run.metrics, 'utf8')))
  if (text === null) return { epochs: [], file }
  try {
    const { epochs, ...header } = lines === null ? RunMetrics.parse(JSON.parse(text)) : parseLines(text)
    return { epochs: belongsToAttempt(header, attempt) ? epochs : [], file }
  } catch {
    return { epochs: null, file }
  }
}

/** The last line is left out while it is being written. */
function parseLines(text: string): z.infer<typeof RunMetrics> {
  const [header = '', ...lines] = text.split('\n').slice(0, -1)
  const epochs = lines.map((line) => FinishedEpoch.parse(JSON.parse(line)))
  return { ...EpochsHeader.parse(JSON.parse(header)), epochs }
}
