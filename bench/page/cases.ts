import type { Browser } from 'playwright-core'
import { fillEvaluation } from '../growth/fill-evaluation.js'
import { type Bench, counted, on, SLOWER } from './bench.js'
import { framesWhileScrolling, quantile, withPage } from './browser.js'
import { type Figure, figure } from './figures.js'
import { drawCases, longTable, register } from './pictures.js'
import { fillDatabase, withService } from './service.js'
import { untilChanged } from './until-changed.js'

const FRAMES = 240
const TABLE = 'section[aria-label="Cases of the dataset"]'
const PAGES = 4

/** A very large number of cases: of a dataset, as a table, and of a model's evaluation, as images and numbers. */
export function cases({ browser, size }: Bench): Promise<Figure[]> {
  const fill = async (folders: { root: string; dataDir: string }) => ({
    table: longTable(drawCases(folders.root), size.cases),
    model: await fillDatabase(folders.dataDir, (database) => fillEvaluation(database, folders, size.cases)),
  })
  return withService({ fill }, async ({ url }, { table, model }) => {
    const dataset = await register(url, table)
    const figures: Figure[] = []
    const many = `${counted(size.cases)} cases`
    for (const slower of SLOWER) {
      const parts = {
        'of a dataset': await inTable(browser, { url, slower }, dataset),
        'of an evaluation': await inCards(browser, { url, slower }, model),
      }
      for (const [what, { frame, sort, filter }] of Object.entries(parts)) {
        figures.push(figure(`${many} ${what}, frame while scrolling, p95${on(slower)}`, frame, 33, 'ms'))
        figures.push(figure(`${many} ${what}, sort${on(slower)}`, sort, 300, 'ms'))
        figures.push(figure(`${many} ${what}, filter${on(slower)}`, filter, 300, 'ms'))
      }
    }
    return figures
  })
}

interface Where {
  readonly url: string
  readonly slower: number
}

function inTable(browser: Browser, where: Where, dataset: string) {
  return withPage(browser, where, async (page) => {
    await page.goto(`/data/${dataset}?tab=cases`)
    await page.locator(`${TABLE} tbody tr`).nth(5).waitFor()
    const frames = await framesWhileScrolling(page, TABLE, FRAMES)
    await page.evaluate((selector) => document.querySelector(selector)?.scrollTo(0, 0), TABLE)
    await page.waitForTimeout(500)
    const first = `${TABLE} tbody tr`
    const byAge = page.locator(TABLE).getByRole('button', { name: 'age', exact: true })
    const sort = await untilChanged(page, first, () => byAge.click())
    const condition = page.getByLabel('Filter')
    // Sorted with the oldest first, so that the first row changes.
    await condition.fill('age < 50')
    await page.waitForTimeout(500)
    const filter = await untilChanged(page, first, () => condition.press('Enter'))
    return { frame: quantile(frames, 0.95), sort, filter }
  })
}

function inCards(browser: Browser, where: Where, model: string) {
  return withPage(browser, where, async (page) => {
    await page.goto(`/models/${model}`)
    const first = '#cases li'
    await page.locator(first).first().waitFor()
    const more = page.locator('#cases').getByRole('button', { name: 'Show more' })
    for (let index = 1; index < PAGES; index++) {
      await more.click()
      await page.waitForTimeout(300)
    }
    const frames = await framesWhileScrolling(page, 'html', FRAMES)
    await page
      .locator('#cases')
      .getByRole('button', { name: /Sort by/ })
      .click()
    const sort = await untilChanged(page, first, () =>
      page.getByRole('option', { name: 'Table order' }).click(),
    )
    await page.waitForTimeout(500)
    const wrong = page.locator('#cases').getByRole('button', { name: 'Errors only' })
    const filter = await untilChanged(page, first, () => wrong.click())
    return { frame: quantile(frames, 0.95), sort, filter }
  })
}
