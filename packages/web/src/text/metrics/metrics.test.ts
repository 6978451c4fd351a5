import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { en } from './en'

const REPORTS = new URL('../../../../reports/src/document/metric-names.ts', import.meta.url)

it('metrics are called on the page as in reports', () => {
  const declared = readFileSync(REPORTS, 'utf8').matchAll(/^ {2}(\w+): \{\s*label: (['"])(.*?)\2/gm)
  const printed = [...declared].map(([, name = '', , label]) => [name, label])
  expect(printed.length).toBeGreaterThan(30)
  expect(Object.entries(en).filter(([name]) => !name.startsWith('of.'))).toEqual(printed)
})
