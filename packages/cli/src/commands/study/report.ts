import { REPORT_FORMATS, type ReportFormat } from '@medloom/contracts'
import { Option } from 'commander'
import type { AddCommand } from '../../command.js'
import { type ConnectionOptions, connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { print } from '../../terminal/print.js'

interface ReportOptions extends ConnectionOptions {
  format?: ReportFormat[]
  json?: boolean
}

export const addStudyReport: AddCommand = (parent) =>
  parent
    .add('report')
    .description('write the report of a study again and show its path')
    .argument('<study>', 'study id or name')
    .addOption(
      new Option('--format <format...>', 'formats to write (default: html, markdown and pdf)').choices(
        REPORT_FORMATS,
      ),
    )
    .example('medloom study report latest', 'medloom study report latest --format word')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals() as ReportOptions
      const client = connect(options)
      const study_id = await findStudy(client, word)
      const formats = options.format ? { formats: options.format } : {}
      print(options, await client.reportStudy({ study_id, ...formats }), ({ files }) =>
        files.map(({ format, path }) => `${format.padEnd(8)} ${path}`).join('\n'),
      )
    })
