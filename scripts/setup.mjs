#!/usr/bin/env node
// Prepares this clone: npm packages, Python environment, build. Runs on bare Node, before anything is installed.
// Usage: node scripts/setup.mjs [--for demo|start|test|ray]
import { fileURLToPath } from 'node:url'

const OLDEST = [20, 19]

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

/** Updates the clone for `purpose`, or ends the process with a message that states the remedy. */
export async function ready(purpose) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    console.error(`Medloom needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}.`)
    console.error('Install a current Node (version 22 or 24 is a good choice) and run the command again.')
    process.exit(1)
  }
  const { setUp, SetUpError } = await import('./setup/set-up.mjs')
  try {
    await setUp({ root, purpose })
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error
    console.error(`\n${error.message}\n`)
    process.exit(error.interrupted ? 130 : 1)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const index = process.argv.indexOf('--for')
  await ready(index > 0 ? process.argv[index + 1] : 'start')
}
