import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { WebSocket } from 'ws'
import { type Attack, defended } from './attack.js'
import { latenciesDuring, MOST_MILLISECONDS, type Reply, send } from './send.js'
import { QUEUE, type Target, type User } from './target.js'

/** Size limit of one response. */
const MOST_BYTES = 1_000_000

/** Attacks on the response time of other users. */
export const LOAD_ATTACKS: readonly Attack[] = [
  {
    name: '814 kB of unknown keys to `/api/login`, by eight clients without a token',
    defense: 'Each route limits the size, depth and keys of its body, and reports a few issues of it',
    isShort: true,
    run: (target) => attackLogin(target),
  },
  {
    name: '16 MB to `/api/workflow/check`',
    defense: 'The same, and long checks give way to other requests',
    isShort: true,
    run: (target) =>
      loaded(target, 2, () => target.send('eve', 'POST', '/api/workflow/check', manyKeys(16_000_000))),
  },
  {
    name: '20,000 nodes with 99,999 wrong connections, by a token that may only read',
    defense:
      'A check reports a bounded number of problems, gives way to other requests and ends with its caller',
    run: (target) => {
      const workflow = JSON.stringify({ workflow: wrongWorkflow() })
      return loaded(target, 2, () => target.send('eve', 'POST', '/api/workflow/check', workflow))
    },
  },
  {
    name: '16 MB of a correct workflow to `/api/workflow/check`',
    defense: 'Bodies are parsed and checked in short steps',
    run: (target) => {
      const workflow = JSON.stringify({ workflow: longWorkflow() })
      return loaded(target, 2, () => target.send('eve', 'POST', '/api/workflow/check', workflow))
    },
  },
  {
    name: '16 requests at once with `page_size=1000`',
    defense:
      'A caller has a limited number of requests in flight, callers take turns, and lists shorten long texts',
    run: attackLists,
  },
  {
    name: '500 WebSocket connections of one token',
    defense: 'A caller has a limited number of connections',
    run: attackSockets,
  },
  {
    name: 'Six inspections of a table with 1,000,000 columns',
    defense: 'The number of columns is limited, and a worker is kept for other users',
    run: inspectWide,
  },
  {
    name: '100 background tasks of one user',
    defense: 'Where there are several users, one has half of the tasks at most',
    run: fillTasks,
  },
  {
    name: 'One user fills the queue',
    defense: 'Where there are several users, one has half of the queue at most',
    run: fillQueue,
  },
]

function attackLogin(target: Target): Promise<string> {
  const body = manyKeys(814_000)
  return loaded(target, 8, () => send(target.url, 'POST', '/api/login', { body }))
}

/** Sends this many requests in parallel, while another user measures the response time of the service. */
async function loaded(target: Target, clients: number, request: () => Promise<Reply>): Promise<string> {
  const attack = Promise.all(Array.from({ length: clients }, request))
  const longest = await longestDuring(target, attack)
  const replies = await attack
  const bytes = Math.max(...replies.map(({ text }) => text.length))
  const statuses = [...new Set(replies.map(({ status }) => status))]
  const found = `status ${statuses.join(', ')}, ${bytes} bytes, other requests up to ${longest} ms`
  defended(longest <= MOST_MILLISECONDS && bytes <= MOST_BYTES, found)
  defended(
    statuses.every((status) => status < 500),
    found,
  )
  return found
}

/** A median would hide one block of half a minute: while the service does not answer, a caller that waits measures nothing else. */
async function longestDuring(target: Target, attack: Promise<unknown>): Promise<number> {
  const bob = { url: target.url, headers: target.as('bob') }
  return Math.round((await latenciesDuring('/api/system/health', bob, attack)).at(-1) ?? 0)
}

function manyKeys(bytes: number): string {
  const keys = Array.from(
    { length: Math.floor(bytes / 15) },
    (_, index) => `"k${String(index).padStart(8, '0')}":1`,
  )
  return `{${keys.join(',')}}`
}

function wrongWorkflow(): object {
  const nodes = Array.from({ length: 20_000 }, (_, index) => ({
    id: `n${index}`,
    type: 'DataSplit',
    position: { x: 0, y: 0 },
    config: {},
  }))
  const connections = Array.from({ length: 99_999 }, (_, index) => ({
    id: `c${index}`,
    source: `n${index % 20_000}`,
    source_port: 'no',
    target: `n${(index + 1) % 20_000}`,
    target_port: 'such',
  }))
  return { version: '1.1', metadata: { name: 'wrong' }, nodes, connections }
}

