import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { eventually } from '../../../packages/server/testing/eventually.js'
import { startService } from '../../testing/service.js'
import { type Attack, defended } from './attack.js'
import { send } from './send.js'
import type { Target, User } from './target.js'

const PIECE = Buffer.alloc(1_000_000, 1)

/** Attacks on the separation of users. */
export const PEOPLE_ATTACKS: readonly Attack[] = [
  {
    name: 'Uploads of another user: read, continued, completed, deleted, announced under the same name',
    defense: 'An unfinished upload belongs to the user who announced it',
    isShort: true,
    run: takeUploads,
  },
  {
    name: 'Empty announcements of one user until nobody can upload',
    defense: 'Each user has a limit of unfinished uploads',
    run: announceMany,
  },
  {
    name: 'The Idempotency-Key of another user',
    defense: 'A key belongs to its user',
    isShort: true,
    run: repeatKey,
  },
  {
    name: 'Identifiers of patients by a token without that permission',
    defense: 'A permission of the token; each read and each refusal is in the audit log',
    isShort: true,
    run: readIdentifiers,
  },
  {
    name: 'A page of another origin, and a name of another machine that points to the service',
    defense: 'Host and Origin are checked, and refusals are in the audit log',
    isShort: true,
    run: comeFromElsewhere,
  },
  {
    name: 'The cookie and the sockets of a login after logout, also of a login by `--token-file`',
    defense: 'A logout ends the login on the service and closes its sockets',
    run: stayAfterLogout,
  },
  {
    name: 'An upload that is in flight when its token is revoked',
    defense: 'A revocation ends requests of the token; what arrives later is not written',
    isShort: true,
    run: uploadAfterRevocation,
  },
]

