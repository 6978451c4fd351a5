import { signRequest } from '../security/internal-requests.js'
import type { Controller } from './controllers.repository.js'

/** The status code of a controller's response to a minimal request; null: it does not respond. */
export async function healthOf(
  { address, internalKey }: Pick<Controller, 'address' | 'internalKey'>,
  milliseconds: number,
): Promise<number | null> {
  const target = '/api/system/health'
  try {
    const response = await fetch(new URL(target, address), {
      headers: signRequest(internalKey, { method: 'GET', target }).headers,
      signal: AbortSignal.timeout(milliseconds),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}
