import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundProcess, processesWith } from './processes.js'

/** node-worker.mjs as an interpreter that a cluster starts for its nodes. It ends with its parent process, like the trainer. */
export function smallWorker(folder: string, python: string): string {
  const program = join(folder, 'node-worker.mjs')
  copyFileSync(join(import.meta.dirname, 'node-worker.mjs'), program)
  const file = join(folder, 'worker')
  const lines = [
    `#!${python}`,
    'import os, sys',
    'from medloom_trainer.worker.parent import end_with_parent',
    'end_with_parent()',
    `os.execv(${JSON.stringify(process.execPath)}, ["node", ${JSON.stringify(program)}, *sys.argv[1:]])`,
  ]
  writeFileSync(file, lines.join('\n'))
  chmodSync(file, 0o755)
  return file
}

/** The processes of that worker that other processes have started. */
export function remoteWorkers(folder: string): FoundProcess[] {
  return processesWith(join(folder, 'node-worker.mjs')).filter(({ parent }) => parent !== process.pid)
}
