import type { MedloomClient } from '@medloom/client/node'
import { isTerminal } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { LOG_POLL_MILLISECONDS } from '../../durations.js'
import { EXIT } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { plainText } from '../../terminal/plain-values.js'
import { print, printJsonLine } from '../../terminal/print.js'
import { terminal } from '../../terminal/terminal.js'

const CHUNK_BYTES = 1_048_576

export const addLogs: AddCommand = (parent, context, name = 'logs') =>
  parent
    .add(name)
    .description('print the training log of a job')
    .argument('<job>', 'job id')
    .option('-f, --follow', 'follow the log until the job ends')
    .option('--tail <n>', 'start with the last n lines', wholeNumber)
    .option('--find <text>', 'print the lines that contain this text, with line numbers')
    .option('-i, --ignore-case', 'with --find: ignore case')
    .example('medloom jobs logs latest --tail 50 --follow', 'medloom jobs logs 3be0 --find error -i')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const jobId = await findJob(client, word)
      if (options.find !== undefined) return printMatches(client, jobId, options)
      const interruption = new AbortController()
      const ignoreInterrupts = terminal().onInterrupt(() => interruption.abort())
      try {
        let offset = options.tail === undefined ? 0 : await printTail(client, jobId, options)
        for (;;) {
          // The status is read first: the log that a job wrote before its end is then complete.
          const ended = isTerminal((await client.getJobStatus({ job_id: jobId })).status)
          offset = await printLog(client, jobId, offset, options.json)
          if (ended || !options.follow) return
          await new Promise((resolve) => setTimeout(resolve, LOG_POLL_MILLISECONDS))
          if (interruption.signal.aborted) {
            context.exitCode = EXIT.interrupted
            return
          }
        }
      } finally {
        ignoreInterrupts()
      }
    })

interface LogOptions {
  tail?: number
  find?: string
  ignoreCase?: boolean
  json?: boolean
}

/** Returns the offset after the printed lines. */
async function printTail(client: MedloomClient, job_id: string, { tail, json }: LogOptions): Promise<number> {
  const chunk = await client.getJobLogs({ job_id, tail: Math.min(Math.max(tail ?? 1, 1), 10_000) })
  if (json) printJsonLine(chunk)
  else terminal().stdout.write(plainText(chunk.text))
  return chunk.next_offset
}

async function printMatches(client: MedloomClient, job_id: string, options: LogOptions): Promise<void> {
  const { find = '', ignoreCase = false } = options
  const request = {
    job_id,
    q: find,
    ignore_case: ignoreCase ? ('true' as const) : ('false' as const),
    limit: 1000,
  }
  print(options, await client.findInJobLogs(request), ({ matches, more }) =>
    [
      ...matches.map(({ line, text }) => `${line}: ${text}`),
      ...(more ? ['There are more matches.'] : matches.length === 0 ? [`No line contains "${find}".`] : []),
    ].join('\n'),
  )
}

/** Prints the log from `start` on; returns the offset after it. */
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
      if (removed > 0) terminal().stderr.write(`... ${removed} bytes of the log are no longer stored ...\n`)
      terminal().stdout.write(plainText(chunk.text))
    }
    offset = chunk.next_offset
  }
}
