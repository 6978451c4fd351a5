import { poll } from '../../concurrency/poll.js'
import { DATABASE_SILENCE_MILLISECONDS } from '../../durations.js'
import { errorOf } from './server-error.js'
import { Session, type SessionOptions } from './session.js'

export interface WatchOptions {
  /** A session that has not responded for this long is checked. */
  readonly silenceMilliseconds?: number
}

/**
 * Detects a session that is gone but seems to work: behind a broken network nothing reports the loss, and the system resends requests for a
 * quarter of an hour. A silent session is checked over a separate connection. A slow statement, or one that waits for the transaction of
 * another process, is not interrupted.
 */
export function watchSession(session: Session, options: SessionOptions & WatchOptions): void {
  const { silenceMilliseconds = DATABASE_SILENCE_MILLISECONDS } = options
  const look = async (): Promise<'ended' | undefined> => {
    if (session.ended) return 'ended'
    const cause = session.silence >= silenceMilliseconds ? await causeOfSilence(session, options) : undefined
    if (!cause) return undefined
    session.destroy(cause)
    return 'ended'
  }
  void poll(look, { delay: () => silenceMilliseconds / 2 })
}

/** Reason why a session will never respond; undefined: it still works, or nothing is known. */
async function causeOfSilence(session: Session, { url, name }: SessionOptions): Promise<Error | undefined> {
  let other: Session | undefined
  try {
    other = await Session.open({ url, name: `${name}-watch` }, () => undefined)
    const { rows } = await other.query('SELECT FROM pg_stat_activity WHERE pid = $1', [session.pid])
    return rows.length === 0 ? new Error('the server ended the session') : undefined
  } catch (error) {
    // A server with too many connections refuses new ones, but works.
    return errorOf(error).code === '53300' ? undefined : new Error('the server cannot be reached')
  } finally {
    await other?.close()
  }
}
