import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Sections } from '../../tests/specification/sentences/declaration.js'
import { SHOWN_ELSEWHERE } from '../../tests/specification/sentences/elsewhere.js'
import { SECTIONS } from '../../tests/specification/sentences/index.js'
import { readSpecification } from './read-specification.js'
import { notPassed, specificationTable } from './table.js'

/** Located outside the checkout in the development environment; elsewhere only the declaration is checked. */
const SPECIFICATION = new URL('../../../shared/specification.md', import.meta.url)
const ROOT = new URL('../../', import.meta.url)

describe('the sentences of the specification', () => {
  it.skipIf(!existsSync(SPECIFICATION))(
    `are declared word for word, every one${
      existsSync(SPECIFICATION) ? '' : ' (skipped: there is no ../shared/specification.md)'
    }`,
    () => {
      const declared = Object.entries(SECTIONS).map(([heading, sentences]) => ({
        heading,
        sentences: Object.values(sentences).map((each) => (typeof each === 'string' ? each : each.text)),
      }))
      expect(declared).toEqual(readSpecification(readFileSync(SPECIFICATION, 'utf8')))
    },
  )

  it('have ids that begin with their section and are all different', () => {
    const ids = Object.entries(SECTIONS).flatMap(([heading, sentences]) =>
      Object.entries(sentences).flatMap(([id, each]) => {
        const parts = typeof each === 'string' ? [id] : Object.keys(each.parts)
        const section = /^[\d.]*\d/.exec(heading)?.[0] ?? '0'
        expect(parts.filter((part) => !part.startsWith(`${section}/`))).toEqual([])
        return parts
      }),
    )
    expect(ids.length).toBeGreaterThan(150)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  })

  it.each(Object.values(SHOWN_ELSEWHERE).flat())('%s has the test "%s"', (file, title) => {
    expect(readFileSync(new URL(file, ROOT), 'utf8')).toContain(title)
  })
})

describe('reading a specification', () => {
  it('takes table rows whole and prose sentence by sentence', () => {
    const text = [
      '# Title',
      'One, e.g. this. `Two` over',
      'two lines (2.1).',
      '',
      '| Field | Type |',
      '|---|---|',
      '| a | x, 1.5 |',
      '| b | |',
      '',
      '- Three; still three.',
      '2. Four. Five:',
    ].join('\n')
    expect(readSpecification(text)).toEqual([
      {
        heading: 'Title',
        sentences: [
          'One, e.g. this.',
          '`Two` over two lines (2.1).',
          'a | x, 1.5',
          'b |',
          'Three; still three.',
          'Four.',
          'Five:',
        ],
      },
    ])
  })
})

describe('the table', () => {
  const sections: Sections = {
    '1 First': { '1/a': 'A holds | always.', '1/bc': { text: 'B, C.', parts: { '1/b': 'B,', '1/c': 'C.' } } },
  }
  const report = (...tests: { title: string; shows?: string[]; status?: string }[]) => ({
    testResults: [
      {
        name: '/x/tests/specification/1.test.ts',
        assertionResults: tests.map(({ title, shows, status = 'passed' }) => ({
          ancestorTitles: ['1 First'],
          title,
          status,
          meta: shows ? { shows } : {},
        })),
      },
    ],
  })
  const table = (tests: Parameters<typeof report>, notTested = {}, elsewhere = {}) =>
    specificationTable(report(...tests), { sections, notTested, elsewhere })

  it('has a row per promise with its tests, or why there is none, and then the tests of no promise', () => {
    const text = table(
      [
        { title: 'tells a', shows: ['1/a'] },
        { title: 'a again', shows: ['1/a'], status: 'skipped' },
        { title: 'more' },
      ],
      { '1/b': 'why' },
      { '1/c': [['x.test.ts', 'tells c']] },
    )
    expect(text).toContain('| 1/a | A holds \\| always. | tells a<br>a again |')
    expect(text).toContain('| 1/b | B, | not tested: why |')
    expect(text).toContain('| 1/c | C. | tells c (x.test.ts) |')
    expect(text).toContain('| 1 First | more |')
    expect(text).toContain('2 of 3 rows have tests')
  })

  it('refuses unknown promises, promises without test and reason, and reasons that no longer hold', () => {
    const all = { title: 'all', shows: ['1/a', '1/b', '1/c'] }
    expect(() => table([all, { title: 'lost', shows: ['1/z'] }])).toThrow('"lost" shows 1/z')
    expect(() => table([{ title: 'tells a', shows: ['1/a'] }], { '1/b': 'why' })).toThrow('1/c has no test')
    expect(() => table([all], { '1/b': 'why' })).toThrow('1/b is said to be not tested')
    expect(() => table([all], { '1/y': 'why' })).toThrow('1/y is not declared')
  })

  it('names the tests that a run left out or saw fail', () => {
    const ran = report({ title: 'good' }, { title: 'left out', status: 'skipped' })
    expect(notPassed(ran)).toEqual(['"left out" is skipped'])
  })
})
