import { describe, expect, it } from 'vitest'
import { listUpTo, pages } from './pages.js'

/** A service that has `count` jobs and returns at most `most` per page: 1,000, like the routes. */
function service(count: number, most = 1000) {
  const sizes: number[] = []
  const fetch = async ({ page_size, page_token }: { page_size: number; page_token?: string }) => {
    expect(page_size).toBeLessThanOrEqual(1000)
    sizes.push(page_size)
    const start = Number(page_token ?? 0)
    const end = Math.min(start + Math.min(page_size, most), count)
    const jobs = Array.from({ length: end - start }, (_, index) => start + index)
    return { jobs, next_page_token: end < count ? String(end) : null }
  }
  return { fetch, sizes }
}

describe('a list of more than one page', () => {
  it('is read up to the limit, every item once and in order', async () => {
    const { fetch, sizes } = service(5000)
    const { jobs, next_page_token } = await listUpTo(2500, 'jobs', fetch)
    expect(jobs).toEqual(Array.from({ length: 2500 }, (_, index) => index))
    expect(next_page_token).toBe('2500')
    expect(sizes).toEqual([1000, 1000, 500])
  })

  it('ends with the last page, whatever the limit', async () => {
    const { jobs, next_page_token } = await listUpTo(Number.POSITIVE_INFINITY, 'jobs', service(1200).fetch)
    expect([jobs.length, next_page_token]).toEqual([1200, null])
  })

  it('is read up to the limit if pages are shorter than requested', async () => {
    const { jobs } = await listUpTo(250, 'jobs', service(5000, 100).fetch)
    expect(jobs).toEqual(Array.from({ length: 250 }, (_, index) => index))
  })

  it('requests no unused page', async () => {
    const { fetch, sizes } = service(5000)
    for await (const page of pages(Number.POSITIVE_INFINITY, 'jobs', fetch)) if (page.jobs.includes(3)) break
    expect(sizes).toEqual([1000])
  })

  it.each([0, 1, 50])('returns at most %i', async (limit) => {
    expect((await listUpTo(limit, 'jobs', service(5000).fetch)).jobs).toHaveLength(limit)
  })
})
