import { expect, it, vi } from 'vitest'
import { service } from '../app/service'
import { epochCurve } from './epoch-curves'

vi.mock('../app/service', () => ({ service: { listJobMetrics: vi.fn() } }))
const request = vi.mocked(service.listJobMetrics)

it('asks for the curves of all rows in one request, without those that are out of view by then', async () => {
  request.mockImplementation((async ({ jobs }: { jobs: string }) => ({
    curves: jobs.split(',').map((job_id) => ({ job_id, epochs: [] })),
  })) as never)
  const gone = new AbortController()
  const [first, aborted, second] = [
    epochCurve('a', new AbortController().signal),
    epochCurve('b', gone.signal),
    epochCurve('c', new AbortController().signal),
  ]
  gone.abort()
  await expect(aborted).rejects.toThrow('aborted')
  expect(await Promise.all([first, second])).toMatchObject([{ job_id: 'a' }, { job_id: 'c' }])
  expect(request.mock.calls.map(([input]) => input?.jobs)).toEqual(['a,c'])
})
