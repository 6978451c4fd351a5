import { cpSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WorkflowMessage } from '@medloom/contracts'
import type { Executors } from '@medloom/workflow'
import { describe, expect, it } from 'vitest'
import { graph, tensor } from '../../packages/workflow/testing/arithmetic.js'
import { gate, Workbench } from '../../packages/workflow/testing/workbench.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { longWorkflow, type Nodes, runEnded, statuses, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const dataset = shared.dataset
const csv = join(dataset, 'train.csv')
const val = join(dataset, 'val.csv')
const keep = (filter_condition: string): Nodes[string] => ['FilterData', { filter_condition }]

/**
 *   load ─► keep ─► split
 *   other ─► aside
 */
const twoBranches = (from: number, aside = 80) =>
  workflow(
    {
      load: ['LoadTabular', { path: csv }],
      keep: keep(`age >= ${from}`),
      split: ['DataSplit', { seed: 4 }],
      other: ['LoadTabular', { path: val }],
      aside: keep(`age < ${aside}.5`),
    },
    [
      'load.dataframe > keep.dataset',
      'keep.filtered_dataset > split.dataset',
      'other.dataframe > aside.dataset',
    ],
  )
const actions = async (id: string, body: object = {}) =>
  Object.fromEntries(
    Object.entries(await workflows.plan(id, body)).map(([node, { action }]) => [node, action]),
  )

