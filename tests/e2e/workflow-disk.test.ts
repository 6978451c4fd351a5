import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { canMount, SmallDisk } from '../testing/small-disk.js'
import { explain, type Nodes, statuses, tableModel, Workflows, workflow } from '../testing/workflow.js'

const dataset = shared.dataset
const root = dirname(dataset)
let dataDir: string
let service: RunningService | undefined
let disk: SmallDisk | undefined
beforeEach(() => {
  dataDir = temporaryFolder('full')
})
afterEach(async () => {
  await service?.stop()
  disk?.remove()
  rmSync(dataDir, { recursive: true, force: true })
  service = disk = undefined
})

/** Starts the service with a folder of its data folder (or all of it) on a disk of this size. */
async function startOn(folder: string, megabytes: number): Promise<Workflows> {
  if (megabytes > 0) disk = new SmallDisk(join(dataDir, folder), megabytes)
  service = await startService({ roots: [root], dataDir: join(dataDir, 'data') })
  return new Workflows(new Caller(service.url))
}

/** A table of 3 MB. */
function table(): string {
  const path = join(root, 'three-megabytes.csv')
  const rows = Array.from(
    { length: 3000 },
    (_, row) => `${row},${row % 90},${row % 2},${row} ${'x'.repeat(1000)}`,
  )
  writeFileSync(path, `case_id,age,label,note\n${rows.join('\n')}\n`)
  return path
}

/** load ─► keep ─► split */
const chain = (csv: string) =>
  workflow(
    {
      load: ['LoadTabular', { path: csv }],
      keep: ['FilterData', { filter_condition: 'age >= 10' }],
      split: ['DataSplit', { seed: 4 }],
    } satisfies Nodes,
    ['load.dataframe > keep.dataset', 'keep.filtered_dataset > split.dataset'],
  )

/** Every file of the store, with whether its content matches its digest. */
function stored(): Record<string, boolean> {
  const store = join(dataDir, 'data', 'artifacts')
  return Object.fromEntries(
    readdirSync(store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        entry.name,
        createHash('sha256')
          .update(readFileSync(join(entry.parentPath, entry.name)))
          .digest('hex') === basename(entry.name).split('.')[0],
      ]),
  )
}

describe.skipIf(!canMount)('a disk that is full (needs the right to mount a tmpfs)', () => {
  it('the artifact store: the node fails with DISK_FULL, nothing half-written is left, and the run resumes', async () => {
    const workflows = await startOn('data/artifacts', 5)
    const id = await workflows.create(chain(table()))
    const failed = await workflows.run(id)
    expect(statuses(failed.nodes)).toEqual({ load: 'success', keep: 'error', split: 'skipped' })
    expect(failed.nodes.keep?.error).toMatchObject({
      type: 'DISK_FULL',
      message: expect.stringMatching(/^no space left to write .*Free disk space.*run the workflow/),
    })
    expect(Object.values(stored())).toEqual([true])
    expect((await workflows.caller.get('/api/system/health')).status).toBe(200)

    disk?.resize(64)
    const resumed = await workflows.run(id, { from_run: failed.run_id })
    expect(explain(resumed.nodes)).toBe('')
    expect(statuses(resumed.nodes)).toEqual({ load: 'cached', keep: 'success', split: 'success' })
    expect(new Set(Object.values(stored()))).toEqual(new Set([true]))
  })

  it('the cache of prepared images: the training fails with DISK_FULL and its remedy; the table is loaded all the same', {
    tags: ['full'],
  }, async () => {
    const workflows = await startOn('data/cache', 0.06)
    const { nodes, wires } = tableModel(1)
    const id = await workflows.create(
      workflow(
        {
          ...nodes,
          backbone: ['SelectBackbone', { model_name: 'mobilenetv3_small' }],
          data: ['LoadTabular', { path: join(dataset, 'train.csv') }],
          all: ['FilterData', { filter_condition: 'age > 0' }],
          size: ['ImagePreprocess', { resize: { width: 32, height: 32 } }],
        },
        [
          ...wires,
          'data.dataframe > all.dataset',
          'all.filtered_dataset > size.images',
          'size.processed_images > train.train_dataset',
        ],
      ),
    )
    const failed = await workflows.run(id)
    expect(statuses(failed.nodes)).toMatchObject({ data: 'success', size: 'success', train: 'error' })
    expect(failed.nodes.train?.error).toMatchObject({
      type: 'DISK_FULL',
      message: expect.stringMatching(/^no space left for the prepared images\. Free disk space/),
    })
    disk?.resize(256)
    const resumed = await workflows.run(id, { from_run: failed.run_id })
    expect(explain(resumed.nodes)).toBe('')
    expect(resumed.nodes.train?.status).toBe('success')
  })

  it('all of the data folder: requests get an error, nothing is lost, and the run ends once there is space', {
    tags: ['full'],
  }, async () => {
    const workflows = await startOn('data', 24)
    const id = await workflows.create(chain(table()))
    const filler = join(dataDir, 'data', 'filler')
    fill(filler)
    const refused = await workflows.caller.post('/api/workflow/create', { name: 'no room' })
    expect([refused.status, refused.body.code]).toEqual([500, 'DISK_FULL'])
    expect((await workflows.execute(id)).body.code).toBe('DISK_FULL')
    expect((await workflows.caller.get('/api/system/health')).status).toBe(200)
    expect((await workflows.status(id)).run_id).toBeNull()

    rmSync(filler)
    await workflows.execute(id)
    fill(filler)
    const stuck = await workflows.until(id, ({ nodes }) => nodes.load?.status === 'error')
    expect([stuck.status, stuck.nodes.load?.error?.type]).toEqual(['running', 'DISK_FULL'])

    rmSync(filler)
    const failed = await workflows.until(id, ({ status }) => status !== 'running')
    expect([failed.status, statuses(failed.nodes)]).toEqual([
      'error',
      { load: 'error', keep: 'skipped', split: 'skipped' },
    ])
    const resumed = await workflows.run(id, { from_run: failed.run_id })
    expect([resumed.status, explain(resumed.nodes)]).toEqual(['success', ''])
  })
})

it('a cache that takes no results costs the next run its time, not this one its result', {
  tags: ['full'],
}, async () => {
  const workflows = await startOn('data', 0)
  const id = await workflows.create(chain(join(dataset, 'train.csv')))
  const database = new Libsql(join(dataDir, 'data', 'medloom.db'))
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON cached_results BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
  )
  for (const _ of [1, 2]) {
    const { nodes } = await workflows.run(id)
    expect(statuses(nodes)).toEqual({ load: 'success', keep: 'success', split: 'success' })
  }
  const log = readFileSync(join(dataDir, 'data', 'workflows', id, 'logs', 'training.log'), 'utf8')
  expect(log).toContain('the result cannot be cached: database or disk is full')
  database.exec('DROP TRIGGER full')
  database.close()
  await workflows.run(id)
  expect(new Set(Object.values(statuses((await workflows.run(id)).nodes)))).toEqual(new Set(['cached']))
})

/** Writes until the disk is full. */
function fill(path: string): void {
  for (let size = 1 << 20; size >= 1; size >>= 1)
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // There is no space for a piece of this size: try a smaller one.
    }
}
