import { spawnSync } from 'node:child_process'
import { readSettings } from '../src/settings.js'

/** The interpreter for tests; if the trainer is not installed, prints the reason and returns undefined. */
export function testPython(): string | undefined {
  const { python } = readSettings([], { MEDLOOM_PYTHON: process.env.MEDLOOM_PYTHON })
  const { status } = spawnSync(
    python,
    ['-c', 'import importlib.util, medloom_trainer; assert importlib.util.find_spec("torch")'],
    { stdio: 'ignore' },
  )
  if (status === 0) return python
  console.warn(`tests of the real trainer are skipped: ${python} does not have it; run "npm run setup"`)
  return undefined
}
