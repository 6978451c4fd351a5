import { describe, expect, it } from 'vitest'
import {
  migrateWorkflow,
  NODE_STATUSES,
  NODE_TRANSITIONS,
  nodeCanBecome,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  readWorkflow,
  readWorkflowSteps,
  runCanBecome,
  WORKFLOW_LIMITS,
  WORKFLOW_MIGRATIONS,
  WORKFLOW_VERSION,
  type Workflow,
  writeWorkflow,
} from '../index.js'

const saved = {
  version: '1.1',
  metadata: {
    name: 'first',
    description: '',
    author: '',
    created_at: '2026-01-01T00:00:00Z',
    tags: ['skin'],
  },
  nodes: [
    { id: 'load', type: 'LoadDataset', position: { x: 0, y: 10.5 }, config: { dataset_id: 'pad' } },
    { id: 'images', type: 'ImagePreprocess', position: { x: 200, y: 0 }, config: {} },
  ],
  connections: [
    { id: 'c1', source: 'load', source_port: 'dataset', target: 'images', target_port: 'images' },
  ],
  execution_history: [
    {
      timestamp: '2026-01-01T00:00:00Z',
      status: 'success',
      duration: 1.5,
      metrics: { val_auc: 0.9, val_mae: null },
    },
  ],
}
const read = (input: unknown): Workflow => {
  const checked = readWorkflow(input)
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.value
}
const issuesOf = (input: unknown) => {
  const checked = readWorkflow(input)
  return checked.ok ? [] : checked.issues
}

describe('the saved format', () => {
  it('is read as it is, every field of the specification in its place', () => {
    expect(read(saved)).toEqual(saved)
  })

  it('is read in a step for each item, so that a service answers other requests in between', () => {
    const nodes = Array.from({ length: 5000 }, (_, index) => ({ id: `n${index}`, type: 'Other' }))
    let count = 0
    for (const steps = readWorkflowSteps({ ...saved, nodes, connections: [] }); !steps.next().done; ) count++
    expect(count).toBeGreaterThan(10_000)
  })

  it('refuses a group with more nodes than a workflow may have, without reading them', () => {
    const ids = Array(WORKFLOW_LIMITS.workflow_nodes + 1).fill(1)
    expect(issuesOf({ ...saved, groups: [{ id: 'g', nodes: ids }] })).toMatchObject([
      { path: 'groups.0.nodes', code: 'WORKFLOW_TOO_LARGE' },
    ])
  })

  it('keeps fields that are not known here, at every level', () => {
    const future = {
      ...saved,
      plugins: ['x'],
      metadata: { ...saved.metadata, funder: 'CC0' },
      nodes: saved.nodes.map((node) => ({
        ...node,
        label: 'my node',
        position: { ...node.position, z: 1 },
        config: { later: { deep: [1, null] } },
      })),
      connections: saved.connections.map((connection) => ({ ...connection, tint: 'red' })),
      execution_history: saved.execution_history.map((entry) => ({ ...entry, host: 'a' })),
    }
    expect(JSON.parse(writeWorkflow(read(future)))).toEqual(future)
  })

  it('holds modes and colors of nodes, groups and notes, and refuses others', () => {
    const drawn = {
      version: '1.1',
      nodes: [{ id: 'a', type: 'LoadDataset', mode: 'muted', color: 'teal' }],
      connections: [],
      groups: [{ id: 'g', title: 'Data', nodes: ['a', 'gone'], color: 'red' }],
      notes: [{ id: 'n', text: 'why', position: { x: 1, y: 2 }, size: { width: 3, height: 4 } }],
    }
    const read = readWorkflow(drawn)
    expect(read.ok && JSON.parse(writeWorkflow(read.value))).toMatchObject(drawn)
    const [node] = drawn.nodes
    for (const wrong of [{ mode: 'off' }, { color: '#f00; url(x)' }])
      expect(readWorkflow({ ...drawn, nodes: [{ ...node, ...wrong }] }).ok).toBe(false)
  })

  it('keeps a node of an unknown type with its config and connections', () => {
    const future = {
      ...saved,
      nodes: [
        ...saved.nodes,
        { id: 'f', type: 'SegmentOrgans', position: { x: 0, y: 0 }, config: { organ: 'liver' } },
      ],
    }
    expect(read(future).nodes.at(-1)).toEqual(future.nodes.at(-1))
  })

  it('is written as the same bytes whatever the order of keys, and again the same after reading', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, inner]) => [key, reversed(inner)]),
            )
          : value
    const text = writeWorkflow(read(saved))
    expect(writeWorkflow(read(reversed(saved)))).toBe(text)
    expect(writeWorkflow(read(JSON.parse(text)))).toBe(text)
    expect(text.endsWith('}\n')).toBe(true)
  })

  it('fills in what a hand-written file leaves out', () => {
    expect(read({ version: '1.1', nodes: [{ id: 'a', type: 'DataSplit' }], connections: [] })).toEqual({
      version: '1.1',
      metadata: { name: '', description: '', author: '', tags: [] },
      nodes: [{ id: 'a', type: 'DataSplit', position: { x: 0, y: 0 }, config: {} }],
      connections: [],
      execution_history: [],
    })
  })

  it('never lets "__proto__" change an object', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": 1}, "version": "1.1", "nodes": [{"id": "a", "type": "b", "config": {"__proto__": {"polluted": 1}}}], "connections": []}',
    )
    const workflow = read(hostile)
    expect((workflow as { polluted?: number }).polluted).toBeUndefined()
    expect((workflow.nodes[0]?.config as { polluted?: number } | undefined)?.polluted).toBeUndefined()
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['no object', [], ''],
    ['nothing', undefined, ''],
    ['nodes that are not a list', { ...saved, nodes: {} }, 'nodes'],
    ['a node without a type', { ...saved, nodes: [{ id: 'a' }] }, 'nodes.0.type'],
    ['an empty id', { ...saved, nodes: [{ id: '', type: 'x' }] }, 'nodes.0.id'],
    ['a control character in an id', { ...saved, nodes: [{ id: 'a\u0000', type: 'x' }] }, 'nodes.0.id'],
    [
      'a position that is not a number',
      { ...saved, nodes: [{ id: 'a', type: 'x', position: { x: '1', y: 0 } }] },
      'nodes.0.position.x',
    ],
    [
      'a connection without a target',
      { ...saved, connections: [{ id: 'c', source: 'a', source_port: 'b', target_port: 'd' }] },
      'connections.0.target',
    ],
    [
      'an invalid time',
      { ...saved, metadata: { ...saved.metadata, created_at: 'yesterday' } },
      'metadata.created_at',
    ],
  ])('refuses %s and says where', (_, input, path) => {
    expect(issuesOf(input).map((issue) => issue.path)).toContain(path)
  })

  it('refuses too many nodes and a nesting too deep, at once and without recursion', () => {
    const nodes = Array.from({ length: 50_000 }, (_, i) => ({ id: `n${i}`, type: 'DataSplit' }))
    expect(issuesOf({ ...saved, nodes })).toMatchObject([
      {
        code: 'WORKFLOW_TOO_LARGE',
        message: `50000 nodes exceed the limit of ${WORKFLOW_LIMITS.workflow_nodes}`,
      },
    ])
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = { deep }
    expect(issuesOf({ ...saved, extra: deep })).toMatchObject([{ code: 'WORKFLOW_TOO_DEEP' }])
  })
})

