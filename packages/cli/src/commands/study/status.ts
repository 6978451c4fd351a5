import type { Study, StudyJob, StudyMetric, StudySearchStatus } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { exitOfStudy, followStudy } from '../../follow/follow-study.js'
import { progressLine, settingText } from '../../follow/study-view.js'
import { connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { number, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addStudyStatus: AddCommand = (parent, context) =>
  parent
    .add('status')
    .description('show the progress, variants and comparisons of a study')
    .argument('<study>', 'study id or name')
    .option('--trainings', 'list every training')
    .option('-w, --watch', 'follow the study until it ends, also across restarts of the service')
    .example('medloom study status latest', 'medloom study status latest --watch')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const studyId = await findStudy(client, word)
      const study = await client.getStudy({ study_id: studyId })
      if (options.watch && study.status === 'running')
        context.exitCode = await followStudy(client, studyId, { json: options.json ?? false })
      else {
        print(options, study, (shown) => statusPage(shown, options.trainings === true))
        if (options.watch) context.exitCode = exitOfStudy(study.status)
      }
    })

function statusPage(study: Study, withTrainings: boolean): string {
  const { study_id, name, status, progress, message, report_path } = study
  return [
    `study    ${study_id}`,
    `name     ${name}`,
    `status   ${status}, ${progressLine(progress, false)}`,
    message,
    ...(report_path ? [`report   ${report_path}`] : []),
    '',
    variantTable(study),
    ...(study.search ? ['', ...searchLines(study.search)] : []),
    ...(study.comparisons.length > 0 ? ['', comparisonTable(study)] : []),
    ...(withTrainings ? ['', trainingTable(study)] : []),
  ].join('\n')
}

function variantTable({ variants, metric }: Study): string {
  const rows = variants.map(({ name, kind, num_trainings, num_completed, num_cases, metrics }) => [
    kind === 'baseline' ? `${name} (baseline)` : name,
    `${num_completed}/${num_trainings}`,
    num_cases === null ? UNKNOWN : String(num_cases),
    interval(metrics[metric]),
    number(metrics[metric]?.mean),
    number(metrics[metric]?.sd),
  ])
  return formatTable(['variant', 'trainings', 'cases', metric, 'mean', 'sd'], rows)
}

function searchLines(search: StudySearchStatus): string[] {
  const { name, sampler, trials, asked, completed, pruned, failed, metric, choices } = search
  const counts = [
    `${asked} of ${choices.length * trials} settings requested`,
    `${completed} completed`,
    ...(pruned > 0 ? [`${pruned} pruned`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  const rows = choices.map(({ seed, repeat, fold, completed, pruned, failed, ended, best }) => [
    String(seed),
    foldName({ repeat, fold }),
    `${completed + pruned + failed}/${trials}`,
    best ? number(best.value) : UNKNOWN,
    best ? String(best.trial) : UNKNOWN,
    ended ? 'chosen' : 'best so far',
    best ? settingText(best.settings) : UNKNOWN,
  ])
  return [
    `search "${name}" (${sampler}): ${counts.join(', ')}`,
    formatTable(['seed', 'fold', 'ended', metric, 'trial', '', 'setting'], rows),
  ]
}

function foldName({ repeat, fold }: Pick<StudyJob, 'repeat' | 'fold'>): string {
  if (fold === null) return UNKNOWN
  return repeat === null ? String(fold) : `${repeat}.${fold}`
}

function interval(metric: StudyMetric | undefined): string {
  if (!metric || metric.estimate === null) return UNKNOWN
  if (metric.low === null || metric.high === null) return number(metric.estimate)
  return `${number(metric.estimate)} (${number(metric.low)} to ${number(metric.high)})`
}

function comparisonTable({ comparisons, metric }: Study): string {
  const rows = comparisons
    .filter((comparison) => comparison.metric === metric)
    .map(({ a, b, difference, p, correction }) => [
      `${a} − ${b}`,
      number(difference.estimate),
      `${number(difference.low)} to ${number(difference.high)}`,
      number(p),
      correction ?? UNKNOWN,
    ])
  return formatTable([`difference in ${metric}`, 'estimate', '95% CI', 'p', 'correction'], rows)
}

function trainingTable({ jobs }: Study): string {
  const rows = jobs.map(({ job_id, variant, seed, repeat, fold, trial, status, attempts, error }) => [
    job_id === null ? UNKNOWN : shortId(job_id),
    trial === null ? variant : `${variant} ${trial}`,
    String(seed),
    foldName({ repeat, fold }),
    status,
    String(attempts.length),
    error ? `${error.message} [${error.code}]` : '',
  ])
  return formatTable(['job', 'variant', 'seed', 'fold', 'status', 'jobs', 'error'], rows)
}
