import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { watch } from './watch.js'

export interface Watched {
  readonly context: BrowserContext
  /** Problems that `watch` noticed since the context was taken. */
  readonly problems: string[]
}

/**
 * Browser contexts of one origin, one per language. A returned context is cleared of everything that a page can store, and reused with the
 * scripts that the browser has compiled for it.
 */
export class ReusedContexts {
  readonly #reusable = new Map<string, Promise<Watched>>()

  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /** The context of a language. */
  take(locale: string): Promise<Watched> {
    let taken = this.#reusable.get(locale)
    if (!taken) {
      taken = makeContext(this.browser, this.url, { locale })
      this.#reusable.set(locale, taken)
    }
    return taken
  }

  /** Closes the pages of every context and clears their storage. */
  async giveBack(): Promise<void> {
    await Promise.all([...this.#reusable.values()].map(async (context) => empty(await context, this.url)))
  }
}

export async function makeContext(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<Watched> {
  // A browser without a graphics card renders every animation step on the processor, which the tests need.
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', ...options })
  return { context, problems: await watch(context, url) }
}

async function empty({ context, problems }: Watched, origin: string): Promise<void> {
  const [last, ...others] = context.pages()
  if (!last) return
  await Promise.all(others.map((page) => page.close()))
  await clear(last, origin)
  await last.close()
  await context.clearCookies()
  problems.length = 0
}

async function clear(page: Page, origin: string): Promise<void> {
  // A page that is being left may still store something.
  await page.goto('about:blank')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
}
