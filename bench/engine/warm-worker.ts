import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeContent } from '@medloom/contracts'
import {
  MemoryCache,
  ResourceSemaphore,
  runWorkflow,
  SingleFlight,
  type Value,
  validate,
} from '@medloom/workflow'
import { createTaskPool } from '../../packages/server/src/worker/task-pool.js'
import { ArtifactStore } from '../../packages/server/src/workflows/cache/artifact-store.js'
import { digestOf } from '../../packages/server/src/workflows/executors/index.js'
import { clock } from './clock.js'
import { quickest, report } from './figures.js'
import { chain, PASS } from './shapes.js'
import { software } from './software.js'

const NODES = 300

/**
 * A chain of nodes that only record a setting of one case, each computed by a warm Python process of the service's own pool: the overhead of
 * a node. Returns milliseconds per node.
 */
export async function warmWorker(python: string): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-warm-')))
  for (const name of ['store', 'cache', 'logs']) mkdirSync(join(folder, name))
  const cases = await oneCase(folder)
  const pool = createTaskPool({ python, logs: join(folder, 'logs'), log: console })
  const validated = validate(chain(NODES + 1))
  const run = () =>
    runWorkflow({
      workflow: 'bench',
      validated,
      clock,
      cache: new MemoryCache({ clock }),
      singleFlight: new SingleFlight(),
      resources: new ResourceSemaphore({ cpu: 2, gpu: 1, io: 2 }),
      sourceDigest: () => 'content',
      software: async () => software,
      executors: {
        LoadDataset: () => ({ dataset: value('dataset', cases), metadata: value('config', FACTS) }),
        [PASS]: async ({ type, config, inputs }) => {
          const { outputs } = await pool.run('node', {
            type,
            config: { ...config },
            inputs: { images: (inputs.images ?? []).map((arrived) => arrived.value.content as NodeContent) },
            store: join(folder, 'store'),
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
    const perNode = (await quickest(7, run, 'elapsed')) / NODES
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

/** The smallest possible dataset: one case with one image. */
async function oneCase(folder: string): Promise<NodeContent> {
  const image = join(folder, 'image.png')
  writeFileSync(image, 'no node of this bench decodes it')
  const table = await new ArtifactStore(join(folder, 'store')).put(
    `"case_id","image","label"\n"a","${image}","benign"\n`,
    '.csv',
  )
  return {
    content: 'cases',
    table,
    num_cases: 1,
    num_patients: null,
    image_columns: ['image'],
    label_column: 'label',
    patient_column: null,
    feature_columns: [],
    task: 'classification',
    classes: ['benign'],
    images_digest: null,
    split: 'all',
    settings: {},
    lineage: [{ sha256: table.sha256, step: 'file', split: 'all' }],
    split_of: null,
  }
}