describe('versions', () => {
  it.each([
    ['1.0', true],
    ['1.1', true],
    ['1', true],
    ['1.7', true],
    ['0.1.0', true],
    ['2.0', false],
    ['', false],
    ['latest', false],
    [undefined, false],
    [1, false],
  ])('%s is readable: %s', (version, readable) => {
    expect(readWorkflow({ ...saved, version }).ok).toBe(readable)
  })

  it('a draft gets ids for its connections and a history by a named step', () => {
    const { execution_history: _, ...rest } = saved
    const connections = [
      { source: 'load', source_port: 'dataset', target: 'images', target_port: 'images' },
      { id: 'c1', source: 'load', source_port: 'metadata', target: 'images', target_port: 'images' },
    ]
    const draft = { ...rest, version: '0.1.0', connections }
    expect(migrateWorkflow(draft)).toMatchObject({
      ok: true,
      value: { steps: ['0001-draft-to-1.0', '0002-defaults-of-1.0'] },
    })
    expect(read(draft)).toMatchObject({
      version: WORKFLOW_VERSION,
      connections: [{ id: 'c2' }, { id: 'c1' }],
      execution_history: [],
    })
  })

  it('of this version and of later ones of its major are left as they are, and no input is changed in place', () => {
    const before = JSON.stringify(saved)
    for (const version of [WORKFLOW_VERSION, '1.2', '1.10.3']) {
      const document = { ...saved, version }
      expect(migrateWorkflow(document)).toMatchObject({ ok: true, value: { steps: [], document } })
    }
    read({ ...saved, version: '0.1.0' })
    expect(JSON.stringify(saved)).toBe(before)
  })

  it('lead step by step to the present one', () => {
    expect(new Set(WORKFLOW_MIGRATIONS.map(({ name }) => name)).size).toBe(WORKFLOW_MIGRATIONS.length)
    expect(WORKFLOW_MIGRATIONS.at(-1)?.to).toBe(WORKFLOW_VERSION)
  })
})

describe('statuses', () => {
  //  pending ──► running ──► success | error | skipped (cancelled)
  //     ├──────► cached
  //     └──────► skipped
  it('of a node are those of the specification, each reached, the last ones final', () => {
    expect(NODE_STATUSES).toEqual(['pending', 'running', 'success', 'error', 'skipped', 'cached'])
    expect(NODE_TRANSITIONS.pending).toEqual(['cached', 'running', 'skipped'])
    for (const final of ['success', 'error', 'skipped', 'cached'] as const)
      for (const other of NODE_STATUSES) expect(nodeCanBecome(final, other)).toBe(false)
    expect(nodeCanBecome('pending', 'success')).toBe(false)
  })

  it('of a run end in success, error or cancelled', () => {
    expect(RUN_STATUSES.filter((status) => RUN_TRANSITIONS[status].length === 0)).toEqual([
      'success',
      'error',
      'cancelled',
    ])
    expect(runCanBecome('pending', 'success')).toBe(false)
  })
})

it('a config with more keys than any node type has is refused before its keys are compared', () => {
  const [load] = saved.nodes
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]))
  const withKeys = (count: number) => readWorkflow({ ...saved, nodes: [{ ...load, config: keys(count) }] })
  expect(withKeys(WORKFLOW_LIMITS.workflow_config_keys).ok).toBe(true)
  expect(withKeys(WORKFLOW_LIMITS.workflow_config_keys + 1)).toMatchObject({
    ok: false,
    issues: [{ path: 'nodes.0.config', code: 'WORKFLOW_TOO_LARGE' }],
  })
})
