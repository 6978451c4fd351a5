import { z } from 'zod'
import { AuditEntry } from '../people/audit.js'
import { CreatedToken, CreateToken, Token } from '../people/tokens.js'
import { Quotas, User, UserName } from '../people/users.js'
import { Timestamp } from '../timestamp.js'
import { FLAT_BODY, listOf, page, type RouteDeclaration } from './declaration.js'

/** Users of the service, their quotas, and their actions. */
export const PEOPLE_ROUTES = {
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    tag: 'people',
    access: 'admin',
    changes: true,
    owned: false,
    summary: 'Create a token for a user; only this response contains the token',
    body: CreateToken,
    ...FLAT_BODY,
    response: CreatedToken,
    errors: ['FIRST_TOKEN_ADMIN'],
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    tag: 'people',
    access: 'admin',
    owned: false,
    summary: 'List the tokens with their users and roles, newest first',
    query: z.object(page),
    response: listOf('tokens', Token),
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/tokens/{token_id}',
    tag: 'people',
    access: 'admin',
    changes: true,
    owned: false,
    summary:
      'Revoke a token: its requests are rejected, its logins end, and its open WebSockets are closed with 4401',
    params: z.object({ token_id: z.string() }),
    response: Token,
    errors: ['TOKEN_NOT_FOUND', 'TOKEN_REVOKED', 'LAST_ADMIN_TOKEN'],
  },
  listUsers: {
    method: 'GET',
    path: '/api/users',
    tag: 'people',
    access: 'read',
    owned: false,
    summary: 'List the users by name, with their quotas and numbers of running and queued jobs',
    response: z.object({ users: z.array(User) }),
  },
  setUser: {
    method: 'PUT',
    path: '/api/users/{user}',
    tag: 'people',
    access: 'admin',
    changes: true,
    owned: false,
    summary: 'Set the quotas of a user: running and queued training jobs',
    params: z.object({ user: UserName }),
    body: Quotas,
    ...FLAT_BODY,
    response: User,
    errors: ['USER_NOT_FOUND'],
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    tag: 'people',
    access: 'admin',
    owned: false,
    summary:
      'List the audit log, newest first: changes, reading of patient identifiers, and rejected requests',
    query: z.object({
      ...page,
      user: z.string().min(1).max(64).optional(),
      operation: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ description: 'Operation id, such as startTraining' }),
      since: Timestamp.optional().meta({ description: 'Earliest time of the entries' }),
    }),
    response: listOf('entries', AuditEntry),
  },
} as const satisfies Record<string, RouteDeclaration>
