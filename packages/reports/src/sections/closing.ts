import type { EvaluationResult, Job } from '@medloom/contracts'
import { type Block, type Fact, paragraph, type Section, table } from '../document/document.js'
import { DASH, formatCount, formatTime } from '../document/numbers.js'
import { type ReportInput, subjectResult } from '../report-input.js'

interface LimitationFacts {
  readonly job: Job | null
  readonly result: EvaluationResult | null
  /** The result is of the validation split that the training itself looked at. */
  readonly ofTraining: boolean
}

/** What follows from how the data were, not from opinion; the rest is for the authors. */
export function limitationSection({ job, result, ofTraining }: LimitationFacts): Section {
  const found: string[] = []
  if (ofTraining && result)
    found.push(
      'The figures come from the validation split, on which the best epoch was chosen. They do not estimate the performance on new patients.',
    )
  if (result)
    found.push(
      `Intervals express the uncertainty of ${formatCount(result.num_cases)} cases, not of training again: one training${job ? ` with seed ${job.config.training.seed}` : ''} was run.`,
    )
  if (result && result.num_patients === null)
    found.push(
      'Patients are not known. If one patient has several rows, intervals are too narrow and splits may share patients.',
    )
  const small = result?.class_counts
    ? Object.entries(result.class_counts).filter(([, count]) => count < 20)
    : []
  if (small.length > 0)
    found.push(
      `Fewer than 20 cases: ${small.map(([name, count]) => `${name} (${count})`).join(', ')}. Their figures are unstable.`,
    )
  const silent = result?.subgroups.filter(({ reason }) => reason !== null).length ?? 0
  if (silent > 0)
    found.push(`${silent} of ${result?.subgroups.length ?? 0} subgroups are too small to report.`)
  if (job?.config.data.allow_leakage) found.push('The check for leaks between splits was overridden.')
  if (job && job.config.model.pretrained !== false)
    found.push('The backbone was pretrained; whether its data overlap with these images is not known.')
  if (result)
    found.push(
      'Whether these cases resemble those of another hospital, device or time was not tested by this software.',
    )
  return {
    id: 'limitations',
    title: 'Limitations',
    blocks: [
      ...(found.length > 0 ? [{ kind: 'list', items: found } as const] : []),
      {
        kind: 'not_provided',
        items: [
          {
            title: 'Further limitations',
            prompt:
              'Selection of patients, quality of the labels, devices, changes over time, and what the model must not be used for.',
          },
        ],
      },
    ],
  }
}

/** Where a reader with the checklist of TRIPOD+AI (2024) or CLAIM (2024) in hand finds what. */
export function checklistSection(input: ReportInput): Section {
  const measured = subjectResult(input) !== null
  const here = (place: string) => (measured ? place : 'no results in this run')
  return {
    id: 'checklist',
    title: 'Reporting checklist',
    blocks: [
      paragraph(
        'Topics that TRIPOD+AI and CLAIM ask for. What the software cannot know stays "not provided" until the authors write it.',
      ),
      table(
        'Where to find what',
        ['Topic', 'In this report'],
        [
          ['Intended use, setting, existing practice', 'not provided'],
          ['Source of the data, dates, centres, eligibility', 'not provided'],
          ['Flow of cases, splits by patient', 'Data'],
          ['Preparation of the data', 'Preprocessing and model'],
          ['Outcome and reference standard', 'Data (column only); definition not provided'],
          ['Predictors', 'Data'],
          ['Sample size', 'Data (counts); reasoning not provided'],
          ['Missing data', here('Data; Preprocessing and model')],
          ['Model, training, tuning', 'Preprocessing and model; Training'],
          ['Class imbalance', 'Data; Training'],
          ['Fairness', here('Subgroups')],
          ['Discrimination and calibration with intervals', here('Performance; Figures')],
          ['Failure analysis', here('Failure cases')],
          ['Limitations', 'Limitations'],
          ['Software, seeds, access to code and model', 'Provenance'],
          ['Ethics, registration, funding, interests, involvement of patients', 'not provided'],
        ],
      ),
    ],
  }
}

/** From every number back to the run, the checkpoint and the data. */
export function provenanceSection(input: ReportInput): Section {
  const { job, subject, checkpoints } = input
  const result = subjectResult(input)
  const items: Fact[] = [
    { term: 'Job', value: job.job_id, note: `attempt ${job.attempt}` },
    { term: 'Created', value: formatTime(job.created_at) },
    { term: 'Started', value: formatTime(job.started_at) },
    { term: 'Ended', value: formatTime(job.ended_at) },
    { term: 'Model', value: input.model?.model_id ?? job.model_id ?? DASH },
    ...(subject
      ? [
          { term: 'Evaluation', value: subject.evaluation_id },
          {
            term: 'Evaluations of this split',
            value: formatCount(subject.test_evaluations),
            note: 'by this model, this one included',
          },
        ]
      : []),
    ...(result
      ? [
          {
            term: 'Checkpoint',
            value: result.source.checkpoint,
            note: `sha256 ${result.source.checkpoint_digest}`,
          },
          {
            term: `Table, ${result.split}`,
            value: result.source.csv,
            note: `sha256 of table and images ${result.source.digest}`,
          },
          { term: 'Predictions', value: result.predictions, note: 'beside the result in the run directory' },
        ]
      : []),
    ...Object.entries(job.prepared?.data_digests ?? {}).map(([split, digest]) => ({
      term: `Data, ${split}`,
      value: `sha256 ${digest}`,
    })),
  ]
  const blocks: Block[] = [{ kind: 'facts', caption: 'Origin of every number', items }]
  if (checkpoints.length > 0)
    blocks.push(
      table(
        'Checkpoints',
        ['Name', { label: 'Epoch', numeric: true }, 'Written', 'Weights (sha256)'],
        checkpoints.map(({ name, epoch, created_at, digest }) => [
          name,
          String(epoch),
          formatTime(created_at),
          { text: digest || DASH, code: true },
        ]),
      ),
    )
  if (result)
    blocks.push(
      table(
        'Software',
        ['Package', 'Version'],
        Object.entries(result.software).map(([name, version]) => [name, version]),
      ),
    )
  else blocks.push(paragraph('Software versions were not recorded, because no result was written.'))
  blocks.push({
    kind: 'code',
    caption: 'To train this again, from the run directory',
    text: 'medloom train -f config.yaml\n# or, without the service, in a copy of the directory:\npython -m medloom_trainer train spec.json',
  })
  return { id: 'provenance', title: 'Provenance', blocks }
}
