import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { TrainerSpec } from '@medloom/contracts'

export const RUNS = join(import.meta.dirname, 'runs')
/** Trainings that tests start, one file each: keep.ts. */
export const TRAININGS = join(import.meta.dirname, 'trainings')
export const RECORDING_VERSION = 1
/** Placeholders in texts for the folder of the dataset and for the run directory. */
export const DATASET = '{dataset}'
export const RUN = '{run}'

/** One or several trainings of one kind, as this project's trainer wrote them. Nothing in it is written by hand. */
export interface Recording {
  readonly version: typeof RECORDING_VERSION
  readonly name: string
  /** Versions of the trainer that wrote it. */
  readonly software: Readonly<Record<string, string>>
  /** Arguments of the generator that created the dataset. */
  readonly dataset: Readonly<Record<string, string | number>>
  readonly runs: readonly RecordedRun[]
}

/** Output of one attempt of a training. */
export interface RecordedRun {
  /** Identifies the run within a recording: the name of the job after that of its study. */
  readonly key: string
  readonly config: TrainerSpec['config']
  readonly baselines: NonNullable<TrainerSpec['baselines']>
  /** Lines of its event file. */
  readonly events: readonly Readonly<Record<string, unknown>>[]
  /** Files of the run directory that the trainer wrote, by path. */
  readonly files: Readonly<Record<string, RecordedFile>>
}

/** Binary content is base64; a file with the same content as another one names it. */
export type RecordedFile = { readonly text: string } | { readonly base64: string } | { readonly same: string }

export function fileOf(name: string): string {
  return join(RUNS, `${name}.json.gz`)
}

export const recordedNames = () => namesIn(RUNS)

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json.gz'))
    .map((file) => basename(file, '.json.gz'))
    .sort()
}

export function readRecording(name: string): Recording {
  return JSON.parse(gunzipSync(readFileSync(fileOf(name))).toString('utf8'))
}

export function writeRecording(recording: Recording): void {
  writeFileSync(fileOf(recording.name), gzipSync(JSON.stringify(recording), { level: 9 }))
}

/** Names of the trainings stored for tests. */
export function trainingsIn(folder = TRAININGS): string[] {
  return existsSync(folder) ? namesIn(folder) : []
}

/** The training with this key; empty if it was not stored. */
export function trainingOf(key: string, folder = TRAININGS): RecordedRun[] {
  const file = join(folder, `${key}.json.gz`)
  return existsSync(file) ? [JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))] : []
}

/** Folders of a run directory in which only the trainer writes. */
const WRITTEN = ['checkpoints', 'metrics', 'baselines', 'known-cases.safetensors']

/** Files below a run directory that the trainer wrote. */
export function writtenBelow(directory: string): string[] {
  return WRITTEN.flatMap((name) => filesBelow(join(directory, name)))
}

/** Output of an attempt in `directory`, without files of the service. */
export function recordRun(
  directory: string,
  {
    key,
    attempt,
    datasetFolder,
    runDirectory = directory,
  }: {
    readonly key: string
    readonly attempt: number
    readonly datasetFolder: string
    /** Original run directory, if `directory` is a copy. */
    readonly runDirectory?: string
  },
): RecordedRun {
  const general = (text: string) => text.replaceAll(runDirectory, RUN).replaceAll(datasetFolder, DATASET)
  const spec = JSON.parse(general(readFileSync(join(directory, 'spec.json'), 'utf8'))) as TrainerSpec
  const lines = general(readFileSync(join(directory, `events.${attempt}.jsonl`), 'utf8'))
    .trimEnd()
    .split('\n')
  const files: Record<string, RecordedFile> = {}
  const known = new Map<string, string>()
  for (const path of writtenBelow(directory)) {
    const bytes = readFileSync(path)
    const name = relative(directory, path).split(sep).join('/')
    const content = bytes.toString('base64')
    const same = known.get(content)
    if (same !== undefined) files[name] = { same }
    else if (/\.(json|csv|txt)$/.test(path)) files[name] = { text: general(bytes.toString('utf8')) }
    else files[name] = { base64: content }
    known.set(content, same ?? name)
  }
  const { config, baselines = [] } = spec
  return { key, config, baselines, events: lines.map((line) => JSON.parse(line)), files }
}

function filesBelow(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return []
  if (stat.isFile()) return [path]
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
}
