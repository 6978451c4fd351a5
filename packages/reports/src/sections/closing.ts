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
      'The figures are of one fold of a cross-validation. The other folds hold out other cases and train other models.',
    )
  else if (ofTraining && result)
    found.push(
      'The figures come from the validation split, on which the best epoch was chosen. They do not estimate the performance on new patients.',
    )
  if (result)
    found.push(
      `Intervals express the uncertainty of ${countOf(result.num_cases, 'case')}, not of repeated training: ${trained(job)}.`,
    )
  if (result && result.num_patients === null)
    found.push(
      'Patients are unknown. If one patient has several rows, intervals are too narrow and splits may share patients.',
    )
  const small = result?.class_counts
    ? Object.entries(result.class_counts).filter(([, count]) => count < 20)
    : []
  if (small.length > 0)
    found.push(
      `Fewer than 20 cases: ${small.map(([name, count]) => `${name} (${count})`).join(', ')}. Their metrics are unstable.`,
    )
  const unreported = result?.subgroups.filter(({ reason }) => reason !== null).length ?? 0
  if (unreported > 0)
    found.push(`${unreported} of ${result?.subgroups.length ?? 0} subgroups are too small to report.`)
  if (job?.config.data.allow_leakage) found.push('The check for leaks between splits was overridden.')
  if (job && job.config.model.pretrained !== false)
    found.push('The backbone was pretrained; whether its data overlap with these images is unknown.')
  if (result)
    found.push('This software did not test whether the results hold for another hospital, device or time.')
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
  if (job?.ensemble) return `one ensemble of ${job.ensemble.members.length} trainings was made`
  return `one training${job ? ` with seed ${job.config.training.seed}` : ''} was run`
}

/** Places at which the report covers each topic of the checklists TRIPOD+AI (2024) and CLAIM (2024). */
export function checklistSection(input: ReportInput): Section {
  const measured = subjectResult(input) !== null
  const here = (place: string) => (measured ? place : 'no results in this run')
  const { texts } = input
  const method = input.job.ensemble ? 'Ensemble' : 'Preprocessing and model'
  return {
    id: 'checklist',
    title: 'Reporting checklist',
    blocks: [
      paragraph(
        'Topics that TRIPOD+AI and CLAIM require. What the software cannot know is "not provided" until the authors add it.',
      ),
      table(
        'Where to find what',
        ['Topic', 'In this report'],
        [
          ['Intended use, setting, existing practice', placeOfText(texts, 'intended_use')],
          ['Source of the data, dates, centres, eligibility', placeOfText(texts, 'data_source')],
          ['Flow of cases, splits by patient', 'Data'],
          ['Preparation of the data', method],
          [
            'Outcome and reference standard',
            `Data (column); definition: ${placeOfText(texts, 'reference_standard')}`,
          ],
          ['Predictors', 'Data'],
          ['Sample size', `Data (counts); reasoning: ${placeOfText(texts, 'sample_size')}`],
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
          ['Involvement of patients', placeOfText(texts, 'patient_involvement')],
        ],
      ),
    ],
  }
}
