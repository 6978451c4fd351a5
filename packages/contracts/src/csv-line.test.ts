import { expect, it } from 'vitest'
import { csvLine } from './csv-line.js'

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\tx', "'\tx"],
  ['\r=x', '"\'\r=x"'],
  ["'=x", "''=x"],
  ['=HYPERLINK("a", b)', '"\'=HYPERLINK(""a"", b)"'],
])('a text that a spreadsheet reads as a formula starts with an apostrophe: %j', (text, cell) =>
  expect(csvLine([text])).toBe(cell),
)

it('other texts, numbers and missing values are not changed', () =>
  expect(csvLine(['a=b', "it's", "'quoted'", -1.5, 1e-7, null, '', 'a,"b"\n'])).toBe(
    'a=b,it\'s,\'quoted\',-1.5,1e-7,,,"a,""b""\n"',
  ))
