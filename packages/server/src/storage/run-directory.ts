import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RESERVE_BYTES, RUN_PATHS, runPath, type TrainingConfig } from '@medloom/contracts'
import { syncFolder, writeYamlAtomically } from './files.js'
import { makeFolder } from './own-folder.js'

/** Every path of a run directory. It is portable: a copy contains everything about the run. */
export class RunDirectory {
  constructor(readonly path: string) {}

  get config(): string {
    return this.#path(runPath('config'))
  }

  get spec(): string {
    return this.#path(runPath('spec'))
  }

  get result(): string {
    return this.#path(runPath('result'))
  }

  get checkpoints(): string {
    return this.#path(runPath('checkpoints'))
  }

  get log(): string {
    return this.#path(runPath('log'))
  }

  /** Every finished epoch, one line each; a run of an earlier version has only `metrics`. */
  get epochs(): string {
    return this.#path(runPath('epochs'))
  }

  get metrics(): string {
    return this.#path(runPath('metrics'))
  }

  get validation(): string {
    return this.#path(runPath('validation'))
  }

  /** Predictions of the best checkpoint for the held-out cases of the fold. */
  get heldOut(): string {
    return this.#path(runPath('held_out'))
  }

  get knownCases(): string {
    return this.#path(runPath('known_cases'))
  }

  /** The checkpoint from which a workflow lets the training start, and the file that identifies the cases of its training. */
  get start(): string {
    return this.#path(runPath('start'))
  }

  get startKnownCases(): string {
    return this.#path(runPath('start_known_cases'))
  }

  get reports(): string {
    return this.#path(runPath('reports'))
  }

  get summary(): string {
    return this.#path(runPath('summary'))
  }

  get reportPage(): string {
    return this.#path(runPath('report_page'))
  }

  get reportText(): string {
    return this.#path(runPath('report_text'))
  }

  get artifacts(): string {
    return this.#path(runPath('artifacts'))
  }

  get evaluations(): string {
    return this.#path(runPath('evaluations'))
  }

  get comparisons(): string {
    return this.#path(runPath('comparisons'))
  }

  /** Folder for exports of the model to other software. */
  get exports(): string {
    return this.#path(runPath('exports'))
  }

  /** Contents that are being received. */
  get incoming(): string {
    return this.#path(runPath('incoming'))
  }

  events(attempt: number): string {
    return this.#path(runPath('events', { attempt }))
  }

  heartbeat(attempt: number): string {
    return this.#path(runPath('heartbeat', { attempt }))
  }

  resources(attempt: number): string {
    return this.#path(runPath('resources', { attempt }))
  }

  control(attempt: number): string {
    return this.#path(runPath('control', { attempt }))
  }

  reserve(attempt: number): string {
    return this.#path(runPath('reserve', { attempt }))
  }

  /** Script of a Slurm job. */
  batchScript(attempt: number): string {
    return this.#path(runPath('batch_script', { attempt }))
  }

  /** Names the job of Slurm that has started the attempt. */
  batchClaim(attempt: number): string {
    return this.#path(runPath('batch_claim', { attempt }))
  }

  /** Output of a Slurm job before its trainer opens its log. */
  batchLog(attempt: number): string {
    return this.#path(runPath('batch_log', { attempt }))
  }

  /** Token digest for writing into the run without a shared folder. */
  exchange(attempt: number): string {
    return this.#path(runPath('exchange', { attempt }))
  }

  checkpoint(name: string): string {
    return this.#path(runPath('checkpoint', { name }))
  }

  evaluation(evaluation_id: string): string {
    return this.#path(runPath('evaluation', { evaluation_id }))
  }

  comparison(comparison_id: string): string {
    return this.#path(runPath('comparison', { comparison_id }))
  }

  #path(name: string): string {
    return join(this.path, name)
  }
}

/** The name of the manifest in the folder of a checkpoint. */
export const MANIFEST = basename(RUN_PATHS.manifest)

/** The files of the folder of one evaluation. */
export function evaluationFiles(folder: string) {
  return {
    result: join(folder, basename(RUN_PATHS.evaluation_result)),
    images: join(folder, basename(RUN_PATHS.failure_images)),
    page: join(folder, basename(RUN_PATHS.evaluation_page)),
    text: join(folder, basename(RUN_PATHS.evaluation_text)),
  }
}

/** The files of the folder of one comparison. */
export function comparisonFiles(folder: string) {
  return {
    result: join(folder, basename(RUN_PATHS.comparison_result)),
    page: join(folder, basename(RUN_PATHS.comparison_page)),
    text: join(folder, basename(RUN_PATHS.comparison_text)),
  }
}

/** Create the folders of a run and its config.yaml, durably. */
export async function createRunDirectory(run: RunDirectory, config: TrainingConfig): Promise<void> {
  await makeFolder(run.path)
  const folders = [dirname(RUN_PATHS.log), dirname(RUN_PATHS.metrics)]
  const named = [RUN_PATHS.checkpoints, RUN_PATHS.reports, RUN_PATHS.evaluations, RUN_PATHS.artifacts]
  for (const name of [...folders, ...named]) await makeFolder(join(run.path, name))
  await writeYamlAtomically(run.config, config)
  await syncFolder(join(run.path, '..'))
}

/**
 * Reserve disk space for the end of an attempt, before its trainer exists. The bytes cannot be compressed and are flushed, since not every
 * file system allocates the requested space. @throws ENOSPC when there is none.
 */
export async function writeReserve(path: string): Promise<void> {
  await writeFile(path, randomBytes(RESERVE_BYTES), { mode: 0o600, flush: true })
}
