import type { JobResponse } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { followAsCommand } from '../../follow/follow-job.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { printJsonLine, printLine } from '../../terminal/print.js'

export const addStop: AddCommand = (parent, _context, name = 'stop') =>
  parent
    .add(name)
    .description('stop jobs; each job saves a checkpoint and can be resumed')
    .argument('<job...>', 'job ids')
    .example('medloom jobs stop 3be0', 'medloom jobs stop 3be0 68e6')
    .action(async (words: string[], _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words)
        printAnswer(options, await client.stopJob({ job_id: await findJob(client, word) }))
    })

export const addFinish: AddCommand = (parent, _context, name = 'finish') =>
  parent
    .add(name)
    .description('end a job after its current epoch and keep the best model')
    .argument('<job>', 'job id')
    .example('medloom jobs finish latest')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      printAnswer(options, await client.finishJob({ job_id: await findJob(client, word) }))
    })

export const addResume: AddCommand = (parent, context, name = 'resume') =>
  parent
    .add(name)
    .description('continue a stopped or failed job from its last or another checkpoint, as a new job')
    .argument('<job>', 'job id')
    .option('-c, --checkpoint <name>', 'checkpoint to continue from (default: the last one)')
    .option('-w, --watch', 'follow the training until it ends')
    .example('medloom jobs resume 3be0 --watch', 'medloom jobs resume 3be0 --checkpoint best')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const answer = await client.resumeJob({
        job_id: await findJob(client, word),
        ...(options.checkpoint === undefined ? {} : { checkpoint: options.checkpoint }),
      })
      printAnswer(options, answer)
      if (options.watch)
        context.exitCode = await followAsCommand(client, answer.job_id, { json: options.json, since: 0 })
    })

function printAnswer(options: { json?: boolean }, answer: JobResponse): void {
  if (options.json) printJsonLine(answer)
  else printLine(`${answer.message}\njob ${answer.job_id} is ${answer.status}`)
}
