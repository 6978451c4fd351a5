export { BYTES, type HttpMethod, IdempotencyKey, type RouteDeclaration } from './declaration.js'
export { errorsOf, GENERAL_ERRORS } from './errors.js'
export * from './limits.js'
export * from './routes.js'
