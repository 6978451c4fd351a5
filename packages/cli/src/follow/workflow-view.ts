import { counted, type NodeState, type RunStatus, type WorkflowMessage } from '@medloom/contracts'
import { PROGRESS_LINE_SECONDS } from '../durations.js'
import { duration } from '../terminal/format.js'
import { type Style, styleFor } from '../terminal/style.js'
import { terminal } from '../terminal/terminal.js'
import { bar, type ProgressStream } from './progress-view.js'

const MAX_LINES = 8

/**
 * Shows a run: one permanent line per ended node and, on a terminal, below it one moving line per running node and a bar for the
 * whole run; elsewhere at most one line of progress every ten seconds.
 */
export class WorkflowView {
  readonly #style: Style
  readonly #nodes = new Map<string, NodeState>()
  /** Warnings already shown, so that a live one is not repeated when its node ends. */
  readonly #warned = new Set<string>()
  #progress = 0
  #status: RunStatus = 'pending'
  #drawn = 0
  #lastLine: number
  #began: number

  constructor(
    private readonly stream: ProgressStream = terminal().stdout,
    private readonly now: () => number = Date.now,
  ) {
    this.#style = styleFor(stream)
    this.#lastLine = now()
    this.#began = now()
  }

  get status(): RunStatus {
    return this.#status
  }

  show(message: WorkflowMessage): void {
    switch (message.type) {
      case 'snapshot':
        // All names first: they determine the width of their column.
        for (const [id, state] of Object.entries(message.state.nodes))
          if (!this.#nodes.has(id)) this.#nodes.set(id, { ...state, status: 'pending' })
        for (const [id, state] of Object.entries(message.state.nodes)) this.#node(id, state)
        this.#progress = message.state.progress
        this.#status = message.state.status
        break
      case 'node_status':
        this.#node(message.node, message.state)
        break
      case 'progress': {
        const { node, progress, message: text } = message
        if (node === null) this.#progress = progress
        const state = node === null ? undefined : this.#nodes.get(node)
        if (node !== null && state) this.#nodes.set(node, { ...state, progress, message: text })
        break
      }
      case 'log': {
        const code = message.code ? ` [${message.code}]` : ''
        const line = `${message.node === null ? '' : `${message.node}: `}${message.message}${code}`
        if (message.level === 'warning') this.#warn(line)
        else this.#permanent(this.#style.dim(line))
        break
      }
      case 'run_status':
        this.#status = message.status
        if (message.status === 'success') this.#progress = 1
        break
      case 'artifact':
    }
    this.#draw()
  }

  note(text: string): void {
    this.#permanent(this.#style.dim(text))
    this.#draw()
  }

  /** Remove the moving lines and print the end of the run. */
  end(ended: RunStatus | null = null): void {
    this.#erase()
    if (ended === null) return
    const count = (status: NodeState['status']) =>
      [...this.#nodes.values()].filter((node) => node.status === status).length
    const counts = (['success', 'cached', 'error', 'skipped'] as const)
      .filter((status) => count(status) > 0)
      .map((status) => `${count(status)} ${status}`)
    const word = ended === 'success' ? this.#style.green(ended) : this.#style.red(ended)
    this.#permanent(`${word} after ${duration(this.#seconds())}: ${counts.join(', ') || 'no nodes'}`)
  }

  #node(id: string, state: NodeState): void {
    const before = this.#nodes.get(id)?.status
    this.#nodes.set(id, state)
    if (state.status !== before && state.status !== 'pending' && state.status !== 'running')
      this.#permanent(this.#ended(id, state))
    for (const { code, message } of state.warnings ?? []) this.#warn(`${id}: ${message} [${code}]`)
  }

  #warn(line: string): void {
    if (this.#warned.has(line)) return
    this.#warned.add(line)
    this.#permanent(this.#style.yellow(line))
  }

  #ended(id: string, { status, duration: seconds, reason, error, outputs }: NodeState): string {
    const name = this.#name(id)
    const took = seconds === null ? '' : `  ${duration(seconds)}`
    if (status === 'error' && error)
      return `${name}  ${this.#style.red('error')}${took}  ${error.message} [${error.type}]`
    if (status === 'skipped') return this.#style.dim(`${name}  skipped  ${reason ?? ''}`.trimEnd())
    const made = Object.values(outputs)
      .map(({ summary }) => summary)
      .filter(Boolean)
    const summary = [...new Set(made)].join(' · ').slice(0, 100)
    const word = status === 'success' ? this.#style.green(status) : this.#style.dim(status)
    return `${name}  ${word}${took}  ${summary}`.trimEnd()
  }

  #name(id: string): string {
    const longest = Math.min(24, Math.max(0, ...[...this.#nodes.keys()].map((key) => key.length)))
    return id.padEnd(longest)
  }

  #seconds(): number {
    return (this.now() - this.#began) / 1000
  }

  #movingLines(): string[] {
    const running = [...this.#nodes].filter(([, { status }]) => status === 'running')
    const lines = running
      .slice(0, MAX_LINES)
      .map(([id, { progress, message }]) =>
        `${this.#name(id)}  ${bar(progress)}  ${percent(progress)}  ${message ?? ''}`.trimEnd(),
      )
    if (running.length > MAX_LINES) lines.push(`and ${running.length - MAX_LINES} more`)
    return lines
  }

  #totalLine(): string {
    const ended = [...this.#nodes.values()].filter(({ status }) => !['pending', 'running'].includes(status))
    const count = `${ended.length} of ${counted(this.#nodes.size, 'node')}`
    return `${bar(this.#progress)}  ${percent(this.#progress)}  ${count}  ${duration(this.#seconds())}`
  }

  #draw(): void {
    const ended = this.#status !== 'pending' && this.#status !== 'running'
    this.#erase()
    if (ended) return
    if (!this.stream.isTTY) {
      if (this.now() - this.#lastLine < PROGRESS_LINE_SECONDS * 1000) return
      const running = [...this.#nodes].flatMap(([id, { status, progress, message }]) =>
        status === 'running' ? [`${id} ${percent(progress).trim()}${message ? ` ${message}` : ''}`] : [],
      )
      this.#permanent(
        `${percent(this.#progress).trim()} of the run; running: ${running.join(', ') || 'nothing'}`,
      )
      return
    }
    const width = (this.stream.columns ?? 80) - 1
    const lines = [...this.#movingLines(), this.#totalLine()].map((line) =>
      [...line].slice(0, width).join(''),
    )
    this.stream.write(lines.join('\n'))
    this.#drawn = lines.length
  }

  /** Move the cursor to the first moving line and clear everything below. */
  #erase(): void {
    if (this.#drawn > 0) this.stream.write(`\r${this.#drawn > 1 ? `\x1b[${this.#drawn - 1}A` : ''}\x1b[J`)
    this.#drawn = 0
  }

  #permanent(line: string): void {
    this.#erase()
    this.stream.write(`${line}\n`)
    this.#lastLine = this.now()
  }
}

function percent(share: number): string {
  return `${String(Math.floor(share * 100)).padStart(3)} %`
}
