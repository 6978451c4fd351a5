import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { customNodeTemplate } from '@medloom/contracts'
import { afterAll, beforeAll, expect } from 'vitest'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { expectAccessible } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

let service: RunningService | undefined
beforeAll(async () => {
  if (!shared) return
  const folder = temporaryFolder('custom-nodes')
  const nodes = join(folder, 'nodes')
  mkdirSync(nodes, { recursive: true })
  writeFileSync(join(nodes, 'older_cases.py'), customNodeTemplate('older_cases.py'))
  writeFileSync(join(nodes, 'broken_node.py'), 'NODE = {\n')
  service = await startService({ roots: [folder], arguments: ['--nodes', nodes] })
})
afterAll(() => service?.kill())

test('the palette marks custom nodes, adds them, and lists invalid files with the reason', async ({
  open,
}) => {
  const url = service?.url ?? ''
  const { body } = await new Caller(url).post<{ workflow_id: string }>('/api/workflow/create', {})
  const page = await open(`/workflows/${body.workflow_id}`, { url })
  const problems = page.getByRole('region', { name: 'Custom nodes that cannot be used' })
  await problems.getByText(/^broken_node\.py/).waitFor()
  expect(await problems.getByRole('listitem').count()).toBe(1)
  await expectAccessible(page)
  await page.getByRole('button', { name: /custom, older_cases\.py/ }).click()
  await page.getByText('Draft saved').waitFor()
  await page.locator('.react-flow__node').first().waitFor()
})
