import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { explain, type Nodes, statuses, tableModel, Workflows, workflow } from '../testing/workflow.js'

const dataset = shared.dataset
const root = dirname(dataset)
const train: Nodes[string] = ['LoadTabular', { path: join(dataset, 'train.csv') }]

let dataDir: string
let service: RunningService
let workflows: Workflows
async function start(...flags: string[]): Promise<void> {
  service = await startService({ roots: [root], dataDir, arguments: flags })
  workflows = new Workflows(new Caller(service.url))
}
const everywhere = (nodes: Parameters<typeof statuses>[0]) => new Set(Object.values(statuses(nodes)))

describe('results that expire', () => {
  beforeEach(() => {
    dataDir = temporaryFolder('expiry')
  })
  afterEach(end)

  // load ─► keep
  it('are computed again once their time is over, and leave the cache by themselves', {
    tags: ['full'],
  }, async () => {
    await start('--cache-seconds', '4')
    const id = await workflows.create(
      workflow({ load: train, keep: ['FilterData', { filter_condition: 'age >= 40' }] }, [
        'load.dataframe > keep.dataset',
      ]),
    )
    // On a busy machine a run may end after the results of the previous run have expired.
    const seen = async () => [...everywhere((await workflows.run(id)).nodes)].join()
    while ((await seen()) !== 'cached');
    const cached = async () =>
      (await workflows.caller.get<{ results: number }>('/api/workflow/cache')).body.results
    await eventually(cached, (results) => results === 0, { every: 100 })
    expect((await workflows.plan(id)).load).toMatchObject({ action: 'run', reason: 'not_cached' })
    expect(everywhere((await workflows.run(id)).nodes)).toEqual(new Set(['success']))
  })

  // load ─► split ─► train ─► test       the training outlives the results that the test reads
  //              └──────────────┘
  it('while a run needs them are there until it ends', { tags: ['full'] }, async () => {
    await start('--cache-seconds', '1')
    const { nodes, wires } = tableModel(40)
    const id = await workflows.create(
      workflow({ ...nodes, load: train, split: ['DataSplit', { seed: 1 }], test: ['EvaluateModel'] }, [
        ...wires,
        'load.dataframe > split.dataset',
        'split.train_dataset > train.train_dataset',
        'split.val_dataset > train.val_dataset',
        'split.test_dataset > test.test_dataset',
        'train.trained_model > test.model',
      ]),
    )
    const state = await workflows.run(id)
    expect(explain(state.nodes)).toBe('')
    expect(everywhere(state.nodes)).toEqual(new Set(['success']))
    const begun = (node: string) => Date.parse(state.nodes[node]?.started_at ?? '') / 1000
    expect(begun('test') - begun('split')).toBeGreaterThan(1 + (state.nodes.split?.duration ?? 0))
    const validation = join(dataDir, 'workflows', id, 'metrics/validation.json')
    expect(JSON.parse(readFileSync(validation, 'utf8')).nodes).toHaveProperty('test')
  })
})

describe('files of the cache that are damaged or gone', () => {
  let id: string
  let first: Awaited<ReturnType<Workflows['run']>>
  beforeAll(async () => {
    dataDir = temporaryFolder('damage')
    await start()
    const csv = join(root, 'six-megabytes.csv')
    const rows = Array.from({ length: 3000 }, (_, row) => `${row},${row % 90},${row} ${'x'.repeat(2000)}`)
    writeFileSync(csv, `case_id,age,note\n${rows.join('\n')}\n`)
    id = await workflows.create(
      workflow(
        { load: ['LoadTabular', { path: csv }], keep: ['FilterData', { filter_condition: 'age < 9' }] },
        ['load.dataframe > keep.dataset'],
      ),
    )
    first = await workflows.run(id)
    expect(Math.max(...files().map((path) => statSync(path).size))).toBeGreaterThan(4 * 1024 * 1024)
  })
  afterAll(end)

  const damages: [string, (path: string) => void][] = [
    ['gone', (path) => rmSync(path)],
    ['cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
    ['of other bytes', flip],
  ]
  for (const [name, damage] of damages)
    it(
      `${name} are made again: the results are the same`,
      { tags: name === 'of other bytes' ? [] : ['full'] },
      () => expectRepairOf(damage),
    )

  it.each(damages)(
    '%s are made again after a restart: the results are the same',
    { tags: ['full'] },
    async (_, damage) => {
      await service.stop()
      await start()
      await expectRepairOf(damage)
    },
  )

  async function expectRepairOf(damage: (path: string) => void): Promise<void> {
    files().forEach(damage)
    const again = await workflows.run(id)
    expect(statuses(again.nodes)).toEqual({ load: 'success', keep: 'success' })
    for (const node of ['load', 'keep'])
      expect(again.nodes[node]?.outputs).toEqual(first.nodes[node]?.outputs)
    expect(files().every(isWhatItSays)).toBe(true)
  }

  it('without a change of size or time are found when they are read; the next run makes them again', async () => {
    const [large = ''] = files().filter((path) => statSync(path).size > 4 * 1024 * 1024)
    const { atime, mtime } = statSync(large)
    flip(large)
    utimesSync(large, atime, mtime)
    const failed = await workflows.run(id, { force: ['keep'] })
    expect(statuses(failed.nodes)).toEqual({ load: 'cached', keep: 'error' })
    expect(failed.nodes.keep?.error).toMatchObject({
      type: 'NODE_FAILED',
      message: expect.stringMatching(/damaged\. Run the workflow again/),
    })
    const resumed = await workflows.run(id, { from_run: failed.run_id })
    expect(statuses(resumed.nodes)).toEqual({ load: 'success', keep: 'success' })
    expect(resumed.nodes.keep?.outputs).toEqual(first.nodes.keep?.outputs)
  })
})

async function end(): Promise<void> {
  await service?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function files(): string[] {
  return readdirSync(join(dataDir, 'artifacts'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function flip(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

function isWhatItSays(path: string): boolean {
  return createHash('sha256').update(readFileSync(path)).digest('hex') === basename(path).split('.')[0]
}
