import { JOB_STATUSES, type Job, type JobAnswer } from '@medloom/contracts'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { followAsCommand } from '../../follow/follow-job.js'
import type { CommandContext } from '../../program.js'
import { connect, findJob } from '../../service/connection.js'
import { age, bestScore, duration, headline, shortId, UNKNOWN } from '../../terminal/format.js'
import { print, printJsonLine, printLine } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'

export function addJobs(program: Command, context: CommandContext): void {
  program
    .command('ls')
    .description('list the jobs, newest first')
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(JOB_STATUSES))
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      const query = {
        page_size: Math.min(options.limit, 1000),
        ...(options.status ? { status: options.status } : {}),
      }
      const page = await connect(options).listJobs(query)
      print(options, page, ({ jobs, next_page_token }) =>
        jobs.length === 0
          ? 'There are no jobs yet. Start one: medloom start -f config.yaml'
          : jobTable(jobs) + (next_page_token ? `\nThere are more; use --limit.` : ''),
      )
    })

  program
    .command('status')
    .description('show one job')
    .argument('<job>', 'job id')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      print(options, await client.getJobStatus({ job_id: await findJob(client, word) }), jobPage)
    })

  program
    .command('watch')
    .description('follow a job until it ends; survives restarts of the service')
    .argument('<job>', 'job id')
    .option('--since <seq>', 'only messages after this one', wholeNumber)
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const jobId = await findJob(client, word)
      context.exitCode = await followAsCommand(client, jobId, options)
    })

  program
    .command('stop')
    .description('stop a job; its checkpoint is saved, it can be resumed')
    .argument('<job...>', 'job ids')
    .action(async (words: string[], _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words)
        printAnswer(options, await client.stopJob({ job_id: await findJob(client, word) }))
    })

  program
    .command('finish')
    .description('end a job after this epoch and keep the best model')
    .argument('<job>', 'job id')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      printAnswer(options, await client.finishJob({ job_id: await findJob(client, word) }))
    })

  program
    .command('resume')
    .description('continue a stopped or failed job from its last checkpoint, as a new job')
    .argument('<job>', 'job id')
    .option('-w, --watch', 'follow the training until it ends')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const answer = await client.resumeJob({ job_id: await findJob(client, word) })
      printAnswer(options, answer)
      if (options.watch)
        context.exitCode = await followAsCommand(client, answer.job_id, { json: options.json, since: 0 })
    })
}

function printAnswer(options: { json?: boolean }, answer: JobAnswer): void {
  if (options.json) printJsonLine(answer)
  else printLine(`${answer.message}\njob ${answer.job_id} is ${answer.status}`)
}

function jobTable(jobs: readonly Job[]): string {
  const rows = jobs.map((job) => [
    shortId(job.job_id),
    job.job_name,
    statusWord(job),
    `${job.epoch}/${job.total_epochs}`,
    bestScore(job),
    job.model_id ?? UNKNOWN,
    age(job.created_at),
  ])
  return formatTable(['job', 'name', 'status', 'epoch', 'best', 'model', 'created'], rows)
}

function statusWord(job: Job): string {
  const style = styleFor(process.stdout)
  const word = job.phase && job.status !== 'failed' ? `${job.status} (${job.phase})` : job.status
  if (job.status === 'completed') return style.green(word)
  return job.status === 'failed' ? style.red(word) : word
}

function jobPage(job: Job): string {
  const facts: [string, string | null][] = [
    ['job', job.job_id],
    ['name', job.job_name],
    ['status', statusWord(job)],
    ['reason', job.reason],
    ['error', job.error && `${job.error.message} [${job.error.code}]`],
    ['queue', job.queue_position === null ? null : `position ${job.queue_position}`],
    ['epoch', `${job.epoch} of ${job.total_epochs}`],
    ['metrics', headline(job.metrics) || UNKNOWN],
    ['best', job.best && `epoch ${job.best.epoch}: ${headline(job.best.metrics)}`],
    ['time left', job.eta_seconds === null ? null : duration(job.eta_seconds)],
    ['model', job.model_id],
    ['device', job.device],
    ['created', job.created_at],
    ['ended', job.ended_at],
    ['continues', job.resumed_from],
    ['folder', job.run_dir],
    ['report', job.report_path],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)} ${value}`]))
  const notes = Object.entries(job.notes).map(([metric, why]) => `${metric.padEnd(10)} ${UNKNOWN} (${why})`)
  const warnings = (job.prepared?.warnings ?? []).map(
    ({ code, message }) => `warning    ${message} [${code}]`,
  )
  const next = job.resumable ? [`Continue it: medloom resume ${shortId(job.job_id)}`] : []
  return [...lines, ...notes, ...warnings, ...next].join('\n')
}

/** For commander: a whole number from 0 on. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}
