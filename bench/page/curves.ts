import type { Browser, Page } from 'playwright-core'
import { fillJobs, fillPoints } from '../growth/fill.js'
import { type Bench, counted, on, SLOWER } from './bench.js'
import { median, withPage } from './browser.js'
import { type Figure, figure, shown } from './figures.js'
import { fillDatabase, withService } from './service.js'
import { withTensorBoard } from './tensorboard.js'

const CURVES = 5
const ATTEMPTS = 5
/** Maximum time of a response and the rendering of its charts. */
const DRAWN_MILLISECONDS = 1_000

/** Overlaid curves of several very long trainings, and TensorBoard with the same number of points in the same run. */
export async function curves({ browser, size }: Bench): Promise<Figure[]> {
  const points = `${CURVES} × ${counted(size.points)} points`
  const fill = ({ root, dataDir }: { root: string; dataDir: string }) =>
    fillDatabase(dataDir, async (database) => {
      const jobs = await fillJobs(database, root, CURVES)
      for (const job of jobs) await fillPoints(database, job, size.points)
      return jobs
    })
  const own = await withService({ fill }, async ({ url }, jobs) => {
    const figures = [figure(`${points}, answer of the service`, await answer(url, jobs), 50, 'ms')]
    for (const slower of SLOWER) {
      const drawn = await charts(browser, url, jobs, slower)
      figures.push(figure(`${points}, first chart${on(slower)}`, drawn.first, 1_000, 'ms'))
      figures.push(figure(`${points}, zoom${on(slower)}`, drawn.zoom, 150, 'ms'))
    }
    return figures
  })
  const peer = await withTensorBoard(CURVES, size.points, async (url) => {
    const first = await median(ATTEMPTS, () => firstOfTensorBoard(browser, url))
    return [shown(`${points}, first chart of TensorBoard`, first, 'ms')]
  })
  return [...own, ...(peer ?? [])]
}

/** Response time of the service in milliseconds. */
async function answer(url: string, jobs: readonly string[]): Promise<number> {
  const request = async () => {
    const began = performance.now()
    await (
      await fetch(`${url}/api/training/metrics?buckets=600&lineage=true&jobs=${jobs.join(',')}`)
    ).arrayBuffer()
    return performance.now() - began
  }
  await request()
  return median(ATTEMPTS, request)
}

/** Milliseconds until the first line of a new page, and from the mouse release to the zoomed lines. */
async function charts(browser: Browser, url: string, jobs: readonly string[], slower: number) {
  const address = `/compare?jobs=${encodeURIComponent(JSON.stringify(jobs))}`
  const first = await median(ATTEMPTS, () =>
    withPage(browser, { url, slower }, async (page) => {
      await page.addInitScript(watchLines)
      await page.goto(address, { waitUntil: 'commit' })
      return page.evaluate(untilDrawn)
    }),
  )
  const zoom = await withPage(browser, { url, slower }, async (page) => {
    await page.addInitScript(watchLines)
    await page.goto(address)
    await page.evaluate(untilDrawn)
    await page.waitForTimeout(DRAWN_MILLISECONDS)
    return median(ATTEMPTS, () => zoomOnce(page))
  })
  return { first, zoom }
}

async function zoomOnce(page: Page): Promise<number> {
  const place = page.locator('.u-over').first()
  await place.scrollIntoViewIfNeeded()
  const box = await place.boundingBox()
  if (!box) throw new Error('there is no chart')
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2)
  const answered = page.waitForResponse((response) => response.url().includes('/api/training/metrics'))
  const began = await page.evaluate(() => performance.now())
  await page.mouse.up()
  await answered
  await page.waitForTimeout(DRAWN_MILLISECONDS)
  return (await page.evaluate(() => (globalThis as unknown as { drawn: number }).drawn)) - began
}

/** Time of the last drawn line, on the clock of the page. */
function watchLines(): void {
  const global = globalThis as unknown as { drawn: number }
  global.drawn = 0
  const { stroke } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.stroke = function (this: CanvasRenderingContext2D, ...given: never[]) {
    global.drawn = performance.now()
    return (stroke as (...given: never[]) => void).apply(this, given)
  }
}

/** Time of the first drawn line of a chart after the navigation. */
function untilDrawn(): Promise<number> {
  return new Promise((done) => {
    const look = () => {
      const { drawn } = globalThis as unknown as { drawn: number }
      if (document.querySelector('figure canvas') && drawn > 0) done(drawn)
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** TensorBoard draws its lines on one canvas, or as paths without WebGL; the chart does not appear earlier. */
function firstOfTensorBoard(browser: Browser, url: string): Promise<number> {
  return withPage(browser, { url }, async (page) => {
    await page.goto('/?darkMode=false#timeseries', { waitUntil: 'commit' })
    return page.evaluate(
      () =>
        new Promise<number>((done) => {
          const look = () => {
            const place = 'line-chart .series-view'
            if (document.querySelector(`${place} > canvas, ${place} > svg path`)) done(performance.now())
            else requestAnimationFrame(look)
          }
          look()
        }),
    )
  })
}
