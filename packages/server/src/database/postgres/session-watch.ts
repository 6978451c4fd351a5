import { errorOf } from './server-error.js'
import { Session, type SessionOptions } from './session.js'

const SILENCE_MILLISECONDS = 8000

export interface WatchOptions {
  /** Without any response for so long, a session is asked after. */
  readonly silenceMilliseconds?: number
}

/**
 * Find out that a session is gone while it seems to work: behind a broken network nothing tells it, and the system sends what was asked
 * again for a quarter of an hour. One that has been silent is asked after on a connection of its own. A slow statement, or one that
 * waits for the transaction of another process, is left alone.
 */
export function watchSession(session: Session, options: SessionOptions & WatchOptions): void {
  const { silenceMilliseconds = SILENCE_MILLISECONDS } = options
  const look = async () => {
    if (session.ended) return
    const cause = session.silence >= silenceMilliseconds ? await causeOfSilence(session, options) : undefined
    if (cause) session.destroy(cause)
    else setTimeout(() => void look(), silenceMilliseconds / 2).unref()
  }
  void look()
}

/** Why a session will never answer; undefined: it still works, or nothing is known. */
async function causeOfSilence(session: Session, { url, name }: SessionOptions): Promise<Error | undefined> {
  let other: Session | undefined
  try {
    other = await Session.open({ url, name: `${name}-watch` }, () => undefined)
    const { rows } = await other.query('SELECT FROM pg_stat_activity WHERE pid = $1', [session.pid])
    return rows.length === 0 ? new Error('the server has ended the session') : undefined
  } catch (error) {
    // A server that has too many connections lets in nobody, and works all the same.
    return errorOf(error).code === '53300' ? undefined : new Error('the server cannot be reached')
  } finally {
    await other?.close()
  }
}
