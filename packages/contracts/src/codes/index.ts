export * from './error-body.js'
export * from './errors.js'
export * from './issues.js'
export * from './warnings.js'
