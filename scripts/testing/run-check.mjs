// One check: runs it, stores its output in a file, and prints it only if the check fails.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { runProcess } from './processes.mjs'
import { testCounter } from './progress.mjs'

/**
 * Runs a check and prints its result. The environment of its process is that of this one, `env` and its own.
 *
 * @returns { id, title, ok, outcome, seconds, durations }
 */
export async function runCheck(check, { root, folder, env, progress }) {
  const began = Date.now()
  const log = join(folder, `${check.id}.log`)
  const file = createWriteStream(log)
  const counter = testCounter()
  let output = ''
  progress.started(check.title, counter.count)
  const status = await runProcess(check.command, {
    cwd: check.cwd ?? root,
    env: { ...process.env, ...env, ...check.env },
    lowPriority: check.lane === 'static',
    onOutput: (chunk) => {
      output += chunk
      file.write(chunk)
      counter.read(chunk)
    },
  })
  file.end()
  const ok = status === 0 || status === check.noTests
  const result = {
    ...{ id: check.id, title: check.title, ok },
    outcome: outcomeOf(check, ok),
    seconds: (Date.now() - began) / 1000,
    durations: check.durations?.() ?? [],
  }
  progress.ended(check.title)
  progress.print(ok ? passedLine(result) : `${failedText(result, output)}\nThis output is in ${log}.`)
  return result
}

/** A check that is not a suite counts as one. So does a suite that fails without a failed test, such as one that crashes. */
function outcomeOf(check, ok) {
  const single = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, failures: [] }
  const outcome = check.outcome?.() ?? single
  return !ok && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome
}

/** "✓ Packages (vitest): 310 passed, 2 skipped (51.2 s)" */
export function passedLine({ title, outcome, seconds }) {
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : ''
  return `✓ ${title}: ${outcome.passed} passed${skipped} (${seconds.toFixed(1)} s)`
}

function failedText({ title, seconds }, output) {
  return `\n── ${title}: FAILED (${seconds.toFixed(1)} s)\n${output.trimEnd()}`
}
