import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ErrorIssue, Evaluation, Job, Model, ModelExport, Study } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared, training } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const { dataset, url } = shared
const caller = new Caller(url)
const config = trainingConfig(dataset, { model: { vision_backbone: 'none' } })
const combine = (body: object, service = caller) =>
  service.post<Model & { code: string; error: string; details: string; issues?: ErrorIssue[] }>(
    '/api/models/ensemble',
    body,
  )
const evaluate = (model: string, body: object = {}, service = caller) =>
  service.post<Evaluation>(`/api/models/${model}/evaluate`, body)

let study: Study
let made: Model
beforeAll(async () => {
  const folder = temporaryFolder('ensemble')
  const file = join(folder, 'study.yaml')
  writeFileSync(
    file,
    JSON.stringify({ name: 'to combine', config, folds: { k: 2 }, seeds: 1, baselines: [] }),
  )
  const medloom = new MedloomCommand(folder, { MEDLOOM_URL: url })
  expect((await medloom.run('study', 'run', '-f', file)).code).toBe(0)
  study = JSON.parse((await medloom.run('study', 'status', 'to combine', '--json')).stdout)
  const { stdout } = await medloom.run('models', 'ensemble', '--study', 'to combine', '--json')
  made = JSON.parse(stdout)
}, 150_000)

describe('an ensemble of the folds of a study', () => {
  it('is a model whose origin states that only other data can evaluate it', async () => {
    const jobs = study.jobs.map(({ job_id }) => job_id)
    expect(made).toMatchObject({ architecture: 'ensemble', task: 'classification', evaluations: 0 })
    expect(made.ensemble).toMatchObject({ study_id: study.study_id, trained_on_every_fold: true })
    expect(made.ensemble?.members.map(({ job_id, fold }) => [job_id, fold])).toEqual(
      jobs.map((job_id, index) => [job_id, { k: 2, index, repeat: 0, seed: 0 }]),
    )
    const { models } = (await caller.get<{ models: Model[] }>('/api/models')).body
    expect(models.map(({ model_id }) => model_id)).toContain(made.model_id)
    const job = await caller.status(made.job_id)
    expect(job).toMatchObject({ status: 'completed', model_id: made.model_id, study_id: null })
    const page = readFileSync(String(job.report_path), 'utf8')
    expect(page).toContain(
      'The members of this ensemble were trained on all folds: only test data or external data can evaluate it.',
    )
    for (const job_id of jobs) expect(page).toContain(job_id)
  })

  it('is evaluated, with the disagreement of its members in result, table and report', async () => {
    const { status, body } = await evaluate(made.model_id)
    expect([status, body.split, body.test_evaluations]).toEqual([200, 'test', 1])
    expect(body.warnings.map(({ code }) => code)).not.toContain('EVALUATED_ON_TRAINING_DATA')
    const result = JSON.parse(readFileSync(join(dirname(body.report_path), 'evaluation.json'), 'utf8'))
    expect(result.disagreement).toMatchObject({ members: 2, measure: 'mutual_information' })
    expect(readFileSync(body.predictions_path, 'utf8').split('\n')[0]).toContain(
      'member_sd,mutual_information',
    )
    expect(readFileSync(body.report_path, 'utf8')).toContain('Disagreement of the members')
  })

  it('reports that the held-out rows of one member have trained another', async () => {
    const { body } = await evaluate(made.model_id, { split: 'val' })
    expect(body.warnings.map(({ code }) => code)).toContain('EVALUATED_ON_TRAINING_DATA')
  })

  it('is compared and written for other software as any other', async () => {
    const member = made.ensemble?.members[0]?.model_id
    const compared = await caller.post<{ pairs: object[] }>('/api/models/compare', {
      models: [made.model_id, member],
    })
    expect([compared.status, compared.body.pairs.length]).toEqual([200, 1])
    const path = `/api/models/${made.model_id}/export`
    const { status, body } = await caller.post<ModelExport>(path, { format: 'PyTorch' })
    expect([status, body.format, existsSync(body.path)]).toEqual([200, 'PyTorch', true])
    expect((await caller.post<{ code: string }>(path, { format: 'onnx' })).body.code).toBe('INVALID_REQUEST')
  })

  it('is not evaluated with a temperature, which it lacks', async () => {
    const path = `/api/models/${made.model_id}/evaluate`
    const refused = await caller.post<{ code: string; error: string }>(path, { calibrated: true })
    expect(refused.body.code).toBe('TEMPERATURE_UNAVAILABLE')
    expect(refused.body.error).toContain('different folds')
  })

  it('is not fine-tuned, and the refusal names what can be', async () => {
    const model = { ...config.model, fine_tune_from: made.model_id }
    const { body } = await caller.post<{ code: string; details: string }>('/api/training/start', {
      config: { ...config, model },
    })
    expect(body).toMatchObject({
      code: 'CHECKPOINT_MISMATCH',
      details: expect.stringContaining('one of its members'),
    })
  })
})

