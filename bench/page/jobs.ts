import type { Browser } from 'playwright-core'
import { fillJobs } from '../growth/fill.js'
import { type Bench, counted, on, SLOWER } from './bench.js'
import { framesWhileScrolling, quantile, withPage } from './browser.js'
import { type Figure, figure } from './figures.js'
import { fillDatabase, withService } from './service.js'
import { untilChanged } from './until-changed.js'

const FRAMES = 240
const REGION = 'main section[tabindex="0"]'
const NAME = `${REGION} tbody td:nth-child(2)`

/** The list of a very large number of trainings. */
export function jobs({ browser, size }: Bench): Promise<Figure[]> {
  const fill = ({ root, dataDir }: { root: string; dataDir: string }) =>
    fillDatabase(dataDir, (database) => fillJobs(database, root, size.jobs))
  return withService({ fill }, async ({ url }, ids) => {
    const figures: Figure[] = []
    const rows = `${counted(size.jobs)} jobs`
    for (const slower of SLOWER) {
      const list = await longList(browser, url, slower, ids[0]?.slice(0, 2) ?? '')
      figures.push(figure(`${rows}, frame while scrolling, p95${on(slower)}`, list.frame, 33, 'ms'))
      figures.push(figure(`${rows}, sort${on(slower)}`, list.sort, 300, 'ms'))
      figures.push(figure(`${rows}, filter${on(slower)}`, list.filter, 300, 'ms'))
    }
    return figures
  })
}

function longList(browser: Browser, url: string, slower: number, q: string) {
  return withPage(browser, { url, slower }, async (page) => {
    await page.goto('/runs')
    await page.locator(`${REGION} tbody tr`).nth(5).waitFor()
    const frames = await framesWhileScrolling(page, REGION, FRAMES)
    await page.evaluate((selector) => document.querySelector(selector)?.scrollTo(0, 0), REGION)
    await page.waitForTimeout(500)
    const byName = page.getByRole('button', { name: 'Name', exact: true })
    const sort = await untilChanged(page, NAME, () => byName.click())
    await page.waitForTimeout(500)
    const filter = await untilChanged(page, NAME, () => page.getByRole('searchbox').fill(`training ${q}`))
    return { frame: quantile(frames, 0.95), sort, filter }
  })
}
