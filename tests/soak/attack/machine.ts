import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { eventually } from '../../../packages/server/testing/eventually.js'
import { PYTHON, REPOSITORY, spawnService } from '../../testing/service.js'
import { type Attack, defended } from './attack.js'
import type { Target } from './target.js'

const TRAINER = { PYTHONPATH: join(REPOSITORY, 'trainer/src'), OMP_NUM_THREADS: '1' }

/** Attacks on the machine: its folders, processes and programs. */
export const MACHINE_ATTACKS: readonly Attack[] = [
  {
    name: 'Code in an exported table, with the folder of nodes inside the output folder, or the other way around, or by a link',
    defense: 'The service does not start where the folder of nodes overlaps a folder that it writes',
    run: plantNode,
  },
  {
    name: 'A node cache in `/tmp` that another user made, that others may read, or that is a link',
    defense: 'The folder is made with mode 0700, and refused with another owner, mode or as a link',
    run: plantCache,
  },
  {
    name: 'A trainer on a node whose service is gone before it began, and SIGTERM',
    defense: 'SIGTERM ends it',
    run: endRemote,
  },
]

async function plantNode(target: Target): Promise<string> {
  const folder = target.newFolder('planted')
  const outputs = target.newFolder('planted/outputs')
  const inside = target.newFolder('planted/outputs/nodes')
  const link = join(folder, 'link')
  symlinkSync(inside, link)
  // A node outside the folder of nodes, linked into it.
  const linked = target.newFolder('planted/linked')
  symlinkSync(join(outputs, 'table.csv'), join(linked, 'node.py'))
  const pairs = [
    [inside, outputs],
    [folder, outputs],
    [link, outputs],
    [linked, outputs],
  ]
  for (const [nodes = '', output = ''] of pairs) {
    const started = spawnService({
      roots: [join(target.folder, 'root')],
      arguments: ['--nodes', nodes, '--output-root', output],
    })
    const ended = await started.ready.then(
      () => null,
      (error: Error) => error.message,
    )
    await started.kill()
    defended(ended !== null, `the service starts with --nodes ${nodes}`)
    if (!/--nodes/.test(ended ?? '')) throw new Error(ended ?? '')
  }
  return `refused at start, ${pairs.length} ways`
}

async function plantCache(target: Target): Promise<string> {
  const folder = target.newFolder('cache')
  const open = join(folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  const elsewhere = target.newFolder('cache/elsewhere')
  chmodSync(elsewhere, 0o700)
  const link = join(folder, 'link')
  symlinkSync(elsewhere, link)
  // Owned by root or any other user, unless the attack runs as root.
  const foreign = process.getuid?.() === 0 ? [] : ['/usr']
  for (const cache of [open, link, ...foreign]) {
    const outcome = await outcomeOnNode(cache)
    defended(outcome === 'refused' && !existsSync(join(cache, 'attempts')), `${cache}: ${outcome}`)
  }
  return `a trainer reports NODE_FOLDER_UNSAFE, ${2 + foreign.length} ways`
}

/** Runs a trainer with this cache, and reads what it reports to its service. */
async function outcomeOnNode(cache: string): Promise<string> {
  let refused: (outcome: string) => void = () => undefined
  const reported = new Promise<string>((done) => {
    refused = done
  })
  const listener = createServer(async (request, response) => {
    const content = await text(request)
    if (content.includes('NODE_FOLDER_UNSAFE')) refused('refused')
    const offset = Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset'))
    const received = offset + Buffer.byteLength(content)
    response.end(
      JSON.stringify({ streams: { log: 0, events: 0 }, offset: received, request: null, placed: true }),
    )
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as AddressInfo
  const child = spawn(PYTHON, ['-m', 'medloom_trainer', 'remote'], {
    env: { ...process.env, ...TRAINER, ...attempt(`http://127.0.0.1:${port}`), MEDLOOM_NODE_CACHE: cache },
    stdio: 'ignore',
  })
  const ended = new Promise<string>((done) =>
    child.once('exit', (code) => done(`the trainer uses it, and ends with ${code}`)),
  )
  const outcome = await Promise.race([reported, ended])
  child.kill('SIGKILL')
  listener.closeAllConnections()
  listener.close()
  return outcome
}

const attempt = (url: string) => ({
  MEDLOOM_EXCHANGE_URL: url,
  MEDLOOM_EXCHANGE_TOKEN: 'x',
  MEDLOOM_JOB_ID: 'attack',
  MEDLOOM_ATTEMPT: '1',
})

/** No process listens at the address. */
async function endRemote(target: Target): Promise<string> {
  const child = spawn(PYTHON, ['-m', 'medloom_trainer', 'remote', '--wait'], {
    env: {
      ...process.env,
      ...TRAINER,
      ...attempt('http://127.0.0.1:1'),
      MEDLOOM_NODE_CACHE: join(target.folder, 'node-cache'),
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise<string>((done) =>
    child.once('exit', (code, signal) => done(String(signal ?? code))),
  )
  child.stdin?.write('begin\n')
  // From then on it holds the lock of its attempt.
  await untilMade(join(target.folder, 'node-cache/attempts'), ended)
  child.kill('SIGTERM')
  const late = new Promise<null>((done) => setTimeout(() => done(null), 20_000).unref())
  const end = await Promise.race([ended, late])
  if (end === null) child.kill('SIGKILL')
  defended(end !== null, 'it is still running 20 s after SIGTERM')
  return `it ended with ${end}`
}

async function untilMade(path: string, ended: Promise<string>): Promise<void> {
  let end: string | null = null
  void ended.then((how) => {
    end = how
  })
  await eventually(
    () => Promise.resolve(end !== null || existsSync(path)),
    (is) => is,
    { within: 60_000, every: 50 },
  )
  if (end !== null) throw new Error(`the process ended with ${end} before it was attacked`)
}
