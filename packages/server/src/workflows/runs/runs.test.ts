/** @module-tag service */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Job, PlanStep, PortValue, WorkflowResponse, WorkflowStatus } from '@medloom/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withShortReports } from '../../../testing/short-reports.js'
import { Place } from '../../../testing/training/training-service.js'
import { type Drawn, draw, startWorkflowService, statusesOf } from '../../../testing/workflows.js'
import { openDatabase } from '../../database/database.js'

type Service = Awaited<ReturnType<typeof startWorkflowService>>

let place: Place
let service: Service
let csv: string
const restart = async () => {
  await service.close()
  service = await startWorkflowService(place)
}

withShortReports()
// One service for all tests. Each test reads a separate table, so that it finds no result of another test in the cache.
beforeAll(async () => {
  place = new Place()
  service = await startWorkflowService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})
let tables = 0
let computedBefore = 0
beforeEach(() => {
  csv = newTable()
  computedBefore = service.computed().length
})

/** A table with a case that no other table has. Letters only: the conditions of the tests search for digits. */
function newTable(): string {
  tables += 1
  const file = join(place.root, `train-${tables}.csv`)
  const unique = String.fromCharCode(97 + Math.floor(tables / 26), 97 + (tables % 26))
  writeFileSync(file, `"case_id","age","label"\n"${unique}1","40","yes"\n"2","50","no"\n"3","41","no"\n`)
  return file
}

/** Nodes that a worker has computed since the test started. */
const numComputed = () => service.computed().length - computedBefore

/** A service without results of other tests, for tests of the whole cache and of the whole database. */
function withNewService(): void {
  let shared: { place: Place; service: Service }
  beforeAll(async () => {
    shared = { place, service }
    place = new Place()
    service = await startWorkflowService(place)
  })
  afterAll(async () => {
    await service.close()
    place.remove()
    ;({ place, service } = shared)
  })
}

const keep = (filter_condition: string): Drawn[string] => ['FilterData', { filter_condition }]
const load = (): Drawn[string] => ['LoadTabular', { path: csv }]

/** load ─► first ─► second ─► third */
const chain = (...conditions: string[]) => {
  const names = ['first', 'second', 'third', 'fourth'].slice(0, conditions.length)
  return draw({ load: load(), ...Object.fromEntries(conditions.map((text, i) => [names[i], keep(text)])) }, [
    'load.dataframe > first.dataset',
    ...names.slice(1).map((name, i) => `${names[i]}.filtered_dataset > ${name}.dataset`),
  ])
}

/**
 *   load ─► split ─► train     backbone, fusion ─► model ─► train
 */
const training = (name: string, epochs = 2, log_interval = 1) =>
  draw(
    {
      load: load(),
      split: ['DataSplit'],
      backbone: ['SelectBackbone', { model_name: 'none' }],
      fusion: ['SelectFusion'],
      model: ['BuildModel'],
      settings: ['ConfigureTraining', { epochs, batch_size: 4 }],
      train: ['TrainModel', { log_interval, early_stopping: { patience: 5 } }],
    },
    [
      'load.dataframe > split.dataset',
      'backbone.backbone_config > model.backbone_config',
      'fusion.fusion_config > model.fusion_config',
      'model.model > train.model',
      'split.train_dataset > train.train_dataset',
      'split.val_dataset > train.val_dataset',
      'settings.training_config > train.training_config',
    ],
    name,
  )

