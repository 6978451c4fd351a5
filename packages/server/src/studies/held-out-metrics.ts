import { readFile } from 'node:fs/promises'
import { EvaluationResult, type Metrics } from '@medloom/contracts'
import type { DataFolder } from '../storage/data-folder.js'
import { systemFault } from '../system-fault.js'

/** The file with the metrics of a job: on the cases that its fold holds out, or in validation. */
export function resultFile(
  jobId: string,
  { held_out }: { readonly held_out: boolean },
  folder: Pick<DataFolder, 'run'>,
): string {
  const run = folder.run(jobId)
  return held_out ? run.heldOut : run.validation
}

/** The metrics of such a file; null if it is missing or damaged. A read error of the machine is thrown: the file may be intact. */
export async function metricsIn(path: string): Promise<Metrics | null> {
  try {
    return EvaluationResult.parse(JSON.parse(await readFile(path, 'utf8'))).metrics
  } catch (error) {
    const fault = systemFault(error)
    if (fault) throw fault
    return null
  }
}
