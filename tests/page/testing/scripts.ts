import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '../../testing/service.js'

const ASSETS = join(REPOSITORY, 'packages/web/dist/assets')

/** Scripts that a page has loaded so far, by name → compressed bytes in the encoding that every browser supports. */
export async function loadedScripts(page: Page): Promise<Map<string, number>> {
  await page.waitForLoadState('networkidle')
  const addresses = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  )
  const scripts = addresses.filter((path) => path.endsWith('.js')).map((path) => basename(path))
  return new Map(scripts.map((name) => [name, statSync(join(ASSETS, `${name}.gz`)).size]))
}

/** Size of the scripts that the first page has not loaded yet, without the YAML editor, which has its own limit. */
export function bytesInAddition(
  first: ReadonlyMap<string, number>,
  scripts: ReadonlyMap<string, number>,
): number {
  return sum(scripts, (name) => !first.has(name) && !isYaml(name))
}

export function bytesOfYaml(scripts: ReadonlyMap<string, number>): number {
  return sum(scripts, isYaml)
}

function sum(scripts: ReadonlyMap<string, number>, counts: (name: string) => boolean): number {
  return [...scripts].reduce((bytes, [name, more]) => (counts(name) ? bytes + more : bytes), 0)
}

function isYaml(name: string): boolean {
  return name.startsWith('yaml-editor')
}

/** Gzip, kB of 1000 bytes: the first page, and the additional scripts of another page, the YAML editor and the workflow editor. */
export const SCRIPT_LIMITS = { home: 220, page: 130, yaml: 170, workflow: 180 } as const
/** Pages that are opened by their own address. */
export const MEASURED_PAGES = [
  '/train',
  '/runs',
  '/compare',
  '/studies',
  '/studies/new',
  '/models',
  '/system',
] as const