describe('incremental execution', () => {
  it('runs changed nodes and their descendants, and calls no worker if nothing changed', async () => {
    const id = await service.create(chain('keep=4', 'keep=0', 'keep=5'))
    expect(statusesOf(await service.run(id))).toEqual({
      load: 'success',
      first: 'success',
      second: 'success',
      third: 'success',
    })
    expect(numComputed()).toBe(4)

    expect(statusesOf(await service.run(id))).toEqual({
      load: 'cached',
      first: 'cached',
      second: 'cached',
      third: 'cached',
    })
    expect(numComputed()).toBe(4)

    await service.replace(id, chain('keep=4', 'keep=5', 'keep=5'))
    expect(await service.plan(id)).toEqual({
      load: 'cached',
      first: 'cached',
      second: 'config_changed',
      third: 'upstream_runs',
    })
    expect(statusesOf(await service.run(id))).toMatchObject({
      first: 'cached',
      second: 'success',
      third: 'success',
    })
    expect(numComputed()).toBe(6)
  })

  it('recomputes the results of changed software after an upgrade, and shows the changed version', async () => {
    const drawn = training('upgraded', 1)
    const id = await service.create(drawn)
    const before = await service.run(id)
    expect(before.status).toBe('success')
    process.env.TORCH_VERSION_OF_TESTS = '2.10.0'
    try {
      await restart()
      const { body } = await service.send<{ steps: PlanStep[] }>('POST', `/api/workflow/${id}/plan`, {})
      expect(body.steps.filter(({ action }) => action === 'run')).toMatchObject([
        { node: 'model', message: 'the software changed: torch 2.9.1 → 2.10.0' },
        { node: 'train', reason: 'upstream_runs' },
      ])
      const after = await service.run(id)
      // The model has the same plan as before; only its training differs.
      expect(statusesOf(after)).toMatchObject({
        load: 'cached',
        backbone: 'cached',
        model: 'success',
        train: 'success',
      })
      expect(after.nodes.train?.job_id).not.toBe(before.nodes.train?.job_id)
    } finally {
      delete process.env.TORCH_VERSION_OF_TESTS
      await restart()
    }
  })

  it('a node with an unchanged result leaves later ones cached; a node can be forced manually', async () => {
    const id = await service.create(chain('keep=4', 'keep=5'))
    await service.run(id)
    await service.replace(id, chain('keep=4 wait=1', 'keep=5'))
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', first: 'success', second: 'cached' })
    expect(statusesOf(await service.run(id, { force: ['second'] }))).toMatchObject({
      first: 'cached',
      second: 'success',
    })
    expect(statusesOf(await service.run(id, { targets: ['first'] }))).toEqual({
      load: 'cached',
      first: 'cached',
    })
  })

  it('a touched file counts as unchanged, a changed one does not', async () => {
    const id = await service.create(chain('keep=4'))
    await service.run(id)
    utimesSync(csv, new Date(), new Date(Date.now() - 60_000))
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', first: 'cached' })
    appendFileSync(csv, '"4","44","no"\n')
    expect(await service.plan(id)).toEqual({ load: 'source_changed', first: 'upstream_runs' })
    expect(statusesOf(await service.run(id))).toEqual({ load: 'success', first: 'success' })
  })

  it('results survive a restart of the service', async () => {
    const id = await service.create(chain('keep=4'))
    await service.run(id)
    await restart()
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', first: 'cached' })
  })

  it('a file of the cache that is missing, truncated or changed in size is computed again', async () => {
    const damages: ((file: string) => void)[] = [
      (file) => rmSync(file),
      (file) => writeFileSync(file, 'x'),
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('yes', 'no ')),
    ]
    const made: { id: string; first: WorkflowStatus; files: string[] }[] = []
    const store = join(place.dataDir, 'artifacts')
    const stored = () => readdirSync(store, { recursive: true }).map(String)
    for (const _ of damages) {
      csv = newTable()
      const before = new Set(existsSync(store) ? stored() : [])
      const id = await service.create(chain('keep=4'))
      const first = await service.run(id)
      const files = stored().filter((file) => !before.has(file) && statSync(join(store, file)).isFile())
      expect(files).toHaveLength(2)
      made.push({ id, first, files })
    }
    await restart()
    for (const [index, damage] of damages.entries()) {
      const { id, first, files } = made[index] as (typeof made)[number]
      for (const file of files) damage(join(store, file))
      const second = await service.run(id)
      expect(statusesOf(second)).toEqual({ load: 'success', first: 'success' })
      expect(second.nodes.first?.outputs).toEqual(first.nodes.first?.outputs)
    }
  })
})

