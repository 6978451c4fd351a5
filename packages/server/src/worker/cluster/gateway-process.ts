import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { GatewayMessage, type GatewayRequest } from '@medloom/contracts'
import type { z } from 'zod'
import { childEnvironment } from '../../child-environment.js'
import { within } from '../../concurrency/within.js'
import { GATEWAY_CLOSE_MILLISECONDS } from '../../durations.js'
import type { RotatingLog } from '../../storage/rotating-log.js'
import { readLines } from '../read-lines.js'

export interface GatewayProcessOptions {
  /** Interpreter of this machine with Ray and the trainer. */
  readonly python: string
  /** host:port of the head, or auto: the cluster to which this machine belongs. */
  readonly address: string
  /** File with the token of the cluster; null: it requires none, or the environment contains it. */
  readonly tokenFile: string | null
  /** Interpreter on the nodes with the trainer. */
  readonly nodePython: string
  /** Maximum number of parallel tasks; null: one per CPU of the cluster. */
  readonly workers: number | null
  /** Output of the gateway and the workers. */
  readonly output: RotatingLog
  /** Memory limit of one worker in bytes; null: each decides by the memory of its machine. */
  readonly memory: number | null
}

export interface GatewayHandlers {
  onMessage(message: z.infer<typeof GatewayMessage>): void
  /** @param why the end of its output, or the reason why it could not be started */
  onEnd(why: string): void
}

/** One `medloom_trainer.worker.gateway` process. Its workers on the nodes end with it. */
export class GatewayProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<void>
  #stderrTail = ''

  constructor(options: GatewayProcessOptions, handlers: GatewayHandlers) {
    this.#child = spawn(options.python, argumentsOf(options), {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: environmentOf(options),
      detached: process.platform !== 'win32',
    })
    this.#ended = this.#watch(options, handlers)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(request: z.input<typeof GatewayRequest>): void {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`)
  }

  /** Lets it disconnect from the cluster; kills it when that takes long. */
  async close(): Promise<void> {
    this.#child.stdin.end()
    const isLate = (await within(GATEWAY_CLOSE_MILLISECONDS, this.#ended)) === null
    if (isLate) this.#child.kill('SIGKILL')
    await this.#ended
  }

  #watch({ output }: GatewayProcessOptions, { onMessage, onEnd }: GatewayHandlers): Promise<void> {
    const child = this.#child
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (chunk: string) => {
      this.#stderrTail = (this.#stderrTail + chunk).slice(-2000)
      output.append(chunk).catch(() => undefined)
    })
    readLines(child.stdout, (line) => {
      const message = line === undefined ? undefined : parse(line)
      if (message) onMessage(message)
      else child.kill('SIGKILL')
    })
    return new Promise((resolve) => {
      const end = (why: string) => {
        resolve()
        onEnd(why)
      }
      child.once('error', (error) => end(error.message))
      child.once('close', () => end(this.#stderrTail.trim().split('\n').at(-1) ?? ''))
    })
  }
}

function argumentsOf({ address, nodePython, workers }: GatewayProcessOptions): string[] {
  return [
    ...['-m', 'medloom_trainer.worker.gateway', '--address', address, '--python', nodePython],
    ...(workers === null ? [] : ['--workers', String(workers)]),
  ]
}

function environmentOf({ tokenFile, memory }: GatewayProcessOptions): Record<string, string> {
  const ofRay = Object.entries(process.env).filter(([name, value]) => name.startsWith('RAY_') && value)
  return {
    ...childEnvironment(),
    ...(Object.fromEntries(ofRay) as Record<string, string>),
    ...(tokenFile === null ? {} : { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN_PATH: tokenFile }),
    ...(memory === null ? {} : { MEDLOOM_WORKER_MEMORY: String(memory) }),
  }
}

function parse(line: string): z.infer<typeof GatewayMessage> | undefined {
  try {
    return GatewayMessage.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