describe('4.1 Workflow rules', () => {
  it(
    '1: an output connects where its type fits or converts; otherwise both types are named and no run begins',
    shows('4.1/1-compatible'),
    async () => {
      const id = await workflows.create(
        workflow({ settings: ['ConfigureTraining'], split: ['DataSplit'] }, [
          'settings.training_config > split.dataset',
        ]),
      )
      const { status, body } = await workflows.execute(id)
      expect([status, body.code]).toEqual([400, 'WORKFLOW_INVALID'])
      expect(body.issues?.[0]).toMatchObject({
        code: 'TYPE_MISMATCH',
        message: expect.stringMatching(/config.*dataset/),
        hint: expect.any(String),
      })
      expect((await workflows.status(id)).run_id).toBeNull()
    },
  )

  it(
    '1: an optional input may stay empty, a required one may not',
    shows('4.1/1-optional', '2.12/optional'),
    async () => {
      const issues = await workflows.issues(
        workflow(
          {
            backbone: ['SelectBackbone'],
            fusion: ['SelectFusion'],
            model: ['BuildModel'],
            lonely: ['BuildModel'],
          },
          ['backbone.backbone_config > model.backbone_config', 'fusion.fusion_config > model.fusion_config'],
        ),
      )
      expect(issues.map(({ node, port, code }) => [node, port, code])).toEqual([
        ['lonely', 'backbone_config', 'MISSING_INPUT'],
        ['lonely', 'fusion_config', 'MISSING_INPUT'],
      ])
    },
  )

  it('2: nodes run after everything that feeds them', shows('4.1/2-order'), async () => {
    const id = await workflows.create(twoBranches(33))
    const force = ['load', 'other', 'keep', 'aside', 'split']
    const messages = await workflows.listen(id, runEnded, () => workflows.execute(id, { force }))
    const order = messages.flatMap((message) =>
      message.type === 'node_status' ? [`${message.node} ${message.state.status}`] : [],
    )
    for (const steps of [
      ['load success', 'keep running', 'keep success', 'split running'],
      ['other success', 'aside running'],
    ])
      expect(order.filter((step) => steps.includes(step))).toEqual(steps)
  })

  // The engine in this process: in a service, a small table may be read before a second worker has started.
  it('2: independent nodes run side by side', shows('4.1/2-parallel'), async () => {
    const both = gate()
    let started = 0
    const whenBothRun: Executors[string] = () => {
      started += 1
      if (started === 2) both.open()
      return both.promise.then(() => ({ out: tensor(1) }))
    }
    const { status } = await new Workbench({ Number: whenBothRun }).run(graph('load, other'))
    expect(status).toBe('success')
  })

  it('2: a cycle is reported with its path, and nothing runs', shows('4.1/2-cycle', '7/cycle'), async () => {
    // a ─► b ─► c ─► a
    const id = await workflows.create(
      workflow({ a: keep('age > 1'), b: keep('age > 2'), c: keep('age > 3') }, [
        'a.filtered_dataset > b.dataset',
        'b.filtered_dataset > c.dataset',
        'c.filtered_dataset > a.dataset',
      ]),
    )
    const { status, body } = await workflows.execute(id)
    expect([status, body.code]).toEqual([400, 'WORKFLOW_CYCLE'])
    expect(body.issues?.[0]?.cycle).toHaveLength(4)
    expect(body.issues?.[0]?.message).toMatch(/a → b → c → a|b → c → a → b|c → a → b → c/)
  })

  it(
    '3: only what changed and what follows runs again; the rest is reused',
    shows('4.1/3-changed', '4.1/3-reuse', '4.1/6-config', '1/cache'),
    async () => {
      const id = await workflows.create(twoBranches(34))
      await workflows.run(id)
      expect(await actions(id)).toEqual({
        load: 'reuse',
        keep: 'reuse',
        split: 'reuse',
        other: 'reuse',
        aside: 'reuse',
      })
      await workflows.change(id, ({ nodes }) => {
        Object.assign(nodes[1]?.config ?? {}, { filter_condition: 'sex = "female"' })
      })
      expect(await workflows.plan(id)).toMatchObject({
        load: { action: 'reuse' },
        keep: {
          action: 'run',
          reason: 'config_changed',
          message: expect.stringContaining('filter_condition'),
        },
        split: { action: 'run', reason: 'upstream_runs' },
        aside: { action: 'reuse' },
      })
      expect(statuses((await workflows.run(id)).nodes)).toEqual({
        load: 'cached',
        keep: 'success',
        split: 'success',
        other: 'cached',
        aside: 'cached',
      })
    },
  )

  it(
    '3: a node that runs again and gives the same leaves everything below it cached',
    shows('4.1/3-reuse'),
    async () => {
      const id = await workflows.create(twoBranches(36))
      await workflows.run(id)
      await workflows.change(id, ({ nodes }) => {
        // No age is in between: the same cases remain.
        Object.assign(nodes[1]?.config ?? {}, { filter_condition: 'age >= 35.5' })
      })
      expect(statuses((await workflows.run(id)).nodes)).toMatchObject({ keep: 'success', split: 'cached' })
    },
  )

  it(
    '3: a node is marked for re-execution by hand, alone or as a target',
    shows('4.1/3-by-hand'),
    async () => {
      const id = await workflows.create(twoBranches(37))
      await workflows.run(id)
      expect(await workflows.plan(id, { force: ['aside'] })).toMatchObject({
        aside: { action: 'run', reason: 'forced' },
        keep: { action: 'reuse' },
      })
      expect(statuses((await workflows.run(id, { force: ['aside'] })).nodes)).toMatchObject({
        aside: 'success',
        keep: 'cached',
      })
      expect(await actions(id, { targets: ['keep'], force: ['keep'] })).toEqual({
        load: 'reuse',
        keep: 'run',
        split: 'skip',
        other: 'skip',
        aside: 'skip',
      })
    },
  )

  it(
    '4: a failure stops the workflow with its error and trace; resuming goes on from the failed node',
    shows('4.1/4-fails', '4.1/4-resume', '7/failed-node'),
    async () => {
      const document = twoBranches(38)
      Object.assign(document.nodes[1]?.config ?? {}, { filter_condition: 'agee >= 38' })
      const id = await workflows.create(document)
      const failed = await workflows.run(id)
      expect(failed.status).toBe('error')
      expect(failed.nodes.keep?.error).toMatchObject({
        message: expect.stringContaining('agee'),
        trace: expect.anything(),
      })
      expect(failed.nodes.split).toMatchObject({ status: 'skipped', reason: expect.stringContaining('keep') })
      for (const { status } of Object.values(failed.nodes))
        expect(['pending', 'running']).not.toContain(status)

      await workflows.change(id, ({ nodes }) => {
        Object.assign(nodes[1]?.config ?? {}, { filter_condition: 'sex = "male"' })
      })
      const resumed = await workflows.run(id, { from_run: failed.run_id })
      expect(resumed.status).toBe('success')
      expect(statuses(resumed.nodes)).toMatchObject({ load: 'cached', keep: 'success', split: 'success' })
    },
  )

  it(
    '5: the status of every node and the overall progress are reported live, and a reloaded page shows the same',
    shows('4.1/5-live', '4.1/5-cancel'),
    async () => {
      const id = await workflows.create(longWorkflow(csv))
      const trains = (message: WorkflowMessage) =>
        runEnded(message) || (message.type === 'progress' && message.node === 'train' && message.progress > 0)
      const messages = await workflows.listen(id, trains, () => workflows.execute(id))
      const states = messages.flatMap((message) =>
        message.type === 'node_status' ? [`${message.node} ${message.state.status}`] : [],
      )
      expect(states).toContain('train running')
      const overall = messages.flatMap((message) =>
        message.type === 'progress' && message.node === null ? [message.progress] : [],
      )
      expect(overall).toEqual([...overall].sort((a, b) => a - b))
      expect(overall.at(-1)).toBeGreaterThan(0)
      expect(overall.at(-1)).toBeLessThan(1)

      const [snapshot] = await workflows.listen(id, () => true)
      const state = await workflows.status(id)
      expect(snapshot?.type === 'snapshot' && statuses(snapshot.state.nodes)).toEqual(statuses(state.nodes))

      const { body } = await caller.post(`/api/workflow/${id}/cancel`)
      expect(body.status).toBe('cancelled')
      const after = await workflows.status(id)
      expect(statuses(after.nodes)).toMatchObject({
        data: expect.stringMatching(/success|cached/),
        train: 'skipped',
      })
    },
  )

  it('5: cancelling one run does not affect another', shows('4.1/5-cancel'), async () => {
    const [first, second] = [
      await workflows.create(longWorkflow(csv)),
      await workflows.create(twoBranches(39)),
    ]
    await workflows.execute(first)
    await workflows.until(first, ({ nodes }) => nodes.train?.status === 'running')
    const other = workflows.run(second, { force: ['split'] })
    expect((await caller.post(`/api/workflow/${first}/cancel`)).body.status).toBe('cancelled')
    expect((await other).status).toBe('success')
  })

  it(
    '6: the key is made of node id, configuration and inputs: a new id is new, a new place or name is not',
    shows('4.1/6-id', '4.1/6-config', '4.1/6-inputs'),
    async () => {
      const id = await workflows.create(twoBranches(40))
      await workflows.run(id)
      await workflows.change(id, (document) => {
        document.metadata.name = 'renamed'
        for (const node of document.nodes) {
          node.position = { x: node.position.x + 500, y: -3 }
          node.label = 'a label'
        }
        document.nodes.reverse()
      })
      expect(new Set(Object.values(await actions(id)))).toEqual(new Set(['reuse']))
      await workflows.change(id, (document) => {
        for (const node of document.nodes) if (node.id === 'aside') node.id = 'beside'
        for (const connection of document.connections)
          if (connection.target === 'aside') connection.target = 'beside'
      })
      expect(await actions(id)).toMatchObject({ load: 'reuse', keep: 'reuse', other: 'reuse', beside: 'run' })
    },
  )

  it(
    '6: a file that was touched but holds the same is the same input; one that changed is not',
    shows('4.1/6-inputs'),
    async () => {
      const copy = join(dirname(dataset), 'touched.csv')
      cpSync(val, copy)
      const id = await workflows.create(
        workflow({ load: ['LoadTabular', { path: copy }], keep: keep('sex = "male"') }, [
          'load.dataframe > keep.dataset',
        ]),
      )
      await workflows.run(id)
      utimesSync(copy, new Date(), new Date())
      expect(await actions(id)).toEqual({ load: 'reuse', keep: 'reuse' })
      cpSync(join(dataset, 'test.csv'), copy)
      expect(await workflows.plan(id)).toMatchObject({ load: { action: 'run', reason: 'source_changed' } })
      expect(statuses((await workflows.run(id)).nodes)).toEqual({ load: 'success', keep: 'success' })
    },
  )

  it('6: entries are cleared by hand: of a node, then of the workflow', shows('4.1/6-clearing'), async () => {
    const id = await workflows.create(twoBranches(41))
    await workflows.run(id)
    await caller.delete(`/api/workflow/${id}/cache?node=aside`)
    expect(await actions(id)).toMatchObject({ keep: 'reuse', aside: 'run' })
    await caller.delete(`/api/workflow/${id}/cache`)
    expect(await actions(id)).toMatchObject({ keep: 'run' })
    expect((await workflows.run(id)).status).toBe('success')
  })
})
