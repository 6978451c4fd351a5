import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeContent } from '@medloom/contracts'
import { Flights, MemoryCache, runWorkflow, Tokens, type Value, validate } from '@medloom/workflow'
import { createTaskPool } from '../../packages/server/src/worker/task-pool.js'
import { digestOf } from '../../packages/server/src/workflows/executors/index.js'
import { clock } from './clock.js'
import { quickest, report } from './figures.js'
import { chain, PASS } from './shapes.js'

const NODES = 300

/**
 * A chain of nodes that only record settings, each computed by a warm Python process of the service's own pool: what a node costs
 * beside its work. Gives milliseconds per node.
 */
export async function warmWorker(python: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-warm-'))
  for (const name of ['store', 'project', 'cache', 'logs']) mkdirSync(join(folder, name))
  const pool = createTaskPool({ python, logs: join(folder, 'logs'), log: console })
  const validated = validate(chain(NODES + 1))
  const run = () =>
    runWorkflow({
      workflow: 'bench',
      validated,
      clock,
      cache: new MemoryCache({ clock }),
      flights: new Flights(),
      tokens: new Tokens({ cpu: 2, gpu: 1, io: 2 }),
      sourceDigest: () => 'content',
      executors: {
        LoadDataset: () => ({ dataset: value('dataset', CASES), metadata: value('config', FACTS) }),
        [PASS]: async ({ type, config, inputs }) => {
          const { outputs } = await pool.run('node', {
            type,
            config: { ...config },
            inputs: { images: (inputs.images ?? []).map((arrived) => arrived.value.content as NodeContent) },
            store: join(folder, 'store'),
            project: join(folder, 'project'),
            data_dir: folder,
            cache_dir: join(folder, 'cache'),
            roots: [folder],
            device: 'cpu',
          })
          return { processed_images: value('image', outputs.processed_images?.content) }
        },
      },
    })
  try {
    const warm = await run()
    if (warm.status !== 'success') throw new Error(JSON.stringify(Object.values(warm.nodes)[1]))
    const perNode = (await quickest(3, run, 'elapsed')) / NODES
    report(`a node that does nothing, through a warm worker (${NODES} in a chain)`, perNode, 5)
    return perNode
  } finally {
    await pool.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const value = (type: Value['type'], content: unknown): Value => ({
  type,
  digest: digestOf(content),
  summary: '',
  content,
})
const FACTS: NodeContent = { content: 'config', settings: {}, facts: {} }
const CASES: NodeContent = {
  content: 'cases',
  table: { sha256: '0'.repeat(64), suffix: '.csv', size_bytes: 0 },
  num_cases: 1000,
  num_patients: 800,
  image_columns: ['image'],
  label_column: 'label',
  patient_column: 'patient_id',
  feature_columns: ['age', 'sex', 'site', 'marker'],
  task: 'classification',
  classes: ['benign', 'malignant'],
  images_digest: '0'.repeat(64),
  split: 'all',
  settings: {},
  lineage: [{ sha256: '0'.repeat(64), step: 'file', split: 'all' }],
  split_of: null,
}
