import { describe, expect, it } from 'vitest'
import { datasetSearch } from './search'

describe('the address of a dataset', () => {
  it('keeps what makes sense', () => {
    const choices = {
      tab: 'images',
      split: 'train',
      row: 3,
      axis: 'coronal',
      slice: 0,
      center: -600,
      width: 1500,
    }
    expect(datasetSearch(choices)).toMatchObject(choices)
  })

  it('leaves out what nobody could have chosen', () => {
    const search = datasetSearch({
      tab: 'x',
      row: -1,
      patient: 0,
      center: 3,
      axis: 'oblique',
      as: 'image',
      columns: 'a',
    })
    expect(Object.values(search).filter((value) => value !== undefined)).toEqual([])
  })
})
