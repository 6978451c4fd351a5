import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { TrainerSpec } from '@medloom/contracts'
import { keyOf } from '../../packages/server/testing/training/replay/recorded-run.mjs'
import { recordRun, writtenBelow } from './recording.js'

/** Larger trainings are not stored: the weights of image networks do not compress. The tests run these trainings for real. */
const LARGEST_BYTES = 300_000

/**
 * Stores a training that a test has started, for `npm run record -- tests`:
 *
 *     tsx keep.ts COPY_OF_THE_RUN_DIRECTORY FOLDER
 */
const [copy = '', folder = ''] = process.argv.slice(2)
const spec = JSON.parse(readFileSync(join(copy, 'spec.json'), 'utf8')) as TrainerSpec
const result = JSON.parse(readFileSync(join(copy, 'result.json'), 'utf8'))
const key = keyOf(spec)
const file = join(folder, `${key}.json.gz`)
if (result.status === 'completed' && !spec.resume_from && !existsSync(file) && isAsTrained()) {
  const { attempt, run_dir, config } = spec
  const run = recordRun(copy, {
    key,
    attempt,
    datasetFolder: dirname(config.data.train_csv),
    runDirectory: run_dir,
  })
  const content = gzipSync(JSON.stringify(run), { level: 9 })
  mkdirSync(folder, { recursive: true })
  if (content.length <= LARGEST_BYTES) writeFileSync(file, content)
}

/** Reports whether the test has not changed any file yet: the trainer writes result.json last. */
function isAsTrained(): boolean {
  const end = statSync(join(copy, 'result.json')).mtimeMs
  return writtenBelow(copy).every((path) => statSync(path).mtimeMs <= end)
}
