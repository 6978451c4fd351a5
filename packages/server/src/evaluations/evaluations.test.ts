/** @module-tag service */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EvaluationDocument, EvaluationRecord, EvaluationReport } from '@medloom/contracts'
import Libsql from 'libsql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { RESULT, serviceWithModels } from '../../testing/evaluations.js'
import { until } from '../../testing/training/until.js'

const PREDICTIONS = `file,row,split,patient,truth,predicted,correct,probability_benign,probability_malignant,loss,group_sex
/t.csv,2,test,p1,benign,benign,true,0.8,0.2,0.22,f
/t.csv,3,test,p2,benign,malignant,false,0.4,0.6,0.92,m
/t.csv,4,test,p3,malignant,malignant,true,0.3,0.7,0.36,f
`

let service: Awaited<ReturnType<typeof serviceWithModels>>
let evaluations: string[]
beforeAll(async () => {
  service = await serviceWithModels(
    `
    if (request.params.csv.endsWith('removed.csv')) result.source.digest = 'removed'
    result.failures = [{ file: '/t.csv', row: 3, truth: 'benign', predicted: 'malignant', confidence: 0.6 }]
    fs.writeFileSync(request.params.out_dir + '/predictions.csv', ${JSON.stringify(PREDICTIONS)})
    const view = { view: 1, png: 'UE5H', saliency: 'TUFQ' }
    fs.writeFileSync(request.params.out_dir + '/failure-images.json',
      JSON.stringify({ schema_version: 1, num_views: 1, cases: [[view]] }))`,
    [{}, {}, { fusion_type: 'bilinear' }],
  )
  evaluations = []
  for (const [model, body] of [
    ['resnet18_gated_001', {}],
    ['resnet18_gated_002', {}],
    ['resnet18_gated_001', { test_csv: 'other.csv' }],
    ['resnet18_gated_001', { test_csv: 'other.csv', split: 'val' }],
  ] as const)
    evaluations.push((await service.evaluate(model, body)).evaluation_id)
})
afterAll(() => service.close())

/** Excludes the evaluations that single tests add. */
const idsOf = (list: { evaluations: { evaluation_id: string }[] }) =>
  list.evaluations.map(({ evaluation_id }) => evaluation_id).filter((id) => evaluations.includes(id))

test('evaluations are listed newest first, page by page, for all models or one', async () => {
  const newest = [...evaluations].reverse()
  const first = await service.get('/api/evaluations?page_size=3')
  expect(first.evaluations).toHaveLength(3)
  const second = await service.get(`/api/evaluations?page_size=3&page_token=${first.next_page_token}`)
  expect([...idsOf(first), ...idsOf(second)]).toEqual(newest)
  expect(second.next_page_token).toBeNull()
  const own = await service.get('/api/models/resnet18_gated_001/evaluations')
  expect(idsOf(own)).toEqual(newest.filter((id) => id !== evaluations[1]))
  expect(EvaluationRecord.parse(own.evaluations.at(-1))).toMatchObject({
    kind: 'evaluation',
    model_id: 'resnet18_gated_001',
    job_id: service.jobs[0],
    data_digest: 'a',
    metrics: RESULT.metrics,
    intervals: RESULT.intervals,
    test_evaluations: 1,
  })
  expect((await service.get('/api/models/resnet18_gated_latest/evaluations')).evaluations).toHaveLength(1)
  expect((await service.get('/api/models/none/evaluations')).code).toBe('MODEL_NOT_FOUND')
})

