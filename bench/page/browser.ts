import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../../scripts/setup/chromium.mjs'

const FLAGS = [...CHROMIUM_FLAGS, '--enable-precise-memory-info']

/** The browser ends only when it is closed, not by a signal: its owner ends it together with all other resources. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium was found; set CHROMIUM_PATH to its executable')
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  return chromium.launch({ executablePath, headless: true, args: FLAGS, ...signals })
}

interface Look extends BrowserContextOptions {
  readonly url: string
  readonly slower?: number
  readonly seconds?: number
}

/** Longer than any step: an event that does not occur is not awaited longer. */
const MOST_SECONDS = 120

/** Opens a page in a new context, with a time limit in seconds. @param slower slowdown factor of its processor */
export async function withPage<Result>(
  browser: Browser,
  { url, slower = 1, seconds = MOST_SECONDS, ...options }: Look,
  look: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  const timer = setTimeout(
    () => void context.close({ reason: `not done after ${seconds} s` }),
    seconds * 1000,
  )
  try {
    // tsx names functions with a helper, which functions sent to the page expect there.
    await context.addInitScript({ content: 'globalThis.__name = (value) => value' })
    const page = await context.newPage()
    if (slower > 1) {
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
    }
    return await look(page)
  } finally {
    clearTimeout(timer)
    await context.close()
  }
}

/** Heap size of the page in bytes after a garbage collection. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** Starts counting. @returns milliseconds of main thread work since then; counted only while a listener exists */
export async function countWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const before = await worked()
  return async () => (await worked()) - before
}

/** Milliseconds between frames while a region, or the page, is scrolled at the speed of a mouse wheel: to its end, back, and again. */
export function framesWhileScrolling(page: Page, selector: string, frames: number): Promise<number[]> {
  return page.evaluate(
    ([selector, frames]) =>
      new Promise<number[]>((done) => {
        const region = document.querySelector(selector)
        const times: number[] = []
        let last = performance.now()
        let [step, place] = [120, -1]
        const next = (now: number) => {
          times.push(now - last)
          last = now
          if (region?.scrollTop === place) step = -step
          place = region?.scrollTop ?? 0
          region?.scrollBy(0, step)
          if (times.length > frames) done(times.slice(1))
          else requestAnimationFrame(next)
        }
        requestAnimationFrame(next)
      }),
    [selector, frames] as const,
  )
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** The median of several attempts. */
export async function median(attempts: number, attempt: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let index = 0; index < attempts; index++) values.push(await attempt())
  return quantile(values, 0.5)
}
