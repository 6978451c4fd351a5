import { expect } from 'vitest'
import { expectAccessible, expectNarrow } from './testing/looks.js'
import { test } from './testing/test.js'

test('/ shows the page, accessible in both themes, and as narrow as a phone', async ({ open }) => {
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.title()).toContain('Medloom')
  await expectAccessible(page)
  await expectNarrow(page)
})
