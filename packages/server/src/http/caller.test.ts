/** @module-tag service */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startTestService } from '../../testing/service.js'
import { until } from '../../testing/training/until.js'
import { workerProgram } from '../../testing/worker-program.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-caller-'))

/** A service whose inspections never end; each writes its process id to a file. */
async function startEndless(name: string) {
  const started = join(folder, name)
  // The file appears only when it is complete: a number read too early would not be a process id.
  const python = workerProgram(
    folder,
    `if (request.task === 'inspect') {
       fs.writeFileSync(${JSON.stringify(`${started}.part`)}, String(process.pid))
       fs.renameSync(${JSON.stringify(`${started}.part`)}, ${JSON.stringify(started)})
     }`,
  )
  const service = await startTestService({ python, workerDeadlineSeconds: 600 })
  writeFileSync(join(service.root, 'train.csv'), 'label\n')
  const inspect = (signal: AbortSignal, headers: Record<string, string> = {}) =>
    fetch(`${service.address}/api/datasets/inspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ path: 'train.csv' }),
      signal,
    }).catch(() => undefined)
  return { ...service, inspect, started, pid: () => Number(readFileSync(started, 'utf8')) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('a task ends when its caller has disconnected', async () => {
  const service = await startEndless('left')
  const caller = new AbortController()
  const request = service.inspect(caller.signal)
  await until(() => existsSync(service.started))
  const pid = service.pid()
  expect(isAlive(pid)).toBe(true)
  caller.abort()
  await request
  await until(() => !isAlive(pid))
  await service.close()
})
