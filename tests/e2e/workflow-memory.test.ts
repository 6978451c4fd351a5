/** @module-tag full */

import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { explain, statuses, Workflows, workflow } from '../testing/workflow.js'

const root = dirname(shared.dataset)
const dataDir = temporaryFolder('memory')
const MIB = 1024 * 1024
let service: RunningService | undefined
afterAll(async () => {
  await service?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A table of 12 MB with cells of three characters: in memory it exceeds the 128 MiB of the worker. */
function largeTable(): string {
  const path = join(root, 'large.csv')
  const cells = (row: number) => Array.from({ length: 100 }, (_, i) => 100 + ((row * 7 + i) % 900))
  const rows = Array.from({ length: 30_000 }, (_, row) =>
    [row, 20 + (row % 60), row % 2, ...cells(row)].join(),
  )
  writeFileSync(path, `case_id,age,label,${cells(0).map((_, i) => `value${i}`)}\n${rows.join('\n')}\n`)
  return path
}

/**
 *   load ─► keep
 *   large ─► aside
 */
const document = workflow(
  {
    load: ['LoadTabular', { path: join(shared.dataset, 'train.csv') }],
    keep: ['FilterData', { filter_condition: 'age >= 40' }],
    large: ['LoadTabular', { path: largeTable() }],
    aside: ['FilterData', { filter_condition: 'age >= 40' }],
  },
  ['load.dataframe > keep.dataset', 'large.dataframe > aside.dataset'],
)

it('a node that eats memory fails alone, with a code and a remedy; the worker is replaced, and the run is resumed with more', async () => {
  service = await startService({ roots: [root], dataDir, arguments: ['--worker-memory', String(128 * MIB)] })
  const workflows = new Workflows(new Caller(service.url))
  const id = await workflows.create(document)
  await workflows.run(id, { targets: ['keep'] })

  const failed = await workflows.run(id)
  expect(failed.status).toBe('error')
  expect(failed.nodes.large?.error).toMatchObject({
    type: 'OUT_OF_MEMORY',
    message: expect.stringMatching(
      /used [\d,]+ MiB, but the limit of a worker is 128 MiB\. .*--worker-memory/,
    ),
  })
  expect(statuses(failed.nodes)).toEqual({ load: 'cached', keep: 'cached', large: 'error', aside: 'skipped' })
  expect(failed.nodes.aside?.reason).toBe('it depends on "large", which failed')

  expect((await workflows.caller.get('/api/system/health')).status).toBe(200)
  const next = await workflows.run(id, { targets: ['keep'], force: ['load', 'keep'] })
  expect(statuses(next.nodes)).toEqual({ load: 'success', keep: 'success' })

  await service.stop()
  service = await startService({ roots: [root], dataDir })
  const again = new Workflows(new Caller(service.url))
  const resumed = await again.run(id, { from_run: failed.run_id })
  expect(explain(resumed.nodes)).toBe('')
  expect(statuses(resumed.nodes)).toEqual({
    load: 'cached',
    keep: 'cached',
    large: 'success',
    aside: 'success',
  })
})
