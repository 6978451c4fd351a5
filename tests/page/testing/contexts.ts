import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { watch } from './watch.js'

export interface Watched {
  readonly context: BrowserContext
  /** Problems that `watch` noticed since the context was given out. */
  readonly problems: string[]
}

/**
 * Contexts of one origin, one for each language. A context that was given back is emptied of everything that a page can keep, and given
 * out again with the scripts that the browser has compiled for it.
 */
export class KeptContexts {
  readonly #kept = new Map<string, Promise<Watched>>()

  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /** The context of a language. */
  take(locale: string): Promise<Watched> {
    let taken = this.#kept.get(locale)
    if (!taken) {
      taken = makeContext(this.browser, this.url, { locale })
      this.#kept.set(locale, taken)
    }
    return taken
  }

  /** Close the pages of every context and take away what they have stored. */
  async giveBack(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(async (kept) => empty(await kept, this.url)))
  }
}

export async function makeContext(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<Watched> {
  // A browser without a graphics card draws every step of a motion with the processor that the tests need.
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
  // A page that is left may store something more.
  await page.goto('about:blank')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
}
