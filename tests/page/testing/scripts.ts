import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '../../testing/service.js'

const ASSETS = join(REPOSITORY, 'packages/web/dist/assets')

/** The scripts that a page has loaded so far, by name → bytes, compressed as every browser can read them. */
export async function loadedScripts(page: Page): Promise<Map<string, number>> {
  await page.waitForLoadState('networkidle')
  const addresses = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  )
  const scripts = addresses.filter((path) => path.endsWith('.js')).map((path) => basename(path))
  return new Map(scripts.map((name) => [name, statSync(join(ASSETS, `${name}.gz`)).size]))
}

/** Of the scripts that the first page has not loaded already; without the editor of YAML, which has a limit of its own. */
export function bytesBeside(
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

/** Gzip, kB of 1000 bytes: of the first page, and beside it of another page, of the editor of YAML and of the editor of workflows. */
export const SCRIPT_LIMITS = { home: 220, page: 130, yaml: 170, workflow: 180 } as const
/** Pages that are opened on their own address. */
export const MEASURED_PAGES = [
  '/train',
  '/runs',
  '/compare',
  '/studies',
  '/studies/new',
  '/models',
  '/system',
] as const
