import { describe, expect, it } from 'vitest'
import { runsSearch } from './search'

describe('the address of the list of trainings', () => {
  it('keeps what makes sense', () => {
    const choices = {
      q: 'skin',
      status: 'failed',
      by: 'metrics.val_auc',
      order: 'asc',
      group: 'data',
      columns: ['status', 'metrics.val_auc'],
      selected: ['a', 'b'],
    } as const
    expect(runsSearch(choices)).toMatchObject(choices)
  })

  it('leaves out what nobody could have chosen', () => {
    const search = runsSearch({
      status: 'lost',
      order: 'up',
      group: 'x',
      columns: ['<b>', 'tags'],
      selected: 'a',
    })
    expect(search).toMatchObject({ columns: ['tags'] })
    expect(Object.values(search).filter((value) => value !== undefined)).toHaveLength(1)
  })
})
