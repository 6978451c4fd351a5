import type { CreatedToken, Role } from '@medloom/contracts'
import { WebSocket } from 'ws'
import type { Place } from './training/training-service.js'
import { startTrainingService } from './training/training-service.js'

type Service = Awaited<ReturnType<typeof startTrainingService>>

/** A service for which users have tokens: `root` is an administrator. */
export async function startPeopleService(
  place: Place,
  settings: Parameters<typeof startTrainingService>[1] = {},
) {
  const service = await startTrainingService(place, settings)
  const secrets = new Map<string, CreatedToken>()
  const as = (user: string) => ({ authorization: `Bearer ${secrets.get(user)?.secret}` })
  const create = async (user: string, role: Role, more: object = {}) => {
    const { status, body } = await service.send<CreatedToken>(
      'POST',
      '/api/tokens',
      { user, role, name: 'test', ...more },
      secrets.size > 0 ? as('root') : {},
    )
    if (status !== 200) throw new Error(JSON.stringify(body))
    if (!secrets.has(user)) secrets.set(user, body)
    return body
  }
  await create('root', 'admin')
  const send = <Body = Record<string, unknown>>(user: string, method: string, path: string, body?: unknown) =>
    service.send<Body & { code?: string; error?: string }>(method, path, body, as(user))
  return {
    ...service,
    service,
    create,
    as,
    sendAs: send,
    secretOf: (user: string) => secrets.get(user)?.secret ?? '',
  }
}

export type PeopleService = Awaited<ReturnType<typeof startPeopleService>>

/** The open socket of the whole service. */
export async function openSocket(
  { url }: Pick<Service, 'url'>,
  headers: Record<string, string>,
): Promise<{ readonly socket: WebSocket; readonly closed: Promise<number> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/service`, { headers })
  const closed = new Promise<number>((done) => socket.on('close', done))
  await new Promise((done, fail) => {
    socket.on('message', done)
    socket.on('error', fail)
  })
  return { socket, closed }
}
