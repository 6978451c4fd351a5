import { describe, expect, it } from 'vitest'
import { runSearch } from './search'

describe('the address of a training', () => {
  it('keeps a view, a window and how the curves are drawn', () => {
    const given = { tab: 'log', from: 10, to: 200, log: true, smooth: 0.6 } as const
    expect(runSearch(given)).toEqual(given)
  })

  it('leaves out a window that is none, and what cannot be drawn', () => {
    const kept = runSearch({ tab: 'x', from: 5, to: 5, log: 'yes', smooth: 1 })
    expect(Object.values(kept).every((value) => value === undefined)).toBe(true)
  })
})
