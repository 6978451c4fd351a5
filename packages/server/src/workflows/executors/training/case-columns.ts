import { phrase } from '@medloom/contracts'
import { AppError } from '../../../errors.js'
import { readRegular } from '../../../storage/regular-file.js'

const PIECE = 64 * 1024
const CELL = '"[^"]*(?:""[^"]*)*"'
const HEADER = new RegExp(String.raw`^${CELL}(?:,${CELL})*\n`)

/** The columns of cases that a node wrote (trainer: cases/case_set.py): UTF-8, commas, every cell in quotes. */
export async function columnsOfCases(path: string): Promise<string[]> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of readRegular(path, PIECE)) {
    text += decoder.decode(piece, { stream: true })
    const [header] = HEADER.exec(text) ?? []
    if (header !== undefined)
      return Array.from(header.matchAll(new RegExp(CELL, 'g')), ([cell]) =>
        cell.slice(1, -1).replaceAll('""', '"'),
      )
  }
  throw new AppError('NODE_FAILED', phrase('cases_without_header'), phrase('run_workflow_again'))
}
