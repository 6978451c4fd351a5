#!/usr/bin/env node
// npm run test:load: the tests under pressure on CPU, disk and memory, in random order, in other time zones, with longer time limits.
// Usage: npm run test:load -- [--rounds N] [options and files of npm test]
import { execFileSync, spawn } from 'node:child_process'
import { availableParallelism, freemem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseLoadArguments } from './arguments.mjs'
import { findStress, MISSING, startPressure } from './pressure.mjs'
import { placeOf } from './zones.mjs'

const TEST = fileURLToPath(new URL('../test.mjs', import.meta.url))

let child
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    interrupted = true
    child?.kill(signal)
  })

process.exitCode = await main()

async function main() {
  const { rounds, testArguments, problem } = parseLoadArguments(process.argv.slice(2))
  const program = findStress()
  if (problem || !program) {
    console.error(problem ?? MISSING)
    return 2
  }
  const end = startPressure(program, { cores: availableParallelism(), freeBytes: freemem() })
  try {
    return await runRounds(rounds, testArguments)
  } finally {
    await end()
  }
}

/** @returns the exit status: that of the last failed round, or 0 */
async function runRounds(rounds, testArguments) {
  const installed = locales()
  let status = 0
  for (let round = 0; round < rounds && !interrupted; round++) {
    const place = placeOf(round, installed)
    const variables = Object.entries(place).map(([name, value]) => `${name}=${value}`)
    console.log(`\nUnder load, round ${round + 1} of ${rounds}: ${variables.join(' ')}`)
    status = (await runTests(testArguments, place)) || status
  }
  return status
}

function runTests(testArguments, place) {
  return new Promise((resolve) => {
    // A separate process group: Ctrl+C reaches it once, through this process.
    child = spawn(process.execPath, [TEST, '--load', '--shuffle', ...testArguments], {
      stdio: 'inherit',
      detached: true,
      env: { ...process.env, ...place },
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Names of the locales of this system. */
function locales() {
  try {
    return execFileSync('locale', ['-a'], { encoding: 'utf8' }).split('\n')
  } catch {
    return []
  }
}