describe('a failure', () => {
  it('is stored with text and trace on the node, stops the run, and the run resumes from there', async () => {
    const flag = join(place.root, 'flag')
    const id = await service.create(chain('keep=4', `until=${flag}`, 'keep=5'))
    const failed = await service.run(id)
    expect(failed).toMatchObject({
      status: 'error',
      nodes: {
        second: {
          status: 'error',
          error: {
            type: 'FILTER_INVALID',
            message: 'it is not there yet. Correct it.',
            trace: 'Traceback: line 1',
          },
        },
        third: {
          status: 'skipped',
          reason: 'it depends on "second", which failed',
          reason_phrases: [{ code: 'depends_on_failed', values: { node: 'second' } }],
        },
      },
    })
    const { body } = await service.send<{ runs: object[] }>('GET', `/api/workflow/${id}/runs`)
    const reason_phrases = [{ code: 'node_failed', values: { node: 'second' } }]
    expect(body.runs).toMatchObject([{ reason: '"second" failed', reason_phrases }])
    writeFileSync(flag, '')
    const log = join(place.dataDir, 'workflows', id, 'logs', 'training.log')
    appendFileSync(log, 'x'.repeat(2_000_000))
    const resumed = await service.run(id, { from_run: failed.run_id })
    expect(statusesOf(resumed)).toEqual({
      load: 'cached',
      first: 'cached',
      second: 'success',
      third: 'success',
    })
    expect(numComputed()).toBe(5)
    // A long log of a workflow continues in a new file.
    expect(readFileSync(log, 'utf8')).toContain('second: success')
    expect(readFileSync(`${log}.1`, 'utf8')).toContain('second: error')
    expect(readFileSync(`${log}.1`, 'utf8')).toContain('Traceback: line 1')
  })

  it('a worker that crashes fails only its node; the next run gets a new one', async () => {
    const id = await service.create(chain('crash'))
    expect(await service.run(id)).toMatchObject({
      nodes: { first: { status: 'error', error: { type: 'TRAINER_FAILED' } } },
    })
    await service.replace(id, chain('keep=4'))
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', first: 'success' })
  })
})

describe('a cancellation', () => {
  it('ends an endless node at once; nothing is left running', async () => {
    const id = await service.create(chain('forever', 'keep=4'))
    await service.execute(id)
    await service.until(id, ({ nodes }) => nodes.first?.status === 'running')
    expect((await service.execute(id)).body).toMatchObject({ code: 'WORKFLOW_RUNNING' })
    // The node waits ten minutes: the test would not see the end of a cancellation that waits for it.
    const [one, other] = await Promise.all([service.cancel(id), service.cancel(id)])
    expect(one).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(other).toEqual(one)
    expect(await service.status(id)).toMatchObject({
      status: 'cancelled',
      nodes: {
        first: { status: 'skipped', reason: 'canceled while it ran' },
        second: { status: 'skipped' },
      },
    })
    expect(await service.cancel(id)).toMatchObject({ status: 400, body: { code: 'WORKFLOW_NOT_RUNNING' } })
  })

  it('of one run does not affect another', async () => {
    const [one, other] = [await service.create(chain('forever')), await service.create(chain('wait=400'))]
    await service.execute(one)
    await service.execute(other)
    await service.until(one, ({ nodes }) => nodes.first?.status === 'running')
    await service.cancel(one)
    expect(await service.ended(other)).toMatchObject({ status: 'success' })
  })
})

/** The file with the weights. */
const modelIn = (checkpoint: string) =>
  join(checkpoint, readdirSync(checkpoint).find((name) => /^model\..*safetensors$/.test(name)) ?? '')

const jobsNamed = async (name: string) => {
  const { body } = await service.send<{ jobs: Job[] }>('GET', '/api/training')
  return body.jobs.filter(({ job_name }) => job_name === name)
}

