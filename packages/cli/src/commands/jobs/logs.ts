import type { MedloomClient } from '@medloom/client/node'
import { isTerminal } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { printJsonLine } from '../../terminal/print.js'

const POLL_MILLISECONDS = 500
const CHUNK_BYTES = 1_048_576

export const addLogs: AddCommand = (parent, context, name = 'logs') =>
  parent
    .add(name)
    .description("print the log of a job's trainer")
    .argument('<job>', 'job id')
    .option('-f, --follow', 'keep printing until the job ends')
    .example('medloom jobs logs latest --follow')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const jobId = await findJob(client, word)
      const interruption = new AbortController()
      process.once('SIGINT', () => interruption.abort())
      let offset = 0
      for (;;) {
        // The status is asked first: what a job wrote before it ended is complete afterwards.
        const ended = isTerminal((await client.getJobStatus({ job_id: jobId })).status)
        offset = await printLog(client, jobId, offset, options.json)
        if (ended || !options.follow) return
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS))
        if (interruption.signal.aborted) {
          context.exitCode = EXIT.interrupted
          return
        }
      }
    })

/** Prints what the log holds from `start` on; returns the offset after it. */
export async function printLog(
  client: Pick<MedloomClient, 'getJobLogs'>,
  jobId: string,
  start: number,
  json = false,
): Promise<number> {
  let offset = start
  for (;;) {
    const chunk = await client.getJobLogs({ job_id: jobId, offset, limit: CHUNK_BYTES })
    if (chunk.next_offset === offset) return offset
    if (json) printJsonLine(chunk)
    else {
      const removed = chunk.offset - offset
      if (removed > 0) process.stderr.write(`... ${removed} bytes of the log are not kept ...\n`)
      process.stdout.write(chunk.text)
    }
    offset = chunk.next_offset
  }
}
