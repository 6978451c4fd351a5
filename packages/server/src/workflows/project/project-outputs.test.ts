import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeContent, Workflow } from '@medloom/contracts'
import type { Outputs } from '@medloom/workflow'
import { afterAll, expect, it } from 'vitest'
import { ArtifactStore } from '../cache/artifact-store.js'
import { ProjectFolder } from './project-folder.js'
import { keepOutputs } from './project-outputs.js'

const base = mkdtempSync(join(tmpdir(), 'medloom-project-outputs-'))
afterAll(() => rmSync(base, { recursive: true }))

const group = (name: string, events: number) => ({
  ...{ column: 'site', group: name, cases: 40, patients: 40, events, metrics: { auc: 0.8 }, reason: null },
})

it('the files of a workflow contain its evaluations without small counts of subgroups', async () => {
  const store = new ArtifactStore(join(base, 'artifacts'))
  const project = new ProjectFolder(join(base, 'workflow'))
  const result = { split: 'test', subgroups: [group('a', 20), group('b', 3), group('c', 12)] }
  const document = await store.put(JSON.stringify(result), '.json')
  const content: NodeContent = { content: 'evaluation', document, metrics: { auc: 0.8 } }
  const value = { type: 'metrics', digest: 'd', summary: 'auc 0.800', content } as unknown as Outputs[string]
  await keepOutputs(project, store, {
    run: { run_id: 'r', created_at: '2026-01-01T00:00:00Z', workflow: workflow() },
    ...{
      status: 'success',
      reason: null,
      nodes: new Map(),
      outputs: new Map([['test', { metrics: value }]]),
    },
    renewed: [{ node: 'test', key: 'k' }],
  })
  const { nodes } = JSON.parse(readFileSync(join(project.path, 'metrics/validation.json'), 'utf8'))
  expect(nodes.test.split).toBe('test')
  expect(nodes.test.subgroups.map(({ events }: { events: number | null }) => events)).toEqual([
    20,
    null,
    null,
  ])
  for (const file of ['reports/summary.json', 'reports/report.md', 'cache/test.json'])
    expect(readFileSync(join(project.path, file), 'utf8')).not.toContain('site')
})

function workflow(): Workflow {
  return { metadata: { name: 'Subgroups' }, nodes: [], edges: [] } as unknown as Workflow
}
