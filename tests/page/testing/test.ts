import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { test as base, expect, inject } from 'vitest'
import { PATIENCE } from './patience.js'
import { watch } from './watch.js'

const pages = inject('pages')
export const shared = pages && (pages[Number(process.env.VITEST_POOL_ID) - 1] ?? null)
const browser = shared && (await chromium.connect(shared.browser))

interface OpenOptions extends BrowserContextOptions {
  /** Where the service is, for a test with one of its own. */
  readonly url?: string
}

interface Fixtures {
  /** Open an address of the page in a browser that nobody has used before. */
  open: (path?: string, options?: OpenOptions) => Promise<Page>
  /** What the test makes happen on purpose; all other problems that `watch` notices fail it. */
  expected: RegExp[]
}

/** A test of the page in Chromium; skipped where there is none. */
export const test = base
  .extend<Fixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that are asked for.
    expected: async ({}, use) => use([]),
    open: async ({ expected }, use) => {
      const opened: { close(): Promise<void>; problems: string[] }[] = []
      await use(async (path = '/', { url = shared?.url ?? '', ...options } = {}) => {
        if (!browser) throw new Error('there is no browser')
        // A browser without a graphics card draws every step of a motion with the processor that the tests need.
        const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', ...options })
        context.setDefaultTimeout(PATIENCE)
        opened.push({ close: () => context.close(), problems: await watch(context, url) })
        const page = await context.newPage()
        await page.goto(path)
        return page
      })
      await Promise.all(opened.map(({ close }) => close()))
      const problems = opened.flatMap(({ problems }) => problems)
      const unexpected = problems.filter((problem) => !expected.some((known) => known.test(problem)))
      // In the message, too: a summary of a run shows no difference between two arrays.
      expect(unexpected, unexpected.join('\n')).toEqual([])
    },
  })
  .skipIf(browser === null)
