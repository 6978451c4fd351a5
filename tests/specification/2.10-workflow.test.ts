import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const csv = join(shared.dataset, 'train.csv')

/** load ─► keep */
const small = (name = 'saved format') =>
  workflow(
    { load: ['LoadTabular', { path: csv }], keep: ['FilterData', { filter_condition: 'age >= 30' }] },
    ['load.dataframe > keep.dataset'],
    name,
  )
const exported = async (id: string) => {
  const answer = await fetch(`${caller.url}/api/workflow/${id}/export`)
  return answer.text()
}

describe('2.10 Workflow', () => {
  it(
    'version, metadata, nodes, connections and execution_history are kept as they were saved',
    shows(
      '2.10/version',
      '2.10/metadata.name',
      '2.10/metadata.author',
      '2.10/metadata.created_at',
      '2.10/metadata.tags',
      '2.10/connections',
      '2.10/execution_history',
      '9/workflow',
      '1/save',
    ),
    async () => {
      const saved = {
        ...small(),
        metadata: {
          name: 'kept',
          description: 'word for word',
          author: 'A. Nobody',
          created_at: '2026-01-02T03:04:05Z',
          tags: ['skin', 'first'],
        },
        execution_history: [
          { timestamp: '2026-01-02T03:04:05Z', status: 'success', duration: 1.5, metrics: { val_auc: 0.9 } },
        ],
      }
      const { body } = await caller.post<{ workflow_id: string }>('/api/workflow/import', saved)
      expect((await workflows.get(body.workflow_id)).workflow).toEqual(saved)
      expect(JSON.parse(await exported(body.workflow_id))).toEqual(saved)
    },
  )

  it(
    'a node has id, type, position {x, y} of numbers and config; what is wrong is named by its place',
    shows('2.10/nodes.id', '2.10/nodes.type', '2.10/nodes.position', '2.10/nodes.config'),
    async () => {
      const [node] = small().nodes
      const { status, body } = await caller.post<{ code: string; issues: { path: string }[] }>(
        '/api/workflow/create',
        { ...small(), nodes: [{ ...node, position: { x: '0', y: 0 } }, { id: 'b' }], connections: [] },
      )
      expect([status, body.code]).toEqual([400, 'WORKFLOW_INVALID'])
      expect(body.issues.map(({ path }) => path)).toEqual(['nodes.0.position.x', 'nodes.1.type'])
    },
  )

  it(
    'a connection has id, source, source_port, target and target_port',
    shows('2.10/connections'),
    async () => {
      const { status, body } = await caller.post<{ issues: { path: string }[] }>('/api/workflow/create', {
        ...small(),
        connections: [{ id: 'c1', source: 'load', target: 'keep' }],
      })
      expect(status).toBe(400)
      expect(body.issues.map(({ path }) => path)).toEqual([
        'connections.0.source_port',
        'connections.0.target_port',
      ])
    },
  )

  it('fields that nobody knows yet survive a round trip, at every level', async () => {
    const saved = small()
    const future = {
      ...saved,
      plugins: ['x'],
      metadata: { ...saved.metadata, funder: 'CC0' },
      nodes: saved.nodes.map((node) => ({ ...node, label: 'mine', position: { ...node.position, z: 1 } })),
      connections: saved.connections.map((connection) => ({ ...connection, tint: 'red' })),
    }
    expect(JSON.parse(await exported(await workflows.create(future)))).toMatchObject(future)
  })

  it('a node of an unknown type is a placeholder that keeps config and connections, and does not run', async () => {
    const document = workflow(
      { load: ['LoadTabular', { path: csv }], organs: ['SegmentOrgans', { organ: 'liver' }] },
      ['load.dataframe > organs.table'],
    )
    const id = await workflows.create(document)
    const { workflow: saved, issues } = await workflows.get(id)
    expect(saved.nodes).toEqual(document.nodes)
    expect(saved.connections).toEqual(document.connections)
    expect(issues).toEqual([
      expect.objectContaining({ severity: 'error', node: 'organs', code: 'UNKNOWN_NODE_TYPE' }),
    ])
    const { status, body } = await workflows.execute(id)
    expect([status, body.code]).toEqual([400, 'WORKFLOW_INVALID'])
  })

  it('the file is the same bytes for the same workflow: keys sorted, a line feed at the end', async () => {
    const id = await workflows.create(small())
    const text = await exported(id)
    expect(await exported(id)).toBe(text)
    const again = await caller.post<{ workflow_id: string }>('/api/workflow/import', JSON.parse(text))
    expect(await exported(again.body.workflow_id)).toBe(text)
    expect(text).toBe(`${JSON.stringify(sorted(JSON.parse(text)), null, 2)}\n`)
  })

  it(
    'a file of an older version is brought up to date; one of a newer version is refused',
    shows('2.10/version', '9/workflow'),
    async () => {
      const { execution_history: _, ...draft } = small()
      const old = {
        ...draft,
        version: '0.3',
        connections: draft.connections.map(({ id: _, ...rest }) => rest),
      }
      const id = await workflows.create(old)
      const { workflow: migrated } = await workflows.get(id)
      expect(migrated.version).toBe('1.1')
      expect(migrated.connections[0]?.id).toBeTruthy()
      const newer = await caller.post<{ issues: object[] }>('/api/workflow/import', {
        ...small(),
        version: '7.0',
      })
      expect(newer.status).toBe(400)
      expect(newer.body.issues).toEqual([
        expect.objectContaining({ path: 'version', code: 'UNKNOWN_VERSION' }),
      ])
    },
  )

  it(
    'execution_history gains timestamp, status, duration in seconds and metrics with every run',
    shows('2.10/execution_history'),
    async () => {
      const { id } = await workflows.succeed(small())
      await workflows.change(id, (document) => {
        Object.assign(document.nodes[1]?.config ?? {}, { filter_condition: 'no_such_column > 1' })
      })
      expect((await workflows.run(id)).status).toBe('error')
      const { execution_history: history } = JSON.parse(await exported(id))
      expect(history.map(({ status }: { status: string }) => status)).toEqual(['success', 'error'])
      for (const { timestamp, duration, metrics } of history) {
        expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        expect(duration).toBeGreaterThan(0)
        expect(duration).toBeLessThan(60)
        expect(metrics).toEqual({})
      }
    },
  )

  it(
    'the project folder holds definition, config, checkpoints, logs, metrics, reports, artifacts and cache',
    shows(
      '2.10/workflow.json',
      '2.10/config.yaml',
      '2.10/checkpoints',
      '2.10/logs',
      '2.10/metrics',
      '2.10/reports',
      '2.10/artifacts',
      '2.10/cache',
    ),
    async () => {
      const { nodes, wires } = tableModel(2)
      const document = workflow(
        {
          load: ['LoadTabular', { path: csv }],
          split: ['DataSplit', { train_ratio: 0.6, val_ratio: 0.2, test_ratio: 0.2 }],
          ...nodes,
          evaluate: ['EvaluateModel'],
          export: ['ExportPredictions', { path: 'tables/predictions.csv' }],
        },
        [
          ...wires,
          'load.dataframe > split.dataset',
          'split.train_dataset > train.train_dataset',
          'split.val_dataset > train.val_dataset',
          'train.trained_model > evaluate.model',
          'split.test_dataset > evaluate.test_dataset',
          'evaluate.predictions > export.predictions',
        ],
        'project folder',
      )
      const { id, nodes: states } = await workflows.succeed(document)
      const folder = join(shared.dataDir, 'workflows', id)
      const definition = JSON.parse(readFileSync(join(folder, 'workflow.json'), 'utf8'))
      expect({ ...definition, execution_history: [] }).toEqual({
        ...JSON.parse(await exported(id)),
        execution_history: [],
      })
      for (const name of ['checkpoints', 'artifacts', 'cache'])
        expect(statSync(join(folder, name)).isDirectory(), name).toBe(true)
      for (const name of [
        'config.yaml',
        'logs/training.log',
        'metrics/metrics.json',
        'metrics/validation.json',
        'reports/summary.json',
        'reports/report.md',
      ])
        expect(existsSync(join(folder, name)), name).toBe(true)
      const predictions = join(shared.dataDir, 'outputs', 'tables', 'predictions.csv')
      expect(states.export?.outputs.export_path?.files).toEqual([predictions])
      expect(existsSync(predictions)).toBe(true)
      for (const path of states.evaluate?.outputs.metrics?.files ?? [''])
        expect(path.startsWith(join(folder, 'artifacts', 'predictions-')) && existsSync(path)).toBe(true)
      const [run] = JSON.parse(await exported(id)).execution_history
      expect(run.metrics).toMatchObject({ accuracy: expect.any(Number) })
    },
  )
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
