import { join } from 'node:path'
import { NODE_STATUSES, NODE_TRANSITIONS, type NodeStatus, type WorkflowMessage } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { runEnded, statuses, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const workflows = new Workflows(new Caller(shared.url))
const csv = join(shared.dataset, 'train.csv')

/** load ─► keep ─► split, and a separate node without inputs */
const line = (condition: string) =>
  workflow(
    {
      load: ['LoadTabular', { path: csv }],
      keep: ['FilterData', { filter_condition: condition }],
      split: ['DataSplit', { seed: 32 }],
    },
    ['load.dataframe > keep.dataset', 'keep.filtered_dataset > split.dataset'],
  )

describe('3.2 Workflow node status', () => {
  it('is one of pending, running, success, error, skipped, cached', shows('3.2/values'), () => {
    expect(NODE_STATUSES).toEqual(['pending', 'running', 'success', 'error', 'skipped', 'cached'])
  })

  it(
    'pending → running → success when there is no cached result; then pending → cached, and the node is not run',
    shows('3.2/running', '3.2/cached', '3.2/success', '1/execute'),
    async () => {
      const id = await workflows.create(line('age >= 20'))
      const follow = async () => changesOf(await workflows.listen(id, runEnded, () => workflows.execute(id)))
      for (const [node, changes] of Object.entries(await follow()))
        expect(changes, node).toEqual(node === 'load' ? expect.any(Array) : ['pending', 'running', 'success'])
      for (const [node, changes] of Object.entries(await follow()))
        expect(changes, node).toEqual(['pending', 'cached'])
      const { nodes, status, progress } = await workflows.status(id)
      expect([status, progress]).toEqual(['success', 1])
      for (const node of Object.values(nodes)) expect(node.outputs).not.toEqual({})
    },
  )

  it(
    'the outputs of a node that succeeds are stored in the cache: another run takes them, digest for digest',
    shows('3.2/stored'),
    async () => {
      const id = await workflows.create(line('age >= 21'))
      const first = await workflows.run(id)
      const second = await workflows.run(id)
      expect(statuses(second.nodes)).toEqual({ load: 'cached', keep: 'cached', split: 'cached' })
      for (const [node, { outputs }] of Object.entries(first.nodes))
        expect(second.nodes[node]?.outputs).toEqual(outputs)
    },
  )

  it(
    'running → error when the node raises: its text is kept on it, and the workflow stops',
    shows('3.2/error', '3.2/error-text', '3.2/stops', '7/failed-node'),
    async () => {
      const id = await workflows.create(line('no_such_column >= 1'))
      const { status, nodes } = await workflows.run(id)
      expect(status).toBe('error')
      expect(statuses(nodes)).toEqual({
        load: expect.stringMatching(/success|cached/),
        keep: 'error',
        split: 'skipped',
      })
      expect(nodes.keep?.error).toMatchObject({
        type: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.stringContaining('no_such_column'),
      })
      expect(nodes.split?.reason).toContain('keep')
      expect((await workflows.status(id)).nodes.keep?.error).toEqual(nodes.keep?.error)
    },
  )

  it('no other transition happens, and an end is final', shows('3.2/values'), async () => {
    const id = await workflows.create(line('age >= 22'))
    const messages = await workflows.listen(id, runEnded, () => workflows.execute(id))
    for (const changes of Object.values(changesOf(messages)))
      for (const [i, to] of changes.entries()) {
        const from = changes[i - 1]
        if (from) expect(NODE_TRANSITIONS[from]).toContain(to)
      }
  })
})

/** Statuses of each node in the live messages of one run, without repetitions. */
function changesOf(messages: WorkflowMessage[]): Record<string, NodeStatus[]> {
  const run = messages.findLast((message) => message.type === 'run_status')
  const changes: Record<string, NodeStatus[]> = {}
  for (const message of messages) {
    if (message.type !== 'node_status' || message.run_id !== (run && 'run_id' in run ? run.run_id : ''))
      continue
    changes[message.node] ??= ['pending']
    if (changes[message.node]?.at(-1) !== message.state.status)
      changes[message.node]?.push(message.state.status)
  }
  return changes
}
