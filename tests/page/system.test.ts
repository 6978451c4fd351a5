import type { PreparedCache, SystemInfo } from '@medloom/contracts'
import { expect } from 'vitest'
import { Caller } from '../testing/http.js'
import { imageTrainingOf } from './testing/everything.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

test('the system page shows resource usage, stored data and versions', async ({ open }) => {
  const { body } = await new Caller(shared?.url ?? '').get<SystemInfo>('/api/system/info')
  const page = await open('/system')
  await page.getByText(body.pytorch_version, { exact: true }).waitFor()
  await page.getByText(shared?.root ?? '', { exact: true }).waitFor()
  await page.getByText('Concurrent trainings').waitFor()
  await page.getByText('No token is required').waitFor()
  await page.getByRole('heading', { name: 'Decoded images' }).waitFor()
  await expectAccessible(page)
  await expectNarrow(page)
})

test('prepared images are cleared after a confirmation with the consequences', async ({ open }) => {
  if (!shared) return
  const caller = new Caller(shared.url)
  await imageTrainingOf(shared)
  const page = await open('/system')
  const cache = page.getByRole('region', { name: 'Caches' })
  await cache.getByRole('button', { name: 'Clear' }).first().click()
  await page.getByText('Later trainings decode the images again.').waitFor()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await cache.getByText(/freed/).waitFor()
  expect((await caller.get<PreparedCache>('/api/system/cache')).body.stores).toEqual([])
})
