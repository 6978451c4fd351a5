import { describe, expect, it } from 'vitest'
import { configRows } from './config-rows'

describe('configurations beside each other', () => {
  it('differ where a value does, and where one lacks the key', () => {
    const rows = configRows([
      { model: { dropout: 0.1, name: 'x' }, data: { image_size: [48, 48], fold: null } },
      { model: { dropout: 0.3, name: 'x' }, data: { image_size: [48, 48], fold: { k: 3 } } },
    ])
    expect(rows.filter(({ differs }) => differs)).toEqual([
      { key: 'model.dropout', values: ['0.1', '0.3'], differs: true },
      { key: 'data.fold', values: ['null', undefined], differs: true },
      { key: 'data.fold.k', values: [undefined, '3'], differs: true },
    ])
    expect(rows.filter(({ differs }) => !differs).map(({ key }) => key)).toEqual([
      'model.name',
      'data.image_size',
    ])
  })
})