describe('a training', () => {
  it('is an ordinary job, and later nodes use its results', async () => {
    const id = await service.create(training('plain'))
    const state = await service.run(id)
    expect(state).toMatchObject({ status: 'success', nodes: { train: { status: 'success', progress: 1 } } })
    const jobId = state.nodes.train?.job_id
    const { body: job } = await service.send<Job>('GET', `/api/training/${jobId}/status`)
    expect(job).toMatchObject({ status: 'completed', job_name: 'plain: train', model_id: expect.any(String) })
    expect(job.config).toMatchObject({
      data: { label_column: 'label', ignore_columns: ['case_id'] },
      model: { vision_backbone: 'none', fusion_type: 'concatenate' },
      training: { epochs: 2, batch_size: 4, early_stopping: { patience: 5 } },
    })
    expect(job.config.data.train_csv.startsWith(job.run_dir)).toBe(true)
    expect(state.nodes.train?.outputs.trained_model?.summary).toContain('val_auc')
    const checkpoint = readdirSync(join(place.dataDir, 'workflows', id, 'checkpoints', 'train'))
    for (const name of [/^checkpoint\.json$/, /^model\..*safetensors$/, /^optimizer\..*safetensors$/])
      expect(checkpoint).toContainEqual(expect.stringMatching(name))
    expect(checkpoint.sort()).toEqual(
      readdirSync(join(job.run_dir, 'checkpoints', 'best'))
        .filter((name) => !name.endsWith('.tmp'))
        .sort(),
    )

    expect(statusesOf(await service.run(id)).train).toBe('cached')
    await service.replace(id, training('plain', 2, 50))
    expect(statusesOf(await service.run(id)).train).toBe('cached')
    expect(await jobsNamed('plain: train')).toHaveLength(1)
  })

  it.each([
    ['gone', (checkpoint: string) => rmSync(checkpoint, { recursive: true })],
    ['incomplete', (checkpoint: string) => rmSync(modelIn(checkpoint))],
    ['damaged', (checkpoint: string) => writeFileSync(modelIn(checkpoint), 'weights of epoch X')],
  ])('whose checkpoint is %s is trained again', async (_, damage) => {
    const id = await service.create(training('trained again'))
    const before = (await service.run(id)).nodes.train?.job_id ?? ''
    damage(join(place.dataDir, 'runs', before, 'checkpoints', 'best'))
    const { nodes } = await service.run(id)
    expect(nodes.train).toMatchObject({ status: 'success', job_id: expect.not.stringContaining(before) })
    expect((await service.run(id)).nodes.train?.status).toBe('cached')
  })

  it('that is canceled is stopped, and continues from its checkpoint when the run is resumed', async () => {
    // The training is long enough that it cannot end before it is canceled, however busy the machine is.
    const id = await service.create(training('delay=30', 1000))
    await service.execute(id)
    const { nodes } = await service.until(id, (state) => (state.nodes.train?.progress ?? 0) > 0.002)
    const jobId = nodes.train?.job_id
    expect(await service.cancel(id)).toMatchObject({ body: { status: 'cancelled' } })
    const ended = async () => (await service.send<Job>('GET', `/api/training/${jobId}/status`)).body
    await expect.poll(async () => (await ended()).status).toBe('stopped')
    const before = await service.status(id)
    await service.execute(id, { from_run: before.run_id })
    const after = await service.until(id, (state) => state.nodes.train?.job_id !== undefined)
    const { body } = await service.send<Job>('GET', `/api/training/${after.nodes.train?.job_id}/status`)
    expect(body.resumed_from).toBe(jobId)
    await service.cancel(id)
  })
})

describe('a restart of the service during a run', () => {
  it('finished nodes are cached, the training is adopted, and the run continues under its id', async () => {
    const id = await service.create(training('adopted delay=40', 3))
    await service.execute(id)
    const before = await service.until(id, (state) => state.nodes.train?.job_id !== undefined)
    await restart()
    const going = await service.status(id)
    expect(going).toMatchObject({ run_id: before.run_id })
    expect(['pending', 'running']).toContain(going.status)
    const after = await service.ended(id)
    expect(after).toMatchObject({ run_id: before.run_id, status: 'success' })
    expect(statusesOf(after)).toMatchObject({ load: 'cached', split: 'cached', train: 'success' })
    expect(after.nodes.train?.job_id).toBe(before.nodes.train?.job_id)
    expect(await jobsNamed('adopted delay=40: train')).toHaveLength(1)
  })
})

