/** @module-tag service */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AliasMove,
  AuditEntry,
  Dataset,
  Job,
  JobResponse,
  JobSummary,
  RunRecord,
  Study,
  WorkflowRecord,
} from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { draw } from '../../testing/draw.js'
import { eventually } from '../../testing/eventually.js'
import { type PeopleService, startPeopleService } from '../../testing/people-service.js'
import { withShortReports } from '../../testing/short-reports.js'
import { Place } from '../../testing/training/training-service.js'

const TESTING = join(import.meta.dirname, '../../testing')
let place: Place
let service: PeopleService
const start = async (python: string) => {
  place = new Place()
  writeFileSync(join(place.root, 'train.csv'), '"case_id","age","label"\n"1","40","yes"\n"2","50","no"\n')
  service = await startPeopleService(place, { python: join(TESTING, python) })
  await service.create('ann', 'run')
  await service.create('bob', 'run')
}
withShortReports()
const end = async () => {
  await service.close()
  place.remove()
}

const job = async (jobId: string) =>
  (await service.sendAs<Job>('bob', 'GET', `/api/training/${jobId}/status`)).body
const train = async (user: string, training: object = {}) => {
  const request = { config: place.config(training), job_name: 'of a user' }
  const { body } = await service.sendAs<JobResponse>(user, 'POST', '/api/training/start', request)
  return body.job_id
}

