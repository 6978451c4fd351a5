import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { Caller } from '../testing/http.js'
import { Workflows } from '../testing/workflow.js'
import {
  bytesInAddition,
  bytesOfYaml,
  loadedScripts,
  MEASURED_PAGES,
  SCRIPT_LIMITS,
} from './testing/scripts.js'
import { shared, test } from './testing/test.js'

/** Uses a new browser, because resources in the memory cache are not reported as loaded. */
const openNew = (open: (path: string, options: { url: string }) => Promise<Page>) =>
  open('/', { url: shared?.url ?? '' })

test('the first page loads few scripts, and every other one few more', async ({ open }) => {
  const page = await openNew(open)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const home = await loadedScripts(page)
  expect(bytesInAddition(new Map(), home) / 1000, '/').toBeLessThan(SCRIPT_LIMITS.home)
  for (const path of MEASURED_PAGES) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const scripts = await loadedScripts(page)
    expect(bytesInAddition(home, scripts) / 1000, path).toBeLessThan(SCRIPT_LIMITS.page)
    expect(bytesOfYaml(scripts) / 1000, path).toBeLessThan(SCRIPT_LIMITS.yaml)
  }
})

test('the editor of workflows loads few scripts more', async ({ open }) => {
  const id = await new Workflows(new Caller(shared?.url ?? '')).create({ name: 'small' })
  const page = await openNew(open)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const home = await loadedScripts(page)
  await page.goto(`/workflows/${id}`)
  await page.getByRole('button', { name: 'Load dataset' }).waitFor()
  const editor = bytesInAddition(home, await loadedScripts(page)) / 1000
  expect(editor).toBeGreaterThan(SCRIPT_LIMITS.workflow / 4)
  expect(editor).toBeLessThan(SCRIPT_LIMITS.workflow)
})
