import { type Ensemble, foldInWords, type Job } from '@medloom/contracts'
import { type Block, numeric, paragraph, type Section, table } from '../document/document.js'
import { formatCount } from '../document/numbers.js'

const MEAN: Readonly<Record<string, string>> = {
  classification: 'the mean of the probabilities of its members',
  multilabel: 'for each label the mean of the probabilities of its members',
  survival: 'at each time the mean of the survival of its members',
  regression: 'the mean of the numbers of its members',
}

/** Members of an ensemble, and the consequences for its evaluation; null for a model that was trained. */
export function ensembleSection({ ensemble, prepared }: Pick<Job, 'ensemble' | 'prepared'>): Section | null {
  if (!ensemble) return null
  const { members, study_id, variant } = ensemble
  const of = study_id === null ? '' : ` of the study ${study_id}${variant ? `, variant ${variant}` : ''}`
  const blocks: Block[] = [
    paragraph(
      `This model combines ${members.length} trained models${of}. It predicts ${MEAN[prepared?.task ?? ''] ?? 'the mean of its members'}. Each member reads the raw case and prepares it as its own training fitted that (imputation, scaling, encoding, normalization).`,
    ),
    paragraph(whatWasFitted(ensemble)),
    paragraph(whatEvaluatesIt(ensemble)),
    table(
      'Members',
      ['Model', 'Job', numeric('Seed'), 'Held out', numeric('Epoch'), 'Weights (sha256)'],
      members.map(({ model_id, job_id, job_name, seed, fold, epoch, checkpoint_digest }) => [
        model_id,
        { text: job_name, below: job_id },
        String(seed),
        fold ? foldInWords(fold) : 'no fold',
        String(epoch),
        { text: checkpoint_digest, code: true },
      ]),
      ['The ensemble holds their weights: it does not change when a member is removed.'],
    ),
    table(
      'Data of the members',
      ['Model', 'Split', 'Cases (sha256 of table and images)'],
      members.flatMap(({ model_id, data_digests }) =>
        Object.entries(data_digests).map(([split, digest]) => [
          model_id,
          split,
          { text: digest, code: true as const },
        ]),
      ),
      [`${formatCount(prepared?.parameters)} parameters in all.`],
    ),
  ]
  return { id: 'ensemble', title: 'Ensemble', blocks }
}

/** Source of its threshold, and the reason for its temperature or the lack of one. */
function whatWasFitted({ fitted_on_validation }: Ensemble): string {
  const { cases = null, reason = null } = fitted_on_validation ?? {}
  if (cases !== null)
    return `Threshold, temperature, operating points and prediction sets, where it has them, were fitted to its own predictions for the ${formatCount(cases)} cases that every member validated on, and none was trained on. The members chose their epochs on these cases, too. Nothing was trained for the ensemble.`
  const why = reason ?? 'it has no validation cases of its own'
  return `Nothing was trained or fitted for the ensemble: where there is a threshold it is the mean of the members' thresholds, and it has no temperature, operating points or prediction sets: ${why}.`
}

/** Cases on which its results are valid for new patients. */
export function whatEvaluatesIt({ trained_on_every_fold, cases_known }: Ensemble): string {
  const trained = trained_on_every_fold
    ? 'Its members held out different folds, so that together they were trained on every fold: the held-out cases of one are training cases of the others. Only test or external data that no member has seen evaluate it. The pooled held-out figures of a study are those of single models, not of this ensemble.'
    : 'Only cases that no member was trained or validated on evaluate it.'
  const known = cases_known
    ? 'An evaluation compares its patients and images with those of all members, and warns of what they share.'
    : 'A member did not record which patients and images it was trained with, so an evaluation cannot tell whether its cases were among them.'
  return `${trained} ${known}`
}
