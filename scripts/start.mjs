#!/usr/bin/env node
// npm start: set up, then "medloom serve" in this very process, so that signals reach the service.
import { ready, root } from './setup.mjs'

await ready('start')
process.argv.splice(2, 0, 'serve')
process.argv[1] = `${root}/packages/cli/bin/medloom.js`
await import('../packages/cli/bin/medloom.js')
