import '@fastify/websocket'
import type { Socket } from 'node:net'
import { atPlace, isTerminal, LIMITS, phrase, SOCKETS } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { sleep } from '../../concurrency/sleep.js'
import { SLOW_READER_POLL_MILLISECONDS } from '../../durations.js'
import { AppError } from '../../errors.js'
import type { FanOut, Follower } from '../../live/fan-out.js'
import { Heartbeat } from '../../live/heartbeat.js'
import { past } from '../events/replay.js'
import type { StoredMessage, TrainingRepository } from '../training.repository.js'

type SocketRequest = FastifyRequest<{ Params: { job_id: string }; Querystring: { since?: string } }>

/** /ws/training/{job_id}?since=N. Refused before the upgrade when the job is not known. */
export function bindTrainingSocket(
  app: FastifyInstance,
  { repository, fanOut }: { repository: TrainingRepository; fanOut: Pick<FanOut, 'watch'> },
): void {
  const heartbeat = new Heartbeat(LIMITS.socket_ping_seconds)
  app.addHook('onClose', async () => heartbeat.stop())
  const admit = async (request: FastifyRequest) => {
    const { params, query, ws } = request as SocketRequest
    if (!ws) throw new AppError('ROUTE_NOT_FOUND', phrase('url_is_socket'), phrase('connect_with_ws'))
    sinceOf(query)
    if (!(await repository.find(params.job_id))) throw new AppError('JOB_NOT_FOUND', phrase('job_absent'))
  }
  const { path, access } = SOCKETS.training
  const address = path.replaceAll(/\{(\w+)\}/g, ':$1')
  app.get(
    address,
    { websocket: true, preValidation: admit, config: { access } },
    (socket: WebSocket, request) => {
      const { params, query } = request as SocketRequest
      heartbeat.add(socket)
      const connection = new Connection(socket, request.raw.socket)
      const { join, leave } = fanOut.watch(params.job_id, connection)
      socket.on('close', leave)
      replay(repository, params.job_id, sinceOf(query), connection, join).catch((error) => {
        app.log.error(
          { err: error, job_id: params.job_id },
          'a message could not be sent to a follower of a job',
        )
        socket.close(1011)
      })
    },
  )
}

/** Earlier messages from the database, then live ones, without gaps or duplicates. */
async function replay(
  repository: TrainingRepository,
  jobId: string,
  since: number | null,
  connection: Connection,
  join: () => boolean,
): Promise<void> {
  let from: number | null = since
  for (;;) {
    const job = await repository.find(jobId)
    if (!job || !connection.isOpen) return
    for await (const page of past(repository, jobId, from, job.last_seq)) {
      connection.sendStored(page)
      await connection.drained()
      if (!connection.isOpen) return
    }
    connection.cursor = job.last_seq
    if (isTerminal(job.status)) return connection.close(1000)
    if (join()) return
    from = connection.cursor
  }
}

function sinceOf({ since }: { since?: string }): number | null {
  if (since === undefined) return null
  if (!/^\d{1,15}$/.test(since))
    throw new AppError(
      'INVALID_REQUEST',
      atPlace('since', phrase('since_not_integer')),
      phrase('use_last_seq'),
    )
  return Number(since)
}

class Connection implements Follower {
  cursor = 0

  constructor(
    readonly socket: WebSocket,
    readonly transport: Socket,
  ) {}

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN
  }

  buffered(): number {
    return this.socket.bufferedAmount
  }

  send(messages: readonly (Buffer | string)[]): void {
    // A single write to the system for all of them.
    this.transport.cork()
    for (const message of messages) this.socket.send(message, { binary: false })
    this.transport.uncork()
  }

  sendStored(page: readonly StoredMessage[]): void {
    this.send(page.map(({ message }) => message))
  }

  /**
   * The service waits for a slow reader: earlier messages stay in the database, not in memory. The wait is unlimited only while the reader
   * answers pings.
   */
  async drained(): Promise<void> {
    while (this.isOpen && this.socket.bufferedAmount > LIMITS.socket_buffer_bytes / 4)
      await sleep(SLOW_READER_POLL_MILLISECONDS)
  }

  close(code: number): void {
    this.socket.close(code)
  }
}
