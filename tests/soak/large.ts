import './end-on-signal.js'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { residentMegabytes } from '../testing/memory.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { Workflows, workflow } from '../testing/workflow.js'
import { Promises } from './promises.js'

/**
 * A custom node returns a large amount of data, once with the default memory of a worker and once with much less. The service remains
 * responsive and its memory use is bounded, and the run ends with a viewable result or with an error that states the remedy.
 *
 *     npm run soak:large -- [--megabytes 1000]
 */
const CELL_BYTES = 100_000
const SMALL_WORKER_BYTES = 300_000_000
const MOST_GROWTH_MB = 300
const MOST_SILENCE_MS = 1000
const MOST_SECONDS = 900

const NODE = `"""Give large: a table with a long text in every row."""

from dataclasses import replace

from medloom_trainer.custom import NodeTask, Outputs, describe_cases, read_cases, write_cases

NODE = {
    "title": "Give large",
    "summary": "Gives a table with a long text in every row.",
    "inputs": {"dataset": {"type": "dataset", "title": "Dataset"}},
    "outputs": {"dataset": {"type": "dataset", "title": "Large", "of": "dataset", "cases": "some"}},
    "config": {"rows": {"type": "integer", "title": "Rows", "default": 1}},
}


def run(task: NodeTask) -> Outputs:
    cases = read_cases(task, task.input("dataset"))
    cases = cases.take([row % len(cases.table) for row in range(task.config["rows"])])
    texts = [f"{row:09d}" + "x" * ${CELL_BYTES} for row in range(len(cases.table))]
    table = replace(cases.table, columns=(*cases.table.columns, "text"), cells=cases.table.cells | {"text": texts})
    content = write_cases(task, replace(cases, table=table))
    return {"dataset": (content, describe_cases(content))}
`

const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } })
const bytes = Number(values.megabytes) * 1e6
const dataset = makeDataset(join(temporaryFolder('large-data'), 'synthetic'))
const nodes = join(dirname(dataset), 'nodes')
mkdirSync(nodes)
writeFileSync(join(nodes, 'give_large.py'), NODE)
const promises = new Promises()
const table = () => console.log(`\n${promises.table()}`)
const ended = registerCleanup(table)
try {
  await giveLarge('default memory of a worker', [])
  await giveLarge('small workers', ['--worker-memory', String(SMALL_WORKER_BYTES)])
} finally {
  ended()
  table()
  rmSync(dirname(dataset), { recursive: true, force: true })
}

async function giveLarge(name: string, settings: string[]): Promise<void> {
  const roots = [dirname(dataset)]
  const dataDir = temporaryFolder('large')
  const service = await startService({ roots, dataDir, arguments: ['--nodes', nodes, ...settings] })
  const workflows = new Workflows(new Caller(service.url))
  const id = await workflows.create(
    workflow(
      {
        load: ['LoadTabular', { path: join(dataset, 'train.csv') }],
        large: ['GiveLarge', { rows: Math.ceil(bytes / CELL_BYTES) }],
      },
      ['load.dataframe > large.dataset'],
    ),
  )
  const before = residentMegabytes(service.process.pid)
  const watched = watch(service)
  const began = Date.now()
  const { status, nodes: states } = await workflows.run(id, {}, MOST_SECONDS)
  const error = states.large?.error
  const shown = status === 'success' ? await lookAt(workflows, id) : `${error?.type}: ${error?.message}`
  const { growth, silence } = watched.end(before)
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  console.log(`${name}: ${status} after ${seconds} s; ${shown}`)
  console.log(`  service +${growth.toFixed(0)} MB, longest time without an answer ${silence.toFixed(0)} ms`)
  const isExplained =
    status === 'success' || (error?.type === 'OUT_OF_MEMORY' && /--worker-memory/.test(error.message))
  promises.check('the run has a result, or says what to do', isExplained, shown)
  promises.check('the service keeps its memory', growth <= MOST_GROWTH_MB, `+${growth.toFixed(0)} MB`)
  promises.check('the service answers meanwhile', silence <= MOST_SILENCE_MS, `${silence.toFixed(0)} ms`)
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Reads rows of the large table as the page does, and returns their size. */
async function lookAt({ caller }: Workflows, id: string): Promise<string> {
  const { status, body } = await caller.get<{ num_rows?: number; rows?: unknown[]; code?: string }>(
    `/api/workflow/${id}/preview?node=large&rows=20`,
  )
  const size = JSON.stringify(body).length
  promises.check(
    'its rows are shown, or refused with a code, in less than a megabyte',
    size < 1e6 && (status === 200 ? body.rows?.length === 20 : body.code !== undefined),
    `${status}, ${size} bytes, ${body.code}`,
  )
  return `${status === 200 ? `${body.rows?.length} of ${body.num_rows} rows` : body.code} in ${size} bytes`
}

/** Continuously requests the health of the service. */
function watch(service: RunningService): { end(before: number): { growth: number; silence: number } } {
  let [silence, most, over] = [0, 0, false]
  const watchHealth = async () => {
    while (!over) {
      const requestedAt = performance.now()
      await fetch(`${service.url}/api/system/health`)
      silence = Math.max(silence, performance.now() - requestedAt)
      most = Math.max(most, residentMegabytes(service.process.pid))
      await new Promise((resume) => setTimeout(resume, 50))
    }
  }
  void watchHealth()
  return {
    end: (before) => {
      over = true
      return { growth: most - before, silence }
    },
  }
}
