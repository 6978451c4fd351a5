import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { MedloomClient } from '@medloom/client'
import { chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from './setup/chromium.mjs'

/**
 * Screenshots of every page of a running service, in both themes and languages. They may show patients,
 * so they are written outside the repository.
 *
 *     npm run page:shots -- FOLDER [--url http://127.0.0.1:8000]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string', default: 'http://127.0.0.1:8000' } },
})
const folder = resolve(positionals[0] ?? '')
const inside = !relative(resolve(import.meta.dirname, '..'), folder).startsWith('..')
const executablePath = findChromium()
if (positionals[0] === undefined || inside || !executablePath) {
  console.error('Name a folder outside of the repository; Chromium must be installed.')
  process.exit(2)
}
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
for (const colorScheme of ['light', 'dark'] as const)
  for (const locale of ['en', 'zh-CN']) {
    const context = await browser.newContext({
      baseURL: values.url,
      colorScheme,
      locale,
      viewport: { width: 1280, height: 900 },
    })
    const page = await context.newPage()
    for (const [name, path] of await addresses(values.url)) {
      await page.goto(path)
      await page.waitForLoadState('networkidle').catch(() => undefined)
      const file = `${name}-${locale.slice(0, 2)}-${colorScheme}.png`
      await page.screenshot({ path: join(folder, file), fullPage: true })
      console.log(file)
    }
    await context.close()
  }
await browser.close()

/** Every page; for pages of an item, that of the latest item. */
async function addresses(url: string): Promise<[name: string, path: string][]> {
  const service = new MedloomClient({ baseUrl: url })
  const { jobs } = await service.listJobs({ page_size: 4 })
  const { studies } = await service.listStudies({ page_size: 1 })
  const { models } = await service.listModels({ page_size: 1 })
  const { datasets } = await service.listDatasets({ page_size: 1 })
  return [
    ['home', '/'],
    ['train', '/train'],
    ['runs', '/runs'],
    ...jobs.slice(0, 1).map(({ job_id }): [string, string] => ['run', `/runs/${job_id}`]),
    ['compare', `/compare?jobs=${encodeURIComponent(JSON.stringify(jobs.map(({ job_id }) => job_id)))}`],
    ['studies', '/studies'],
    ['study-new', '/studies/new'],
    ...studies.map(({ study_id }): [string, string] => ['study', `/studies/${study_id}`]),
    ['models', '/models'],
    ...models.map(({ model_id }): [string, string] => ['model', `/models/${model_id}`]),
    ['data', '/data'],
    ...datasets.map(({ dataset_id }): [string, string] => ['dataset', `/data/${dataset_id}`]),
    ['workflows', '/workflows'],
    ['system', '/system'],
  ]
}
