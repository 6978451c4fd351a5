import { z } from 'zod'
import { AliasMove, AliasName, SetAlias } from '../aliases.js'
import { Timestamp } from '../timestamp.js'
import { FLAT_BODY, listOf, page, type RouteDeclaration } from './declaration.js'

const alias = z.object({ alias: z.string() })

/** Aliases of models and their history. */
export const ALIAS_ROUTES = {
  listAliases: {
    method: 'GET',
    path: '/api/aliases',
    tag: 'aliases',
    access: 'read',
    owned: false,
    summary: 'List the aliases with the models that they name, in alphabetical order',
    response: z.object({ aliases: z.array(AliasMove) }),
  },
  getAlias: {
    method: 'GET',
    path: '/api/aliases/{alias}',
    tag: 'aliases',
    access: 'read',
    owned: false,
    summary:
      'Get the model that an alias names now or named at an earlier time, who set it, and on which evaluation',
    params: alias,
    query: z.object({ at: Timestamp.optional().meta({ description: 'Time in the past. Default: now' }) }),
    response: AliasMove,
    errors: ['ALIAS_NOT_FOUND'],
  },
  listAliasMoves: {
    method: 'GET',
    path: '/api/aliases/{alias}/history',
    tag: 'aliases',
    access: 'read',
    owned: false,
    summary: 'List the history of an alias, newest first; nothing is ever changed or removed in it',
    params: alias,
    query: z.object(page),
    response: listOf('moves', AliasMove),
    errors: ['ALIAS_NOT_FOUND'],
  },
  setAlias: {
    method: 'PUT',
    path: '/api/aliases/{alias}',
    tag: 'aliases',
    access: 'run',
    changes: true,
    owned: 'alias',
    summary: 'Set an alias to a model; the user who first set it owns it',
    params: z.object({ alias: AliasName }),
    body: SetAlias,
    ...FLAT_BODY,
    response: AliasMove,
    errors: ['MODEL_NOT_FOUND', 'EVALUATION_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'CHECKPOINT_CORRUPT'],
  },
  removeAlias: {
    method: 'DELETE',
    path: '/api/aliases/{alias}',
    tag: 'aliases',
    access: 'run',
    changes: true,
    owned: 'alias',
    summary: 'Remove an alias; its history is kept',
    params: alias,
    response: AliasMove,
    errors: ['ALIAS_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