/**
 * The longest turn of the event loop, in which nothing else is answered, as a share of the CPU time of some work. CPU time of other
 * processes counts for neither.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const used = () => process.cpuUsage().user
  const first = used()
  let last = first
  let longest = 0
  let turn: NodeJS.Immediate | undefined
  const tick = () => {
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
    turn = setImmediate(tick)
  }
  tick()
  await work()
  tick()
  clearImmediate(turn)
  return longest / (last - first)
}

describe('a workflow with many nodes', () => {
  // The order in which workflows start nodes depends on earlier work of the service.
  withNewService()

  const many = draw(
    Object.fromEntries(
      Array.from({ length: 1200 }, (_, i): [string, Drawn[string]] => [`n${i}`, ['SelectFusion']]),
    ),
  )

  it('is checked and run in slices: the service responds meanwhile', {
    timeout: 180_000,
    tags: ['full'],
  }, async () => {
    const id = await service.create(many)
    // Everything is cached then: the remaining time is the work of the service itself.
    await service.run(id)
    const accepting: number[] = []
    const running: number[] = []
    for (let round = 0; round < 3; round++) {
      accepting.push(await longestTurn(() => service.execute(id)))
      running.push(await longestTurn(() => service.ended(id)))
    }
    // The smallest value: a garbage collection falls into some turn, but work that is not divided is long in every round.
    expect(Math.min(...accepting)).toBeLessThan(1 / 2)
    expect(Math.min(...running)).toBeLessThan(1 / 4)
    const { status, nodes } = await service.status(id)
    expect([status, Object.keys(nodes).length]).toEqual(['success', 1200])
  })

  //  load ─┬─► n10 … n49      and, later, load ─► first ─► second
  it('leaves turns to a small one, whose nodes wait for four others at most', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i + 10}`)
    const go = (index: number) => join(place.root, `go-${index}`)
    const large = await service.create(
      draw(
        {
          load: load(),
          ...Object.fromEntries(names.map((name, i) => [name, keep(`hold=${go(i)} ${name}`)])),
        },
        names.map((name) => `load.dataframe > ${name}.dataset`),
      ),
    )
    const small = await service.create(chain('keep=5', 'keep=4'))
    await service.execute(large)
    await service.until(large, ({ nodes }) => nodes.n13?.status === 'running')
    await service.execute(small)
    let released = 0
    for (const name of ['first', 'second']) {
      await service.until(small, ({ nodes }) => nodes[name]?.waits_for !== undefined)
      for (const end = released + 4; released < end; released++) writeFileSync(go(released), '')
      await service.until(small, ({ nodes }) => nodes[name]?.status === 'success')
    }
    expect(await service.ended(small)).toMatchObject({ status: 'success' })
    expect(await service.cancel(large)).toMatchObject({ body: { status: 'cancelled' } })
  })
})

describe('the end of a run', () => {
  const over = (status: string | undefined) => ['success', 'error', 'cancelled'].includes(status ?? '')
  const seen: Record<string, (id: string) => Promise<boolean>> = {
    'its status': async (id) => over((await service.status(id)).status),
    'the list of its runs': async (id) => {
      const { body } = await service.send<{ runs: { status: string }[] }>('GET', `/api/workflow/${id}/runs`)
      return over(body.runs[0]?.status)
    },
    'the list of workflows': async (id) => {
      const { body } = await service.send<{
        workflows: { workflow_id: string; last_run: { status: string } | null }[]
      }>('GET', '/api/workflow')
      return over(body.workflows.find(({ workflow_id }) => workflow_id === id)?.last_run?.status)
    },
  }

  const deletedAtItsEnd = async (way: string, rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const id = await service.create(draw({ fusion: ['SelectFusion'] }))
      await service.execute(id)
      while (!(await seen[way]?.(id)));
      expect(await service.send('DELETE', `/api/workflow/${id}`)).toMatchObject({ status: 200 })
      expect(existsSync(join(place.dataDir, 'workflows', id))).toBe(false)
    }
  }

  it.each(Object.keys(seen))('is complete once %s reports it: the workflow can be deleted', (way) =>
    deletedAtItsEnd(way, 2),
  )

  it.each(Object.keys(seen))(
    'is complete once %s reports it: the workflow can be deleted, many times',
    { tags: ['full'] },
    (way) => deletedAtItsEnd(way, 8),
  )

  const deletedWhileExecuted = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const id = await service.create(draw({ fusion: ['SelectFusion'] }))
      const sent = {
        execute: () => service.execute(id),
        delete: () => service.send<{ code?: string }>('DELETE', `/api/workflow/${id}`),
      }
      const first = round % 2 === 0 ? 'execute' : 'delete'
      const early = sent[first]()
      const late = sent[first === 'execute' ? 'delete' : 'execute']()
      const [executed, deleted] = first === 'execute' ? [early, late] : [late, early]
      const both = (await Promise.all([executed, deleted])).map(({ status, body }) => [status, body.code])
      expect([
        [
          [200, undefined],
          [400, 'WORKFLOW_RUNNING'],
        ],
        [
          [404, 'WORKFLOW_NOT_FOUND'],
          [200, undefined],
        ],
      ]).toContainEqual(both)
    }
  }

  it('of a workflow that is deleted while it is executed: the run is refused, or the deletion is', () =>
    deletedWhileExecuted(4))

  it(
    'of a workflow that is deleted while it is executed: one is refused, many times',
    { tags: ['full'] },
    () => deletedWhileExecuted(20),
  )
})

describe('a run that the next service does not continue', () => {
  const history = async (id: string) =>
    (await service.send<WorkflowResponse>('GET', `/api/workflow/${id}`)).body.workflow.execution_history
  /** State of each workflow in the database when the next service starts. One restart for all tests. */
  const changes = {
    cancelled: { request: 'cancel' },
    training: { request: 'cancel' },
    exhausted: { attempt: 5 },
  }
  const ids: Record<string, string> = {}
  const runs: Record<string, string> = {}
  let jobId = ''
  beforeAll(async () => {
    csv = newTable()
    const begun: [keyof typeof changes, object, string][] = [
      ['cancelled', chain('forever'), 'first'],
      ['exhausted', chain('forever keep=4'), 'first'],
      ['training', training('cut off', 5000), 'train'],
    ]
    for (const [name, workflow, node] of begun) {
      const id = await service.create(workflow)
      const { body } = await service.execute(id)
      const { nodes } = await service.until(id, (state) => state.nodes[node]?.status === 'running')
      ids[name] = id
      runs[name] = body.run_id
      if (name !== 'training') continue
      jobId = nodes.train?.job_id ?? ''
      if (!jobId)
        jobId =
          (await service.until(id, (state) => state.nodes.train?.job_id !== undefined)).nodes.train?.job_id ??
          ''
    }
    await service.close()
    const database = await openDatabase(join(place.dataDir, 'medloom.db'))
    for (const [name, change] of Object.entries(changes))
      await database
        .updateTable('workflow_runs')
        .set(change)
        .where('run_id', '=', runs[name] ?? '')
        .execute()
    await database.destroy()
    service = await startWorkflowService(place)
  })

  it('because it was canceled has the status cancelled, and its entry in the history', async () => {
    const { cancelled: id = '' } = ids
    expect(await service.status(id)).toMatchObject({ run_id: runs.cancelled, status: 'cancelled' })
    for (const status of Object.values(statusesOf(await service.status(id))))
      expect(status).not.toBe('running')
    expect(await history(id)).toMatchObject([{ status: 'cancelled', metrics: {} }])
  })

  it('because it was canceled, has its training stopped', async () => {
    expect(await service.status(ids.training ?? '')).toMatchObject({ status: 'cancelled' })
    const job = async () => (await service.send('GET', `/api/training/${jobId}/status`)).body
    await expect.poll(job).toMatchObject({ status: 'stopped' })
  })

  it('because the service ended during it too often is an error, and has its entry in the history', async () => {
    const { exhausted: id = '' } = ids
    expect(await service.status(id)).toMatchObject({ run_id: runs.exhausted, status: 'error' })
    expect(await history(id)).toMatchObject([{ status: 'error', duration: expect.any(Number) }])
    await restart()
    expect(await history(id)).toHaveLength(1)
  })
})

