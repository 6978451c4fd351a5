/** @module-tag service */
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { workerProgram } from '../../../testing/worker-program.js'
import type { TaskPool } from '../../ports/task-pool.js'
import { createTaskPool, type TaskPoolOptions } from '../task-pool.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-gateway-'))
const pools: TaskPool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

let count = 0

/** A program in place of the gateway: `begin` runs at the start, `take` for each request; both may call `send` and `cluster(cpus)`. */
function gatewayProgram(begin: string, take = ''): { program: string; requests: () => { type: string }[] } {
  const program = join(folder, `gateway-${++count}`)
  const log = `${program}.log`
  writeFileSync(
    program,
    `#!${process.execPath}
const fs = require('node:fs')
const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
const cluster = (...cpus) => send({ type: 'cluster', nodes: cpus.map((cpus, i) => ({ node: 'n' + i, address: '10.0.0.1', cpus })) })
const placed = ({ id }) => send({ type: 'placed', id, node: 'n0', input_bytes: 9, local_bytes: 4 })
const result = ({ id }) => send({ type: 'result', id, result: { outputs: {}, warnings: [] } })
const starts = fs.existsSync(${JSON.stringify(log)}) ? fs.readFileSync(${JSON.stringify(log)}, 'utf8').split('start').length : 1
fs.appendFileSync(${JSON.stringify(log)}, '{"type":"start"}\\n')
${begin}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  fs.appendFileSync(${JSON.stringify(log)}, line + '\\n')
  const request = JSON.parse(line)
  if (request.type === 'run') { ${take} }
}).on('close', () => process.exit(0))
`,
  )
  chmodSync(program, 0o755)
  const requests = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { program, requests }
}

function poolOf(program: string, cluster: Partial<TaskPoolOptions['cluster']> = {}, options = {}) {
  const local = workerProgram(
    folder,
    "reply({ type: 'result', id: request.id, result: { outputs: {}, warnings: [{ code: 'IMAGES_MISSING', message: 'here', count: 1 }] } })",
  )
  const pool = createTaskPool({
    python: local,
    logs: folder,
    log: { warn: () => undefined },
    cluster: {
      ...{ python: program, address: 'head:6379', tokenFile: null, nodePython: 'python', workers: null },
      ...cluster,
    },
    ...options,
  })
  pools.push(pool)
  return pool
}

const node = (device = 'cpu') => ({
  ...{ type: 'FilterData', config: {}, inputs: {}, store: '/store', data_dir: '/data', cache_dir: '/cache' },
  roots: [],
  device,
})
const DONE = { outputs: {}, warnings: [] }

test('tasks wait for the cluster, one per CPU is sent to the gateway, and its size is reported', async () => {
  const { program, requests } = gatewayProgram(
    'setTimeout(() => cluster(1, 1), 100); let first',
    'placed(request); if (first) { result(first); result(request) } else first = request',
  )
  const pool = poolOf(program)
  const sizes: number[] = []
  pool.onClusterSize((size) => sizes.push(size))
  const places: unknown[] = []
  const onPlaced = (place: unknown) => places.push(place)
  const both = [pool.run('node', node(), { onPlaced }), pool.run('node', node())]
  expect(await Promise.all(both)).toEqual([DONE, DONE])
  expect(sizes).toEqual([0, 2])
  expect(places).toEqual([{ node: 'n0', inputBytes: 9, localBytes: 4 }])
  expect(requests().filter(({ type }) => type === 'run')).toHaveLength(2)
})

test('at most --node-workers tasks run in parallel', async () => {
  const { program } = gatewayProgram('cluster(8)', 'placed(request); result(request)')
  const pool = poolOf(program, { workers: 3 })
  await pool.run('node', node())
  const sizes: number[] = []
  pool.onClusterSize((size) => sizes.push(size))
  expect(sizes).toEqual([3])
})

test('a node with a granted accelerator keeps it', async () => {
  const pool = poolOf(gatewayProgram('cluster(1)').program)
  expect((await pool.run('node', node('cuda:0'))).warnings).toHaveLength(1)
})

test('a node on the cluster gets the folders of its machines; one here, or without other paths, does not', async () => {
  const places = [{ named: '/data', here: '/scratch/medloom' }]
  const { program, requests } = gatewayProgram('cluster(1)', 'placed(request); result(request)')
  const local = workerProgram(
    folder,
    "reply({ type: 'result', id: request.id, result: { outputs: {}, warnings: [{ code: 'IMAGES_MISSING', message: JSON.stringify(request.params), count: 1 }] } })",
  )
  const pool = poolOf(program, { places }, { python: local })
  await pool.run('node', node())
  const { warnings } = await pool.run('node', node('cuda:0'))
  expect(JSON.parse(warnings[0]?.message ?? '')).toEqual(node('cuda:0'))
  await poolOf(program).run('node', node())
  const params = requests().flatMap((request) => ('params' in request ? [request.params] : []))
  expect(params).toEqual([{ ...node(), places }, node()])
})

