// Bundles the command line or the service into one program, which starts in half the time of its 700 separate modules.
import { join } from 'node:path'
import { build } from 'esbuild'
import { EXTERNAL } from './external.mjs'

/** Threads are found next to the module that starts them. */
const THREADS = {
  'connection.worker': ['server', 'database/sqlite/connection.worker'],
  'beats.worker': ['server', 'processes/beats.worker'],
  'reading.worker': ['server', 'launchers/exchange/reading/reading.worker'],
  'cases.worker': ['server', 'evaluations/cases/cases.worker'],
  'render.worker': ['reports', 'thread/render.worker'],
}

/**
 * Bundles a program and its threads.
 *
 * `packages`: their folder; `main`: the entry module, relative to it, without its extension; `outdir`: output folder of the parts, including
 * main.js, two folders below that of the repository; `sources`: from src, as tests read them, instead of dist.
 */
export async function bundle({ packages, main, outdir, sources = false }) {
  const moduleOf = ([name, path]) => join(packages, name, sources ? 'src' : 'dist', path)
  await build({
    entryPoints: {
      main: moduleOf(main),
      ...Object.fromEntries(Object.entries(THREADS).map(([name, place]) => [name, moduleOf(place)])),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: EXTERNAL,
    // A list, even an empty one, would replace the default conditions of esbuild.
    ...(sources ? { conditions: ['medloom-source'] } : {}),
    // Names stay readable in the stack traces of bug reports.
    keepNames: true,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  })
}
