export type { HttpMethod, RouteDeclaration } from './declaration.js'
export * from './limits.js'
export * from './routes.js'
