import { join } from 'node:path'
import { WebSocket } from 'ws'
import { patient } from '../../testing/deadline.js'
import { type Attack, defended } from './attack.js'
import { latenciesDuring, type Reply, send } from './send.js'
import { QUEUE, type Target } from './target.js'

/** Median of other requests during an attack. Without the defense, each of these attacks increased it to 6 s or more. */
const MOST_MILLISECONDS = patient(3)
/** Size limit of one response. */
const MOST_BYTES = 1_000_000

/** Attacks on the response time of other users. */
export const LOAD_ATTACKS: readonly Attack[] = [
  {
    name: '814 kB of unknown keys to `/api/login`, by eight clients without a token',
    defense: 'Each route limits the size, depth and keys of its body, and reports a few issues of it',
    run: (target) => attackLogin(target),
  },
  {
    name: '16 MB to `/api/workflow/check`',
    defense: 'The same, and long checks give way to other requests',
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
    name: '16 requests at once with `page_size=1000`',
    defense: 'A caller has a limited number of requests in flight, and callers take turns',
    run: attackLists,
  },
  {
    name: '500 WebSocket connections of one token',
    defense: 'A caller has a limited number of connections',
    run: attackSockets,
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
  const latencies = await latenciesDuring(target.url, target.as('bob'), attack)
  const replies = await attack
  const median = medianOf(latencies)
  const bytes = Math.max(...replies.map(({ text }) => text.length))
  const statuses = [...new Set(replies.map(({ status }) => status))]
  const found = `status ${statuses.join(', ')}, ${bytes} bytes, other requests ${Math.round(median)} ms`
  defended(median <= MOST_MILLISECONDS && bytes <= MOST_BYTES, found)
  defended(
    statuses.every((status) => status < 500),
    found,
  )
  return found
}

const medianOf = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0

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

const LISTED = 200

async function attackLists(target: Target): Promise<string> {
  for (let index = 0; index < LISTED; index++)
    await target.send('mal', 'POST', '/api/workflow/create', {
      version: '1.1',
      metadata: { name: `listed ${index}`, description: 'x'.repeat(4_000) },
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
    const latencies = await latenciesDuring(target.url, target.as('bob'), attack)
    const opened = (await attack).filter((state) => state === 'open').length
    const found = `${opened} of 500 are open, other requests ${Math.round(medianOf(latencies))} ms`
    defended(opened <= 200 && medianOf(latencies) <= MOST_MILLISECONDS, found)
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
