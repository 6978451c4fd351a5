import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Workflow } from '@medloom/contracts'
import { residentMegabytes } from '../../tests/testing/memory.js'
import { type Nodes, workflow } from '../../tests/testing/workflow.js'
import { misses, report } from './figures.js'
import { runEnded, withService } from './service.js'

const ROWS = 2600
/** Size of one cell, for example a report text. */
const CELL_BYTES = 96 * 1024
const NODES = 20
/** Bytes written by nodes and read by downstream nodes. */
const LEAST_BYTES = 5e9
/** Less than one table: the service never holds even a single one. */
const LIMIT_MB = 250
const SAMPLE_MILLISECONDS = 20

/**
 * 5 GB pass between the nodes of a workflow in a service with its usual configuration: a table of 250 MB is loaded, and each node of two
 * chains removes one case, so that every one of them reads a table from the artifact store and writes another. The memory of the service's
 * process is measured at the same time, from outside.
 *
 *           ┌─► n1 ─► n3 ─► …
 *     load ─┤
 *           └─► n2 ─► n4 ─► …
 */
export async function memoryOfService(): Promise<void> {
  await withService('memory', async ({ root, start }) => {
    const written = writeTable(join(root, 'reports.csv'))
    const { workflows, process: service } = await start()
    const id = await workflows.create(twoChains('reports.csv'))
    const before = residentMegabytes(service.pid)
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, residentMegabytes(service.pid))
    }, SAMPLE_MILLISECONDS)
    const began = performance.now()
    try {
      await workflows.execute(id)
      const run = await runEnded(workflows, id)
      if (run.status !== 'success') throw new Error(`the run ended with ${run.status}: ${run.reason}`)
    } finally {
      clearInterval(watch)
    }
    const seconds = (performance.now() - began) / 1000
    const cachedBytes = (await workflows.caller.get<{ size_bytes: number }>('/api/workflow/cache')).body
      .size_bytes
    if (cachedBytes < LEAST_BYTES) misses.push('5 GB between nodes')
    const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
    report(`memory of the service while ${gigabytes(cachedBytes)} GB pass`, most - before, LIMIT_MB, 'MB')
    console.log(
      `${''.padEnd(58)} ${before.toFixed(0).padStart(9)} MB before; ${NODES} nodes, tables of ` +
        `${(written / 1e6).toFixed(0)} MB, ${seconds.toFixed(0)} s`,
    )
  })
}

/** Unique text in every row, so that every table has different content. @returns its size in bytes */
function writeTable(path: string): number {
  const file = openSync(path, 'w')
  let written = writeSync(file, 'case_id,age,report\n')
  for (let row = 1; row <= ROWS; row++)
    written += writeSync(file, `c${row},${row},${randomBytes((CELL_BYTES / 4) * 3).toString('base64')}\n`)
  closeSync(file)
  return written
}

function twoChains(path: string): Workflow {
  const nodes: Nodes = { load: ['LoadTabular', { path }] }
  const wires: string[] = []
  for (let number = 1; number <= NODES; number++) {
    const [id, above] = [`n${number}`, `n${number - 2}`]
    nodes[id] = ['FilterData', { filter_condition: `age != ${number}` }]
    wires.push(number <= 2 ? `load.dataframe > ${id}.dataset` : `${above}.filtered_dataset > ${id}.dataset`)
  }
  return workflow(nodes, wires)
}
