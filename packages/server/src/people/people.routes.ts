import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { HandlersOf } from '../http/bind.js'
import type { AuditLog } from './audit/audit-log.js'
import type { TokensService } from './tokens/tokens.service.js'
import type { UsersRepository } from './users.repository.js'

export interface PeopleParts {
  readonly tokens: TokensService
  readonly users: UsersRepository
  readonly audit: AuditLog
  /** Called when a user may run more jobs. */
  readonly quotasChanged: () => void
}

export function peopleRoutes({ tokens, users, audit, quotasChanged }: PeopleParts): HandlersOf<'people'> {
  return {
    createToken: ({ body }) => tokens.create(body),
    listTokens: ({ query }) => tokens.list(query.page_size, query.page_token),
    revokeToken: ({ params }) => tokens.revoke(params.token_id),
    listUsers: async () => ({ users: await users.list(new Date().toISOString()) }),
    async setUser({ params, body }) {
      const known = await users.setQuotas(params.user, body)
      const [user] = known ? await users.list(new Date().toISOString(), params.user) : []
      if (!user) throw new AppError('USER_NOT_FOUND', phrase('user_unknown', { user: params.user }))
      quotasChanged()
      return user
    },
    listAudit: ({ query: { page_size, page_token, ...filter } }) => audit.list(filter, page_size, page_token),
  }
}