test('an evaluation of a workflow of an early version is listed without a document, and requests for it explain that', async () => {
  const id = evaluations[3] ?? ''
  const database = new Libsql(join(service.settings.dataDir, 'medloom.db'))
  const store = database.prepare('UPDATE evaluations SET record = ? WHERE evaluation_id = ?')
  const row = database.prepare('SELECT record FROM evaluations WHERE evaluation_id = ?').get(id)
  const { record } = row as { readonly record: string }
  const { intervals: _, ...early } = JSON.parse(record)
  store.run(JSON.stringify(early), id)
  const { evaluations: listed } = await service.get('/api/evaluations')
  const own = listed.filter(({ evaluation_id }: EvaluationRecord) => evaluations.includes(evaluation_id))
  expect(own.map(({ has_document }: EvaluationRecord) => has_document)).toEqual([false, true, true, true])
  expect(await service.get(`/api/evaluations/${id}`)).toMatchObject({
    code: 'EVALUATION_NOT_FOUND',
    error: expect.stringContaining('a workflow of an earlier version'),
    details: expect.stringContaining('POST /api/models/resnet18_gated_001/evaluate'),
  })
  store.run(record, id)
  database.close()
})

test('the document of an evaluation contains the output of the trainer, and the configuration', async () => {
  const document = await service.get(`/api/evaluations/${evaluations[0]}`)
  expect(EvaluationDocument.parse(document)).toMatchObject({ evaluation_id: evaluations[0], split: 'test' })
  expect(document.result.roc).toEqual(RESULT.roc)
  expect(document.result.software).toEqual(RESULT.software)
  expect(document.config.model.vision_backbone).toBe('resnet18')
})

test('uses of test data are counted by digest over all models; validation is not counted', async () => {
  const { test_uses } = await service.get(`/api/evaluations/${evaluations[0]}`)
  expect(test_uses).toMatchObject({
    evaluations: 2,
    models: [
      { model_id: 'resnet18_gated_002', split: 'test', evaluations: 1 },
      { model_id: 'resnet18_gated_001', split: 'test', evaluations: 1 },
    ],
  })
  expect(await service.get('/api/test-uses?data_digest=b')).toMatchObject({
    evaluations: 1,
    models: [{ split: 'test' }],
  })
  expect(await service.get('/api/test-uses?data_digest=c')).toEqual({
    data_digest: 'c',
    evaluations: 0,
    models: [],
  })
})

test('the evaluation of a training on its own cases has the same form', async () => {
  const [job] = service.jobs
  const id = `validation-${job}`
  expect((await service.get(`/api/evaluations/${id}`)).code).toBe('EVALUATION_NOT_FOUND')
  service.write(service.run(job, 'metrics/validation.json'), JSON.stringify({ ...RESULT, attempt: 1 }))
  const document = EvaluationDocument.parse(await service.get(`/api/evaluations/${id}`))
  expect(document).toMatchObject({ evaluation_id: id, kind: 'validation', job_id: job, test_uses: null })
  expect(document).toMatchObject({ model_id: 'resnet18_gated_001', data_digest: RESULT.source.digest })
  // Files of another attempt of the job do not count.
  service.write(service.run(job, 'metrics/validation.json'), JSON.stringify({ ...RESULT, attempt: 2 }))
  expect((await service.get(`/api/evaluations/${id}`)).code).toBe('EVALUATION_NOT_FOUND')
  service.write(service.run(job, 'metrics/held-out.json'), JSON.stringify(RESULT))
  expect((await service.get(`/api/evaluations/held-out-${job}`)).kind).toBe('held-out')
})

test.each(['none', 'validation-none', 'validation-..', 'held-out-'])(
  '%s is not an evaluation',
  async (id) => {
    const response = await service.app.inject({ url: `/api/evaluations/${id}` })
    expect([response.statusCode, response.json().code]).toEqual([404, 'EVALUATION_NOT_FOUND'])
  },
)

