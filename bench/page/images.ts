import type { Browser, Page } from 'playwright-core'
import { Caller } from '../../tests/testing/http.js'
import { type Bench, counted, on, SLOWER } from './bench.js'
import { framesWhileScrolling, quantile, withPage } from './browser.js'
import { type Figure, figure } from './figures.js'
import { drawCases, manyImages, register } from './pictures.js'
import { withService } from './service.js'

const FIRST = 60
const FRAMES = 240
/** High enough for this number of visible images. */
const VIEWPORT = { width: 1440, height: 1800 }
const GRID = '[role="grid"]'

/** Images of a very large number of cases. None has been shown before, so each is decoded. */
export function images({ browser, size }: Bench): Promise<Figure[]> {
  const fill = async ({ root }: { root: string }) => {
    const drawn = drawCases(root)
    const tables = SLOWER.map((slower) => manyImages(drawn, `images-${slower}`, size.images))
    return { tables, other: manyImages(drawn, 'other', FIRST) }
  }
  return withService({ fill }, async ({ url }, { tables, other }) => {
    await lookBefore(url, other)
    const figures: Figure[] = []
    const many = `${counted(size.images)} images`
    for (const [index, slower] of SLOWER.entries()) {
      const dataset = await register(url, tables[index] ?? '')
      const seen = await grid(browser, { url, slower }, dataset)
      figures.push(figure(`${many}, the first ${FIRST}${on(slower)}`, seen.first, 1_000, 'ms'))
      figures.push(figure(`${many}, frame while scrolling, p95${on(slower)}`, seen.frame, 33, 'ms'))
    }
    return figures
  })
}

/** The service has shown other images since its start, so its readers are running. */
async function lookBefore(url: string, table: string): Promise<void> {
  const dataset = await register(url, table)
  const rows = Array.from({ length: FIRST }, (_, row) => row)
  await new Caller(url).post(`/api/datasets/${dataset}/thumbnails`, { rows, image: 0, size: 192 })
}

function grid(browser: Browser, where: { url: string; slower: number }, dataset: string) {
  return withPage(browser, { ...where, viewport: VIEWPORT }, async (page) => {
    await page.goto(`/data/${dataset}?tab=images`, { waitUntil: 'commit' })
    const first = await untilSeen(page, FIRST)
    await page.waitForTimeout(1_000)
    const frames = await framesWhileScrolling(page, GRID, FRAMES)
    return { first, frame: quantile(frames, 0.95) }
  })
}

/** Milliseconds after the navigation until this number of images is ready to be drawn. */
function untilSeen(page: Page, count: number): Promise<number> {
  return page.evaluate(
    ([selector, count]) =>
      new Promise<number>((done) => {
        const look = () => {
          const found = [...document.querySelectorAll<HTMLImageElement>(`${selector} img`)]
          const seen = found.filter(({ complete, naturalWidth }) => complete && naturalWidth > 0)
          if (seen.length >= count) done(performance.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
    [GRID, count] as const,
  )
}
