import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readReportFile } from './report-file.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-report-'))
function file(text: string): string {
  const path = join(folder, 'report.yaml')
  writeFileSync(path, text)
  return path
}

it('reads the texts from a separate file, or from the section of a configuration', () => {
  expect(readReportFile(file('ethics: |\n  Approved,\n  No. 12\n'))).toEqual({
    ethics: 'Approved,\nNo. 12\n',
  })
  expect(readReportFile(file('data: {train_csv: a.csv}\nreport: {funding: none}\n'))).toEqual({
    funding: 'none',
  })
})

it.each([
  ['- a', 'does not contain texts'],
  ['', 'does not contain texts'],
  ['report: none', 'does not contain texts'],
  ['a: [', 'not valid YAML'],
])('%j is refused', (text, message) => {
  expect(() => readReportFile(file(text))).toThrow(message)
})

it('the error for a missing file names the option', () => {
  expect(() => readReportFile(join(folder, 'none.yaml'))).toThrow('cannot be read')
})
