import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { BackgroundTask, CasePredictions } from '@medloom/contracts'
import { makeDataset, readRows } from '../tests/testing/dataset.js'
import { Caller } from '../tests/testing/http.js'
import { PYTHON, startService, temporaryFolder } from '../tests/testing/service.js'
import { trainingConfig } from '../tests/testing/training.js'

/**
 * Time of a prediction: one case with a small photo, one case with a photo of 12 megapixels, and a table of many cases. Each through the
 * service, whose model is in memory, and by a plain script (bench/predict) that holds an equal network in memory. With the packages of
 * bench:peers, AutoGluon predicts the same cases. Medians. A missed limit exits with 1.
 *
 *     npm run bench:predict -- [--rounds 15] [--cases 1000]
 */
const SIDE = 224
const PHOTO = '12 megapixels'
const LIMITS_MILLISECONDS: Readonly<Record<string, number>> = { [PHOTO]: 300 }
type Times = Readonly<Record<string, number>>

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, cases: { type: 'string', default: '1000' } },
})
const rounds = Number(values.rounds)
const root = makeDataset(temporaryFolder('predict'), { cases: values.cases, size: SIDE })
const photo = join(root, 'photo.jpg')
const script = (...parameters: string[]) =>
  execFileSync(PYTHON, [join(import.meta.dirname, 'predict'), ...parameters], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
script('photo', photo)
const service = await startService({ roots: [root], arguments: ['--log-level', 'warn'] })
let missed = false
try {
  console.log(
    `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; medians of ${rounds} rounds`,
  )
  const ours = await predictedByService(service.url)
  const peers = JSON.parse(
    script('measure', root, photo, '--rounds', String(rounds), '--side', String(SIDE)),
  ) as Record<string, Times | string>
  for (const [name, milliseconds] of Object.entries(ours)) {
    const limit = LIMITS_MILLISECONDS[name] ?? Number.POSITIVE_INFINITY
    missed ||= milliseconds > limit
    const others = Object.entries(peers).map(([peer, times]) => {
      const other = typeof times === 'string' ? undefined : times[name]
      return other === undefined
        ? `${peer}: not measured`
        : `${peer}: ${other.toFixed(0)} ms, ${(milliseconds / other).toFixed(2)} × as long here`
    })
    const held = Number.isFinite(limit) ? `limit ${limit} ms ${milliseconds > limit ? 'MISSED' : 'held'}` : ''
    console.log([name.padEnd(16), `${milliseconds.toFixed(0).padStart(6)} ms`, ...others, held].join('   '))
  }
  for (const [peer, reason] of Object.entries(peers))
    if (typeof reason === 'string') console.log(`${peer} is left out: ${reason}`)
} finally {
  await service.stop()
  for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
}
process.exit(missed ? 1 : 0)

/** Milliseconds for each kind of request. */
async function predictedByService(url: string): Promise<Times> {
  const caller = new Caller(url)
  const job = await caller.ended(
    await caller.start(
      trainingConfig(root, {
        data: { image_size: [SIDE, SIDE] },
        model: { vision_backbone: 'resnet18' },
        training: { epochs: 1, batch_size: 32 },
      }),
    ),
  )
  const predict = async (body: object) => {
    const began = performance.now()
    const answer = await caller.post<CasePredictions | BackgroundTask>(
      `/api/models/${job.model_id}/predict`,
      body,
    )
    const found = 'task_id' in answer.body ? await resultOf(caller, answer.body) : answer.body
    if (found?.num_failed !== 0) throw new Error(JSON.stringify(answer.body).slice(0, 500))
    return performance.now() - began
  }
  const [head = [], first = []] = readRows(join(root, 'test.csv'))
  const image = job.prepared?.image_columns[0] ?? ''
  const row = Object.fromEntries(head.map((name, index) => [name, first[index] ?? '']))
  delete row.label
  return {
    'one case': await medianOf(rounds, () => predict({ rows: [row] })),
    [PHOTO]: await medianOf(rounds, () => predict({ rows: [{ ...row, [image]: photo }] })),
    // The decoded images of a table are cached after the first round, which is left out.
    'a table': await medianOf(3, () => predict({ path: join(root, 'train.csv') })),
  }
}

/** A table of more than 100 rows is predicted by a task. */
async function resultOf(caller: Caller, task: BackgroundTask): Promise<CasePredictions | undefined> {
  for (
    let current = task;
    ;
    current = (await caller.get<BackgroundTask>(`/api/tasks/${task.task_id}`)).body
  ) {
    if (current.state !== 'running') return (current.result as CasePredictions | null) ?? undefined
    await delay(20)
  }
}

/** After one call that is not counted. */
async function medianOf(count: number, work: () => Promise<number>): Promise<number> {
  await work()
  const times: number[] = []
  for (let round = 0; round < count; round++) times.push(await work())
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
