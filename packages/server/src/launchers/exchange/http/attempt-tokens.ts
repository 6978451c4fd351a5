import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { phrase } from '@medloom/contracts'
import { z } from 'zod'
import { AppError } from '../../../errors.js'
import { writeJsonAtomically } from '../../../storage/files.js'
import { nullIfMissing } from '../../../storage/null-if-missing.js'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { attemptCredentials, unauthorizedAttempt } from './attempt-credentials.js'

/** exchange.<attempt>.json: permission to write into the run. Only the process of the attempt knows the token itself. */
const StoredToken = z.object({ token_sha256: z.string(), ended: z.boolean() })

/** Tokens for the exchange of one attempt, valid until it has ended or a newer one begins. */
export class AttemptTokens {
  /** The files of each attempt that are currently arriving. */
  readonly #arriving = new Map<string, Set<Readable>>()

  constructor(readonly run: (jobId: string) => RunDirectory) {}

  /** The token of a new attempt; earlier ones have ended. Its run directory exists. */
  async issue(jobId: string, attempt: number): Promise<string> {
    for (let earlier = 1; earlier < attempt; earlier++) await this.end(jobId, earlier)
    const token = randomBytes(32).toString('base64url')
    await writeJsonAtomically(this.run(jobId).exchange(attempt), {
      token_sha256: digestOf(token).toString('hex'),
      ended: false,
    })
    return token
  }

  /** Refuse all further files of this attempt. */
  async end(jobId: string, attempt: number): Promise<void> {
    const stored = await this.#read(jobId, attempt)
    if (stored && !stored.ended)
      await writeJsonAtomically(this.run(jobId).exchange(attempt), { ...stored, ended: true })
    for (const content of this.#arriving.get(keyOf(jobId, attempt)) ?? [])
      content.destroy(attemptEnded(attempt))
  }

  /**
   * Receive a file from a node. The transfer is aborted when its attempt ends, and acknowledged only if the attempt has not ended.
   * @param admit repeats the check of `admit` of this class
   * @throws AppError ATTEMPT_ENDED, and the errors of `work`
   */
  async take<Result>(
    { job_id, attempt }: { readonly job_id: string; readonly attempt: number },
    content: Readable,
    { admit, work }: { readonly admit: () => Promise<unknown>; readonly work: () => Promise<Result> },
  ): Promise<Result> {
    const key = keyOf(job_id, attempt)
    const arriving = this.#arriving.get(key) ?? new Set()
    this.#arriving.set(key, arriving.add(content))
    try {
      await admit()
      const result = await work()
      await admit()
      return result
    } finally {
      arriving.delete(content)
      if (arriving.size === 0) this.#arriving.delete(key)
    }
  }

  /**
   * The run that a request may access.
   * @param params of its address, which may not name any attempt
   * @param authorization the header
   * @throws AppError UNAUTHORIZED, ATTEMPT_ENDED
   */
  async admit(params: unknown, authorization: string | undefined): Promise<RunDirectory> {
    const { jobId, attempt, token } = attemptCredentials(params, authorization)
    const stored = await this.#read(jobId, attempt)
    if (!stored || !isSame(token, stored.token_sha256)) throw unauthorizedAttempt()
    if (stored.ended) throw attemptEnded(attempt)
    return this.run(jobId)
  }

  async #read(jobId: string, attempt: number): Promise<z.infer<typeof StoredToken> | null> {
    const text = await nullIfMissing(readFile(this.run(jobId).exchange(attempt), 'utf8'))
    return text === null ? null : StoredToken.parse(JSON.parse(text))
  }
}

function keyOf(jobId: string, attempt: number): string {
  return `${jobId} ${attempt}`
}

export function attemptEnded(attempt: number): AppError {
  return new AppError('ATTEMPT_ENDED', phrase('attempt_has_ended', { attempt }))
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function isSame(token: string, sha256: string): boolean {
  const [given, expected] = [digestOf(token), Buffer.from(sha256, 'hex')]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
