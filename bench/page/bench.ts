import type { Browser } from 'playwright-core'
import type { Figure } from './figures.js'

/** Amount of data that the page shows. */
export interface Size {
  readonly jobs: number
  /** Points of each compared training. */
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

/** One kind of use, measured separately on its own data folder. */
export type Part = (bench: Bench) => Promise<Figure[]>

/** Slowdown factors of the page's processor. */
export const SLOWER = [1, 4] as const

/** Suffix of a measurement's name. */
export function on(slower: number): string {
  return slower === 1 ? '' : `, processor ${slower} times slower`
}

export function counted(count: number): string {
  return count.toLocaleString('en')
}
