import type { Browser } from 'playwright-core'
import {
  bytesInAddition,
  bytesOfYaml,
  loadedScripts,
  MEASURED_PAGES,
  SCRIPT_LIMITS,
} from '../../tests/page/testing/scripts.js'
import { fillJobs } from '../growth/fill.js'
import { type Bench, on, SLOWER } from './bench.js'
import { quantile, withPage } from './browser.js'
import { type Figure, figure } from './figures.js'
import { fillDatabase, withService } from './service.js'

const ATTEMPTS = 5

/** Loading time of the first page, and script size of each page. */
export function start({ browser, size }: Bench): Promise<Figure[]> {
  const fill = ({ root, dataDir }: { root: string; dataDir: string }) =>
    fillDatabase(dataDir, (database) => fillJobs(database, root, size.jobs))
  return withService({ fill }, async ({ url }) => {
    const figures = await scripts(browser, url)
    for (const slower of SLOWER) {
      const first = await firstPage(browser, url, slower)
      figures.push(figure(`Home, first paint${on(slower)}`, first.paint, 1_000, 'ms'))
      figures.push(figure(`Home, usable${on(slower)}`, first.usable, 2_000, 'ms'))
    }
    return figures
  })
}

/** Script size of Home, and of the largest additional pages. kB of 1000 bytes, gzip. */
function scripts(browser: Browser, url: string): Promise<Figure[]> {
  return withPage(browser, { url }, async (page) => {
    await page.goto('/')
    const home = await loadedScripts(page)
    const pages: { path: string; more: number; yaml: number }[] = []
    for (const path of MEASURED_PAGES) {
      await page.goto(path)
      const loaded = await loadedScripts(page)
      pages.push({ path, more: bytesInAddition(home, loaded) / 1000, yaml: bytesOfYaml(loaded) / 1000 })
    }
    const most = pages.reduce((one, other) => (other.more > one.more ? other : one))
    const yaml = Math.max(...pages.map((one) => one.yaml))
    return [
      figure('Home, scripts, gzip', bytesInAddition(new Map(), home) / 1000, SCRIPT_LIMITS.home, 'kB'),
      figure(
        `${most.path}, scripts in addition to those of Home, maximum`,
        most.more,
        SCRIPT_LIMITS.page,
        'kB',
      ),
      figure('Editor of YAML, scripts in addition to those of its page', yaml, SCRIPT_LIMITS.yaml, 'kB'),
    ]
  })
}

/** Milliseconds until the first paint of Home, and until all its panels show their content; medians. */
async function firstPage(browser: Browser, url: string, slower: number) {
  const paints: number[] = []
  const usable: number[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    await withPage(browser, { url, slower }, async (page) => {
      await page.goto('/', { waitUntil: 'commit' })
      usable.push(await page.evaluate(untilUsable))
      paints.push(
        await page.evaluate(
          () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
        ),
      )
    })
  return { paint: quantile(paints, 0.5), usable: quantile(usable, 0.5) }
}

function untilUsable(): Promise<number> {
  return new Promise((done) => {
    const look = () => {
      const shown = document.querySelectorAll('main section h2').length > 0
      const waits = document.querySelector('main [role="status"] .visually-hidden') !== null
      if (shown && !waits) done(performance.now())
      else requestAnimationFrame(look)
    }
    look()
  })
}
