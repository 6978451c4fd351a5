import { randomUUID } from 'node:crypto'
import type { StudyResponse } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { followStudy } from '../../follow/follow-study.js'
import { connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { printJsonLine, printLine } from '../../terminal/print.js'

export const addStudyStop: AddCommand = (parent) =>
  parent
    .add('stop')
    .description('stop a study; its running trainings save their checkpoints and can be resumed')
    .argument('<study>', 'study id or name')
    .example('medloom study stop latest')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      printAnswer(options, await client.stopStudy({ study_id: await findStudy(client, word) }))
    })

export const addStudyResume: AddCommand = (parent, context) =>
  parent
    .add('resume')
    .description('continue a stopped or failed study; completed trainings are not repeated')
    .argument('<study>', 'study id or name')
    .option('-w, --watch', 'follow the study until it ends')
    .example('medloom study resume latest --watch')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const study_id = await findStudy(client, word)
      const answer = await client.resumeStudy({ study_id }, { idempotencyKey: randomUUID() })
      printAnswer(options, answer)
      if (options.watch)
        context.exitCode = await followStudy(client, study_id, { json: options.json ?? false })
    })

function printAnswer(options: { json?: boolean }, answer: StudyResponse): void {
  if (options.json) printJsonLine(answer)
  else printLine(`${answer.message}\nstudy ${answer.study_id} is ${answer.status}`)
}
