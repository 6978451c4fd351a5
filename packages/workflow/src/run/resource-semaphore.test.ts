import { expect, it } from 'vitest'
import { Cancellation, ResourceSemaphore } from '../index.js'

it('a resource that is released twice is free once', async () => {
  const resources = new ResourceSemaphore({ cpu: 1, gpu: 1, io: 1 })
  const take = (cancellation = new Cancellation()) => resources.acquire('gpu', cancellation, {})
  const release = await take()
  release?.()
  release?.()
  await take()
  const cancellation = new Cancellation()
  const third = take(cancellation)
  cancellation.request()
  expect(await third).toBeUndefined()
})
