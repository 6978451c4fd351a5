import { join } from 'node:path'
import type { Workflow } from '@medloom/contracts'
import { draw } from '../../packages/server/testing/draw.js'
import { Caller } from '../testing/http.js'
import { Workflows } from '../testing/workflow.js'
import type { State } from './states.js'

/** Identifiers of everything that an earlier state created in a data folder. */
export interface Filled {
  readonly jobs: readonly string[]
  /** Model → the folder of its evaluation. */
  readonly evaluated: Readonly<Record<string, string>>
  readonly workflow: string
  /** Configuration with which the workflow has trained. */
  readonly trained: Sections
}

/** Two short trainings with their evaluations, a table workflow with its run, and a study if the version has studies. */
export async function fill(url: string, { studies }: State, dataset: string): Promise<Filled> {
  const caller = new Caller(url, false)
  const tables = { train_csv: join(dataset, 'train.csv'), val_csv: join(dataset, 'val.csv') }
  const training = { epochs: 2, batch_size: 8, device: 'cpu', num_workers: 1 }
  const configs = [
    {
      data: { ...tables, image_size: [32, 32] },
      model: { vision_backbone: 'mobilenetv3_small', fusion_type: 'gated', hidden_dim: 16 },
      training,
    },
    {
      data: tables,
      model: { vision_backbone: 'none', fusion_type: 'concatenate', hidden_dim: 16 },
      training,
    },
  ]
  const jobs: string[] = []
  for (const config of configs) jobs.push(await caller.start(config, `made ${jobs.length}`))
  const evaluated: Record<string, string> = {}
  for (const job of jobs) {
    await settled(() => caller.get<{ status: string }>(`/api/training/${job}/status`), job)
    const { body } = await caller.get<{ models: Model[] }>('/api/models')
    const model = body.models.find((one) => one.job_id === job)
    if (!model) throw new Error(`the training ${job} gave no model`)
    evaluated[model.model_id] = await evaluate(caller, model, join(dataset, 'test.csv'))
  }
  const workflows = new Workflows(caller)
  const workflow = await workflows.create({ ...tableWorkflow(dataset), version: '1.0' })
  const { status, nodes } = await workflows.run(workflow, {}, 300)
  if (status !== 'success') throw new Error(`the workflow ended with ${status}: ${JSON.stringify(nodes)}`)
  const trained = await newestConfig(caller)
  if (studies) {
    const [, config] = configs
    const { body } = await caller.post('/api/studies', { name: 'seeds', config, seeds: 2 })
    await settled(
      () => caller.get<{ status: string }>(`/api/studies/${body.study_id}`),
      String(body.study_id),
    )
  }
  return { jobs, evaluated, workflow, trained }
}

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Configuration of the latest training. */
export async function newestConfig(caller: Caller): Promise<Sections> {
  const { body } = await caller.get<{ jobs: { job_id: string }[] }>('/api/training?page_size=1')
  const job = await caller.get<{ config: Sections }>(`/api/training/${body.jobs[0]?.job_id}/status`)
  return job.body.config
}

interface Model {
  readonly model_id: string
  readonly job_id: string
  readonly checkpoint_path: string
}

/** @returns path of its report; predictions.csv is in the same folder. */
export async function evaluate(caller: Caller, model: Model, test_csv: string): Promise<string> {
  const { status, body } = await caller.post(`/api/models/${model.model_id}/evaluate`, {
    checkpoint_path: model.checkpoint_path,
    test_csv,
    split: 'test',
  })
  if (status !== 200) throw new Error(`${model.model_id} was not evaluated: ${JSON.stringify(body)}`)
  return String(body.report_path)
}

const ENDED = ['completed', 'stopped', 'failed', 'error', 'interrupted', 'cancelled']

async function settled(look: () => Promise<{ body: { status: string } }>, what: string): Promise<void> {
  for (const end = Date.now() + 300_000; Date.now() < end; ) {
    const { body } = await look()
    if (body.status === 'completed') return
    if (ENDED.includes(body.status)) throw new Error(`${what} ended: ${JSON.stringify(body)}`)
    await new Promise((resume) => setTimeout(resume, 200))
  }
  throw new Error(`${what} did not end in 300 s`)
}

/** Without settings whose default has changed since: these are the subject of the test. */
function tableWorkflow(dataset: string): Workflow {
  return draw(
    {
      train: ['LoadTabular', { path: join(dataset, 'train.csv') }],
      val: ['LoadTabular', { path: join(dataset, 'val.csv') }],
      test: ['LoadTabular', { path: join(dataset, 'test.csv') }],
      prepare: ['TabularPreprocess', { missing_strategy: 'median' }],
      backbone: ['SelectBackbone', { model_name: 'none' }],
      fusion: ['SelectFusion', { hidden_dim: 16 }],
      model: ['BuildModel'],
      settings: ['ConfigureTraining', { epochs: 3, batch_size: 8 }],
      learn: ['TrainModel'],
      evaluate: ['EvaluateModel'],
    },
    [
      'train.dataframe > prepare.dataframe',
      'prepare.processed_data > learn.train_dataset',
      'val.dataframe > learn.val_dataset',
      'test.dataframe > evaluate.test_dataset',
      'backbone.backbone_config > model.backbone_config',
      'fusion.fusion_config > model.fusion_config',
      'model.model > learn.model',
      'settings.training_config > learn.training_config',
      'learn.trained_model > evaluate.model',
    ],
  )
}
