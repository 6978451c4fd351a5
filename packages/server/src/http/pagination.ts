import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'

/**
 * Lists are ordered by an increasing number, newest first, and a page token contains the last number of the page, so that a page never
 * repeats or skips an item because another one was added meanwhile.
 */
export interface Page<T> {
  readonly items: T[]
  readonly next_page_token: string | null
}

/** The exclusive upper limit of the numbers of this page, or undefined for the first page. */
export function readPageToken(token: string | undefined): number | undefined {
  if (token === undefined) return undefined
  const text = Buffer.from(token, 'base64url').toString('latin1')
  const number = Number(/^before:([1-9]\d{0,15})$/.exec(text)?.[1])
  if (!Number.isSafeInteger(number) || writePageToken(number) !== token)
    throw new AppError('INVALID_PAGE_TOKEN', phrase('page_token_foreign'))
  return number
}

/** A page of `rows`, which were queried with a limit of `size` + 1. */
export function toPage<Row extends { number: number }>(rows: readonly Row[], size: number): Page<Row> {
  const items = rows.slice(0, size)
  const last = items.at(-1)
  return { items, next_page_token: rows.length > size && last ? writePageToken(last.number) : null }
}

function writePageToken(number: number): string {
  return Buffer.from(`before:${number}`, 'latin1').toString('base64url')
}

/** The offset at which a page begins, for lists whose items have positions instead of numbers. @throws AppError INVALID_PAGE_TOKEN */
export function readOffset(token: string | undefined): number {
  if (token === undefined) return 0
  const text = Buffer.from(token, 'base64url').toString('latin1')
  const offset = Number(/^at:([1-9]\d{0,15})$/.exec(text)?.[1])
  if (!Number.isSafeInteger(offset) || writeOffset(offset) !== token)
    throw new AppError('INVALID_PAGE_TOKEN', phrase('page_token_foreign'))
  return offset
}

/** The token of the page after one that begins at `offset`, of `total` items. */
export function tokenAfter(offset: number, size: number, total: number): string | null {
  return offset + size < total ? writeOffset(offset + size) : null
}

function writeOffset(offset: number): string {
  return Buffer.from(`at:${offset}`, 'latin1').toString('base64url')
}