describe('a service without results from other tests', () => {
  withNewService()

  it('warnings stored by a version without codes are read, from a run and from a cached result', async () => {
    const id = await service.create(draw({ fusion: ['SelectFusion'] }))
    await service.run(id)
    await service.close()
    const database = await openDatabase(join(place.dataDir, 'medloom.db'))
    const { state } = await database
      .selectFrom('workflow_run_nodes')
      .select('state')
      .where('node', '=', 'fusion')
      .executeTakeFirstOrThrow()
    const { outputs } = await database
      .selectFrom('cached_results')
      .select('outputs')
      .executeTakeFirstOrThrow()
    const old = { warnings: ['3 rows are left out'] }
    const oldOutputs = Object.entries(JSON.parse(outputs)).map(([port, value]) => [
      port,
      { ...(value as object), ...old },
    ])
    await database
      .updateTable('workflow_run_nodes')
      .set({ state: JSON.stringify({ ...JSON.parse(state), ...old }) })
      .where('node', '=', 'fusion')
      .execute()
    await database
      .updateTable('cached_results')
      .set({ outputs: JSON.stringify(Object.fromEntries(oldOutputs)) })
      .execute()
    await database.destroy()
    service = await startWorkflowService(place)
    const warnings = [{ code: 'UNSPECIFIED', message: '3 rows are left out' }]
    expect((await service.status(id)).nodes.fusion).toMatchObject({ status: 'success', warnings })
    expect((await service.run(id)).nodes.fusion).toMatchObject({ status: 'cached', warnings })
  })

  it('results cleared by node, by workflow or completely are computed again', async () => {
    await service.send('DELETE', '/api/workflow/cache')
    const id = await service.create(chain('keep=4', 'keep=5'))
    await service.run(id)
    expect((await service.send('DELETE', `/api/workflow/${id}/cache?node=second`)).body).toEqual({
      cleared: 1,
    })
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', first: 'cached', second: 'success' })
    expect((await service.send('DELETE', `/api/workflow/${id}/cache`)).body).toEqual({ cleared: 3 })
    expect(statusesOf(await service.run(id))).toMatchObject({ load: 'success', second: 'success' })
    expect((await service.send('DELETE', '/api/workflow/cache')).body).toEqual({ cleared: 3 })
    expect((await service.send('GET', '/api/workflow/cache')).body).toEqual({
      results: 0,
      files: 0,
      size_bytes: 0,
    })
  })
})

