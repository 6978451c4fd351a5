import { type Ensemble, foldInWords, type Job } from '@medloom/contracts'
import { type Block, numeric, paragraph, type Section, table } from '../document/document.js'
import { countOf, formatCount } from '../document/numbers.js'

const MEAN: Readonly<Record<string, string>> = {
  classification: 'the mean of the probabilities of its members',
  multilabel: 'for each label the mean of the probabilities of its members',
  survival: 'at each time the mean of the survival probabilities of its members',
  regression: 'the mean of the predicted values of its members',
}

/** Members of an ensemble, and the consequences for its evaluation; null for a model that was trained. */
export function ensembleSection({ ensemble, prepared }: Pick<Job, 'ensemble' | 'prepared'>): Section | null {
  if (!ensemble) return null
  const { members, study_id, variant } = ensemble
  const origin = study_id === null ? '' : ` of the study ${study_id}${variant ? `, variant ${variant}` : ''}`
  const blocks: Block[] = [
    paragraph(
      `This model combines ${members.length} trained models${origin}. It predicts ${MEAN[prepared?.task ?? ''] ?? 'the mean of the predictions of its members'}. Each member preprocesses the raw case with the imputation, scaling, encoding and normalization that were fitted in its own training.`,
    ),
    paragraph(whatWasFitted(ensemble)),
    paragraph(ensembleEvaluation(ensemble)),
    table(
      'Members',
      ['Model', 'Job', numeric('Seed'), 'Held out', numeric('Epoch'), 'SHA-256 of the weights'],
      members.map(({ model_id, job_id, job_name, seed, fold, epoch, checkpoint_digest }) => [
        model_id,
        { text: job_name, below: job_id },
        String(seed),
        fold ? foldInWords(fold) : 'no fold',
        String(epoch),
        { text: checkpoint_digest, code: true },
      ]),
      ['The ensemble contains a copy of their weights: it does not change when a member is deleted.'],
    ),
    table(
      'Data of the members',
      ['Model', 'Split', 'SHA-256 of table and images'],
      members.flatMap(({ model_id, data_digests }) =>
        Object.entries(data_digests).map(([split, digest]) => [
          model_id,
          split,
          { text: digest, code: true as const },
        ]),
      ),
      [`Parameters in total: ${formatCount(prepared?.parameters)}.`],
    ),
  ]
  return { id: 'ensemble', title: 'Ensemble', blocks }
}

/** Source of its threshold, and the reason for its temperature or the lack of one. */
function whatWasFitted({ fitted_on_validation }: Ensemble): string {
  const { cases = null, reason = null } = fitted_on_validation ?? {}
  if (cases !== null)
    return `No training was needed for the ensemble. Its threshold, temperature, operating points and prediction sets, if any, were fitted to its predictions for the ${countOf(cases, 'case')} that are validation cases of every member and training cases of none. The members also chose their epochs on these cases.`
  const why = reason ?? 'its members share no validation cases'
  return `Nothing was trained or fitted for the ensemble. A threshold, if any, is the mean of the members' thresholds. There is no temperature, operating point or prediction set: ${why}.`
}

/** Cases on which its results are valid for new patients. */
export function ensembleEvaluation({ trained_on_every_fold, cases_known }: Ensemble): string {
  const trained = trained_on_every_fold
    ? 'Its members held out different folds, so together they were trained on every fold: the held-out cases of one member are training cases of the others. Only test data or external data can evaluate the ensemble. The pooled held-out results of a study are those of single models, not of this ensemble.'
    : 'Only cases that were neither training nor validation cases of any member can evaluate the ensemble.'
  const known = cases_known
    ? 'An evaluation compares its patients and images with those of all members and reports a warning if they overlap.'
    : 'At least one member has no record of its training patients and images, so an evaluation cannot detect an overlap with them.'
  return `${trained} ${known}`
}
