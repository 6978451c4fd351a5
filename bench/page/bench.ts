import type { Browser } from 'playwright-core'
import type { Figure } from './figures.js'

/** How much of everything the page is shown. */
export interface Size {
  readonly jobs: number
  /** Of each of the trainings that are compared. */
  readonly points: number
  readonly cases: number
  readonly images: number
  readonly nodes: readonly number[]
  readonly liveSeconds: number
}

export interface Bench {
  readonly browser: Browser
  readonly size: Size
}

/** One kind of use, measured alone on a data folder of its own. */
export type Part = (bench: Bench) => Promise<Figure[]>

/** How many times slower the processor of the page is. */
export const SLOWER = [1, 4] as const

/** Behind the name of a figure. */
export function on(slower: number): string {
  return slower === 1 ? '' : `, processor ${slower} times slower`
}

export function counted(count: number): string {
  return count.toLocaleString('en')
}