describe('a training', () => {
  beforeAll(() => start('training/trainer.mjs'))
  afterAll(end)

  test('owns its model; an alias refers to the model that it names at the time of the request', async () => {
    const id = await train('ann', { epochs: 1 })
    await eventually(async () => (await job(id)).model_id !== null)
    const { model_id } = await job(id)
    expect((await service.sendAs('bob', 'DELETE', '/api/models/latest')).status).toBe(403)
    expect((await service.sendAs('ann', 'DELETE', '/api/models/latest')).status).toBe(200)
    const { body } = await service.sendAs<{ entries: AuditEntry[] }>(
      'root',
      'GET',
      '/api/audit?operation=deleteModel',
    )
    expect(body.entries[0]).toMatchObject({ user: 'ann', outcome: 200, ids: { model_id } })
  })

  test('can have an alias, which belongs to the user who first set it, and whose history names everybody who moved it', async () => {
    const id = await train('ann', { epochs: 1 })
    await eventually(async () => (await job(id)).model_id !== null)
    const { model_id } = await job(id)
    const set = (user: string, note: string) =>
      service.sendAs<AliasMove>(user, 'PUT', '/api/aliases/champion', { model_id: 'latest', note })
    expect((await set('ann', 'first')).body).toMatchObject({
      model_id,
      set_by: 'ann',
      number: 1,
      until: null,
    })
    expect((await set('bob', 'mine')).body).toMatchObject({ code: 'FORBIDDEN' })
    expect((await set('root', 'checked')).status).toBe(200)
    const { body } = await service.sendAs<{ moves: AliasMove[] }>(
      'bob',
      'GET',
      '/api/aliases/champion/history',
    )
    expect(body.moves.map(({ set_by, note }) => [set_by, note])).toEqual([
      ['root', 'checked'],
      ['ann', 'first'],
    ])
    expect(
      (await service.sendAs<{ model_id: string }>('bob', 'GET', '/api/models/champion')).body.model_id,
    ).toBe(model_id)
    const wrong = { model_id, evaluation_id: 'of-another-model' }
    expect((await service.sendAs('ann', 'PUT', '/api/aliases/champion', wrong)).body).toMatchObject({
      code: 'EVALUATION_NOT_FOUND',
    })
    expect((await service.sendAs('ann', 'DELETE', '/api/aliases/champion')).status).toBe(200)
    expect((await service.sendAs('bob', 'GET', '/api/aliases/champion')).body).toMatchObject({
      code: 'ALIAS_NOT_FOUND',
    })
  })

  test('belongs to the user who started it; others can read it, but only its owner and administrators change it', async () => {
    const id = await train('ann', { epochs: 50, learning_rate: 0.2 })
    expect(await job(id)).toMatchObject({ owner: 'ann' })
    const request = { note: 'not mine' }
    for (const [method, path, body] of [
      ['PATCH', '', request],
      ['POST', '/stop'],
      ['POST', '/finish'],
      ['DELETE', ''],
    ] as const) {
      const refused = await service.sendAs('bob', method, `/api/training/${id}${path}`, body)
      expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
      expect(refused.body.error).toContain('belongs to ann')
    }
    expect((await service.sendAs('ann', 'PATCH', `/api/training/${id}`, request)).status).toBe(200)
    expect((await service.sendAs('root', 'POST', `/api/training/${id}/stop`)).status).toBe(200)
  })

  test('is listed for its owner, "me" included', async () => {
    const [ofAnn, ofBob] = [await train('ann'), await train('bob')]
    const listed = async (user: string, owner: string) =>
      (
        await service.sendAs<{ jobs: JobSummary[] }>(user, 'GET', `/api/training?owner=${owner}`)
      ).body.jobs.map(({ job_id }) => job_id)
    const both = [ofAnn, ofBob]
    const ofBoth = async (user: string, owner: string) =>
      (await listed(user, owner)).filter((id) => both.includes(id))
    expect(await ofBoth('bob', 'ann')).toEqual([ofAnn])
    expect(await ofBoth('bob', 'me')).toEqual([ofBob])
    expect(await listed('root', 'me')).toEqual([])
  })

  test('that another user resumes becomes a new one of that user', async () => {
    const id = await train('ann', { epochs: 50 })
    await eventually(async () => (await job(id)).epoch >= 1)
    await service.sendAs('ann', 'POST', `/api/training/${id}/stop`)
    const { body } = await service.sendAs<JobResponse>('bob', 'POST', `/api/training/${id}/resume`)
    expect(await job(body.job_id)).toMatchObject({ owner: 'bob', resumed_from: id })
    expect(await job(id)).toMatchObject({ owner: 'ann' })
  })

  test('of an older version has no owner, and only administrators change it', async () => {
    const id = await train('ann')
    await service.database.updateTable('jobs').set({ owner: null }).where('job_id', '=', id).execute()
    expect((await service.sendAs('ann', 'POST', `/api/training/${id}/stop`)).body.code).toBe('FORBIDDEN')
    expect((await service.sendAs('root', 'PATCH', `/api/training/${id}`, { note: 'mine now' })).status).toBe(
      200,
    )
  })

  test('an Idempotency-Key of another user does not return their response', async () => {
    const request = { config: place.config(), job_name: 'once' }
    const key = { 'idempotency-key': 'one' }
    const send = (user: string) =>
      service.send<JobResponse>('POST', '/api/training/start', request, {
        ...service.as(user),
        ...key,
      })
    const [first, again, other] = [await send('ann'), await send('ann'), await send('bob')]
    expect(again.body.job_id).toBe(first.body.job_id)
    expect(other.status).toBe(200)
    expect(other.body.job_id).not.toBe(first.body.job_id)
    expect(await job(other.body.job_id)).toMatchObject({ owner: 'bob' })
  })
})