describe('the files that a node writes', () => {
  const saved = (path: string, description = '') => draw({ saved: ['SaveWorkflow', { path, description }] })

  // Each test has a separate folder.
  let folder = ''
  beforeEach(() => {
    folder = `here-${tables}`
  })
  const file = () => join(place.dataDir, 'outputs', folder, 'flow.json')

  it('are listed with full paths, and restored, even when its result came from the cache', async () => {
    const id = await service.create(saved(`${folder}/flow.json`))
    expect((await service.run(id)).nodes.saved?.outputs.workflow_path?.files).toEqual([file()])
    const text = readFileSync(file(), 'utf8')
    rmSync(file())
    const again = await service.run(id)
    expect(statusesOf(again)).toEqual({ saved: 'cached' })
    expect(again.nodes.saved?.outputs.workflow_path?.files).toEqual([file()])
    expect(readFileSync(file(), 'utf8')).toBe(text)
  })

  it('can be opened by the name at the port, and by no other path', async () => {
    const id = await service.create(saved(`${folder}/flow.json`))
    await service.run(id)
    const value = `/api/workflow/${id}/value`
    const portQuery = '?node=saved&port=workflow_path'
    const { body } = await service.send<PortValue>('GET', `${value}${portQuery}`)
    expect(body.value).toMatchObject({ files: [{ path: `${folder}/flow.json` }] })
    const open = (path: string, query = portQuery) =>
      service.app.inject({ url: `${value}/files/${path}${query}` })
    const opened = await open(`${folder}/flow.json`)
    expect([opened.statusCode, opened.body]).toEqual([200, readFileSync(file(), 'utf8')])
    expect(opened.headers).toMatchObject({
      'content-disposition': "attachment; filename*=UTF-8''flow.json",
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none';/),
      'cache-control': 'private, no-store',
    })
    writeFileSync(join(place.dataDir, 'outputs', folder, 'secret.json'), 'secret')
    for (const path of [
      `${folder}/secret.json`,
      'flow.json',
      '..%2F..%2Fmedloom.db',
      `${folder}%2F..%2F${folder}%2Fflow.json`,
      `${folder}%2F..%2F..%2Fmedloom.db`,
      encodeURIComponent(file()),
    ])
      expect([(await open(path)).statusCode, path]).toEqual([404, path])
    expect((await open(`${folder}/flow.json`, '?node=saved&port=other')).statusCode).toBe(400)
    expect((await open(`${folder}/flow.json`, `${portQuery}&run_id=x`)).statusCode).toBe(404)
  })

  it('match the last run, and a file changed by a user is not overwritten', async () => {
    const id = await service.create(saved(file(), 'first'))
    await service.run(id)
    const first = readFileSync(file(), 'utf8')
    await service.replace(id, saved(file(), 'second'))
    await service.run(id)
    expect(readFileSync(file(), 'utf8')).not.toBe(first)
    await service.replace(id, saved(file(), 'first'))
    expect(statusesOf(await service.run(id))).toEqual({ saved: 'cached' })
    expect(readFileSync(file(), 'utf8')).toBe(first)
    writeFileSync(file(), 'scribbled over')
    const { nodes } = await service.run(id)
    expect(nodes.saved?.error).toMatchObject({
      type: 'OUTPUT_EXISTS',
      message: expect.stringMatching(/flow\.json.*Choose another path/s),
    })
    expect(readFileSync(file(), 'utf8')).toBe('scribbled over')
    rmSync(file())
    expect(statusesOf(await service.run(id))).toEqual({ saved: 'cached' })
    expect(readFileSync(file(), 'utf8')).toBe(first)
  })

  it('without a path are in the project of the workflow', async () => {
    const id = await service.create(draw({ saved: ['SaveWorkflow', {}] }))
    const { nodes } = await service.run(id)
    expect(nodes.saved?.outputs.workflow_path?.files).toEqual([
      join(place.dataDir, 'workflows', id, 'artifacts', 'workflow.json'),
    ])
  })
})

