import type { Job } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { duration, headline, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { terminal } from '../../terminal/terminal.js'
import { markOf } from './edit.js'

export const addJobStatus: AddCommand = (parent, _context, name = 'status') =>
  parent
    .add(name)
    .description('show one job')
    .argument('<job>', 'job id')
    .example('medloom jobs status latest', 'medloom jobs status 3be0')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      print(options, await client.getJobStatus({ job_id: await findJob(client, word) }), jobPage)
    })

export function statusWord(job: Pick<Job, 'status' | 'phase' | 'stalled'>): string {
  const style = styleFor(terminal().stdout)
  const phase = job.stalled ? 'stalled' : job.phase
  const word = phase && job.status !== 'failed' ? `${job.status} (${phase})` : job.status
  if (job.status === 'completed') return style.green(word)
  if (job.stalled) return style.yellow(word)
  return job.status === 'failed' ? style.red(word) : word
}

/** The trained model from which a job or a model was fine-tuned, as text; null if there is none. */
export function fineTunedFrom({ fine_tuned_from: from }: Pick<Job, 'fine_tuned_from'>): string | null {
  return from && `${from.model_id ?? 'a checkpoint'} (job ${shortId(from.job_id)}, epoch ${from.epoch})`
}

function jobPage(job: Job): string {
  const facts: [string, string | null][] = [
    ['job', job.job_id],
    ['name', job.job_name],
    ['labels', markOf(job).join(' ') || null],
    ['note', job.note.replaceAll('\n', `\n${' '.repeat(11)}`) || null],
    ['status', statusWord(job)],
    ['reason', job.reason],
    [
      'stalled',
      job.stalled && `since ${job.stalled.since} (phase: ${job.stalled.doing}). ${job.stalled.remedy}`,
    ],
    ['error', job.error && `${job.error.message} [${job.error.code}]`],
    ['queue', job.queue_position === null ? null : `position ${job.queue_position}`],
    ['epoch', `${job.epoch} of ${job.total_epochs}`],
    ['metrics', headline(job.metrics) || UNKNOWN],
    ['best', job.best && `epoch ${job.best.epoch}: ${headline(job.best.metrics)}`],
    ['baseline', job.baseline_verdict && `the model is ${job.baseline_verdict.text}`],
    ['time left', job.eta_seconds === null ? null : duration(job.eta_seconds)],
    ['model', job.model_id],
    ['positive', job.prepared?.positive_class ?? null],
    ['device', job.device],
    ['created', job.created_at],
    ['ended', job.ended_at],
    ['continues', job.resumed_from && [job.resumed_from, job.resumed_checkpoint].filter(Boolean).join(', ')],
    ['fine-tunes', fineTunedFrom(job)],
    ['folder', job.run_dir],
    ['report', job.report_path],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)} ${value}`]))
  const notes = Object.entries(job.notes).map(([metric, why]) => `${metric.padEnd(10)} ${UNKNOWN} (${why})`)
  const warnings = (job.prepared?.warnings ?? []).map(
    ({ code, message }) => `warning    ${message} [${code}]`,
  )
  const next = job.resumable ? [`To continue: medloom jobs resume ${shortId(job.job_id)}`] : []
  return [...lines, ...notes, ...warnings, ...next].join('\n')
}
