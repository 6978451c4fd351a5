import type { StudyResults } from '@medloom/contracts'
import { type Block, paragraph, type Section } from '../../document/document.js'
import type { StudyReportInput } from '../../report-input.js'
import { performanceFigures } from '../../sections/figures/performance-figures.js'
import { perClassTables } from '../../sections/performance.js'

type Variant = StudyResults['variants'][number]

/** Classes, curves and calibration of the reference, from the predictions of one complete set. */
export function referenceSection({ study, results }: StudyReportInput): Section | null {
  const variant = results.variants.find(({ name }) => name === results.reference) ?? results.variants[0]
  const figures = variant?.figures
  if (!variant || !figures) return null
  const { classes, positive_class } = results
  const drawn = performanceFigures(
    {
      ...figures,
      classes,
      positive_class,
      metrics: variant.num_sets === 1 ? estimatesOf(variant) : {},
      notes: {},
    },
    'study-',
  )
  const blocks: Block[] = [
    paragraph(originOf(figures, study.config.folds !== null)),
    ...(figures.per_class ? perClassTables(results.task, figures.per_class) : []),
    ...(drawn?.blocks ?? []),
  ]
  return { id: 'reference', title: `Details of "${variant.name}"`, blocks }
}

function originOf({ seed, repeat }: NonNullable<Variant['figures']>, folds: boolean): string {
  if (!folds) return `Results of the model with seed ${seed} only; other seeds give different results.`
  const division = repeat === null ? '' : ` and repetition ${repeat + 1} of the cross-validation`
  return `Results of the pooled predictions with seed ${seed}${division} only; other seeds and repetitions give different results.`
}

function estimatesOf({ metrics }: Variant): Record<string, number | null> {
  return Object.fromEntries(Object.entries(metrics).map(([metric, { estimate }]) => [metric, estimate]))
}
