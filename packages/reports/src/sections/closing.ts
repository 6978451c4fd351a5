import { type EvaluationResult, HELD_OUT, type Job, type ReportTexts } from '@medloom/contracts'
import { paragraph, type Section, table } from '../document/document.js'
import { countOf } from '../document/numbers.js'
import { type ReportInput, subjectResult } from '../report-input.js'
import { placeOfText, statement } from './purpose.js'

interface LimitationFacts {
  readonly job: Job | null
  readonly result: EvaluationResult | null
  /** The result belongs to the validation split or the held-out fold of the training. */
  readonly ofTraining: boolean
  readonly texts: ReportTexts
}

/** Limitations that follow from the data; the authors add the rest. */
export function limitationSection({ job, result, ofTraining, texts }: LimitationFacts): Section {
  const found: string[] = []
  if (ofTraining && result?.split === HELD_OUT)
    found.push(
      'The results are those of one fold of a cross-validation. The other folds hold out other cases and train other models.',
    )
  else if (ofTraining && result)
    found.push(
      'The results come from the validation split, on which the best epoch was chosen. They do not estimate the performance on new patients.',
    )
  if (result)
    found.push(
      `Intervals express the sampling uncertainty of ${countOf(result.num_cases, 'case')}, not the variation between repeated trainings: ${trained(job)}.`,
    )
  if (result && result.num_patients === null)
    found.push(
      'The table does not identify patients. If a patient has several rows, the intervals are too narrow and the splits may share patients.',
    )
  const small = result?.class_counts
    ? Object.entries(result.class_counts).filter(([, count]) => count < 20)
    : []
  if (small.length > 0)
    found.push(
      `Classes with fewer than 20 cases: ${small.map(([name, count]) => `${name} (${count})`).join(', ')}. Their metrics are unstable.`,
    )
  const unreported = result?.subgroups.filter(({ reason }) => reason !== null).length ?? 0
  if (unreported > 0)
    found.push(
      `${unreported} of ${countOf(result?.subgroups.length ?? 0, 'subgroup')} ${unreported === 1 ? 'is' : 'are'} too small to report.`,
    )
  if (job?.config.data.allow_leakage)
    found.push('Leaks between splits were allowed (data.allow_leakage), so they did not stop the training.')
  if (job && job.config.model.pretrained !== false)
    found.push(
      'The backbone was pretrained; it is not known whether its training data contain any of these images.',
    )
  if (result) found.push('Generalization to other hospitals, devices or time periods was not tested.')
  return {
    id: 'limitations',
    title: 'Limitations',
    blocks: [
      ...(found.length > 0 ? [{ kind: 'list', items: found } as const] : []),
      { kind: 'statements', items: [statement(texts, 'limitations')] },
    ],
  }
}

function trained(job: Job | null): string {
  if (job?.ensemble)
    return `one ensemble of ${countOf(job.ensemble.members.length, 'training')} was evaluated`
  return `one training${job ? ` with seed ${job.config.training.seed}` : ''} was run`
}

/** The section of the report for each topic of the checklists TRIPOD+AI (2024) and CLAIM (2024). */
export function checklistSection(input: ReportInput): Section {
  const measured = subjectResult(input) !== null
  const here = (place: string) => (measured ? place : 'this run has no results')
  const { texts } = input
  const method = input.job.ensemble ? 'Ensemble' : 'Preprocessing and model'
  return {
    id: 'checklist',
    title: 'Reporting checklist',
    blocks: [
      paragraph(
        'Topics that TRIPOD+AI and CLAIM require. Topics that the software cannot know are marked "not provided" until the authors add them.',
      ),
      table(
        'Topics and sections',
        ['Topic', 'Section'],
        [
          ['Intended use, setting, current practice', placeOfText(texts, 'intended_use')],
          ['Source of the data, dates, centers, eligibility', placeOfText(texts, 'data_source')],
          ['Flow of cases, splits by patient', 'Data'],
          ['Data preparation', method],
          [
            'Outcome and reference standard',
            `Data (column); definition: ${placeOfText(texts, 'reference_standard')}`,
          ],
          ['Predictors', 'Data'],
          ['Sample size', `Data (counts); rationale: ${placeOfText(texts, 'sample_size')}`],
          ['Missing data', here(`Data; ${method}`)],
          ['Model, training, tuning', input.job.ensemble ? method : `${method}; Training`],
          ['Class imbalance', input.job.ensemble ? 'Data' : 'Data; Training'],
          ['Fairness', here('Subgroups')],
          ['Discrimination and calibration with intervals', here('Performance; Figures')],
          ['Failure analysis', here('Failure cases')],
          ['Limitations', 'Limitations'],
          ['Software, seeds', 'Provenance'],
          ['Access to data, code and model', placeOfText(texts, 'availability')],
          ['Ethics', placeOfText(texts, 'ethics')],
          ['Registration and protocol', placeOfText(texts, 'registration')],
          ['Funding', placeOfText(texts, 'funding')],
          ['Competing interests', placeOfText(texts, 'interests')],
          ['Patient involvement', placeOfText(texts, 'patient_involvement')],
        ],
      ),
    ],
  }
}
