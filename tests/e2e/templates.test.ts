import { cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NodeState, Workflow, WorkflowTemplate } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { training } from '../testing/shared.js'
import { explain, statuses, Workflows } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(training.url))
const names = [
  'external-test',
  'first-example',
  'fusion',
  'hyper-parameters',
  'image-only',
  'multi-view',
  'predict-cases',
  'report',
  'resume',
  'table-only',
]

/** A template that trains in seconds, on images and tables. */
const QUICK = ['first-example']

let templates: z.infer<typeof WorkflowTemplate>[]
beforeAll(async () => {
  // The location of the data in the templates, below the first root.
  const demo = join(dirname(training.dataset), 'medloom-demo')
  cpSync(training.dataset, join(demo, 'synthetic'), { recursive: true })
  makeDataset(join(demo, 'views'), { cases: 60, views: 3 })
  makeDataset(join(demo, 'external'), { cases: 40, seed: 7, prefix: 'Q' })
  const answer = await workflows.caller.get<{ templates: typeof templates }>('/api/workflow/templates')
  templates = answer.body.templates
})

/** The same work in seconds: few epochs, small images, no baselines. Nothing else is changed. */
function quickly({ nodes }: Workflow): void {
  for (const { type, config } of nodes) {
    if (type === 'ConfigureTraining') Object.assign(config, { epochs: 2, batch_size: 8 })
    if (type === 'TrainModel') config.baselines = []
    if (type === 'ImagePreprocess') Object.assign(config, { resize: { width: 32, height: 32 } })
    if (type === 'SelectBackbone' && config.model_name !== 'none') config.model_name = 'mobilenetv3_small'
  }
}

describe('the templates', () => {
  it('are all tried here', () => {
    expect(templates.map(({ template_id }) => template_id)).toEqual(names)
  })

  it.each(names)('%s has no issues, and every node of it is planned', async (name) => {
    const id = await create(name)
    expect((await workflows.get(id)).issues).toEqual([])
    const { nodes } = (await workflows.get(id)).workflow
    expect(Object.keys(await workflows.plan(id)).sort()).toEqual(nodes.map((node) => node.id).sort())
  })

  it.each(QUICK)('%s runs through REST, and again from the cache', runTwice)

  it.each(names.filter((name) => !QUICK.includes(name)))(
    '%s runs through REST, and again from the cache',
    { tags: ['full'] },
    runTwice,
  )

  function create(name: string): Promise<string> {
    return workflows.create(templates.find(({ template_id }) => template_id === name)?.workflow ?? {})
  }

  async function runTwice(name: string): Promise<void> {
    const id = await create(name)
    await workflows.change(id, quickly)
    const { status, nodes } = await workflows.run(id)
    expect(explain(nodes)).toBe('')
    expect(status).toBe('success')
    expectFilesOf(id, nodes)

    const again = await workflows.run(id)
    expect(new Set(Object.values(statuses(again.nodes)))).toEqual(new Set(['cached']))
    for (const [node, { outputs }] of Object.entries(nodes))
      expect(again.nodes[node]?.outputs).toEqual(outputs)
  }
})

function expectFilesOf(id: string, nodes: Record<string, NodeState>): void {
  const project = join(training.dataDir, 'workflows', id)
  expect(existsSync(join(project, 'workflow.json'))).toBe(true)
  if (nodes.report) expect(existsSync(join(training.dataDir, 'outputs/report.json'))).toBe(true)
}
