import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** The bundle that a browser loads for the client. */
async function browserBundle() {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['medloom-source'],
  })
  return { inputs: Object.keys(metafile.inputs), bytes: outputFiles[0]?.contents.length ?? Number.NaN }
}

describe('the client in a browser', () => {
  it('brings no schemas along: their compiler violates a strict content security policy', async () => {
    const { inputs, bytes } = await browserBundle()
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([])
    // Half of it is the table of routes; a schema library or the catalog of metrics alone would exceed the limit.
    expect(bytes).toBeLessThan(30_000)
  })
})
