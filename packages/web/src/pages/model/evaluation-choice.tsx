import type { RouteResponse } from '@medloom/contracts'
import { thresholdChosen } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { Select } from '../../components/select'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import { heldOutEvaluationId, type ListedEvaluation, type Model, ownEvaluationId } from './use-evaluations'
import type { Document } from './view-props'

/** Selection of an evaluation, with its cases. */
export function EvaluationChoice({
  model,
  known,
  chosen,
  document,
  onChoose,
}: {
  readonly model: Model
  readonly known: RouteResponse<'listModelEvaluations'>
  readonly chosen: string
  readonly document: Document | undefined
  readonly onChoose: (evaluationId: string) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const job = useQuery(routeQuery('getJobStatus', { job_id: model.job_id }))
  const validation = ownEvaluationId(model)
  const labelOf = ({ split, num_cases, created_at }: ListedEvaluation) =>
    t('evaluation.of', { split, cases: num_cases, created: format.moment(created_at) })
  const choices = [
    ...known.evaluations.map((listed) => ({ value: listed.evaluation_id, label: labelOf(listed) })),
    ...(job.data?.config.data.fold
      ? [{ value: heldOutEvaluationId(model), label: t('evaluation.heldOut') }]
      : []),
    ...(validation === null ? [] : [{ value: validation, label: t('evaluation.validation') }]),
  ]
  // A link may name an evaluation that is not in the list.
  const named = choices.some(({ value }) => value === chosen) ? [] : [{ value: chosen, label: chosen }]
  return (
    <div className={styles.bar}>
      <Select
        label={t('evaluation.choose')}
        choices={[...named, ...choices]}
        value={chosen}
        onChange={onChoose}
      />
      {document && <About document={document} />}
    </div>
  )
}

function About({
  document: { num_cases, num_patients, kind, test_uses, result },
}: {
  readonly document: Document
}) {
  const t = useText(text)
  return (
    <p className={styles.soft}>
      {num_patients === null
        ? t('about.cases', { cases: num_cases })
        : t('about.patients', { cases: num_cases, patients: num_patients })}{' '}
      {t(kind === 'validation' && !thresholdChosen(result) ? 'about.validationEpoch' : `about.${kind}`)}{' '}
      {test_uses && t('testUses', { count: test_uses.evaluations })}{' '}
      {result.out_of_fold && t('about.outOfFold')}
    </p>
  )
}
