import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Workflow, WorkflowTemplate } from '@medloom/contracts'
import type { z } from 'zod'
import { Caller } from '../testing/http.js'
import { PYTHON, REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { explain, statuses, Workflows } from '../testing/workflow.js'

/**
 * Runs every template unchanged, through REST, on the data described in examples/workflows/README.md: with all its epochs and its own image
 * size. Each must succeed, and be fully cached in a second run. Exits with 1 if one does not, or if the time limit is reached.
 *
 *     npm run soak:templates -- [--only fusion] [--minutes 60]
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, minutes: { type: 'string', default: '60' } },
})
const deadline = Date.now() + Number(values.minutes) * 60_000
const [root, dataDir] = [temporaryFolder('templates'), temporaryFolder('data')]
makeData(root)
const service = await startService({ roots: [root], dataDir })
try {
  const workflows = new Workflows(new Caller(service.url))
  const { body } = await workflows.caller.get<{ templates: z.infer<typeof WorkflowTemplate>[] }>(
    '/api/workflow/templates',
  )
  for (const { template_id, workflow } of body.templates) {
    if (values.only !== undefined && template_id !== values.only) continue
    const began = Date.now()
    let outcome: string
    try {
      outcome = await runTwice(workflows, workflow)
    } catch (error) {
      outcome = `FAILED: ${(error as Error).message}`
      process.exitCode = 1
    }
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    console.log(`${template_id.padEnd(18)}${seconds.padStart(8)} s  ${outcome}`)
  }
} finally {
  await service.stop()
  for (const folder of [root, dataDir]) rmSync(folder, { recursive: true, force: true })
}

/** @returns the resulting numbers. */
async function runTwice(workflows: Workflows, workflow: Workflow): Promise<string> {
  const remaining = () => Math.max(1, deadline - Date.now()) / 1000
  // Some templates share nodes: each computes its own.
  await workflows.caller.delete('/api/workflow/cache')
  const id = await workflows.create(workflow)
  const { status, nodes } = await workflows.run(id, {}, remaining())
  if (status !== 'success') throw new Error(explain(nodes))
  const again = Object.entries(statuses((await workflows.run(id, {}, remaining())).nodes))
  const computed = again.filter(([, status]) => status !== 'cached')
  if (computed.length > 0) throw new Error(`run again, it was not cached: ${computed.join('; ')}`)
  const { execution_history } = (await workflows.get(id)).workflow
  const metrics = Object.entries(execution_history[0]?.metrics ?? {})
  return metrics.map(([name, value]) => `${name} ${value?.toFixed(3) ?? 'undefined'}`).join(', ')
}

/** Creates the data with the commands of the page, below the first root. */
function makeData(folder: string): void {
  const page = readFileSync(join(REPOSITORY, 'examples/workflows/README.md'), 'utf8')
  const commands = [...page.matchAll(/^ +node scripts\/python\.mjs (examples\/make_dataset\.py) (.+)$/gm)]
  if (commands.length === 0) throw new Error('the page names no command that makes the data')
  for (const [, script = '', rest = ''] of commands)
    execFileSync(PYTHON, [join(REPOSITORY, script), ...rest.split(' ')], { cwd: folder, stdio: 'ignore' })
}
