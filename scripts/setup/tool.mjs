import { spawn } from 'node:child_process'
import { explainFailure, SetUpError } from './errors.mjs'
import { startStep } from './progress.mjs'

/** Runs a program as one visible step; a failure is explained. An interruption ends the program too. */
export async function runStep(title, [command, ...args], { cwd, env = process.env } = {}) {
  const step = startStep(title)
  try {
    await runTool(title, command, args, { cwd, env, note: step.note })
    step.done()
  } catch (error) {
    step.fail()
    throw error
  }
}

function runTool(title, command, args, { cwd, env, note }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let interrupted = false
    const interrupt = () => {
      interrupted = true
      child.kill('SIGTERM')
    }
    process.on('SIGINT', interrupt)
    process.on('SIGTERM', interrupt)
    const read = (chunk) => {
      output = (output + chunk).slice(-64_000)
      const last = chunk
        .toString()
        .trim()
        .split(/[\r\n]+/)
        .at(-1)
      if (last) note(last)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    const settle = (then) => {
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
      then()
    }
    child.on('error', (error) =>
      settle(() =>
        reject(new SetUpError(`${title} failed: ${command} cannot be started (${error.message}).`)),
      ),
    )
    child.on('close', (code, signal) =>
      settle(() => {
        if (interrupted || signal === 'SIGINT')
          reject(
            new SetUpError('Interrupted.', 'Run the same command again: what is finished is kept.', {
              interrupted: true,
            }),
          )
        else if (code === 0) resolve()
        else reject(explainFailure(title, output))
      }),
    )
  })
}
