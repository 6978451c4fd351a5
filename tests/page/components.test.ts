import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import { REPOSITORY, temporaryFolder } from '../testing/service.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const root = join(REPOSITORY, 'packages/web')
let folder: string
let server: PreviewServer

beforeAll(async () => {
  if (!shared) return
  folder = temporaryFolder('components')
  const input = join(root, 'components.html')
  const options = { outDir: folder, emptyOutDir: true, minify: false, rolldownOptions: { input } } as const
  await build({ root, mode: 'test', logLevel: 'warn', build: options })
  server = await preview({ root, build: { outDir: folder }, preview: { port: 0 } })
})
afterAll(async () => {
  await server?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

for (const locale of ['en-US', 'zh-CN'])
  test(`every component in every state is accessible and narrow in ${locale}`, async ({ open }) => {
    const url = server.resolvedUrls?.local[0] ?? ''
    const page = await open(`${url}components.html`, { url, locale })
    await page.getByText('INVALID_CONFIG').waitFor()
    // Translated text has the same colors.
    await expectAccessible(page, { colors: locale === 'en-US' })
    await expectNarrow(page)
  })
