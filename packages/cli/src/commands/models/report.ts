import { REPORT_FORMATS, type ReportFormat } from '@medloom/contracts'
import { Option } from 'commander'
import type { AddCommand } from '../../command.js'
import { type ConnectionOptions, connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'

interface ReportOptions extends ConnectionOptions {
  format?: ReportFormat[]
  json?: boolean
}

export const addEvaluationReport: AddCommand = (parent) =>
  parent
    .add('report')
    .description('write the report of an evaluation in other formats and show their paths')
    .argument('<evaluation>', 'evaluation id; validation-<job id> for the validation results of a training')
    .addOption(
      new Option('--format <format...>', 'formats to write (default: html and pdf)').choices(REPORT_FORMATS),
    )
    .example('medloom models report validation-3be0c1de-4f57-4c9e-9d3b-1f2a60d1f4a7 --format word')
    .action(async (evaluation_id: string, _, command) => {
      const options = command.optsWithGlobals() as ReportOptions
      const formats = options.format ? { formats: options.format } : {}
      print(options, await connect(options).reportEvaluation({ evaluation_id, ...formats }), ({ files }) =>
        files.map(({ format, path }) => `${format.padEnd(8)} ${path}`).join('\n'),
      )
    })
