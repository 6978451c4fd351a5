import type { z } from 'zod'
import type { Role } from '../access.js'
import { ALIAS_ROUTES } from './aliases.js'
import { CASE_ROUTES } from './cases.js'
import { DATASET_ROUTES } from './datasets.js'
import type { RouteDeclaration } from './declaration.js'
import { EVALUATION_ROUTES } from './evaluations.js'
import { EXCHANGE_ROUTES } from './exchange.js'
import { FILE_ROUTES } from './files.js'
import { FOLLOW_UP_ROUTES } from './follow-ups.js'
import { MODEL_ROUTES } from './models.js'
import { PEOPLE_ROUTES } from './people.js'
import { PREDICTION_ROUTES } from './predictions.js'
import { SESSION_ROUTES } from './session.js'
import { STUDY_ROUTES } from './studies.js'
import { SYSTEM_ROUTES } from './system.js'
import { TASK_ROUTES } from './tasks.js'
import { TRAINING_ROUTES } from './training.js'
import { WORKFLOW_ROUTES } from './workflows.js'

/** Every HTTP route: the server binds handlers to it, the client calls it, OpenAPI is emitted from it. */
export const ROUTES = {
  ...TRAINING_ROUTES,
  ...STUDY_ROUTES,
  ...MODEL_ROUTES,
  ...ALIAS_ROUTES,
  ...EVALUATION_ROUTES,
  ...PREDICTION_ROUTES,
  ...FOLLOW_UP_ROUTES,
  ...DATASET_ROUTES,
  ...CASE_ROUTES,
  ...TASK_ROUTES,
  ...FILE_ROUTES,
  ...WORKFLOW_ROUTES,
  ...SESSION_ROUTES,
  ...PEOPLE_ROUTES,
  ...SYSTEM_ROUTES,
  ...EXCHANGE_ROUTES,
} as const satisfies Record<string, RouteDeclaration>

export type RouteName = keyof typeof ROUTES
export type Routes = typeof ROUTES
/** Route names of one domain. */
export type RouteNamesOf<Tag extends RouteDeclaration['tag']> = {
  [N in RouteName]: Routes[N]['tag'] extends Tag ? N : never
}[RouteName]

/** Names of the routes that can run in the background. */
export type BackgroundRoute = {
  [N in RouteName]: Routes[N] extends { readonly background: true } ? N : never
}[RouteName]

type Part<R, K extends string, Mode extends 'in' | 'out'> = R extends {
  readonly [P in K]: infer S extends z.ZodType
}
  ? Mode extends 'in'
    ? z.input<S>
    : z.output<S>
  : Record<never, never>

/** Input of a caller (defaults may be omitted). */
export interface RouteInput<N extends RouteName> {
  params: Part<Routes[N], 'params', 'in'>
  query: Part<Routes[N], 'query', 'in'>
  body: Part<Routes[N], 'body', 'in'>
}
/** Input of a handler (with defaults). */
export interface RouteRequest<N extends RouteName> {
  params: Part<Routes[N], 'params', 'out'>
  query: Part<Routes[N], 'query', 'out'>
  body: Part<Routes[N], 'body', 'out'>
}
export type RouteResponse<N extends RouteName> = z.output<Routes[N]['response']>

/** WebSocket addresses, and the minimum role for a connection. */
export const SOCKETS = {
  service: { path: '/ws/service', access: 'read' },
  training: { path: '/ws/training/{job_id}', access: 'read' },
  studies: { path: '/ws/studies/{study_id}', access: 'read' },
  workflow: { path: '/ws/workflow/{workflow_id}', access: 'read' },
} as const satisfies Record<string, { readonly path: string; readonly access: Role }>
export type Socket = (typeof SOCKETS)[keyof typeof SOCKETS]