describe('items that use trainings', () => {
  afterEach(end)

  test('the trainings of a study belong to the user who started it', async () => {
    await start('training/study-python.mjs')
    const study = { name: 'small', seeds: 2, variants: [{ name: 'a' }], config: place.config() }
    const { body } = await service.sendAs<{ study_id: string }>('ann', 'POST', '/api/studies', study)
    const path = `/api/studies/${body.study_id}`
    const read = async () => (await service.sendAs<Study>('bob', 'GET', path)).body
    await eventually(async () => (await read()).status !== 'running')
    const { owner, jobs } = await read()
    expect([owner, jobs.length]).toEqual(['ann', 2])
    for (const { job_id } of jobs) expect(await job(String(job_id))).toMatchObject({ owner: 'ann' })
    for (const [method, to] of [
      ['POST', `${path}/stop`],
      ['POST', `${path}/resume`],
      ['DELETE', path],
    ] as const)
      expect((await service.sendAs('bob', method, to)).body.code).toBe('FORBIDDEN')
    const jobsOf = async (user: string) =>
      (await service.sendAs<{ studies: Study[] }>('bob', 'GET', `/api/studies?owner=${user}`)).body.studies
    expect([(await jobsOf('ann')).length, (await jobsOf('bob')).length]).toEqual([1, 0])
  }, 60_000)

  test('the run of a workflow and its trainings belong to the user who started it, whoever created the workflow', async () => {
    await start('node-worker.mjs')
    const drawn = draw(
      {
        load: ['LoadTabular', { path: join(place.root, 'train.csv') }],
        split: ['DataSplit'],
        backbone: ['SelectBackbone', { model_name: 'none' }],
        fusion: ['SelectFusion'],
        model: ['BuildModel'],
        settings: ['ConfigureTraining', { epochs: 2, batch_size: 4 }],
        train: ['TrainModel'],
      },
      [
        'load.dataframe > split.dataset',
        'backbone.backbone_config > model.backbone_config',
        'fusion.fusion_config > model.fusion_config',
        'model.model > train.model',
        'split.train_dataset > train.train_dataset',
        'split.val_dataset > train.val_dataset',
        'settings.training_config > train.training_config',
      ],
      'drawn by ann',
    )
    const created = await service.sendAs<{ workflow_id: string }>(
      'ann',
      'POST',
      '/api/workflow/create',
      drawn,
    )
    const path = `/api/workflow/${created.body.workflow_id}`
    const { workflows } = (
      await service.sendAs<{ workflows: WorkflowRecord[] }>('bob', 'GET', '/api/workflow')
    ).body
    expect(workflows.map(({ owner }) => owner)).toEqual(['ann'])
    expect((await service.sendAs('bob', 'PUT', path, drawn)).body.code).toBe('FORBIDDEN')
    expect((await service.sendAs('bob', 'DELETE', path)).body.code).toBe('FORBIDDEN')

    expect((await service.sendAs('bob', 'POST', `${path}/execute`, {})).status).toBe(200)
    expect((await service.sendAs('ann', 'POST', `${path}/cancel`)).body.code).toBe('FORBIDDEN')
    const runs = async () =>
      (await service.sendAs<{ runs: RunRecord[] }>('ann', 'GET', `${path}/runs`)).body.runs
    await eventually(async () => (await runs())[0]?.ended_at !== null)
    expect((await runs()).map(({ owner }) => owner)).toEqual(['bob'])
    const { jobs } = (await service.sendAs<{ jobs: JobSummary[] }>('ann', 'GET', '/api/training')).body
    expect(jobs.map(({ owner }) => owner)).toEqual(['bob'])
  }, 60_000)

  test('a registered path can be registered again only by its owner and administrators', async () => {
    await start('node-worker.mjs')
    const path = join(place.root, 'train.csv')
    const record = { dataset_id: 'd', name: 'x', path, readiness: { status: 'ready', checks: [] } }
    await service.database
      .insertInto('datasets')
      .values({
        ...{ dataset_id: 'd', path, created_at: '2026-01-01T00:00:00.000Z' },
        ...{ record: JSON.stringify(record), summary: '{}', owner: 'ann' },
      })
      .execute()
    const { body } = await service.sendAs<Dataset>('bob', 'GET', '/api/datasets/d')
    expect(body.owner).toBe('ann')
    for (const [method, body] of [
      ['PATCH', { name: 'mine' }],
      ['DELETE', undefined],
    ] as const)
      expect((await service.sendAs('bob', method, '/api/datasets/d', body)).body.code).toBe('FORBIDDEN')
    expect((await service.sendAs('root', 'DELETE', '/api/datasets/d')).status).toBe(200)
  })
})