test('deadlines start when a worker starts', async () => {
  const { program, requests } = gatewayProgram(
    'cluster(1)',
    'if (request.params.config.stuck) placed(request); else setTimeout(() => { placed(request); result(request) }, 1500)',
  )
  const pool = poolOf(program, {}, { silenceSeconds: { node: 1 } })
  expect(await pool.run('node', node())).toEqual(DONE)
  const stuck = pool.run('node', { ...node(), config: { stuck: true } })
  await expect(stuck).rejects.toMatchObject({
    code: 'WORKER_TIMEOUT',
    message: expect.stringContaining('sent no message for 1 s'),
  })
  await expect.poll(() => requests().map(({ type }) => type)).toContain('cancel')
})

test('deadlines do not end a task that waits for another worker; the next one has the full time', async () => {
  const { program } = gatewayProgram(
    'cluster(1)',
    `placed(request)
    send({ type: 'waiting', id: request.id })
    setTimeout(() => { placed(request); if (!request.params.config.stuck) result(request) }, 1500)`,
  )
  const pool = poolOf(program, {}, { silenceSeconds: { node: 1 } })
  expect(await pool.run('node', node())).toEqual(DONE)
  const places: unknown[] = []
  const onPlaced = (place: unknown) => places.push(place)
  const stuck = pool.run('node', { ...node(), config: { stuck: true } }, { onPlaced })
  await expect(stuck).rejects.toMatchObject({ code: 'WORKER_TIMEOUT' })
  expect(places).toHaveLength(2)
})

test('a canceled task is canceled on the cluster, and its slot is free', async () => {
  const { program, requests } = gatewayProgram(
    'cluster(1)',
    'placed(request); if (!request.params.config.forever) result(request)',
  )
  const pool = poolOf(program)
  const abort = new AbortController()
  const cancelled = pool.run(
    'node',
    { ...node(), config: { forever: true } },
    { signal: abort.signal, onPlaced: () => abort.abort() },
  )
  await expect(cancelled).rejects.toThrow('canceled')
  expect(await pool.run('node', node())).toEqual(DONE)
  expect(requests().map(({ type }) => type)).toEqual(['start', 'run', 'cancel', 'run'])
})

test('a gateway that ends, or sends invalid messages, is restarted and the task repeated once', async () => {
  const once = gatewayProgram(
    'cluster(1)',
    'placed(request); starts === 1 ? process.exit(1) : result(request)',
  )
  expect(await poolOf(once.program).run('node', node())).toEqual(DONE)
  const nonsense = gatewayProgram(
    'cluster(1)',
    "placed(request); starts === 1 ? console.log('ray: hello') : result(request)",
  )
  expect(await poolOf(nonsense.program).run('node', node())).toEqual(DONE)
  const always = gatewayProgram('cluster(1)', 'placed(request); process.exit(1)')
  await expect(poolOf(always.program).run('node', node())).rejects.toMatchObject({
    code: 'NODE_FAILED',
    message: expect.stringContaining('lost twice'),
    details: expect.stringContaining('ray status'),
  })
})

test('failures of workers there have the same errors as here, or report lost machines', async () => {
  const { program } = gatewayProgram(
    'cluster(1)',
    'placed(request); send({ ...request.params.config.answer, id: request.id })',
  )
  const pool = poolOf(program)
  const answer = (answer: object) => pool.run('node', { ...node(), config: { answer } })
  await expect(answer({ type: 'ended', code: null, signal: 'SIGKILL', stderr: '' })).rejects.toMatchObject({
    code: 'TRAINER_FAILED',
    message: expect.stringContaining('killed'),
  })
  await expect(answer({ type: 'lost', message: 'the node died' })).rejects.toMatchObject({
    code: 'NODE_FAILED',
    message: expect.stringContaining('the node died'),
  })
  const error = { type: 'error', code: 'OUT_OF_MEMORY', message: 'too much', details: 'less', trace: null }
  await expect(answer(error)).rejects.toMatchObject({ code: 'OUT_OF_MEMORY', message: 'too much' })
})

test('an unreachable cluster fails waiting tasks with the reason; once it is reached, tasks run', async () => {
  const { program } = gatewayProgram(
    "if (starts < 4) { send({ type: 'unreachable', message: 'Version mismatch' }); process.exitCode = 69; process.stdin.destroy() } else cluster(1)",
    'placed(request); result(request)',
  )
  // Long enough for its program to start on a busy machine.
  const pool = poolOf(program, { patienceSeconds: 4 })
  const refused = {
    code: 'CLUSTER_UNREACHABLE',
    message: expect.stringContaining('head:6379 does not respond: Version mismatch'),
  }
  await expect(pool.run('node', node())).rejects.toMatchObject(refused)
  expect(pool.problem()).toContain('does not respond')
  await expect(pool.run('node', node())).rejects.toMatchObject(refused)
  await expect.poll(() => pool.problem()).toBeNull()
  expect(await pool.run('node', node())).toEqual(DONE)
})
