/** @module-tag service */
import type { Job, JobResponse, TagsInUse } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withShortReports } from '../../testing/short-reports.js'
import { Place, startTrainingService } from '../../testing/training/training-service.js'

let place: Place
let service: Awaited<ReturnType<typeof startTrainingService>>
withShortReports()
beforeAll(async () => {
  place = new Place()
  service = await startTrainingService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const edit = (jobId: string, changes: unknown) =>
  service.send<Job & { code?: string; issues?: { path: string }[] }>(
    'PATCH',
    `/api/training/${jobId}`,
    changes,
  )

it('labels of a job change individually, during and after its run, and the training continues', async () => {
  const jobId = await service.start('delay=100', place.config({ epochs: 1000 }))
  await service.until(jobId, ({ status }) => status === 'running')
  const first = await edit(jobId, {
    job_name: 'Lesions, run 2',
    tags: [' Baseline ', 'PAD  UFES', 'baseline'],
  })
  expect(first).toMatchObject({
    status: 200,
    body: {
      job_name: 'Lesions, run 2',
      tags: ['baseline', 'pad ufes'],
      note: '',
      pinned: false,
      status: 'running',
    },
  })
  await service.stop(jobId)
  const note = '# Größe\n<script>alert(1)</script>'
  for (let time = 0; time < 2; time++)
    expect((await edit(jobId, { note, pinned: true, archived: true })).body).toMatchObject({
      tags: ['baseline', 'pad ufes'],
      note,
      pinned: true,
      archived: true,
      status: 'stopped',
    })
  expect((await edit(jobId, { tags: [] })).body).toMatchObject({ tags: [], note })
  const reported = await service.until(jobId, (later) => later.report_path !== null)
  expect((await edit(jobId, {})).body).toEqual(reported)
  const { body } = await service.send<{ jobs: Job[] }>('GET', '/api/training')
  expect(body.jobs.filter(({ job_id }) => job_id === jobId)).toEqual([])
})

it('a list with view=full returns complete records, and the tags are counted', async () => {
  const jobId = await service.start('plain')
  const record = await service.ended(jobId)
  await edit(jobId, { tags: ['a', 'b'] })
  const { body } = await service.send<{ jobs: (Job & JobResponse)[] }>(
    'GET',
    '/api/training?view=full&tags=b',
  )
  expect(body.jobs[0]).toMatchObject({
    config: record.config,
    prepared: record.prepared,
    notes: record.notes,
    resumable: false,
    tags: ['a', 'b'],
    has_note: false,
  })
  expect((await service.send<TagsInUse>('GET', '/api/training/tags')).body).toEqual({
    tags: [
      { tag: 'a', jobs: 1 },
      { tag: 'b', jobs: 1 },
    ],
  })
})

describe('an edit', () => {
  let jobId: string
  beforeAll(async () => {
    jobId = await service.start('plain')
  })

  it.each<[string, unknown, string]>([
    ['a tag is empty', { tags: ['a', '  '] }, 'tags.1'],
    ['a tag is long', { tags: ['x'.repeat(51)] }, 'tags.0'],
    ['a tag has a comma', { tags: ['a,b'] }, 'tags.0'],
    ['there are many tags', { tags: Array.from({ length: 21 }, (_, number) => `t${number}`) }, 'tags'],
    ['the note is long', { note: 'x'.repeat(10_001) }, 'note'],
    ['the name is empty', { job_name: '' }, 'job_name'],
    ['a key is unknown', { stared: true }, 'stared'],
  ])('is refused where %s, and nothing changes', async (_, changes, path) => {
    const { status, body } = await edit(jobId, { pinned: true, ...(changes as object) })
    expect([status, body.issues?.map((issue) => issue.path)]).toEqual([400, [path]])
    expect(await service.status(jobId)).toMatchObject({ pinned: false })
  })
})

it('an unknown job is refused', async () => {
  const { status, body } = await edit('00000000-0000-4000-8000-000000000000', { pinned: true })
  expect([status, body.code]).toEqual([404, 'JOB_NOT_FOUND'])
})
