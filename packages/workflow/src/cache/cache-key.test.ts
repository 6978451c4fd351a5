import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ARITHMETIC } from '../../testing/arithmetic.js'
import { Random } from '../../testing/random.js'
import {
  cacheKey,
  canonical,
  EMPTY_KEY_CONTEXT,
  type KeyContext,
  keyParts,
  NotCanonical,
  sha256,
} from '../index.js'

const native = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('sha256', () => {
  it('equals the platform for every length around the block borders', () => {
    const random = new Random(1)
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, () => random.below(256))
      expect(sha256(bytes)).toBe(native(bytes))
    }
  })

  it('equals the platform for a view into a larger buffer and for a megabyte', () => {
    const buffer = Uint8Array.from({ length: 1 << 20 }, (_, i) => i * 7)
    expect(sha256(buffer)).toBe(native(buffer))
    expect(sha256(buffer.subarray(13, 4000))).toBe(native(buffer.subarray(13, 4000)))
  })
})

describe('canonical form', () => {
  const form = (value: unknown) => Buffer.from(canonical(value)).toString('hex')

  it('differs for everything that differs', () => {
    const values = [
      null,
      false,
      true,
      0,
      1,
      -1,
      0.1,
      1e300,
      '',
      '0',
      '1',
      'true',
      'null',
      'a',
      'ab',
      [],
      [[]],
      [null],
      ['ab'],
      ['a', 'b'],
      [['a'], 'b'],
      ['a', ['b']],
      [1, 2],
      [2, 1],
      {},
      { a: 1 },
      { a: '1' },
      { a: true },
      { b: 1 },
      { a: 1, b: 2 },
      { a: { b: 2 } },
      { '': 1 },
      '\u00e9',
      'e\u0301',
      '\ud800',
      '\ud801',
      '\ufffd',
    ] // prettier-ignore
    expect(new Set(values.map(form)).size).toBe(values.length)
  })

  it('is the same for equal objects, whatever the order of their keys', () => {
    expect(form({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(form({ b: [{ d: 3, c: 2 }], a: 1 }))
    expect(form({ a: 1, b: undefined })).toBe(form({ a: 1 }))
  })

  it('takes -0 for 0, as a saved file does', () => {
    expect(form(-0)).toBe(form(JSON.parse(JSON.stringify(-0))))
  })

  it.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1n],
    [() => 1],
    [new Date()],
    [undefined],
    [new Map()],
  ])('refuses %s', (value) => {
    expect(() => canonical({ value: [value] })).toThrow(NotCanonical)
  })

  it('refuses a depth that would cost the stack', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(() => canonical(deep)).toThrow(NotCanonical)
  })
})

describe('cache key', () => {
  const node = { id: 'a', type: 'Number' }
  const inputs = [
    { port: 'x', from: 'tensor', digest: '1' },
    { port: 'y', from: 'tensor', digest: '2' },
  ] as const
  const key = (
    config: Record<string, unknown>,
    changes: {
      node?: typeof node
      version?: number
      inputs?: readonly (typeof inputs)[number][]
      keyContext?: Partial<KeyContext>
    } = {},
  ) =>
    cacheKey(
      keyParts(
        changes.node ?? node,
        { ...ARITHMETIC.Number, version: changes.version ?? 1 },
        config,
        changes.inputs ?? inputs,
        { ...EMPTY_KEY_CONTEXT, ...changes.keyContext },
      ),
    )

  it('has 1, true and "1" as three keys', () => {
    expect(new Set([1, true, '1'].map((value) => key({ value }))).size).toBe(3)
  })

  it('leaves out fields that cannot change the result', () => {
    expect(key({ value: 1, note: 'x' })).toBe(key({ value: 1, note: 'y' }))
  })

  it.each([
    ['the id', { node: { id: 'b', type: 'Number' } }],
    ['the type', { node: { id: 'a', type: 'Other' } }],
    ['the implementation version', { version: 2 }],
    ['what it reads from outside', { keyContext: { source: 'digest' } }],
    ['the versions of its software', { keyContext: { software: { torch: '2.10.0' } } }],
    ['its implicit inputs', { keyContext: { implicit: { evaluation_counts: { split: 2, test: 3 } } } }],
    ['an input', { inputs: [inputs[0]] }],
    [
      'the port that an input arrives at',
      {
        inputs: [
          { ...inputs[0], port: 'y' },
          { ...inputs[1], port: 'x' },
        ] as never,
      },
    ],
    [
      'the type that an input is converted from',
      { inputs: [{ ...inputs[0], from: 'image' }, inputs[1]] as never },
    ],
  ])('contains %s', (_, changes) => {
    expect(key({ value: 1 }, changes)).not.toBe(key({ value: 1 }))
  })

  it('does not depend on the order of connections in the file', () => {
    expect(key({ value: 1 }, { inputs: [inputs[1], inputs[0]] as never })).toBe(key({ value: 1 }))
  })

  it('is the same with a hash of the platform', () => {
    const parts = keyParts(node, ARITHMETIC.Number, { value: 1 }, inputs, EMPTY_KEY_CONTEXT)
    expect(cacheKey(parts, native)).toBe(cacheKey(parts))
  })
})
