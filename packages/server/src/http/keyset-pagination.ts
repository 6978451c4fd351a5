import { createHash } from 'node:crypto'
import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'

/** Position of an item in a list that a caller has ordered: by a key, and by its number if keys are equal. */
export interface KeysetPosition {
  /** Null: the item has no such value, and is sorted after those that have one. */
  readonly key: string | number | null
  readonly number: number
}

/**
 * The position after which the items of this page follow, or undefined for the first page. A token contains the key of the last item of the
 * previous page, so the next page is correct even if items were added meanwhile.
 * @param query of the list, in the form given when the token was created
 * @throws AppError INVALID_PAGE_TOKEN, also for the token of another query: its position has no meaning in this order.
 */
export function decodePosition(token: string | undefined, query: unknown): KeysetPosition | undefined {
  if (token === undefined) return undefined
  const place = parse(token)
  if (!place) throw new AppError('INVALID_PAGE_TOKEN', phrase('page_token_foreign'))
  if (encodePosition(place, query) !== token)
    throw new AppError('INVALID_PAGE_TOKEN', phrase('page_token_of_other_list'))
  return place
}

export function encodePosition({ key, number }: KeysetPosition, query: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 16)
  return Buffer.from(JSON.stringify([key, number, digest])).toString('base64url')
}

function parse(token: string): KeysetPosition | undefined {
  try {
    const [key, number] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    const known = key === null || typeof key === 'string' || typeof key === 'number'
    return known && Number.isSafeInteger(number) && number > 0 ? { key, number } : undefined
  } catch {
    return undefined
  }
}
