import type { PreparedCache, SystemInfo } from '@medloom/contracts'
import { expect } from 'vitest'
import { Caller } from '../testing/http.js'
import { expectDialog } from './testing/dialog.js'
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
  const page = await open('about:blank')
  // As after a training on images, whose networks take long to train.
  const size_bytes = 40_960
  const used = { last_used_at: '2026-01-01T00:00:00Z', in_use: false }
  const filled: PreparedCache = {
    ...{ limit_bytes: null, size_bytes },
    stores: [{ image_size: [32, 32], depth: 8, images: 40, size_bytes, ...used }],
  }
  await page.route('**/api/system/cache', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: filled }) : route.continue(),
  )
  await page.goto('/system')
  const cache = page.getByRole('region', { name: 'Caches' })
  await cache.getByRole('button', { name: 'Clear' }).first().click()
  await page.getByText('Later trainings decode the images again.').waitFor()
  await expectDialog(page, page.getByRole('dialog'))
  const cleared = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  expect((await cleared).status()).toBe(200)
  await cache.getByText(/freed/).waitFor()
})
