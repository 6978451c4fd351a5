import { z } from 'zod'
import { RAY_ANSWER_MILLISECONDS, RAY_SUBMIT_MILLISECONDS } from '../../durations.js'
import type { Resources } from '../../ports/resources.js'
import { type RayAnswer, RayHttp, type RayHttpOptions, RayRefusal, RayUnreachable } from './ray-http.js'

const RayJob = z.object({
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: z.string().nullish(),
  error_type: z.string().nullish(),
  driver_exit_code: z.number().nullish(),
})
/** Ray's description of a submission. */
export type RayJob = z.infer<typeof RayJob>

const Version = z.object({ session_name: z.string(), ray_version: z.string() })
export type RayVersion = z.infer<typeof Version>

const Nodes = z.object({
  data: z.object({
    result: z.object({
      result: z.array(
        z.object({
          node_id: z.string(),
          state: z.string(),
          start_time_ms: z.number().nullish(),
          resources_total: z.record(z.string(), z.number()).nullish(),
        }),
      ),
    }),
  }),
})

/** Resources of a node, and its start time. */
export interface RayNode extends Resources {
  /** A restarted node has a new id. */
  readonly id: string
  /** Milliseconds since 1970 by the clock of the node; 0: not known. */
  readonly startedAt: number
}

export interface RaySubmission {
  readonly submission_id: string
  /** A shell command. */
  readonly entrypoint: string
  readonly runtime_env: { readonly env_vars: Readonly<Record<string, string>> }
  readonly metadata: Readonly<Record<string, string>>
  readonly entrypoint_num_cpus?: number
  readonly entrypoint_num_gpus?: number
}

const MAX_NODES = 10_000

/** The Jobs interface of Ray. Every call rejects with RayUnreachable if it is not known whether it had an effect. */
export class RayJobs {
  readonly #http: RayHttp

  constructor(readonly options: RayHttpOptions) {
    this.#http = new RayHttp(options)
  }

  /** The session changes when the head is restarted. */
  async version(): Promise<RayVersion> {
    return read(await this.#http.request('GET', '/api/version', RAY_ANSWER_MILLISECONDS), Version)
  }

  /** The nodes that are alive. */
  async nodes(): Promise<RayNode[]> {
    const path = `/api/v0/nodes?detail=1&limit=${MAX_NODES}`
    const { data } = read(await this.#http.request('GET', path, RAY_ANSWER_MILLISECONDS), Nodes)
    return data.result.result
      .filter(({ state }) => state === 'ALIVE')
      .map(({ node_id: id, resources_total: total, start_time_ms: started }) => ({
        id,
        cpus: total?.CPU ?? 0,
        gpus: total?.GPU ?? 0,
        startedAt: started ?? 0,
      }))
  }

  /** A submission that already exists counts as the same one. @throws RayRefusal for one that will never be accepted. */
  async submit(submission: RaySubmission): Promise<void> {
    const answer = await this.#http.request('POST', '/api/jobs/', RAY_SUBMIT_MILLISECONDS, submission)
    if (answer.status === 200 || answer.text.includes(`${submission.submission_id} already exists`)) return
    if (answer.status === 400) throw new RayRefusal(lastLine(answer.text))
    throw unexpected(answer)
  }

  /** null: Ray does not know the submission. */
  async details(submissionId: string): Promise<RayJob | null> {
    const answer = await this.#http.request('GET', `/api/jobs/${submissionId}`, RAY_ANSWER_MILLISECONDS)
    return isAbsent(answer) ? null : read(answer, RayJob)
  }

  /** Request its end. A waiting submission ends once it has started; one that has ended, or that Ray does not know, is not affected. */
  async stop(submissionId: string): Promise<void> {
    const answer = await this.#http.request('POST', `/api/jobs/${submissionId}/stop`, RAY_ANSWER_MILLISECONDS)
    if (answer.status !== 200 && !isAbsent(answer)) throw unexpected(answer)
  }

  close(): void {
    this.#http.close()
  }
}

/** The answer comes from Ray. A 404 of an intermediary, such as a proxy, gives no information about the submission. */
function isAbsent({ status, text }: RayAnswer): boolean {
  return status === 404 && text.includes('does not exist')
}

function read<Schema extends z.ZodType>(answer: RayAnswer, schema: Schema): z.output<Schema> {
  if (answer.status !== 200) throw unexpected(answer)
  try {
    return schema.parse(JSON.parse(answer.text))
  } catch {
    throw unexpected(answer)
  }
}

function unexpected({ status, text }: RayAnswer): RayUnreachable {
  return new RayUnreachable(`the response is not from Ray's Jobs API: ${status} ${lastLine(text)}`)
}

const MAX_TEXT = 300

/** The last line of a traceback. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return (lines.findLast((line) => /\w/.test(line)) ?? '').slice(0, MAX_TEXT)
}
