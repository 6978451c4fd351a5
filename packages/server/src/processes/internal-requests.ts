import type { FastifyRequest } from 'fastify'
import type { Actor } from '../security/actor.js'
import { sameToken } from '../security/token.js'
import type { Controller } from './controllers.repository.js'

/** Headers of one process of the service to another. None that a client gives is passed on. */
const KEY_HEADER = 'x-medloom-internal-key'
const CALLER_HEADER = 'x-medloom-caller'

/** Who asked the process that passes a request on, and from where. */
export interface Caller {
  readonly actor: Actor | null
  readonly address: string
}

/** Shows a controller that the request comes from a process of its own. */
export function keyOf({ internalKey }: Pick<Controller, 'internalKey'>): Record<string, string> {
  return { [KEY_HEADER]: internalKey }
}

/** The same, with who asked. */
export function showInternal({ actor, ip }: FastifyRequest, controller: Controller): Record<string, string> {
  const caller: Caller = { actor, address: ip }
  return {
    ...keyOf(controller),
    [CALLER_HEADER]: Buffer.from(JSON.stringify(caller)).toString('base64url'),
  }
}

/** Requests that another process of the service has admitted: it read the key of this one in the database. */
export class InternalRequests {
  constructor(private readonly internalKey: string) {}

  /** Null: it comes from somebody else. */
  callerOf(headers: Readonly<Record<string, unknown>>): Caller | null {
    const { [KEY_HEADER]: key, [CALLER_HEADER]: caller } = headers
    if (typeof key !== 'string' || !sameToken(key, this.internalKey)) return null
    if (typeof caller !== 'string') return NOBODY
    return JSON.parse(Buffer.from(caller, 'base64url').toString('utf8')) as Caller
  }
}

/** A process that asks for itself. */
const NOBODY: Caller = { actor: null, address: '' }
