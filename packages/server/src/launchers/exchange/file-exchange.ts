import { readFile } from 'node:fs/promises'
import { RUN_SCHEMA_VERSION, type TrainerControl, TrainerEvent, type TrainerSpec } from '@medloom/contracts'
import type { z } from 'zod'
import { writeJsonAtomically } from '../../storage/files.js'
import { createRunDirectory, type RunDirectory } from '../../storage/run-directory.js'
import type { JobRecord } from '../../training/job-record.js'

/** The files through which the service and the trainer of one attempt speak: spec and control there, result back. */

export type TerminalEvent = Extract<TrainerEvent, { type: 'completed' | 'error' }>
export type ControlRequest = z.infer<typeof TrainerControl>['request']

/** Everything that the trainer needs, durable before it hears of it. */
export async function writeSpec(
  run: RunDirectory,
  job: JobRecord,
  given: Pick<TrainerSpec, 'attempt' | 'cache_dir' | 'roots' | 'resume_from' | 'config'>,
): Promise<void> {
  await createRunDirectory(run, job.config)
  const spec: TrainerSpec = {
    schema_version: RUN_SCHEMA_VERSION,
    job_id: job.job_id,
    job_name: job.job_name,
    run_dir: run.path,
    ...given,
  }
  await writeJsonAtomically(run.spec, spec)
}

/** Ask the trainer for something; it looks at every batch. A later request replaces an earlier one. */
export function ask(run: RunDirectory, attempt: number, request: ControlRequest): Promise<void> {
  return writeJsonAtomically(run.control(attempt), { request })
}

/** How this attempt ended, if it lived to write it down. */
export async function readResult(run: RunDirectory, attempt: number): Promise<TerminalEvent | null> {
  const text = await readFile(run.result, 'utf8').catch(() => '')
  const event = parseEvent(text)
  if (event?.attempt !== attempt) return null
  return event.type === 'completed' || event.type === 'error' ? event : null
}

/** One line of the event file, or null when it is not an event. */
export function parseEvent(text: string): TrainerEvent | null {
  try {
    const parsed = TrainerEvent.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
