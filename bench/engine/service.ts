import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunRecord } from '@medloom/contracts'
import { Caller } from '../../tests/testing/http.js'
import {
  type RunningService,
  type ServiceOptions,
  startService,
  temporaryFolder,
} from '../../tests/testing/service.js'
import { Workflows } from '../../tests/testing/workflow.js'

/** The service in a separate process with its usual configuration, and a client that knows only its endpoints. */
export interface Bench {
  readonly root: string
  readonly dataDir: string
  /** Starts a service on the data folder; it replaces the previous one. */
  start(options?: Partial<ServiceOptions>): Promise<RunningService & { readonly workflows: Workflows }>
}

/** Removes everything that `work` has written or started. */
export async function withService<T>(name: string, work: (bench: Bench) => Promise<T>): Promise<T> {
  const root = temporaryFolder(name)
  const dataDir = temporaryFolder(`${name}-data`)
  let service: RunningService | undefined
  try {
    return await work({
      root,
      dataDir,
      start: async (options) => {
        await service?.stop()
        service = await startService({
          roots: [root],
          dataDir,
          ...options,
          arguments: ['--log-level', 'warn', ...(options?.arguments ?? [])],
        })
        return { ...service, workflows: new Workflows(new Caller(service.url)) }
      },
    })
  } finally {
    await service?.stop()
    for (const folder of [root, dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a table of one case with one image, the smallest possible dataset. Returns its name. */
export function oneCase(root: string): string {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  writeFileSync(join(root, 'image.png'), Buffer.from(pixel, 'base64'))
  writeFileSync(join(root, 'train.csv'), 'image,label\nimage.png,benign\n')
  return 'train.csv'
}

/** The latest run in the list of runs, which contains little per run: this request costs the service almost nothing. */
export async function latestRun({ caller }: Workflows, id: string): Promise<RunRecord> {
  const { body } = await caller.get<{ runs: RunRecord[] }>(`/api/workflow/${id}/runs?page_size=1`)
  const [run] = body.runs
  if (!run) throw new Error('the workflow has no run')
  return run
}

export async function runEnded(workflows: Workflows, id: string, every = 20): Promise<RunRecord> {
  for (;;) {
    const run = await latestRun(workflows, id)
    if (run.ended_at !== null) return run
    await new Promise((resume) => setTimeout(resume, every))
  }
}

/** Response times of /api/system/health in milliseconds, from the previous call of `since` on. */
export async function watchHealth(url: string) {
  const child = fork(join(import.meta.dirname, 'health.ts'), [`${url}/api/system/health`])
  const since = async (): Promise<number[]> => {
    child.send('since')
    const [times] = (await once(child, 'message')) as [number[]]
    return times.sort((a, b) => a - b)
  }
  await since()
  return { since, stop: () => child.disconnect() }
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
}
