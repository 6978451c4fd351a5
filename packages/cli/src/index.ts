export { EXIT } from './exit-codes.js'
export { type FollowOptions, followJob } from './follow.js'
export { runCommandLine } from './program.js'
export { formatTable } from './table.js'