const announcement = (path: string, bytes = PIECE) => ({
  folder: 'attack',
  path,
  size_bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

async function takeUploads(target: Target): Promise<string> {
  const announce = (user: User) => target.send(user, 'POST', '/api/uploads', announcement('taken.bin'))
  const own = await announce('bob')
  const place = `/api/uploads/${own.json.upload_id}`
  const tries = [
    await target.send('mal', 'GET', place),
    await target.send('mal', 'PUT', `${place}?offset=0`, PIECE),
    await target.send('mal', 'POST', `${place}/finish`),
    await target.send('mal', 'DELETE', place),
  ]
  const other = await announce('mal')
  const { json, status } = await target.send('bob', 'GET', place)
  defended(
    tries.every((reply) => reply.status >= 400),
    tries.map((reply) => reply.status).join(', '),
  )
  defended(status === 200 && json.offset === 0, 'the upload was changed')
  defended(other.json.upload_id !== own.json.upload_id, 'two users share one upload')
  return `statuses ${tries.map((reply) => reply.status).join(', ')}; the same name is another upload`
}

async function announceMany(target: Target): Promise<string> {
  let accepted = 0
  for (let index = 0; index < 210; index++) {
    const { status } = await target.send('mal', 'POST', '/api/uploads', announcement(`many-${index}.bin`))
    if (status !== 200) break
    accepted++
  }
  const { status } = await target.send('bob', 'POST', '/api/uploads', announcement('free.bin'))
  defended(accepted <= 200 && status === 200, `${accepted} accepted; then another user got ${status}`)
  return `${accepted} accepted; another user can still upload`
}

async function repeatKey(target: Target): Promise<string> {
  const body = { name: 'of bob' }
  const create = (user: User) =>
    send(target.url, 'POST', '/api/workflow/create', {
      headers: { ...target.as(user), 'idempotency-key': 'known' },
      body,
    })
  const [own, other, again] = [await create('bob'), await create('mal'), await create('bob')]
  if (own.status !== 200 || again.json.workflow_id !== own.json.workflow_id)
    throw new Error(`a repeated request gets another response: ${again.text}`)
  defended(other.json.workflow_id !== own.json.workflow_id, 'the response of another user')
  return 'the same key of another user is another request'
}

async function readIdentifiers(target: Target): Promise<string> {
  const path = join(target.dataset, 'train.csv')
  const made = await target.send('ann', 'POST', '/api/datasets', { path, name: 'identified' })
  const dataset = `/api/datasets/${made.json.dataset_id}`
  const refused = await target.send('eve', 'GET', `${dataset}/cases?identifiers=true`)
  defended(refused.status === 403, `status ${refused.status}`)
  const masked = await target.send('eve', 'GET', `${dataset}/cases`)
  if (masked.status !== 200) throw new Error(`cases without identifiers: ${masked.status}`)
  await target.send('bob', 'GET', `${dataset}/cases?identifiers=true`)
  const { json } = await target.send('ann', 'GET', '/api/audit?operation=listCases')
  const users = (json.entries as { user: string | null }[]).map(({ user }) => user)
  defended(
    users.includes('bob') && users.includes('eve'),
    `the audit log has ${users.join(', ') || 'no reader'}`,
  )
  return `refused with ${refused.status}; both readers are in the audit log`
}

async function comeFromElsewhere(target: Target): Promise<string> {
  const headers = target.as('ann')
  const tries = [
    await send(target.url, 'POST', '/api/tokens', {
      headers: { ...headers, origin: 'http://evil.example' },
      body: { user: 'mal', role: 'admin', name: 'origin' },
    }),
    await send(target.url, 'GET', '/api/training', { headers: { ...headers, host: 'evil.example' } }),
  ]
  const codes = tries.map(({ json }) => json.code)
  defended(codes.join() === 'FORBIDDEN_ORIGIN,FORBIDDEN_HOST', codes.join())
  const { text } = await target.send('ann', 'GET', '/api/audit')
  for (const code of codes) defended(text.includes(String(code)), `${code} is not in the audit log`)
  return `${codes.join(', ')}; both are in the audit log`
}

async function stayAfterLogout(target: Target): Promise<string> {
  await logOut(target.url, target.secretOf('bob'))
  const secret = 'f'.repeat(64)
  const file = join(target.newFolder('token-file'), 'token')
  writeFileSync(file, secret, { mode: 0o600 })
  const service = await startService({ roots: [target.folder], arguments: ['--token-file', file] })
  try {
    await logOut(service.url, secret)
  } finally {
    await service.kill()
  }
  return 'sockets are closed, and the cookies are refused'
}

/** Logs in, opens a socket, logs out and continues. @throws AttackSucceeded if that works. */
async function logOut(url: string, token: string): Promise<void> {
  const login = await send(url, 'POST', '/api/login', { body: { token }, headers: { origin: url } })
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? ''
  const headers = { cookie, origin: url }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/service`, { headers })
  try {
    const closed = new Promise<true>((done) => socket.once('close', () => done(true)))
    await new Promise((done, fail) => {
      socket.once('message', done)
      socket.once('error', fail)
    })
    const before = await send(url, 'GET', '/api/training', { headers })
    if (before.status !== 200) throw new Error(`the login does not work: ${before.status}`)
    await send(url, 'POST', '/api/logout', { headers })
    const after = await send(url, 'GET', '/api/training', { headers })
    defended(after.status === 401, `the cookie still works: ${after.status}`)
    const late = new Promise<false>((done) => setTimeout(() => done(false), 10_000).unref())
    defended(await Promise.race([closed, late]), 'the socket is still open')
  } finally {
    socket.terminate()
  }
}

async function uploadAfterRevocation(target: Target): Promise<string> {
  const token = await target.createToken({ user: 'bob', role: 'run', name: 'revoked', identifiers: false })
  const headers = { authorization: `Bearer ${token.secret}` }
  const made = await send(target.url, 'POST', '/api/uploads', { headers, body: announcement('revoked.bin') })
  const place = `/api/uploads/${made.json.upload_id}`
  const offset = async () => Number((await target.send('bob', 'GET', place)).json.offset)
  const half = PIECE.subarray(0, PIECE.length / 2)
  const open = request(`${target.url}${place}?offset=0`, {
    method: 'PUT',
    agent: false,
    headers: {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-length': String(PIECE.length),
    },
  })
  const answered = new Promise<string>((done) => {
    open.on('response', (response) => {
      response.resume()
      done(`status ${response.statusCode}`)
    })
    open.on('error', () => done('the connection was closed'))
  })
  open.write(half)
  // The service has received it; a piece is counted when its request ends.
  await eventually(
    () => Promise.resolve(open.writableLength),
    (length) => length === 0,
  )
  await target.send('ann', 'DELETE', `/api/tokens/${token.token_id}`)
  open.end(half)
  const answer = await answered
  const received = await offset()
  defended(answer !== 'status 200' && received < PIECE.length, `${answer}, ${received} bytes are kept`)
  return `${answer}; ${received} of ${PIECE.length} bytes are kept`
}
