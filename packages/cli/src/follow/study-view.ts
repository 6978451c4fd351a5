import { counted, type Study, type StudyJob, type StudyMessage, type StudyProgress } from '@medloom/contracts'
import { PROGRESS_LINE_SECONDS } from '../durations.js'
import { duration, number } from '../terminal/format.js'
import { type Style, styleFor } from '../terminal/style.js'
import { terminal } from '../terminal/terminal.js'
import { bar, type ProgressStream } from './progress-view.js'

const ENDED = ['completed', 'pruned', 'failed', 'stopped', 'removed']

/**
 * Shows a study: one permanent line per ended training and, on a terminal, below it a bar over all trainings; elsewhere at most one line of
 * progress every ten seconds.
 */
export class StudyView {
  readonly #style: Style
  /** The lines that were printed, so that a new snapshot repeats none. */
  readonly #printed = new Set<string>()
  #jobs: StudyJob[] = []
  #progress: StudyProgress | null = null
  #phase: string | null = null
  #drawn = false
  #lastLine: number
  readonly #began: number

  constructor(
    private readonly stream: ProgressStream = terminal().stdout,
    private readonly now: () => number = Date.now,
  ) {
    this.#style = styleFor(stream)
    this.#lastLine = now()
    this.#began = now()
  }

  show(message: StudyMessage): void {
    if (message.type === 'snapshot') this.#snapshot(message.state)
    if (message.type === 'training') {
      this.#jobs[message.index] = message.training
      this.#training(message.training)
    }
    if (message.type === 'training' || message.type === 'progress') this.#progress = message.progress
    if (message.type === 'phase') this.#phase = message.phase === 'training' ? null : message.message
    this.#draw()
  }

  note(text: string): void {
    this.#permanent(this.#style.dim(text))
    this.#draw()
  }

  /** Remove the bar and print the end of the study. */
  end(ended: Pick<Study, 'status' | 'message' | 'report_path'> | null = null): void {
    this.#erase()
    if (ended === null) return
    const { green, red, yellow } = this.#style
    const paint = ended.status === 'completed' ? green : ended.status === 'failed' ? red : yellow
    const seconds = (this.now() - this.#began) / 1000
    this.#permanent(`${paint(ended.status)} after ${duration(seconds)}: ${ended.message}`)
    if (ended.report_path) this.#permanent(`report ${ended.report_path}`)
  }

  #snapshot({ jobs, progress }: Study): void {
    this.#jobs = [...jobs]
    this.#progress = progress
    for (const job of jobs) this.#training(job)
  }

  #training(training: StudyJob): void {
    const { status, error, trial, value } = training
    if (!ENDED.includes(status)) return
    // The value of a trial is known a moment after its job has ended.
    if (trial !== null && status === 'completed' && value === null) return
    const { green, red, yellow } = this.#style
    const word = status === 'completed' ? green(status) : status === 'failed' ? red(status) : yellow(status)
    const why = error ? `: ${error.message} [${error.code}]` : ''
    const setting = training.settings ? `  ${settingText(training.settings)}` : ''
    const worth = training.value === null ? '' : `  ${number(training.value)}`
    const line = `${trainingName(training)}  ${word}${worth}${setting}${why}`
    const key = `${training.job_id} ${line}`
    if (this.#printed.has(key)) return
    this.#printed.add(key)
    this.#permanent(line)
  }

  #draw(): void {
    const progress = this.#progress
    if (!progress) return
    const line = this.#phase ?? progressLine(progress, this.stream.isTTY === true)
    if (this.stream.isTTY) {
      this.stream.write(`\r\x1b[K${[...line].slice(0, (this.stream.columns ?? 80) - 1).join('')}`)
      this.#drawn = true
    } else if (this.now() - this.#lastLine >= PROGRESS_LINE_SECONDS * 1000) this.#permanent(line)
  }

  #erase(): void {
    if (this.#drawn) this.stream.write('\r\x1b[K')
    this.#drawn = false
  }

  #permanent(line: string): void {
    this.#erase()
    this.stream.write(`${line}\n`)
    this.#lastLine = this.now()
  }
}

/** `gated  seed 0  fold 1.3`, `search 2  seed 0`: name of a training, with its number for a trial. */
export function trainingName({ variant, seed, repeat, fold, trial }: Omit<StudyJob, 'status'>): string {
  const place = fold === null ? '' : `  fold ${repeat === null ? fold : `${repeat}.${fold}`}`
  const name = trial === null ? variant : `${variant} ${trial}`
  return `${name}  seed ${seed}${place}`
}

/** `model.dropout = 0.1, training.learning_rate = 0.00132`: the status as JSON contains the exact values. */
export function settingText(settings: Readonly<Record<string, unknown>>): string {
  return Object.entries(settings)
    .map(
      ([key, value]) =>
        `${key} = ${typeof value === 'number' ? Number(value.toPrecision(4)) : JSON.stringify(value)}`,
    )
    .join(', ')
}

export function progressLine(progress: StudyProgress, withBar: boolean): string {
  const { total, completed, pruned, failed, running, queued, fraction } = progress
  const parts = [
    withBar ? bar(fraction) : '',
    `${completed} of ${counted(total, 'training')}`,
    `${Math.floor(fraction * 100)} %`,
    running > 0 ? `${running} running` : '',
    queued > 0 ? `${queued} queued` : '',
    pruned > 0 ? `${pruned} pruned` : '',
    failed > 0 ? `${failed} failed` : '',
  ]
  return parts.filter(Boolean).join('  ')
}
