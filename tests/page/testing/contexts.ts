import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { watch } from './watch.js'

export interface Watched {
  readonly context: BrowserContext
  /** Problems that `watch` noticed since the context was taken. */
  readonly problems: string[]
}

/** A context that tests reuse, with a page that stays open in it. */
interface Kept extends Watched {
  readonly parked: Page
  readonly devtools: CDPSession
}

/** Flags for pages that live for seconds. */
export const SHORT_PAGES = [
  // Pages of one origin and one context are rendered by one process.
  '--process-per-site',
  // Optimizing compilers take more time than they save.
  '--js-flags=--no-opt --no-maglev',
]
/** A small response of the service, without scripts. */
const PARKED = '/api/system/health'

/**
 * Browser contexts of one origin, one per language. A returned context is cleared of everything that a page can store, and reused. One page
 * stays open, so that the process that renders it continues and keeps the scripts that it has compiled.
 */
export class ReusedContexts {
  readonly #reusable = new Map<string, Promise<Kept>>()

  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /** The context of a language. */
  take(locale: string): Promise<Watched> {
    let taken = this.#reusable.get(locale)
    if (!taken) {
      taken = this.#make(locale)
      this.#reusable.set(locale, taken)
    }
    return taken
  }

  /** Closes the pages that tests opened in every context, and clears their storage. */
  async giveBack(): Promise<void> {
    await Promise.all([...this.#reusable.values()].map(async (context) => empty(await context, this.url)))
  }

  async #make(locale: string): Promise<Kept> {
    const watched = await makeContext(this.browser, this.url, { locale })
    const parked = await watched.context.newPage()
    await parked.goto(PARKED)
    return { ...watched, parked, devtools: await watched.context.newCDPSession(parked) }
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

async function empty({ context, problems, parked, devtools }: Kept, origin: string): Promise<void> {
  const opened = context.pages().filter((page) => page !== parked)
  if (opened.length === 0) return
  // A page that is open may still store something.
  await Promise.all(opened.map((page) => page.close()))
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await context.clearCookies()
  problems.length = 0
}
