import { existsSync } from 'node:fs'
import { RenderThread } from './render-thread.js'
import type { Rendering, Renderings } from './renderings.js'

const BUILT = new URL('./render.worker.js', import.meta.url)

type Input<Name extends Rendering> = Parameters<Renderings[Name]>[0]
type Output<Name extends Rendering> = Awaited<ReturnType<Renderings[Name]>>

/** Idle threads for the next report: loading the chart library takes longer than drawing most reports. */
const idle = new Set<RenderThread>()

/**
 * Renders in a separate thread, so that the service remains responsive. When run from sources (development, unit tests) there is no compiled
 * thread to start, and rendering takes place in the current thread.
 */
export async function renderInThread<Name extends Rendering>(
  name: Name,
  input: Input<Name>,
  file: URL = BUILT,
): Promise<Output<Name>> {
  if (!existsSync(file)) {
    const { render } = await import('./renderings.js')
    return (await render(name, input)) as Output<Name>
  }
  const thread = idleThread(file) ?? new RenderThread(file, () => idle.delete(thread))
  idle.delete(thread)
  const output = await thread.render(name, input)
  idle.add(thread)
  return output as Output<Name>
}

function idleThread(file: URL): RenderThread | undefined {
  return [...idle].find((thread) => thread.file.href === file.href)
}