it('a model that is tested on its training data is refused before anything runs', async () => {
  const workflow = training('leak')
  const id = await service.create({
    ...workflow,
    nodes: [...workflow.nodes, { id: 'test', type: 'EvaluateModel', position: { x: 0, y: 0 }, config: {} }],
    connections: [
      ...workflow.connections,
      { id: 'x', source: 'train', source_port: 'trained_model', target: 'test', target_port: 'model' },
      { id: 'y', source: 'load', source_port: 'dataframe', target: 'test', target_port: 'test_dataset' },
    ],
  })
  expect(await service.execute(id)).toMatchObject({
    status: 400,
    body: { code: 'WORKFLOW_INVALID', issues: [{ code: 'DATASET_LEAK', node: 'test' }] },
  })
})

describe('the live socket', () => {
  it('sends one snapshot, then numbered changes; a late client sees the same state', async () => {
    const go = join(place.dataDir, 'late-has-come')
    const id = await service.create(chain(`hold=${go} wait=100`))
    const early = service.listen(id)
    await new Promise((resume) => early.socket.on('open', resume))
    await service.execute(id)
    await service.until(id, ({ nodes }) => nodes.first?.status === 'running')
    const late = service.listen(id)
    await expect.poll(() => late.messages.length).toBeGreaterThan(0)
    writeFileSync(go, '')
    await service.ended(id)
    await expect.poll(() => late.messages.at(-1)).toMatchObject({ type: 'run_status', status: 'success' })
    const [snapshot, ...changes] = early.messages
    expect(snapshot).toMatchObject({ type: 'snapshot', seq: 0, state: { run_id: null, status: 'pending' } })
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, i) => i + 1))
    const types = new Set(changes.map(({ type }) => type))
    expect([...types].sort()).toEqual(['artifact', 'node_status', 'progress', 'run_status'])
    expect(late.messages[0]).toMatchObject({
      type: 'snapshot',
      state: { nodes: { first: { status: 'running' } } },
    })
    expect(early.messages.slice(-late.messages.length + 1)).toEqual(late.messages.slice(1))
    early.socket.close()
    late.socket.close()
  })

  it('of an unknown workflow is refused before the upgrade', async () => {
    expect(await service.listen('00000000-0000-4000-8000-000000000000').refused).toBe(404)
  })
})
