import type { NodeState, RunStatus, WorkflowStatus } from '@medloom/contracts'
import { Cancellation, PENDING_NODE, type RunEvent } from '@medloom/workflow'
import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../../concurrency/coalescer.js'
import { Timer } from '../../concurrency/timer.js'
import { RUN_SAVE_MILLISECONDS, RUN_STEADY_MILLISECONDS } from '../../durations.js'
import { type ProjectFolder, RUN_IN_LOG } from '../project/project-folder.js'
import type { WorkflowEvents } from '../socket/workflow-events.js'
import { countNodes, type RunsRepository, type StoredRun } from './runs.repository.js'

export interface ActiveRunOptions {
  readonly run: StoredRun
  /** Nodes that the run needs, in the order of the file. */
  readonly nodes: readonly string[]
  readonly repository: RunsRepository
  readonly events: WorkflowEvents
  readonly project: ProjectFolder
  readonly log: FastifyBaseLogger
  /** Called at the moment the end becomes visible: another run may then begin. */
  readonly onEnded: () => void
}

/** An active run: its states, published when they change and stored in the database. */
export class ActiveRun {
  readonly cancellation = new Cancellation()
  readonly nodes = new Map<string, NodeState>()
  status: RunStatus = 'pending'
  progress = 0
  /** Resolves when the end is durable, or when the service ends first. */
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #changed = new Set<string>()
  #lines: string[] = []
  readonly #save = new Coalescer(() => this.#saveChanged(), {
    milliseconds: RUN_SAVE_MILLISECONDS,
    onError: (error) =>
      this.options.log.warn(
        { err: error, run_id: this.run.run_id },
        'states of a run could not be stored; they are stored with the next ones',
      ),
  })
  readonly #steady = new Timer(() => this.#forgetEnds())
  detached = false

  constructor(private readonly options: ActiveRunOptions) {
    for (const node of options.nodes) this.nodes.set(node, PENDING_NODE)
    this.ended = new Promise((done) => {
      this.#end = done
    })
    if (options.run.attempt > 1) this.#steady.start(RUN_STEADY_MILLISECONDS)
  }

  get run(): StoredRun {
    return this.options.run
  }

  state(): WorkflowStatus {
    const { workflow_id, run_id } = this.run
    const { status, progress, nodes } = this
    return { workflow_id, run_id, status, progress, nodes: Object.fromEntries(nodes) }
  }

  /** Handles an event of the engine. `finish` publishes the end of the run, once it is durable. */
  take(event: RunEvent): void {
    if (this.detached) return
    const { events } = this.options
    const place = { workflow_id: this.run.workflow_id, run_id: this.run.run_id }
    switch (event.type) {
      case 'node_status':
        if (this.nodes.get(event.node)?.status !== event.state.status) this.#note(event)
        this.nodes.set(event.node, event.state)
        this.#changed.add(event.node)
        events.publish({ ...place, ...event })
        if (event.state.status === 'success' || event.state.status === 'cached')
          for (const [port, output] of Object.entries(event.state.outputs))
            events.publish({ ...place, type: 'artifact', node: event.node, port, output })
        break
      case 'progress': {
        const state = event.node === null ? undefined : this.nodes.get(event.node)
        if (event.node === null) this.progress = event.progress
        else if (state) {
          const { type: _, node, ...change } = event
          const { message_phrases: __, ...before } = state
          this.nodes.set(node, { ...before, ...change })
          this.#changed.add(event.node)
        }
        events.publish({ ...place, ...event })
        break
      }
      case 'log':
        this.#line(`${event.node}: ${event.code ? `warning ${event.code}: ` : ''}${event.message}`)
        events.publish({ ...place, ...event })
        break
      case 'run_status':
        if (event.status !== 'running') return
        this.status = 'running'
        this.#line('run started')
        events.publish({ ...place, ...event })
        break
    }
    this.#save.request()
  }

  /** Logs the end before it becomes visible: a client that sees it may delete the workflow with its folder. */
  ending(status: RunStatus, reason: string | null): void {
    this.#line(`run ended: ${status}${reason === null ? '' : `, ${reason}`}`)
  }

  /** All current states, for the transaction that ends the run. No other write follows. */
  async settled(): Promise<readonly (readonly [string, NodeState])[]> {
    this.#steady.stop()
    await this.#save.cancel()
    await this.#writeLog()
    return this.#changedStates()
  }

  /** Publishes the end, which is already durable, at once, so that a run that has ended in the database has also ended here. */
  finish(status: RunStatus, reason: Pick<NodeState, 'reason' | 'reason_phrases'>): void {
    const { workflow_id, run_id } = this.run
    this.status = status
    this.options.onEnded()
    this.options.events.publish({ workflow_id, run_id, type: 'run_status', status, ...reason })
    this.#end()
  }

  /** The service shuts down; the next one continues the run. */
  detach(): void {
    this.detached = true
    this.#steady.stop()
    void this.#save.cancel()
    this.#end()
  }

  async #forgetEnds(): Promise<void> {
    const { repository, log } = this.options
    const { run_id } = this.run
    await repository
      .update(run_id, { attempt: 1 })
      .catch((error) =>
        log.warn({ err: error, run_id }, 'the number of service stops during a run could not be reset'),
      )
  }

  async #saveChanged(): Promise<void> {
    const states = this.#changedStates()
    this.#changed = new Set()
    const { status, progress } = this
    const counts = countNodes(this.nodes.values())
    try {
      await this.options.repository.saveProgress(this.run.run_id, states, { status, progress, counts })
    } catch (error) {
      for (const [node] of states) this.#changed.add(node)
      throw error
    }
    await this.#writeLog()
  }

  #changedStates(): (readonly [string, NodeState])[] {
    return [...this.#changed].flatMap((node) => {
      const state = this.nodes.get(node)
      return state ? [[node, state] as const] : []
    })
  }

  #note({ node, state }: Extract<RunEvent, { type: 'node_status' }>): void {
    const seconds = state.duration === null ? '' : ` after ${state.duration.toFixed(1)} s`
    const why = state.error ? `: ${state.error.type}: ${state.error.message}` : ''
    const reason = state.reason === null ? '' : ` (${state.reason})`
    this.#line(`${node}: ${state.status}${seconds}${reason}${why}`)
    if (state.error?.trace) this.#line(state.error.trace)
  }

  #line(text: string): void {
    this.#lines.push(`${new Date().toISOString()} ${this.run.run_id.slice(0, RUN_IN_LOG)} ${text}`)
  }

  async #writeLog(): Promise<void> {
    const lines = this.#lines.splice(0)
    if (lines.length === 0) return
    await this.options.project
      .append(lines)
      .catch((error) => this.options.log.warn({ err: error }, 'the log of a workflow could not be written'))
  }
}
