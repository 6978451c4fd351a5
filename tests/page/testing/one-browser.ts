import { rmSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { CHROMIUM_MISSING, findChromium } from '../../../scripts/setup/chromium.mjs'
import { startService, temporaryFolder } from '../../testing/service.js'

/** What the tests of the page share: one browser, and one service that shows the built page. */
export interface SharedPage {
  /** Address of the service. */
  readonly url: string
  /** Its only root; a test makes a folder of its own there. */
  readonly root: string
  /** Where a worker connects to the browser. */
  readonly browser: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** null: there is no browser, and the tests are skipped. */
    page: SharedPage | null
  }
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium()
  if (executablePath === null) {
    console.warn(CHROMIUM_MISSING)
    project.provide('page', null)
    return async () => {}
  }
  const root = temporaryFolder('page')
  const [browser, service] = await Promise.all([
    chromium.launchServer({ executablePath, headless: true, args: FLAGS }),
    startService({ roots: [root] }),
  ])
  project.provide('page', { url: service.url, root, browser: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    await service.stop()
    for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}
