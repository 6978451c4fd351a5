/** What a browser reads of the contracts without their schemas: constants and small functions, and no zod. */
export * from './codes/client-errors.js'
export * from './is-terminal.js'
export * from './jobs/status.js'
export * from './jobs/terminal-message.js'
export * from './workflow/status.js'
