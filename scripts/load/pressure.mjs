// Pressure on the machine: stress-ng occupies its cores, its disk and part of its memory while tests run.
import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const MEMORY_SHARE = 0.25
const DISK_BYTES = 256 * 2 ** 20
/** Maximum run time of stress-ng, if nothing ends it earlier. */
const LONGEST = '6h'

export const MISSING =
  'stress-ng is not on the PATH. Install it with "apt-get install stress-ng" and run the command again.'

/** Path of stress-ng; undefined if it is not installed. */
export function findStress(path = process.env.PATH ?? '') {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'stress-ng'))
    .find(isExecutable)
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Arguments of stress-ng: a CPU worker per core, one that writes files in the folder, and one that holds a quarter of the free memory. */
export function pressureArguments({ cores, freeBytes, folder }) {
  return [
    ...['--cpu', String(cores)],
    ...['--hdd', '1', '--hdd-bytes', String(DISK_BYTES)],
    ...['--vm', '1', '--vm-keep', '--vm-bytes', String(Math.floor(freeBytes * MEMORY_SHARE))],
    ...['--temp-path', folder, '--timeout', LONGEST, '--quiet'],
  ]
}

/** Starts the pressure. @returns a function that ends it and waits until it has ended */
export function startPressure(program, { cores, freeBytes }) {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-load-'))
  // A separate process group: Ctrl+C reaches it only through the function that ends it.
  const child = spawn(program, pressureArguments({ cores, freeBytes, folder }), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const ended = new Promise((resolve) => {
    child.on('error', resolve)
    child.on('exit', resolve)
  })
  return async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
