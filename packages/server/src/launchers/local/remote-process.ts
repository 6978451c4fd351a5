import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { asValue, phrase, type Text } from '@medloom/contracts'
import { childEnvironment } from '../../child-environment.js'
import { AppError } from '../../errors.js'
import type { TrainerOrder } from '../../ports/launcher.js'
import { makeInnerFolder } from '../../storage/own-folder.js'
import { cutLongLog } from '../../storage/rotating-log.js'
import { trainerCommand } from '../trainer-command.js'
import { endingOf } from './ending-of.js'
import type { ReadyTrainer } from './prewarmed-trainer.js'
import { identify, MARK_VARIABLE } from './process-identity.js'
import { reportedProcess } from './trainer-process.js'

/**
 * Process of a training without a shared folder, like on a node of a cluster. It starts when it receives a line on its input, and ends if
 * its input closes before that.
 * @throws AppError PYTHON_UNAVAILABLE
 */
export async function remoteProcess(
  order: TrainerOrder,
  python: string,
  logFile: string,
): Promise<ReadyTrainer> {
  const mark = randomUUID()
  const child = start(order, python, logFile, mark)
  const ended = new Promise<Text>((done) => {
    child.once('error', (error) => done({ english: error.message }))
    child.once('exit', (code, signal) => done(endingOf(code, signal)))
  })
  // A process that has ended does not read; its end is detected elsewhere.
  child.stdin?.on('error', () => undefined)
  child.unref()
  ;(child.stdin as { unref?: () => void } | null)?.unref?.()
  const identity = child.pid === undefined ? null : await identify(child.pid, mark)
  if (!identity)
    throw new AppError(
      'PYTHON_UNAVAILABLE',
      phrase('trainer_not_started', { reason: asValue(await ended), log: logFile }),
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
      // A separate session: neither Ctrl-C nor the end of this service reaches it.
      detached: true,
      stdio: ['pipe', log, log],
      env: { ...childEnvironment(), ...environment, [MARK_VARIABLE]: mark },
    })
  } finally {
    closeSync(log)
  }
}
