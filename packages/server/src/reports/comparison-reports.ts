import { join } from 'node:path'
import { type ComparisonReportInput, renderInThread } from '@medloom/reports'
import { writeTextAtomically } from '../storage/files.js'
import { comparisonFiles } from '../storage/run-directory.js'

/** Write report.html, report.md and the charts into the folder of comparison.json. Resolves to the path of report.html. */
export async function writeComparisonReport(folder: string, input: ComparisonReportInput): Promise<string> {
  const report = await renderInThread('comparison', input)
  for (const { file, svg } of report.charts) await writeTextAtomically(join(folder, file), svg)
  const { page, text } = comparisonFiles(folder)
  await writeTextAtomically(text, report.markdown)
  await writeTextAtomically(page, report.html)
  return page
}
