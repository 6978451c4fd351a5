import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RESERVE_BYTES, RUN_PATHS, runPath, type TrainingConfig } from '@medloom/contracts'
import { syncFolder, writeYamlAtomically } from './files.js'

/** Every path of a run directory. It is portable: copy it, and everything about the run is there. */
export interface RunDirectory {
  readonly path: string
  readonly config: string
  readonly spec: string
  readonly result: string
  readonly checkpoints: string
  readonly log: string
  readonly metrics: string
  readonly validation: string
  /** How the best checkpoint predicts what the fold holds out. */
  readonly heldOut: string
  readonly knownCases: string
  /** The checkpoint that a workflow gave the training to start from, and what recognizes the cases of its training. */
  readonly start: string
  readonly startKnownCases: string
  readonly reports: string
  readonly summary: string
  readonly reportPage: string
  readonly reportText: string
  readonly artifacts: string
  readonly evaluations: string
  events(attempt: number): string
  heartbeat(attempt: number): string
  resources(attempt: number): string
  control(attempt: number): string
  reserve(attempt: number): string
  /** What a job of Slurm runs. */
  batchScript(attempt: number): string
  /** Names the job of Slurm that has begun the attempt. */
  batchClaim(attempt: number): string
  /** What a job of Slurm prints before its trainer has its log. */
  batchLog(attempt: number): string
  /** Who may write into the run without a common folder, and contents that are on their way. */
  exchange(attempt: number): string
  readonly incoming: string
  checkpoint(name: string): string
  readonly comparisons: string
  /** Where the model is written for other software. */
  readonly exports: string
  evaluation(evaluationId: string): string
  comparison(comparisonId: string): string
}

export function runDirectory(path: string): RunDirectory {
  return {
    path,
    config: join(path, runPath('config')),
    spec: join(path, runPath('spec')),
    result: join(path, runPath('result')),
    checkpoints: join(path, runPath('checkpoints')),
    log: join(path, runPath('log')),
    metrics: join(path, runPath('metrics')),
    validation: join(path, runPath('validation')),
    heldOut: join(path, runPath('held_out')),
    knownCases: join(path, runPath('known_cases')),
    start: join(path, runPath('start')),
    startKnownCases: join(path, runPath('start_known_cases')),
    reports: join(path, runPath('reports')),
    summary: join(path, runPath('summary')),
    reportPage: join(path, runPath('report_page')),
    reportText: join(path, runPath('report_text')),
    artifacts: join(path, runPath('artifacts')),
    evaluations: join(path, runPath('evaluations')),
    events: (attempt) => join(path, runPath('events', { attempt })),
    heartbeat: (attempt) => join(path, runPath('heartbeat', { attempt })),
    resources: (attempt) => join(path, runPath('resources', { attempt })),
    control: (attempt) => join(path, runPath('control', { attempt })),
    reserve: (attempt) => join(path, runPath('reserve', { attempt })),
    batchScript: (attempt) => join(path, runPath('batch_script', { attempt })),
    batchClaim: (attempt) => join(path, runPath('batch_claim', { attempt })),
    batchLog: (attempt) => join(path, runPath('batch_log', { attempt })),
    exchange: (attempt) => join(path, runPath('exchange', { attempt })),
    incoming: join(path, runPath('incoming')),
    checkpoint: (name) => join(path, runPath('checkpoint', { name })),
    comparisons: join(path, runPath('comparisons')),
    exports: join(path, runPath('exports')),
    evaluation: (evaluation_id) => join(path, runPath('evaluation', { evaluation_id })),
    comparison: (comparison_id) => join(path, runPath('comparison', { comparison_id })),
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

/** Make the folders of a run and its config.yaml, durably. */
export async function createRunDirectory(run: RunDirectory, config: TrainingConfig): Promise<void> {
  await mkdir(run.path, { recursive: true, mode: 0o700 })
  const folders = [dirname(RUN_PATHS.log), dirname(RUN_PATHS.metrics)]
  const named = [RUN_PATHS.checkpoints, RUN_PATHS.reports, RUN_PATHS.evaluations, RUN_PATHS.artifacts]
  for (const name of [...folders, ...named])
    await mkdir(join(run.path, name), { recursive: true, mode: 0o700 })
  await writeYamlAtomically(run.config, config)
  await syncFolder(join(run.path, '..'))
}

/**
 * Keep room on the disk for the end of an attempt, before its trainer exists. The bytes cannot be compressed and are flushed, since not
 * every file system allocates what it is asked to. @throws ENOSPC when there is none.
 */
export async function writeReserve(path: string): Promise<void> {
  await writeFile(path, randomBytes(RESERVE_BYTES), { mode: 0o600, flush: true })
}