describe('an ensemble of seeds that share their validation cases', () => {
  const result = (evaluation: Evaluation) =>
    JSON.parse(readFileSync(join(dirname(evaluation.report_path), 'evaluation.json'), 'utf8'))

  it('has its own operating points and a reason for the missing temperature', {
    tags: ['full'],
  }, async () => {
    // A replayed training has another checkpoint than the one that its validation predictions name.
    const trainer = new Caller(training.url)
    const large = makeDataset(join(dirname(training.dataset), 'seeds of one split'), { cases: 300 })
    const member = (seed: number) =>
      trainingConfig(large, { model: { vision_backbone: 'none' }, training: { seed } })
    const job_ids = await Promise.all([1, 2].map((seed) => trainer.start(member(seed))))
    await Promise.all(job_ids.map((id) => trainer.ended(id)))
    const { body: ensemble } = await combine({ job_ids }, trainer)
    expect(ensemble.ensemble).toMatchObject({ trained_on_every_fold: false })
    const { status, body } = await evaluate(ensemble.model_id, {}, trainer)
    expect([status, body.split]).toEqual([200, 'test'])
    const { temperature, operating_points } = result(body)
    // A short test has fewer validation cases than a temperature needs.
    const reason = expect.stringContaining('; 100 are required')
    expect(temperature).toMatchObject({ value: null, reason, applied: false })
    expect(operating_points.reason).toBeNull()
    expect(operating_points.points.map(({ threshold }: { threshold: unknown }) => threshold)).toContainEqual(
      expect.any(Number),
    )
  })
})

describe('an ensemble that is removed', () => {
  it('had outlived its study, and leaves nothing behind when it is removed', async () => {
    const before = (await evaluate(made.model_id)).body.metrics
    expect((await caller.delete(`/api/studies/${study.study_id}`)).status).toBe(200)
    expect((await evaluate(made.model_id)).body.metrics).toEqual(before)
    const { run_dir } = await caller.status(made.job_id)
    expect((await caller.delete(`/api/models/${made.model_id}`)).status).toBe(200)
    expect(existsSync(run_dir)).toBe(false)
    expect((await caller.get(`/api/training/${made.job_id}/status`)).status).toBe(404)
  })
})

describe('what cannot be combined', () => {
  const refused = async (body: object) => {
    const { status, body: answer } = await combine(body)
    return [status, answer.code, answer.issues?.[0]?.path ?? answer.error]
  }

  it('is refused with its place', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    const reference: Job = await caller.status(shared.referenceJob)
    expect(await refused({})).toEqual([400, 'INVALID_REQUEST', 'study_id'])
    expect(await refused({ models: [reference.model_id] })).toEqual([400, 'INVALID_REQUEST', 'models'])
    expect(await refused({ job_ids: [reference.job_id, unknown] })).toEqual([
      404,
      'JOB_NOT_FOUND',
      expect.stringContaining('job_ids.1'),
    ])
    expect(await refused({ study_id: unknown })).toEqual([
      404,
      'STUDY_NOT_FOUND',
      expect.stringContaining('study_id'),
    ])
    const { checkpoint_path } = (await caller.get<Model>(`/api/models/${reference.model_id}`)).body
    expect(await refused({ models: [reference.model_id, checkpoint_path] })).toEqual([
      400,
      'INVALID_REQUEST',
      'models',
    ])
  })

  it('is a job that failed, and a model that reads other inputs', async () => {
    const failed = await caller.ended(await caller.start(config, 'fail=1'))
    const job_ids = [shared.referenceJob, failed.job_id]
    expect(await refused({ job_ids })).toEqual([400, 'MEMBER_NOT_TRAINED', expect.stringContaining('failed')])
    const tabular = await caller.ended(await caller.start(config))
    expect(await refused({ job_ids: [shared.referenceJob, tabular.job_id] })).toEqual([
      400,
      'MEMBERS_DIFFER',
      expect.stringContaining('the models differ in kinds of input'),
    ])
  })
})
