// A training without a recording: runs the trainer itself, and records it if requested.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSpec } from './order.mjs'

const KEEP = join(import.meta.dirname, '../../../../../tests/recordings/keep.ts')

/** @returns its exit code. */
export async function trainWith(python, order) {
  // The service sends signals to all processes of this family.
  process.on('SIGTERM', () => undefined)
  const code = await run(python, ['-m', 'medloom_trainer', 'train', '--log', order])
  const { MEDLOOM_RECORD_INTO: into } = process.env
  if (into && code === 0) await keep(readSpec(order).run_dir, into)
  return code
}

/** Uses a copy: the test that trained may remove the run directory at any moment. */
async function keep(directory, into) {
  const copy = mkdtempSync(join(tmpdir(), 'medloom-recorded-'))
  try {
    cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
    await run('npx', ['tsx', '--conditions=medloom-source', KEEP, copy, into])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function run(command, args) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.once('error', fail)
    child.once('exit', (code) => done(code ?? 1))
  })
}
