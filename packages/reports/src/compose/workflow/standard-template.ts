import type { WorkflowReportInput } from '../../report-input.js'
import { baselineSection } from '../../sections/baselines.js'
import { limitationSection } from '../../sections/closing.js'
import { dataSection } from '../../sections/data/data.js'
import { importanceSection } from '../../sections/explanation/importance.js'
import { failureSection } from '../../sections/failure-cases.js'
import { configurationSection, methodSection, trainingSection } from '../../sections/method.js'
import { modelSummaryBlocks } from '../../sections/model-summary.js'
import { performanceSection, subgroupSection } from '../../sections/performance.js'
import { purposeSection } from '../../sections/purpose.js'
import { transportSection } from '../../sections/transport.js'
import { useSection } from '../../sections/use/use.js'
import { warningSection } from '../../sections/warnings.js'
import { figureSection, reportFigures } from './figure-section.js'
import { withoutSynonyms } from './headline.js'
import { type Template, unknownTraining } from './template.js'

export const STANDARD: Template = {
  summary: () => [],
  performance: ({ evaluation, training, failureImages }) => [
    performanceSection(withoutSynonyms(evaluation), sameModel(evaluation, training?.validation ?? null)),
    baselineSection(evaluation),
    useSection(evaluation, ''),
    subgroupSection(evaluation),
    transportSection(evaluation),
    importanceSection(evaluation, ''),
    failureSection(evaluation, failureImages),
  ],
  figures: (input) => {
    const { connected, agreement } = reportFigures(input)
    return [figureSection(input, [...connected, ...agreement])]
  },
  data: ({ evaluation, training, nodeWarnings }) => [
    warningSection(training?.job.prepared ?? null, evaluation, nodeWarnings),
    dataSection({ job: training?.job ?? null, result: evaluation, ofTraining: false }),
  ],
  model: ({ training, modelFacts }) => {
    const method = training ? methodSection(training) : null
    const summary = modelSummaryBlocks(modelFacts)
    return [{ id: 'model', title: 'Model', blocks: [...(method?.blocks ?? []), ...summary] }]
  },
  training: ({ training }) =>
    training ? [trainingSection(training), configurationSection(training)] : [unknownTraining()],
  limitations: ({ evaluation, training, texts }) => [
    limitationSection({ job: training?.job ?? null, result: evaluation, ofTraining: false, texts }),
    purposeSection(texts),
  ],
}

/** Validation results, if they belong to the checkpoint that is evaluated here on other data. */
function sameModel(
  { source, split }: WorkflowReportInput['evaluation'],
  validation: WorkflowReportInput['evaluation'] | null,
) {
  return validation?.source.checkpoint_digest === source.checkpoint_digest && split !== validation.split
    ? validation
    : null
}
