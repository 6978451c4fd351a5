import { join } from 'node:path'
import type { FollowUp } from '@medloom/contracts'
import { expect } from 'vitest'
import { makeDataset } from '../../testing/dataset.js'
import { Caller } from '../../testing/http.js'
import { trainingConfig } from '../../testing/training.js'
import { Workflows, workflow } from '../../testing/workflow.js'

/** Unusual names of users, scripts and attackers: right-to-left text, markup, and an unbreakable word. */
export const HOSTILE = `<img src=x onerror=alert(1)> قلب ${'unbroken'.repeat(9)}`

/** One item of each kind that a page can show, by its identifier. */
export interface Everything {
  readonly job: string
  readonly study: string
  readonly model: string
  readonly dataset: string
  readonly workflow: string
  readonly run: string
  /** Saved by an earlier release, whose defaults it still uses. */
  readonly earlierWorkflow: string
  /** Trainings of the study. */
  readonly pair: readonly string[]
}

let made: Promise<Everything> | undefined

/** One item of each kind in the service of this worker, created once: tests read it and change nothing. */
export function everythingOf({
  url,
  root,
}: {
  readonly url: string
  readonly root: string
}): Promise<Everything> {
  made ??= makeEverything(url, join(root, 'everything'))
  return made
}

interface ImageTraining {
  readonly job: string
  readonly dataset: string
  /** Roles of columns: by their values, ages would be numeric, and the marker an input. */
  readonly data: { readonly categorical_columns: string[]; readonly ignore_columns: string[] }
}

let imageTraining: Promise<ImageTraining> | undefined

/** A completed training on images in the service of this worker, trained once: its weights are too large to be recorded. */
export function imageTrainingOf({
  url,
  root,
}: {
  readonly url: string
  readonly root: string
}): Promise<ImageTraining> {
  imageTraining ??= trainOnImages(new Caller(url), join(root, 'of images'))
  return imageTraining
}

async function trainOnImages(caller: Caller, folder: string): Promise<ImageTraining> {
  const dataset = makeDataset(folder, { cases: 40 })
  const data = { categorical_columns: ['age', 'sex'], ignore_columns: ['marker'] }
  const job = await caller.ended(
    await caller.start(trainingConfig(dataset, { data, training: { epochs: 1 } }), 'on images'),
  )
  expect(job.status).toBe('completed')
  return { job: job.job_id, dataset, data }
}

/** Creates everything from scratch, with unusual names. folder: inside a root of the service. */
async function makeEverything(url: string, folder: string): Promise<Everything> {
  const caller = new Caller(url)
  const made = makeDataset(folder, { cases: 40 })
  const config = trainingConfig(made, { model: { vision_backbone: 'none' } })
  const job = await caller.ended(await caller.start(config, HOSTILE))
  expect(job.status).toBe('completed')
  const model = job.model_id ?? ''
  await caller.post(`/api/models/${model}/evaluate`, {})
  await caller.put('/api/aliases/champion', { model_id: model, note: HOSTILE })
  // An open follow-up would protect its model from the dialog that deletes it.
  const { body: followUp } = await caller.post<FollowUp>('/api/follow-ups', { model, name: HOSTILE })
  await caller.post(`/api/follow-ups/${followUp.follow_up_id}/close`)
  const workflows = new Workflows(caller)
  const backbone = `backbone ${HOSTILE}`.slice(0, 60)
  const document = workflow({ [backbone]: ['SelectBackbone'], fusion: ['SelectFusion'] }, [], HOSTILE)
  const id = await workflows.create(document)
  const { run_id } = await workflows.run(id)
  const table = { backbone: ['SelectBackbone', { model_name: 'none' }], fusion: ['SelectFusion'] } as const
  const earlierWorkflow = await workflows.create({ ...workflow(table, [], 'earlier'), version: '1.0' })
  const { study, pair } = await makeStudy(caller, config)
  const path = join(made, 'train.csv')
  const registered = await caller.post<{ dataset_id: string }>('/api/datasets', { path, name: HOSTILE })
  expect(registered.status).toBe(200)
  const dataset = registered.body.dataset_id
  const { job_id } = job
  return { job: job_id, study, model, dataset, workflow: id, run: run_id ?? '', earlierWorkflow, pair }
}

async function makeStudy(caller: Caller, config: object): Promise<Pick<Everything, 'study' | 'pair'>> {
  const request = {
    name: HOSTILE,
    config,
    seeds: 1,
    folds: { k: 2 },
    baselines: [],
    variants: [{ name: HOSTILE.slice(0, 60) }],
  }
  const { status, body } = await caller.post<{ study_id: string; error?: string }>('/api/studies', request)
  expect([status, body.error]).toEqual([200, undefined])
  const ended = await caller.studyEnded(body.study_id)
  expect(ended.status).toBe('completed')
  return { study: body.study_id, pair: ended.jobs.map(({ job_id }) => job_id ?? '') }
}
