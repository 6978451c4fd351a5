// Selects a recorded training for an order (tests/recordings).
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isSteered } from './faults.mjs'

const RECORDINGS = join(import.meta.dirname, '../../../../../tests/recordings')
const RUNS = join(RECORDINGS, 'runs')
const TRAININGS = join(RECORDINGS, 'trainings')

const read = (name) => JSON.parse(gunzipSync(readFileSync(join(RUNS, `${name}.json.gz`))).toString('utf8'))
const sha256 = (content) => createHash('sha256').update(content).digest('hex')

/**
 * The recording that the name of the job selects; otherwise, unless words of the name control the training, that of the same configuration
 * on the same tables; otherwise undefined.
 */
export function recordedRun(spec, words) {
  const named = words.get('recording')
  if (named) return read(named).runs[0]
  // While trainings are being recorded, each one is trained.
  if (isSteered(words) || spec.resume_from || process.env.MEDLOOM_RECORD_INTO) return undefined
  const key = keyOf(spec)
  const file = join(TRAININGS, `${key}.json.gz`)
  if (existsSync(file)) return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))
  // Recorded in this run of the tests, and not compressed.
  const { MEDLOOM_REPLAY_ALSO: also } = process.env
  const recent = also && join(also, `${key}.json`)
  return recent && existsSync(recent) ? JSON.parse(readFileSync(recent, 'utf8')) : undefined
}

/** The first recording of the same outcome. */
export function similarRun({ config }) {
  return read(kindOf(config)).runs[0]
}

/** Identifies a training, independent of the location of the dataset: configuration, baselines and the content of the tables. */
export function keyOf({ config, baselines = [], roots }) {
  const { train_csv, val_csv, test_csv } = config.data
  const tables = [train_csv, val_csv, test_csv].map((path) =>
    path && statSync(path, { throwIfNoEntry: false })?.isFile()
      ? sha256(withoutRoots(readFileSync(path, 'utf8'), roots))
      : null,
  )
  const described = JSON.parse(withoutRoots(JSON.stringify(general(config)), roots))
  return sha256(JSON.stringify([described, baselines, tables])).slice(0, 24)
}

/** A workflow writes absolute paths of images into its tables. */
const withoutRoots = (text, roots) => roots.reduce((rest, root) => rest.replaceAll(root, '{root}'), text)

/** The event `prepared`, without a test split if the order names no table for it. */
export function preparedFor({ config }, event) {
  const { split_column, splits } = event.prepared
  if (config.data.test_csv || split_column) return event
  const { test: _, ...named } = splits
  return { ...event, prepared: { ...event.prepared, splits: named } }
}

/** The error event of a training that diverged. */
export function recordedFailure() {
  return read('failed').runs[0].events.at(-1)
}

/** In the form of recordings: without the location of the dataset, and without keys that are null, so that a new optional key changes nothing. */
function general(config) {
  const folder = JSON.stringify(dirname(config.data.train_csv)).slice(1, -1)
  const text = JSON.stringify(withoutNulls(config)).replaceAll(folder, '{dataset}')
  return JSON.parse(text)
}

/** The same value without the keys whose value is null. */
export function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, child]) => child !== null)
  return Object.fromEntries(present.map(([key, child]) => [key, withoutNulls(child)]))
}

function kindOf({ data, model }) {
  if (data.time_column) return 'survival'
  if (data.label_columns) return 'multilabel'
  return model.task === 'regression' ? 'regression' : 'classification'
}
