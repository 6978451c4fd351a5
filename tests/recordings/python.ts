import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerCleanup } from '../testing/cleanup.js'
import { PYTHON, REPOSITORY } from '../testing/repository.js'

const TRAINER = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')

let made: string | undefined

/** An interpreter that replays recorded trainings and forwards everything else to the one with the trainer. */
export function recordedPython(): string {
  made ??= makePython()
  return made
}

function makePython(): string {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-python-'))
  registerCleanup(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'python')
  const recordInto = process.env.MEDLOOM_RECORD_INTO
  const recording = recordInto ? `MEDLOOM_RECORD_INTO='${recordInto}' ` : ''
  // "exec" keeps the process that the service has started.
  const script = `#!/bin/sh
case "$*" in
  *"medloom_trainer prewarmed"*|*"medloom_trainer train "*) ${recording}MEDLOOM_REPLAY_TRAINER='${PYTHON}' exec '${process.execPath}' '${TRAINER}' "$@" ;;
  *) exec '${PYTHON}' "$@" ;;
esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}
