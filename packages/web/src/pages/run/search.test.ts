import { describe, expect, it } from 'vitest'
import { runSearch } from './search'

describe('the address of a training', () => {
  it('keeps a view, a window and how the curves are drawn', () => {
    const params = { tab: 'log', from: 10, to: 200, log: true, smooth: 0.6 } as const
    expect(runSearch(params)).toEqual(params)
  })

  it('leaves out an empty window and values that cannot be drawn', () => {
    const search = runSearch({ tab: 'x', from: 5, to: 5, log: 'yes', smooth: 1 })
    expect(Object.values(search).every((value) => value === undefined)).toBe(true)
  })
})
