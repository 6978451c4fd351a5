import type { EvaluationResult } from '@medloom/contracts'
import { type Block, type Fact, paragraph, type Section, table } from '../document/document.js'
import { DASH, formatCount, formatTime } from '../document/numbers.js'
import { type ReportInput, subjectResult } from '../report-input.js'
import { softwareTable } from './software.js'

/** Provenance of every number: run, checkpoint and data. */
export function provenanceSection(input: ReportInput): Section {
  const result = subjectResult(input)
  const items = [...runFacts(input), ...(result ? resultFacts(result) : []), ...dataFacts(input)]
  return {
    id: 'provenance',
    title: 'Provenance',
    blocks: [
      { kind: 'facts', caption: 'Source of every number', items },
      ...checkpointTable(input),
      softwareBlock(result),
      {
        kind: 'code',
        caption: 'Commands to repeat this training from the run directory',
        text: 'medloom train -f config.yaml\n# or, without the service, in a copy of the directory:\npython -m medloom_trainer train spec.json',
      },
    ],
  }
}

function runFacts({ job, model, subject }: ReportInput): Fact[] {
  return [
    { term: 'Job', value: job.job_id, note: `${job.job_name}, attempt ${job.attempt}` },
    { term: 'Created', value: formatTime(job.created_at) },
    { term: 'Started', value: formatTime(job.started_at) },
    { term: 'Ended', value: formatTime(job.ended_at) },
    { term: 'Model', value: model?.model_id ?? job.model_id ?? DASH },
    ...(subject
      ? [
          { term: 'Evaluation', value: subject.evaluation_id },
          {
            term: 'Evaluations of this split',
            value: formatCount(subject.test_evaluations),
            note: 'of this model, including this one',
          },
        ]
      : []),
  ]
}

function resultFacts({ source, split, predictions }: EvaluationResult): Fact[] {
  return [
    { term: 'Checkpoint', value: source.checkpoint, note: `SHA-256 ${source.checkpoint_digest}` },
    { term: `Table, ${split}`, value: source.csv, note: `SHA-256 of table and images ${source.digest}` },
    { term: 'Predictions', value: predictions, note: 'in the folder of the result' },
  ]
}

/** Digest of the data of each split. */
export function dataFacts({ job }: Pick<ReportInput, 'job'>): Fact[] {
  return Object.entries(job.prepared?.data_digests ?? {}).map(([split, digest]) => ({
    term: `Data, ${split}`,
    value: `SHA-256 ${digest}`,
  }))
}

function checkpointTable({ checkpoints, moreCheckpoints }: ReportInput): Block[] {
  if (checkpoints.length === 0) return []
  return [
    table(
      'Checkpoints',
      ['Name', { label: 'Epoch', numeric: true }, 'Written', 'SHA-256 of the weights'],
      checkpoints.map(({ name, epoch, created_at, digest }) => [
        name,
        String(epoch),
        formatTime(created_at),
        { text: digest || DASH, code: true },
      ]),
      moreCheckpoints > 0 ? [`The folder checkpoints/ contains ${formatCount(moreCheckpoints)} more.`] : [],
    ),
  ]
}

function softwareBlock(result: EvaluationResult | null): Block {
  if (!result) return paragraph('Software versions are not available because no result was written.')
  return softwareTable(result.software)
}