/** Every value is what it should be. */
function longWorkflow(): object {
  const nodes = Array.from({ length: 20_000 }, (_, index) => ({
    id: `n${index}`,
    type: 'Note',
    position: { x: index, y: 0 },
    config: { text: 'x'.repeat(700) },
  }))
  return { version: '1.1', metadata: { name: 'long' }, nodes, connections: [] }
}

const LISTED = 200

async function attackLists(target: Target): Promise<string> {
  for (let index = 0; index < LISTED; index++)
    await target.send('mal', 'POST', '/api/workflow/create', {
      version: '1.1',
      metadata: { name: `listed ${index}`, description: 'x'.repeat(100_000) },
      nodes: [],
      connections: [],
    })
  return loaded(target, 16, () => target.send('eve', 'GET', '/api/workflow?page_size=1000'))
}

async function attackSockets(target: Target): Promise<string> {
  const sockets: WebSocket[] = []
  const open = () =>
    new Promise<'open' | 'refused'>((done) => {
      const socket = new WebSocket(`${target.service.webSocketUrl}/ws/service`, { headers: target.as('eve') })
      sockets.push(socket)
      // A refusal may arrive as a separate close.
      socket.once('message', () => done('open'))
      socket.once('close', () => done('refused'))
      socket.once('error', () => done('refused'))
    })
  try {
    const attack = Promise.all(Array.from({ length: 500 }, open))
    const longest = await longestDuring(target, attack)
    const opened = (await attack).filter((state) => state === 'open').length
    const found = `${opened} of 500 are open, other requests up to ${longest} ms`
    defended(opened <= 200 && longest <= MOST_MILLISECONDS, found)
    return found
  } finally {
    for (const socket of sockets) socket.terminate()
  }
}

async function fillQueue(target: Target): Promise<string> {
  const config = {
    data: { train_csv: join(target.dataset, 'train.csv') },
    model: { vision_backbone: 'none', fusion_type: 'concatenate', task: 'classification' },
    training: { epochs: 1, batch_size: 8 },
  }
  const start = (user: 'mal' | 'bob') =>
    target.send(user, 'POST', '/api/training/start', { config, job_name: 'attack' })
  const codes: string[] = []
  for (let index = 0; index < 2 * QUEUE; index++) {
    const { status, json } = await start('mal')
    codes.push(status === 200 ? 'accepted' : String(json.code))
  }
  const { status: other, text } = await start('bob')
  const accepted = codes.filter((code) => code === 'accepted').length
  defended(
    codes.includes('QUOTA_EXCEEDED') && other === 200,
    `${accepted} accepted; then another user got ${other}: ${text}`,
  )
  return `${accepted} of ${2 * QUEUE} jobs accepted, then ${codes.at(-1)}; the job of another user is accepted`
}

async function inspectWide(target: Target): Promise<string> {
  const columns = Array.from({ length: 1_000_000 }, (_, index) => `c${index}`).join(',')
  const path = join(target.dataset, 'wide.csv')
  writeFileSync(path, `${columns}\n`)
  const inspect = (user: User, path: string) => target.send(user, 'POST', '/api/datasets/inspect', { path })
  const wide = Promise.all(Array.from({ length: 6 }, () => inspect('mal', path)))
  const began = performance.now()
  const other = await inspect('bob', join(target.dataset, 'train.csv'))
  const seconds = Math.round((performance.now() - began) / 1000)
  const codes = (await wide).map(({ json }) => String(json.code))
  defended(
    other.status === 200 && codes.every((code) => code !== 'undefined'),
    `another inspection got ${other.status} after ${seconds} s; the six got ${codes.join(', ')}`,
  )
  return `${[...new Set(codes)].join(', ')}; the inspection of another user took ${seconds} s`
}

async function fillTasks(target: Target): Promise<string> {
  const path = join(target.dataset, 'train.csv')
  const begin = (user: User) => target.send(user, 'POST', '/api/datasets/inspect?wait=false', { path })
  const begun = await Promise.all(Array.from({ length: LIMITS.running_tasks }, () => begin('mal')))
  const accepted = begun.filter(({ status }) => status === 202).map(({ json }) => String(json.task_id))
  const other = await begin('bob')
  for (const task of accepted) await target.send('mal', 'POST', `/api/tasks/${task}/cancel`)
  defended(
    other.status === 202 && accepted.length < LIMITS.running_tasks,
    `${accepted.length} accepted; then another user got ${other.status}: ${other.text}`,
  )
  return `${accepted.length} of ${LIMITS.running_tasks} accepted; the task of another user is accepted`
}
