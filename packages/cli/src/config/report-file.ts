import { parse } from 'yaml'
import { UsageError } from '../exit-codes.js'
import { isObject, readText } from './config-file.js'

/**
 * Report texts from a YAML or JSON file: its section `report` if it has one (a training configuration), otherwise all of it. The service
 * checks the keys.
 */
export function readReportFile(file: string): Record<string, unknown> {
  let document: unknown
  try {
    document = parse(readText(file, '--report'), { maxAliasCount: 100 })
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file} is not valid YAML: ${String(error)}`, 'Correct the line in the message.')
  }
  const texts = isObject(document) && 'report' in document ? document.report : document
  if (isObject(texts)) return texts
  throw new UsageError(
    `${file} does not contain texts for reports.`,
    'The file must have keys such as ethics or data_source.',
  )
}
