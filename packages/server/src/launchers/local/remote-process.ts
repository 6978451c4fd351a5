import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.js'
import { makeInnerFolder } from '../../storage/own-folder.js'
import { cutLongLog } from '../../storage/rotating-log.js'
import { childEnvironment } from '../../worker/environment.js'
import type { TrainerOrder } from '../launcher.js'
import { trainerCommand } from '../trainer-command.js'
import type { ReadyTrainer } from './prewarmed-trainer.js'
import { identify, MARK_VARIABLE } from './process-identity.js'
import { reportedProcess } from './trainer-process.js'

/**
 * The process of a training without a common folder, as a node of a cluster has it. It begins once it is told to on its input, and ends
 * when that closes before.
 * @throws AppError PYTHON_UNAVAILABLE
 */
export async function remoteProcess(
  order: TrainerOrder,
  python: string,
  logFile: string,
): Promise<ReadyTrainer> {
  const mark = randomUUID()
  const child = start(order, python, logFile, mark)
  const ended = new Promise<string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('exit', (code, signal) => done(signal ? `killed by ${signal}` : `exit code ${code}`))
  })
  // One that has ended does not read; that is noticed by other means.
  child.stdin?.on('error', () => undefined)
  child.unref()
  ;(child.stdin as { unref?: () => void } | null)?.unref?.()
  const identity = child.pid === undefined ? null : await identify(child.pid, mark)
  if (!identity)
    throw new AppError(
      'PYTHON_UNAVAILABLE',
      `the trainer could not be started: ${await ended}; ${logFile} may say more`,
    )
  return {
    trainer: reportedProcess({ launcher: 'local', ...identity }, ended),
    begin: () => child.stdin?.end('begin\n'),
    dismiss: () => child.stdin?.destroy(),
  }
}

function start(order: TrainerOrder, python: string, logFile: string, mark: string): ChildProcess {
  const { argv, environment } = trainerCommand(python, order)
  const [program, ...args] = argv
  makeInnerFolder(dirname(logFile))
  cutLongLog(logFile)
  const log = openSync(logFile, 'a')
  try {
    return spawn(program, [...args, '--wait'], {
      // A session of its own: neither Ctrl-C nor the end of this service reaches it.
      detached: true,
      stdio: ['pipe', log, log],
      env: { ...childEnvironment(), ...environment, [MARK_VARIABLE]: mark },
    })
  } finally {
    closeSync(log)
  }
}
