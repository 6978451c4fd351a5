import { describe, expect, it } from 'vitest'
import { formatInput, parseInput } from './input-text'
import { KINDS } from './schema'

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
      expect(parseInput(field, formatInput(field, value)), kind).toEqual({ ok: true, value })
    }
  })

  it('is nothing where nothing is typed', () => {
    for (const kind of KINDS) expect(parseInput({ kind }, '  ')).toEqual({ ok: true, value: undefined })
    expect(formatInput({ kind: 'text' }, null)).toBe('')
  })

  it('is refused if it is not a number, not an integer, or not YAML', () => {
    expect(parseInput({ kind: 'number' }, '1,5')).toEqual({ ok: false, problem: 'notNumber' })
    expect(parseInput({ kind: 'integer' }, '1.5')).toEqual({ ok: false, problem: 'notWhole' })
    for (const kind of ['value', 'record'] as const)
      expect(parseInput({ kind }, '{k: [}')).toEqual({ ok: false, problem: 'notYaml' })
  })

  it('keeps texts that look like other values', () => {
    expect(parseInput({ kind: 'text' }, '007')).toEqual({ ok: true, value: '007' })
    expect(parseInput({ kind: 'texts' }, 'true\n1')).toEqual({ ok: true, value: ['true', '1'] })
  })
})
