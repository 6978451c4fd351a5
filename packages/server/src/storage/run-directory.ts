import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TrainingConfig } from '@medloom/contracts'
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
  readonly reports: string
  events(attempt: number): string
  control(attempt: number): string
  checkpoint(name: string): string
  evaluation(evaluationId: string): string
}

export function runDirectory(path: string): RunDirectory {
  return {
    path,
    config: join(path, 'config.yaml'),
    spec: join(path, 'spec.json'),
    result: join(path, 'result.json'),
    checkpoints: join(path, 'checkpoints'),
    log: join(path, 'logs', 'training.log'),
    metrics: join(path, 'metrics', 'metrics.json'),
    validation: join(path, 'metrics', 'validation.json'),
    reports: join(path, 'reports'),
    events: (attempt) => join(path, `events.${attempt}.jsonl`),
    control: (attempt) => join(path, `control.${attempt}.json`),
    checkpoint: (name) => join(path, 'checkpoints', name),
    evaluation: (evaluationId) => join(path, 'evaluations', evaluationId),
  }
}

/** Make the folders of a run and its config.yaml, durably. */
export async function createRunDirectory(run: RunDirectory, config: TrainingConfig): Promise<void> {
  await mkdir(run.path, { recursive: true, mode: 0o700 })
  for (const name of ['checkpoints', 'logs', 'metrics', 'reports', 'evaluations', 'artifacts'])
    await mkdir(join(run.path, name), { recursive: true, mode: 0o700 })
  await writeYamlAtomically(run.config, config)
  await syncFolder(join(run.path, '..'))
}
