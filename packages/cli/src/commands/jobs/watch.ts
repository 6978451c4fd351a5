import { type AddCommand, wholeNumber } from '../../command.js'
import { followAsCommand } from '../../follow/follow-job.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'

export const addWatch: AddCommand = (parent, context, name = 'watch') =>
  parent
    .add(name)
    .description('follow a job until it ends, also across restarts of the service')
    .argument('<job>', 'job id')
    .option('--since <seq>', 'show only messages after this sequence number', wholeNumber)
    .example('medloom jobs watch latest', 'medloom jobs watch 3be0 --json > messages.jsonl')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      context.exitCode = await followAsCommand(client, await findJob(client, word), options)
    })
