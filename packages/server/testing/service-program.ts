import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../../scripts/bundle.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The module that starts the service. */
    serviceProgram: string
  }
}

/** Bundle the sources of the service into one program, for tests that start it as separate processes. */
export default async function setup(project: TestProject): Promise<() => void> {
  const packages = join(import.meta.dirname, '../..')
  const outdir = join(packages, 'bundle', String(process.pid))
  await bundle({ packages, main: ['server', 'main'], outdir, sources: true })
  project.provide('serviceProgram', join(outdir, 'main.js'))
  return () => rmSync(outdir, { recursive: true, force: true })
}

export const serviceProgram = (): string => inject('serviceProgram')
