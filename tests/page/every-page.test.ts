import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { Caller } from '../testing/http.js'
import { REPOSITORY } from '../testing/service.js'
import { expectChinese } from './testing/chinese.js'
import { type Everything, everythingOf } from './testing/everything.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

/** All addresses of the page, by their path in the router: a new page must be added here. */
const ADDRESSES: Record<string, () => string> = {
  '/': () => '/',
  '/runs': () => '/runs',
  '/runs/$jobId': () => `/runs/${made.job}`,
  '/train': () => '/train',
  '/data': () => '/data',
  '/data/new': () => '/data/new',
  '/data/$datasetId': () => `/data/${made.dataset}`,
  '/studies': () => '/studies',
  '/studies/new': () => '/studies/new',
  '/studies/$studyId': () => `/studies/${made.study}`,
  '/compare': () => `/compare?jobs=${JSON.stringify(made.pair)}`,
  '/system': () => '/system',
  '/workflows': () => '/workflows',
  '/workflows/$workflowId': () => `/workflows/${made.workflow}`,
  '/workflows/$workflowId/runs/$runId': () => `/workflows/${made.workflow}/runs/${made.run}`,
  '/models': () => '/models',
  '/models/$id': () => `/models/${made.model}`,
}

let made: Everything
beforeAll(async () => {
  if (shared) made = await everythingOf(shared)
})

test('every page of the router is looked at here', () => {
  const router = readFileSync(join(REPOSITORY, 'packages/web/src/app/router.tsx'), 'utf8')
  const declared = [...router.matchAll(/\.\.\.underRoot\('([^']+)'\)/g)].map(([, address]) => address)
  expect(Object.keys(ADDRESSES).sort()).toEqual(declared.sort())
})

/** Heading of the section on the page. */
const ORIGIN_TITLE = '结果来源'

/** Provenance of the numbers of each page, as the API returns it. */
const ORIGINS: Record<string, () => Promise<string[]>> = {
  '/': ofNewestJob,
  '/runs': ofNewestJob,
  '/runs/$jobId': () => ofJob(made.job),
  '/models': async () => ofJob((await read('/api/models?page_size=1')).models[0].job_id),
  '/models/$id': async () => {
    const { evaluations } = await read(`/api/models/${made.model}/evaluations`)
    const { data_digest, result, job_name } = await read(`/api/evaluations/${evaluations[0].evaluation_id}`)
    return [job_name, data_digest, `torch ${result.software.torch}`]
  },
  '/compare': () => ofJob(made.pair[0] ?? ''),
  '/studies/$studyId': () => ofJob(made.pair[0] ?? ''),
  '/data/$datasetId': async () => {
    const { path, digest } = await read(`/api/datasets/${made.dataset}`)
    return [path, digest]
  },
  '/workflows/$workflowId/runs/$runId': async () => {
    const { nodes } = await read(`/api/workflow/${made.workflow}/runs/${made.run}`)
    return Object.values<{ outputs: Record<string, { digest: string }> }>(nodes).flatMap(({ outputs }) =>
      Object.values(outputs).map(({ digest }) => digest),
    )
  },
}

async function read(path: string) {
  // biome-ignore lint/suspicious/noExplicitAny: responses of several routes
  return (await new Caller(shared?.url ?? '').get<any>(path)).body
}

/** Origins of the newest job: other tests of this service make jobs as well. */
async function ofNewestJob(): Promise<string[]> {
  const { jobs } = await read('/api/training?status=completed&page_size=1')
  return ofJob(jobs[0].job_id)
}

async function ofJob(id: string): Promise<string[]> {
  const { job_name, prepared, config, ensemble } = await read(`/api/training/${id}/status`)
  const origins = [
    job_name,
    ...Object.values<string>(prepared?.data_digests ?? {}),
    String(config.training.seed),
  ]
  // An ensemble has no evaluation of its own.
  if (ensemble) return origins
  const { result } = await read(`/api/evaluations/validation-${id}`)
  return [...origins, `torch ${result.software.torch}`]
}

/** Layout shifts since the page was opened, as recorded by the browser. */
function layoutShifts(): Promise<unknown[]> {
  return new Promise((done) => {
    const observer = new PerformanceObserver((list) => done(toPlain(list.getEntries() as Shift[])))
    observer.observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done([]), 100)
  })
  interface Shift extends PerformanceEntry {
    readonly value: number
    readonly sources: readonly {
      readonly node: Element | null
      readonly currentRect: DOMRect
      readonly previousRect: DOMRect
    }[]
  }
  function toPlain(shifts: readonly Shift[]) {
    return shifts.map(({ value, startTime, sources }) => ({
      value,
      startTime,
      nodes: sources.map(({ node, currentRect, previousRect }) => [
        node?.className ?? node?.textContent,
        [previousRect.x, previousRect.y, previousRect.width, previousRect.height],
        [currentRect.x, currentRect.y, currentRect.width, currentRect.height],
      ]),
    }))
  }
}

