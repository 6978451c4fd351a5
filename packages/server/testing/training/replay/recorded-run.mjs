// The choice of a recorded training for an order (tests/recordings).
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'

const RUNS = join(import.meta.dirname, '../../../../../tests/recordings/runs')

const read = (name) => JSON.parse(gunzipSync(readFileSync(join(RUNS, `${name}.json.gz`))).toString('utf8'))
const names = () => readdirSync(RUNS).map((file) => file.replace('.json.gz', ''))

/** The recording that the name of the job names, else the one of the same configuration, else the first of the same outcome. */
export function recordedRun({ config, baselines = [] }, words) {
  const named = words.get('recording')
  if (named) return read(named).runs[0]
  // To compare with all recordings takes longer than to play one.
  const exact = [...words.values()].some(Boolean) ? undefined : sameRun(config, baselines)
  return exact ?? read(kindOf(config)).runs[0]
}

function sameRun(config, baselines) {
  const wanted = general(config)
  return names()
    .flatMap((name) => read(name).runs)
    .find((run) => isDeepStrictEqual(run.config, wanted) && isDeepStrictEqual(run.baselines, baselines))
}

/** The event `prepared` without a test split, where the order names no table for it. */
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

/** As recordings hold it: without the place of the dataset. */
function general(config) {
  const folder = JSON.stringify(dirname(config.data.train_csv)).slice(1, -1)
  return JSON.parse(JSON.stringify(config).replaceAll(folder, '{dataset}'))
}

function kindOf({ data, model }) {
  if (data.time_column) return 'survival'
  if (data.label_columns) return 'multilabel'
  return model.task === 'regression' ? 'regression' : 'classification'
}
