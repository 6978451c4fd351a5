export * from './audit.js'
export * from './tokens.js'
export * from './users.js'
