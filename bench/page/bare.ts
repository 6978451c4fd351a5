import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Workflow } from '@medloom/contracts'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { quantile, withPage } from './browser.js'
import { framesWhilePanning } from './editor-drive.js'

const FRAMES = 30
const SETTLE_MILLISECONDS = 1_000
const require = createRequire(import.meta.url)

/** Milliseconds of a frame, p95, while the library of the editor alone is panned at that zoom. */
export async function bareFrame(browser: Browser, document: Workflow, zoom: number): Promise<number> {
  const script = await bundle()
  const style = readFileSync(require.resolve('@xyflow/react/dist/style.css'), 'utf8')
  return withPage(browser, { url: 'about:blank' }, async (page) => {
    await page.setContent(`<style>${style} main { height: 860px }</style>`)
    await page.addScriptTag({ content: script })
    await page.evaluate(
      ([document, zoom]) =>
        (globalThis as unknown as { showBare: (...given: unknown[]) => void }).showBare(document, zoom),
      [document, zoom] as const,
    )
    await page.locator('.react-flow__node').first().waitFor()
    await page.waitForTimeout(SETTLE_MILLISECONDS)
    return quantile(await framesWhilePanning(page, FRAMES), 0.95)
  })
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'bare-flow.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}
