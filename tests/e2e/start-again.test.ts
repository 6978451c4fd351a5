import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { longTrainingConfig, trainingConfig } from '../testing/training.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const dataset = shared.dataset

/** Occupies the only slot: the configuration of a job that waits is complete, and stopping it needs no process. */
let blocking: string
beforeAll(async () => {
  await caller.ended(shared.referenceJob)
  blocking = await caller.start(longTrainingConfig(dataset), 'blocking pause=1')
})
afterAll(() => caller.post(`/api/training/${blocking}/stop`))

/** Posts every key of the status, and removes the new job again. */
async function startedAgain(job: Job): Promise<Job> {
  const again = await caller.start(job.config, 'again')
  await caller.post(`/api/training/${again}/stop`)
  return caller.status(again)
}

it.each([
  ['few keys', { baselines: undefined }],
  ['the table alone', { model: { vision_backbone: 'none' as const, members: null } }],
  ['the image alone', { model: { fusion_type: 'none' as const } }],
  ['attention', { model: { fusion_type: 'attention' as const, num_heads: 2 } }],
  ['a split of its own', { data: { val_csv: null, val_fraction: 0.3 } }],
  ['a warm-up', { training: { warmup_epochs: 1, scheduler: 'onecycle' as const } }],
  ['a plan of augmentation', { data: { augmentation: { methods: ['blur' as const] } } }],
])('the configuration of a job can be started again: %s', async (_, changes) => {
  const jobId = await caller.start(trainingConfig(dataset, changes))
  const job = await caller.status(jobId)
  await caller.post(`/api/training/${jobId}/stop`)
  expect((await startedAgain(job)).config).toEqual(job.config)
})

it('so can that of a job of a workflow, in which a node kept a field of another strategy', async () => {
  const { nodes, wires } = tableModel(1)
  const document = workflow(
    {
      data: ['LoadDataset', { dataset_id: join(dataset, 'train.csv'), split: 'all' }],
      images: ['ImagePreprocess', { resize: { width: 32, height: 32 } }],
      ...nodes,
      backbone: ['SelectBackbone', { model_name: 'mobilenetv3_small' }],
      fusion: ['SelectFusion', { strategy: 'concatenate', hidden_dim: 16, num_heads: 2 }],
    },
    [...wires, 'data.dataset > images.images', 'images.processed_images > train.train_dataset'],
  )
  expect(await workflows.issues(document)).toMatchObject([
    { severity: 'warning', node: 'fusion', field: 'num_heads' },
  ])
  const id = await workflows.create(document)
  await workflows.execute(id)
  const { nodes: states } = await workflows.until(id, ({ nodes: { train } }) => Boolean(train?.job_id))
  const job = await caller.status(String(states.train?.job_id))
  await caller.post(`/api/workflow/${id}/cancel`)
  expect((await startedAgain(job)).config).toEqual(job.config)
})

it('so can config.yaml of the run directory', async () => {
  const { run_dir, config } = await caller.status(shared.referenceJob)
  const jobId = await caller.start(parse(readFileSync(join(run_dir, 'config.yaml'), 'utf8')), 'again')
  await caller.post(`/api/training/${jobId}/stop`)
  expect((await caller.status(jobId)).config).toEqual(config)
})
