import { describe, expect, it } from 'vitest'
import { KINDS } from './schema'
import { readTyped, written } from './written'

describe('what is typed into a field', () => {
  it('comes back as it was typed, for every kind', () => {
    const values = {
      text: 'age',
      path: 'skin/train.csv',
      number: 1e-4,
      integer: 32,
      choice: 'late',
      texts: ['sex', 'age band'],
      value: { k: 5, index: 0 },
      record: { model: { dropout: 0.2, fusion_type: 'late' } },
      rows: [{ name: 'a' }],
    } as const
    for (const [kind, value] of Object.entries(values)) {
      const field = { kind: kind as (typeof KINDS)[number] }
      expect(readTyped(field, written(field, value)), kind).toEqual({ ok: true, value })
    }
  })

  it('is nothing where nothing is typed', () => {
    for (const kind of KINDS) expect(readTyped({ kind }, '  ')).toEqual({ ok: true, value: undefined })
    expect(written({ kind: 'text' }, null)).toBe('')
  })

  it('is refused if it is not a number, not an integer, or not YAML', () => {
    expect(readTyped({ kind: 'number' }, '1,5')).toEqual({ ok: false, problem: 'notNumber' })
    expect(readTyped({ kind: 'integer' }, '1.5')).toEqual({ ok: false, problem: 'notWhole' })
    for (const kind of ['value', 'record'] as const)
      expect(readTyped({ kind }, '{k: [}')).toEqual({ ok: false, problem: 'notYaml' })
  })

  it('keeps texts that look like other values', () => {
    expect(readTyped({ kind: 'text' }, '007')).toEqual({ ok: true, value: '007' })
    expect(readTyped({ kind: 'texts' }, 'true\n1')).toEqual({ ok: true, value: ['true', '1'] })
  })
})
