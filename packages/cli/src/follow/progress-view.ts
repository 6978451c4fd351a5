import type { BaselineVerdict, Job, JobMessage, Stalled, Warning } from '@medloom/contracts'
import { PROGRESS_LINE_SECONDS } from '../durations.js'
import { duration, headline, number, shortId } from '../terminal/format.js'
import { type Style, styleFor } from '../terminal/style.js'
import { terminal } from '../terminal/terminal.js'

export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * Shows a training: on a terminal one permanent line per epoch and a moving bar; elsewhere a line per epoch and at most one line
 * of progress every ten seconds.
 */
export class ProgressView {
  readonly #style: Style
  #totalEpochs: number
  #validation = ''
  #lastLine = 0
  #drawn = false
  #training = false

  constructor(
    job: Pick<Job, 'total_epochs'>,
    private readonly stream: ProgressStream = terminal().stdout,
    private readonly now: () => number = Date.now,
  ) {
    this.#style = styleFor(stream)
    this.#totalEpochs = job.total_epochs
    this.#lastLine = now()
  }

  /** Phase of the job while no message arrives: queued, preparing images, validating. A slow batch is not reported. */
  waiting(job: Pick<Job, 'phase' | 'queue_position' | 'status' | 'reason'>): void {
    if (job.phase === 'queued')
      this.#transient(
        [`queued, position ${job.queue_position ?? '?'}`, job.reason].filter(Boolean).join(': '),
      )
    else if (job.phase && !(job.phase === 'training' && this.#training)) this.#transient(`${job.phase} …`)
  }

  show(message: JobMessage): void {
    this.#training = message.type !== 'stalled'
    if (message.type === 'stalled') this.#stalled(message.stalled)
    if (message.type === 'progress') this.#transient(this.#progressLine(message))
    if (message.type === 'validation') this.#validation = headline(message.metrics)
    if (message.type === 'epoch_end') {
      this.#totalEpochs = message.total_epochs
      const metrics = headline(message.metrics).includes('val_')
        ? headline(message.metrics)
        : `${headline(message.metrics)}  ${this.#validation}`
      const best = message.is_best ? this.#style.green('  best') : ''
      this.#permanent(
        `${this.#epoch(message.epoch)}  ${metrics}  ${duration(message.duration_seconds)}${best}`,
      )
      this.#validation = ''
    }
    if (message.type === 'completed') {
      const model = message.model_id ? `, model ${this.#style.bold(message.model_id)}` : ''
      const word =
        message.status === 'completed' ? this.#style.green('completed') : this.#style.yellow('stopped')
      this.#permanent(`${word} after ${duration(message.duration_seconds)}${model}`)
      if (message.baseline_verdict) this.#compared(message.baseline_verdict)
    }
    if (message.type === 'error')
      this.#permanent(
        `${this.#style.red('failed')}: ${message.error} [${message.code}]\n${this.#style.dim('What to do:')} ${message.details}`,
      )
  }

  /** Comparison with the best baseline, colored by its verdict. */
  #compared({ verdict, text }: BaselineVerdict): void {
    const line = `On validation the model is ${text}`
    this.#permanent(verdict === 'better' ? this.#style.green(line) : this.#style.yellow(line))
  }

  #stalled(stalled: Stalled | null): void {
    const text = stalled
      ? `stalled since ${stalled.since}: ${stalled.doing}. ${stalled.remedy}`
      : 'The training continues.'
    this.#permanent(stalled ? this.#style.yellow(text) : this.#style.dim(text))
  }

  /** Warnings of the data preparation. */
  warn(warnings: readonly Warning[]): void {
    for (const { code, message } of warnings)
      this.#permanent(this.#style.yellow(`warning: ${message} [${code}]`))
  }

  note(text: string): void {
    this.#permanent(this.#style.dim(text))
  }

  /** Remove the bar, so that later output starts on a clean line. */
  end(): void {
    if (this.#drawn) this.stream.write('\r\x1b[K')
    this.#drawn = false
  }

  #epoch(epoch: number): string {
    const total = String(this.#totalEpochs)
    return `epoch ${String(epoch).padStart(total.length)}/${total}`
  }

  #progressLine(message: Extract<JobMessage, { type: 'progress' }>): string {
    const { batch, total_batches, metrics, eta_seconds } = message
    const parts = [
      this.stream.isTTY ? bar(batch / Math.max(1, total_batches)) : '',
      `${String(batch).padStart(String(total_batches).length)}/${total_batches}`,
      `loss ${number(metrics.loss)}`,
      typeof metrics.accuracy === 'number' ? `accuracy ${number(metrics.accuracy)}` : '',
      typeof metrics.samples_per_second === 'number'
        ? `${metrics.samples_per_second.toFixed(0)} samples/s`
        : '',
      eta_seconds === null ? '' : `ETA ${duration(eta_seconds)}`,
    ]
    return `${this.#epoch(message.epoch)}  ${parts.filter(Boolean).join('  ')}`
  }

  #transient(line: string): void {
    if (this.stream.isTTY) {
      this.stream.write(`\r\x1b[K${[...line].slice(0, (this.stream.columns ?? 80) - 1).join('')}`)
      this.#drawn = true
    } else if (this.now() - this.#lastLine >= PROGRESS_LINE_SECONDS * 1000) this.#permanent(line)
  }

  #permanent(line: string): void {
    this.end()
    this.stream.write(`${line}\n`)
    this.#lastLine = this.now()
  }
}

export function bar(share: number, width = 20): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`
}

export function howToContinue(jobId: string): string {
  const id = shortId(jobId)
  return `The job continues to run. To follow: medloom jobs watch ${id}   To stop: medloom jobs stop ${id}`
}
