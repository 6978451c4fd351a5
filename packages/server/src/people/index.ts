import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { Cleanup } from '../concurrency/cleanup.js'
import type { ServiceContext } from '../context.js'
import type { Tables } from '../database/schema.js'
import type { AppError } from '../errors.js'
import { Announcements } from '../files/announcements.js'
import type { HandlersOf, Operations } from '../http/bind.js'
import type { Authentication } from '../security/authentication.js'
import { refuseOpen } from '../security/token.js'
import type { DataFolder } from '../storage/data-folder.js'
import { AuditRepository } from './audit/audit.repository.js'
import { AuditLog } from './audit/audit-log.js'
import { createOperations } from './operations.js'
import { OwnersRepository } from './owners.repository.js'
import { peopleRoutes } from './people.routes.js'
import { sessionRoutes } from './session.routes.js'
import { TokenAuthentication } from './tokens/authentication.js'
import { OpenConnections } from './tokens/open-connections.js'
import { TokensRepository } from './tokens/tokens.repository.js'
import { TokensService } from './tokens/tokens.service.js'
import { UsersRepository } from './users.repository.js'

/** Authentication and authorization of requests. */
export interface AppPeople {
  readonly authentication: Authentication
  readonly refused: (request: FastifyRequest, error: AppError) => void
  readonly operations: Operations
  /** Closes the connections of a token or login once it is no longer valid. */
  readonly connections: { register(app: FastifyInstance): void }
}

export interface People extends AppPeople {
  readonly routes: HandlersOf<'people'> & HandlersOf<'session'>
  /** Called when another process has ended this token or login; null: it may be any. */
  readonly endedElsewhere: (ended: string | null) => void
  start(): void
  close(): void
}

export interface PeopleOptions {
  /** Token of the file with which the service was started. */
  readonly serviceToken: string | null
  /** Admit only requests through another process of the service. */
  readonly onlyInternal?: boolean
  /** Called when a user may run more jobs. */
  readonly quotasChanged: () => void
}

export interface PeopleContext extends Pick<ServiceContext, 'database' | 'log' | 'settings'> {
  readonly folder: Pick<DataFolder, 'incoming'>
}

/** Processes that share the database are notified of revoked tokens, by id, and of ended logins, by digest. */
const ENDED_CHANNEL = 'revoked_tokens'
const LOGIN = 'login '

/** @throws StartError when the service would listen beyond this machine without requiring a token. */
export async function openPeople(
  context: ServiceContext,
  opened: Cleanup,
  options: PeopleOptions,
): Promise<People> {
  const people = createPeople(context, options)
  opened.add(() => people.close())
  const { server } = context.database
  if (server) opened.add(await server.listen(ENDED_CHANNEL, people.endedElsewhere))
  refuseOpen(context.settings, await people.authentication.isRequired())
  return people
}

/** Creates and connects users, tokens, quotas and the audit log. */
export function createPeople(
  { database, folder, log, settings }: PeopleContext,
  { serviceToken, quotasChanged, onlyInternal = false }: PeopleOptions,
): People {
  const tokens = new TokensRepository(database)
  const users = new UsersRepository(database)
  const audit = new AuditLog(new AuditRepository(database), log, settings.auditDays)
  const owners = new OwnersRepository(database, new Announcements(folder.incoming))
  const connections = new OpenConnections(tokens)
  const tellOthers = async (ended: string, transaction: Transaction<Tables>) =>
    database.server?.notify(ENDED_CHANNEL, ended, transaction)
  const authentication = new TokenAuthentication(tokens, serviceToken, {
    closeLogin: (login) => connections.closeLogin(login),
    tellOthers: (login, transaction) => tellOthers(LOGIN + login, transaction),
  })
  const service = new TokensService({
    ...{ tokens, users, authentication, connections, tellOthers },
    hasServiceToken: serviceToken !== null,
  })
  return {
    routes: {
      ...peopleRoutes({ tokens: service, users, audit, quotasChanged }),
      ...sessionRoutes(authentication, audit),
    },
    authentication: onlyInternal ? NOBODY : authentication,
    refused: (request, error) => audit.refused(request, error),
    operations: createOperations(owners, audit, connections),
    connections,
    endedElsewhere(ended) {
      if (ended?.startsWith(LOGIN)) connections.closeLogin(ended.slice(LOGIN.length))
      else void connections.look(ended ?? undefined)
    },
    start: () => audit.start(),
    close() {
      connections.close()
      audit.close()
    },
  }
}

/** Admits no request. */
const NOBODY: Authentication = {
  isRequired: async () => true,
  actorOf: async () => null,
  logIn: async () => null,
  logOut: async () => undefined,
}
