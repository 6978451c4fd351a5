import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerCleanup } from '../testing/cleanup.js'
import { PYTHON, REPOSITORY } from '../testing/repository.js'

const TRAINER = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')

const made = new Map<string | undefined, string>()

/**
 * An interpreter that replays recorded trainings and forwards everything else to the one with the trainer.
 * @param recordings folder of trainings of this run of the tests, which are replayed as well
 */
export function recordedPython(recordings?: string): string {
  const known = made.get(recordings)
  if (known) return known
  const python = makePython(recordings)
  made.set(recordings, python)
  return python
}

function makePython(recordings: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-python-'))
  registerCleanup(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'python')
  const recordInto = process.env.MEDLOOM_RECORD_INTO
  const variables = [
    ...(recordInto ? [`MEDLOOM_RECORD_INTO='${recordInto}'`] : []),
    ...(recordings ? [`MEDLOOM_REPLAY_ALSO='${recordings}'`] : []),
    `MEDLOOM_REPLAY_TRAINER='${PYTHON}'`,
  ]
  // "exec" keeps the process that the service has started.
  const script = `#!/bin/sh
case "$*" in
  *"medloom_trainer prewarmed"*|*"medloom_trainer train "*) ${variables.join(' ')} exec '${process.execPath}' '${TRAINER}' "$@" ;;
  *) exec '${PYTHON}' "$@" ;;
esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}
