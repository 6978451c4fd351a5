import type { ComparisonResult } from '@medloom/contracts'
import { type Section, table } from '../../document/document.js'
import { formatCount } from '../../document/numbers.js'
import type { ComparisonReportInput } from '../../report-input.js'
import { softwareTable } from '../../sections/software.js'
import { noticesOf } from '../../sections/warnings.js'

/** Warnings about the comparison, and those of each model under its name; a warning that all models share appears once. */
export function comparisonWarningSection({ warnings, models }: ComparisonResult): Section | null {
  const own = models.flatMap(({ name, warnings: ofModel }) => ofModel.map((one) => ({ ...one, node: name })))
  const shared = own.filter(({ code, message }) =>
    models.every((model) => model.warnings.some((one) => one.code === code && one.message === message)),
  )
  const messages = new Set(shared.map(({ message }) => message))
  const blocks = noticesOf(
    [...warnings, ...shared],
    own.filter(({ message }) => !messages.has(message)),
    'model',
  )
  return blocks.length === 0 ? null : { id: 'warnings', title: 'Warnings', blocks }
}

/** Provenance of every number: model, checkpoint and data. */
export function comparedModelsSection({ comparison, models, comparison_id }: ComparisonReportInput): Section {
  return {
    id: 'provenance',
    title: 'Provenance',
    blocks: [
      {
        kind: 'facts',
        caption: 'Source of every number',
        items: [
          { term: 'Comparison', value: comparison_id },
          { term: 'Table', value: comparison.csv },
          { term: 'Predictions', value: comparison.predictions, note: 'in the folder of this report' },
        ],
      },
      table(
        'Models',
        [
          'Model',
          'Backbone and fusion',
          'SHA-256 of the checkpoint',
          'SHA-256 of table and images',
          { label: 'Evaluations of this split', numeric: true },
        ],
        comparison.models.map(({ name, checkpoint_digest, digest }, index) => {
          const model = models[index]
          return [
            { text: name, below: `job ${model?.job_id ?? ''}` },
            `${model?.architecture ?? ''} + ${model?.fusion_type ?? ''}`,
            { text: checkpoint_digest.slice(0, 16), code: true as const },
            { text: digest.slice(0, 16), code: true as const },
            formatCount(model?.test_evaluations),
          ]
        }),
      ),
      softwareTable(comparison.software),
    ],
  }
}