const shown = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
}

/** Opens the section and compares it with the API. */
async function expectOrigins(page: Page, origins: readonly string[]): Promise<void> {
  const from = page.getByRole('group').filter({ hasText: ORIGIN_TITLE })
  await from.getByText(ORIGIN_TITLE).click()
  for (const text of origins)
    await from
      .getByText(text, { exact: !text.startsWith('torch') })
      .first()
      .waitFor()
}

/** Maximum delay of responses, each with its own delay. */
const LATE_MILLISECONDS = 600

/** Opens the page with delayed responses and checks that nothing moves when they arrive. */
async function expectStill(page: Page, address: string): Promise<void> {
  const answers = '**/api/**'
  let requests = 0
  await page.route(answers, async (route) => {
    await delay((requests++ % 3) * (LATE_MILLISECONDS / 2))
    await route.fallback()
  })
  await page.goto(address)
  await shown(page)
  const moved = await page.evaluate(layoutShifts)
  expect(moved, JSON.stringify(moved)).toEqual([])
  await page.unroute(answers)
}

/** If the user prefers reduced motion, nothing moves. */
async function expectNoMotion(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const moving = () =>
    page.evaluate(
      () =>
        document.getAnimations().filter(({ playState, effect }) => {
          const { duration, iterations } = effect?.getComputedTiming() ?? {}
          return playState === 'running' && (iterations === Number.POSITIVE_INFINITY || Number(duration) > 10)
        }).length,
    )
  // Animations that started before come to their end.
  await expect.poll(moving).toBe(0)
}

/** The outline of the focused element remains visible with forced colors. */
async function expectVisibleFocus(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.keyboard.press('Tab')
  const outline = await page.evaluate(() =>
    document.activeElement ? getComputedStyle(document.activeElement).outlineStyle : 'nothing has the focus',
  )
  expect(outline).toBe('solid')
}

/** Rows of a list show what other tests of this service made. A page of one item shows the one made here. */
function rowsOf(name: string): string[] {
  return name.includes('$') ? [] : ['td', '[role="gridcell"]', '[role="rowheader"]']
}

describe.each(Object.keys(ADDRESSES))('%s with names as no one expects them, in Chinese', (name) => {
  const origins = ORIGINS[name]
  const promise = origins ? ', says where its numbers come from, as the interface does,' : ''
  test(`stays in place while it loads${promise} breaks no rule at any width, without motion and in forced colors`, async ({
    open,
  }) => {
    const page = await open('about:blank', { locale: 'zh-CN', reducedMotion: 'no-preference' })
    await expectStill(page, ADDRESSES[name]?.() ?? '')
    expect(await page.locator('html').getAttribute('lang')).toMatch(/^zh/)
    await expectChinese(page.locator('body'), rowsOf(name))
    if (origins) await expectOrigins(page, await origins())
    await expectNoMotion(page)
    await expectAccessible(page, { colors: true })
    await expectNarrow(page)
    await expectNarrow(page, 640)
    await expectVisibleFocus(page)
    expect(await page.locator('img[src="x"]').count()).toBe(0)
  })
})

test.for(Object.keys(ADDRESSES))(
  'every tab and every folded part of %s is in Chinese',
  { tags: ['full'] },
  async (name, { open }) => {
    const page = await open(ADDRESSES[name]?.() ?? '', { locale: 'zh-CN' })
    await shown(page)
    for (const tab of [null, ...(await page.getByRole('tab').all())]) {
      await tab?.click()
      await shown(page)
      for (const part of await page.locator('details').all())
        await part.evaluate((element: HTMLDetailsElement) => {
          element.open = true
        })
      await shown(page)
      await expectChinese(page.locator('body'), rowsOf(name))
    }
  },
)
