/** @module-tag service */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ErrorBody as ErrorBodySchema, Study, StudyResponse } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { Place, startTrainingService } from '../../testing/training/training-service.js'

type ErrorBody = z.infer<typeof ErrorBodySchema>

let place: Place
let service: Awaited<ReturnType<typeof startTrainingService>>
const PYTHON = join(import.meta.dirname, '../../testing/training/study-python.mjs')
beforeEach(async () => {
  place = new Place()
  service = await startTrainingService(place, { python: PYTHON })
})
afterEach(async () => {
  await service.close()
  place.remove()
})

const send = <Body = ErrorBody>(method: string, path: string, body?: object) =>
  service.send<Body>(method, path, body)
const tuning = (from: string, model: object = {}) => {
  const config = place.config()
  return { ...config, model: { ...config.model, fine_tune_from: from, ...model } }
}

/** A trained model in a folder of the root, as if a training of this job had written it. */
function writeCheckpoint(name: string, jobId: string): string {
  const folder = join(place.root, name)
  mkdirSync(folder)
  const { data, model, training } = place.config()
  const preprocessing = { label_column: 'label', image_columns: [], table: { columns: [] } }
  const state = {
    config: { data, model, training },
    task: 'classification',
    classes: ['a', 'b'],
    preprocessing,
  }
  const parts = { model: 'weights', state: JSON.stringify(state) }
  const files = Object.entries(parts).map(([part, content]) => {
    const file = part === 'model' ? 'model.safetensors' : 'state.json'
    writeFileSync(join(folder, file), content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return [part, { file, sha256, size_bytes: content.length }]
  })
  const facts = { schema_version: 1, job_id: jobId, epoch: 1, created_at: '2026-01-02T03:04:05.000Z' }
  const manifest = { ...facts, metrics: {}, files: Object.fromEntries(files) }
  writeFileSync(join(folder, 'checkpoint.json'), JSON.stringify(manifest))
  return folder
}

test('a study that starts from a trained model is refused like a training, in its base and in a variant', async () => {
  const running = await service.start('runs', place.config({ epochs: 500 }))
  writeCheckpoint('trained', running)
  writeFileSync(join(writeCheckpoint('damaged', running), 'model.safetensors'), 'w3ights')
  const refused: [string, object, string][] = [
    [running, {}, 'JOB_RUNNING'],
    ['00000000-0000-4000-8000-000000000000', {}, 'JOB_NOT_FOUND'],
    ['./nowhere', {}, 'CHECKPOINT_NOT_FOUND'],
    ['./damaged', {}, 'CHECKPOINT_CORRUPT'],
    ['./trained', { hidden_dim: 32 }, 'CHECKPOINT_MISMATCH'],
  ]
  for (const [from, model, code] of refused) {
    const config = tuning(from, model)
    const variants = [{ name: 'tuned', config: { model: { fine_tune_from: from, ...model } } }]
    for (const study of [{ config }, { config: place.config(), variants }])
      expect((await send('POST', '/api/studies', study)).body.code, `${from} ${code}`).toBe(code)
  }
  await service.stop(running)
  expect((await send<{ studies: unknown[] }>('GET', '/api/studies')).body.studies).toEqual([])
})

test('patients in two splits refuse a study before it is accepted', async () => {
  writeFileSync(join(place.root, 'train.csv'), 'leaking')
  for (const path of ['/api/studies', '/api/studies/check']) {
    const { status, body } = await send('POST', path, { config: place.config() })
    expect([status, body.code]).toEqual([400, 'DATASET_LEAK'])
  }
})

test('a study without results has no report, and one whose model is used by a training is kept', async () => {
  const { body: accepted } = await send<StudyResponse>('POST', '/api/studies', { config: place.config() })
  const path = `/api/studies/${accepted.study_id}`
  expect((await send('POST', `${path}/report`)).body.code).toBe('STUDY_NO_RESULTS')
  expect((await send('GET', `${path}/results`)).body.code).toBe('STUDY_NO_RESULTS')
  expect((await send('GET', `${path}/report/html`)).body.code).toBe('RUN_FILE_NOT_FOUND')
  let study: Study
  do {
    await delay(10)
    study = (await send<Study>('GET', path)).body
  } while (study.status === 'running')
  writeCheckpoint('trained', String(study.jobs[0]?.job_id))
  const config = tuning('./trained')
  const further = await service.start('further', { ...config, training: { ...config.training, epochs: 500 } })
  for (const query of ['', '?dry_run=true']) {
    const { status, body } = await send('DELETE', `${path}${query}`)
    expect([status, body.code]).toEqual([400, 'STUDY_IN_USE'])
    expect(body.details + body.error).toContain(further)
  }
  await service.stop(further)
  expect((await send<Study>('GET', path)).body.status).toBe('completed')
})
