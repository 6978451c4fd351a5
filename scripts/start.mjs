#!/usr/bin/env node
// npm start: sets up, then runs "medloom serve" in this process, so that signals reach the service. It opens the page on a desktop
// unless --no-open is given.
import { ready, root } from './setup.mjs'

await ready('start')
process.env.MEDLOOM_OPEN ??= 'on'
const flags = process.argv.slice(2).flatMap((flag) => (flag === '--no-open' ? ['--open', 'off'] : [flag]))
process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve', ...flags)
process.argv[1] = `${root}/packages/cli/bin/medloom.js`
await import('../packages/cli/bin/medloom.js')
