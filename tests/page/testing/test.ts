import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { test as base, expect, inject } from 'vitest'
import { CHROMIUM_FLAGS } from '../../../scripts/setup/chromium.mjs'
import { makeContext, ReusedContexts, SHORT_PAGES, type Watched } from './contexts.js'
import { PATIENCE } from './patience.js'

const pages = inject('pages')
export const shared = pages && (pages[Number(process.env.VITEST_POOL_ID) - 1] ?? null)
/** Started by the worker itself: messages to a browser of another process would pass through one more process. */
const browser =
  shared &&
  (await chromium.launch({
    executablePath: shared.executablePath,
    args: [...CHROMIUM_FLAGS, ...SHORT_PAGES],
  }))
const contexts = browser && shared && new ReusedContexts(browser, shared.url)

interface OpenOptions extends Pick<BrowserContextOptions, 'locale' | 'viewport' | 'reducedMotion'> {
  /** Address of the service, for a test that starts its own. */
  readonly url?: string
}

interface Fixtures {
  /** Opens an address of the page in a new browser context. */
  open: (path?: string, options?: OpenOptions) => Promise<Page>
  /** Problems that the test causes on purpose; any other problem that `watch` notices fails the test. */
  expected: RegExp[]
}

/** A page test in Chromium; skipped if there is none. */
export const test = base
  .extend<Fixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the requested fixtures.
    expected: async ({}, use) => use([]),
    open: async ({ expected }, use) => {
      const used = new Set<Watched>()
      const own: Watched[] = []
      await use(async (path = '/', { url, locale = 'en-US', viewport, reducedMotion } = {}) => {
        if (!browser || !contexts) throw new Error('there is no browser')
        const taken = url ? await makeContext(browser, url, { locale }) : await contexts.take(locale)
        used.add(taken)
        if (url) own.push(taken)
        const page = await taken.context.newPage()
        page.setDefaultTimeout(PATIENCE)
        if (viewport) await page.setViewportSize(viewport)
        if (reducedMotion) await page.emulateMedia({ reducedMotion })
        await page.goto(path)
        return page
      })
      await Promise.all(own.map(({ context }) => context.close()))
      const problems = [...used].flatMap(({ problems }) => problems)
      await contexts?.giveBack()
      const unexpected = problems.filter((problem) => !expected.some((known) => known.test(problem)))
      // Repeated in the message, because a run summary does not show the difference between two arrays.
      expect(unexpected, unexpected.join('\n')).toEqual([])
    },
  })
  .skipIf(browser === null)
