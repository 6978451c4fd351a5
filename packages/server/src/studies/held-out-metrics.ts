import { readFile } from 'node:fs/promises'
import { EvaluationResult, type Metrics } from '@medloom/contracts'
import type { DataFolder } from '../storage/data-folder.js'
import { systemFault } from '../storage/system-fault.js'

/** The file in which a job says how well it predicts: what its fold holds out, or validation. */
export function resultFile(
  jobId: string,
  { held_out }: { readonly held_out: boolean },
  folder: Pick<DataFolder, 'run'>,
): string {
  const run = folder.run(jobId)
  return held_out ? run.heldOut : run.validation
}

/** The metrics of such a file; null where it is absent or damaged. What the machine refuses to read is an error: it may well be there. */
export async function metricsIn(path: string): Promise<Metrics | null> {
  try {
    return EvaluationResult.parse(JSON.parse(await readFile(path, 'utf8'))).metrics
  } catch (error) {
    const fault = systemFault(error)
    if (fault) throw fault
    return null
  }
}
