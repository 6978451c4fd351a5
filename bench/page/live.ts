import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { Caller } from '../../tests/testing/http.js'
import { REPOSITORY } from '../../tests/testing/service.js'
import { type Bench, on, SLOWER } from './bench.js'
import { heapOf, quantile, withPage } from './browser.js'
import { type Figure, figure, shown } from './figures.js'
import { withService } from './service.js'

const PAUSE_MILLISECONDS = 100
/** Time until the page is idle. */
const SETTLE_SECONDS = 10
/** Time until its curves have their final number of buckets: from then on the number of points is constant. */
const FULL_SECONDS = 60
const DELAY_SECONDS = 20

/** A training that sends ten messages a second, observed for minutes; for an hour with --live-minutes 60. */
export function live({ browser, size }: Bench): Promise<Figure[]> {
  // A program that writes events at a constant rate replaces the trainer; everything else is unchanged.
  const trainer = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')
  const fill = async ({ root }: { root: string }) => writeFileSync(join(root, 'train.csv'), 'label\n')
  return withService({ fill, arguments: ['--python', trainer] }, async ({ url }) => {
    const caller = new Caller(url)
    const id = await caller.start(CONFIG, `batches=50 delay=${PAUSE_MILLISECONDS}`)
    await caller.until(id, ({ epoch }) => epoch > 0)
    const figures: Figure[] = []
    for (const slower of SLOWER) {
      const seconds = slower === 1 ? size.liveSeconds : Math.min(DELAY_SECONDS, size.liveSeconds)
      const seen = await look(browser, { url, id, slower, seconds })
      figures.push(figure(`Live, event to pixel at 10 Hz, p95${on(slower)}`, seen.delay, 250, 'ms'))
      if (slower === 1) {
        const time = `${(seconds / 60).toFixed(1)} minutes at 10 Hz`
        figures.push(shown(`Live, memory while the curves fill, ${FULL_SECONDS} s`, 100 * seen.filled, '%'))
        figures.push(figure(`Live, memory from then on, after ${time}`, 100 * seen.growth, 10, '%'))
      }
    }
    await caller.post(`/api/training/${id}/stop`)
    await caller.ended(id)
    return figures
  })
}

const CONFIG = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
  training: { epochs: 100_000, batch_size: 1, device: 'cpu' },
}

interface Look {
  readonly url: string
  readonly id: string
  readonly slower: number
  readonly seconds: number
}

/** Milliseconds from a trainer event to the frame that shows it, and the relative growth of the page: initially, and later. */
function look(browser: Browser, { url, id, slower, seconds }: Look) {
  return withPage(browser, { url, slower, seconds: seconds + 2 * FULL_SECONDS }, async (page) => {
    await page.addInitScript(watchSockets)
    await page.goto(`/runs/${id}`)
    await page.locator('figure canvas').first().waitFor()
    await page.waitForTimeout(1000 * SETTLE_SECONDS)
    const begun = await heapOf(page)
    await page.waitForTimeout(1000 * (FULL_SECONDS - SETTLE_SECONDS))
    const full = await heapOf(page)
    await page.waitForTimeout(1000 * seconds)
    const after = await heapOf(page)
    return {
      delay: quantile(await delaysOf(page), 0.95),
      filled: full / begun - 1,
      growth: after / full - 1,
    }
  })
}

function delaysOf(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const { delays, count } = (globalThis as unknown as { live: Live }).live
    return [...delays.subarray(0, count)]
  })
}

interface Live {
  /** Allocated at its final size, so that it does not count as growth of the page. */
  readonly delays: Float32Array
  count: number
}

/** Records for each progress message when the page has changed after it, on the clock of the machine. */
function watchSockets(): void {
  const live: Live = { delays: new Float32Array(100_000), count: 0 }
  ;(globalThis as unknown as { live: Live }).live = live
  const waiting: number[] = []
  const shown = () => {
    if (waiting.length === 0) return
    const arrived = waiting.splice(0)
    requestAnimationFrame(() => {
      for (const index of arrived) live.delays[live.count++] = Date.now() - index
    })
  }
  addEventListener('DOMContentLoaded', () =>
    new MutationObserver(shown).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    }),
  )
  const Native = WebSocket
  globalThis.WebSocket = class extends Native {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols)
      if (!String(address).includes('/ws/training/')) return
      this.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as { type: string; timestamp: string }
        if (message.type === 'progress') waiting.push(Date.parse(message.timestamp))
      })
    }
  }
}