test('the table of its cases is created when an evaluation ends, before the first query', async () => {
  const tables = join(service.settings.dataDir, 'cache', 'browse', 'cases')
  const made = () => readdirSync(tables, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  await until(async () => {
    const { evaluations: all } = await service.get('/api/evaluations')
    return existsSync(tables) && made().length >= all.length
  })
})

test('cases are found, ordered and paged; patients stay masked unless requested', async () => {
  const url = `/api/evaluations/${evaluations[0]}/cases?order_by=loss&order=desc&page_size=2`
  const first = await service.get(url)
  expect(first.cases.map(({ row }: { row: number }) => row)).toEqual([3, 4])
  expect(first.total).toBe(3)
  expect(JSON.stringify(first)).not.toContain('p2')
  const second = await service.get(`${url}&identifiers=true&page_token=${first.next_page_token}`)
  expect(second).toMatchObject({ cases: [{ row: 2, patient: 'p1' }], next_page_token: null })
  expect((await service.get(`${url}&subgroup=sex=f&correct=true`)).total).toBe(2)
  expect((await service.get(`${url}&subgroup=sex`)).code).toBe('INVALID_REQUEST')
  expect((await service.get(`${url}&page_token=YXQ6MA`)).code).toBe('INVALID_PAGE_TOKEN')
  expect((await service.get('/api/evaluations/none/cases')).code).toBe('EVALUATION_NOT_FOUND')
})

test('the image of a failure case is found by its index, and is never cached', async () => {
  const [, failure] = (await service.get(`/api/evaluations/${evaluations[0]}/cases`)).cases
  expect(failure).toMatchObject({ row: 3, failure: 0, images: [{ view: 1, saliency: true }] })
  const url = `/api/evaluations/${evaluations[0]}/failure-image?failure=0&view=1`
  const image = await service.app.inject({ url })
  expect(image.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': 'private, no-store' })
  expect(image.body).toBe('PNG')
  expect((await service.app.inject({ url: `${url}&saliency=true` })).body).toBe('MAP')
  const absent = await service.app.inject({ url: url.replace('view=1', 'view=2') })
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'RUN_FILE_NOT_FOUND'])
})

test('its report can be written in other formats, which become files of its job', async () => {
  const id = evaluations[2] ?? ''
  // The files are not real images.
  rmSync(service.run(service.jobs[0], 'evaluations', id, 'failure-images.json'))
  const written = await service.app.inject({
    method: 'POST',
    url: `/api/evaluations/${id}/report`,
    payload: { formats: ['word', 'markdown'] },
  })
  const { files } = EvaluationReport.parse(written.json())
  const folder = `evaluations/${id}/report`
  expect(files.map(({ format, file }) => [format, file])).toEqual([
    ['word', `${folder}.docx`],
    ['markdown', `${folder}.md`],
  ])
  const word = await service.app.inject({ url: `/api/training/${service.jobs[0]}/files/${files[0]?.file}` })
  expect(word.rawPayload.subarray(0, 2).toString()).toBe('PK')
  const none = await service.app.inject({ method: 'POST', url: '/api/evaluations/none/report' })
  expect(none.json().code).toBe('EVALUATION_NOT_FOUND')
})

test('a damaged document is reported as damaged', async () => {
  const [id = ''] = evaluations
  const file = service.run(service.jobs[0], 'evaluations', id, 'evaluation.json')
  const intact = readFileSync(file)
  onTestFinished(() => writeFileSync(file, intact))
  writeFileSync(file, '{"schema_version": 1')
  const response = await service.app.inject({ url: `/api/evaluations/${id}` })
  expect([response.statusCode, response.json().error]).toEqual([404, expect.stringContaining('damaged')])
})

test('the uses of test data are still counted when a model is removed with its evaluations', async () => {
  writeFileSync(join(service.root, 'removed.csv'), 'label\n')
  for (const model of ['resnet18_bilinear_001', 'resnet18_gated_001'])
    await service.evaluate(model, { test_csv: 'removed.csv' })
  await service.app.inject({ method: 'DELETE', url: '/api/models/resnet18_bilinear_001' })
  expect(await service.get('/api/test-uses?data_digest=removed')).toMatchObject({
    evaluations: 2,
    models: [{ model_id: 'resnet18_gated_001' }],
  })
})
