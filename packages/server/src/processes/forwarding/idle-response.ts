import type { IncomingMessage, ServerResponse } from 'node:http'
import { repeatEvery } from '../../concurrency/repeat-every.js'

/** The response, as far as its progress is observed. */
type Response = Pick<IncomingMessage, 'destroy' | 'once'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'bytesRead'>
}

/**
 * End a response of the controller that has begun and then stalls, so that its caller gets an error instead of waiting forever. A caller who
 * does not read what has arrived stalls it as well; that is not a fault of the controller.
 */
export function endIfIdle(
  response: Response,
  caller: Pick<ServerResponse, 'writableNeedDrain'>,
  milliseconds: number,
): void {
  let seen = response.socket.bytesRead
  const stop = repeatEvery(milliseconds, () => {
    const { bytesRead } = response.socket
    const isIdle = bytesRead === seen && !caller.writableNeedDrain
    seen = bytesRead
    if (isIdle) response.destroy(new Error('the controller sends no more of its response'))
  })
  response.once('close', stop)
}
