import type { Command } from 'commander'
import { EXIT } from '../../exit-codes.js'
import type { CommandContext } from '../../program.js'
import { connect, findJob, hasEnded } from '../../service/connection.js'
import { printJsonLine } from '../../terminal/print.js'

export function addLogs(program: Command, context: CommandContext): void {
  program
    .command('logs')
    .description("print the log of a job's trainer")
    .argument('<job>', 'job id')
    .option('-f, --follow', 'go on until the job ends')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const jobId = await findJob(client, word)
      const interruption = new AbortController()
      process.once('SIGINT', () => interruption.abort())
      let offset = 0
      for (;;) {
        // The status comes first: what a job wrote before it ended is complete afterwards.
        const ended = hasEnded(await client.getJobStatus({ job_id: jobId }))
        for (;;) {
          const chunk = await client.getJobLogs({ job_id: jobId, offset, limit: 1_048_576 })
          if (chunk.next_offset === offset) break
          offset = chunk.next_offset
          if (options.json) printJsonLine(chunk)
          else process.stdout.write(chunk.text)
        }
        if (ended || !options.follow) return
        await new Promise((resume) => setTimeout(resume, 500))
        if (interruption.signal.aborted) {
          context.exitCode = EXIT.interrupted
          return
        }
      }
    })
}
