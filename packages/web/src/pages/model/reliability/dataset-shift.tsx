import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { type Formatters, NONE, useFormatters } from '../../../text/formatters'
import { reliability as text } from '../../../text/reliability'
import { type Translate, useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps, Result } from '../view-props'
import { Recalibration } from './recalibration'
import { useShowMore } from './show-more'

type Shift = NonNullable<Result['shift']>
type Input = Shift['inputs'][number]
type Moments = Input['trained']

/** Distance of these cases from the training data, and the possible gain of an update with them. */
export function DatasetShift(props: EvaluationViewProps) {
  const t = useText(text)
  const { kind, result } = props.document
  if (kind !== 'evaluation' && !result.shift) return <p className={styles.soft}>{t('only.evaluation')}</p>
  return (
    <>
      {result.shift ? (
        <Inputs shift={result.shift} cases={result.num_cases} />
      ) : (
        <p className={styles.soft}>{t(result.shift === null ? 'shift.unknown' : 'older')}</p>
      )}
      <Recalibration {...props} />
    </>
  )
}

function Inputs({ shift, cases }: { readonly shift: Shift; readonly cases: number }) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const large = shift.inputs.filter(({ differs }) => differs).map(({ name }) => name)
  const { shown, more } = useShowMore(shift.inputs)
  return (
    <>
      <p className={styles.soft}>{t('shift.lead', { cases, trained: shift.cases_trained })}</p>
      {large.length > 0 && (
        <p className={styles.notice}>
          <span>{t('shift.large', { names: large.join(', ') })}</span>
        </p>
      )}
      <PlainTable
        label={t('shift.title')}
        head={[
          t('input'),
          { key: 'drawn', title: t('shift.drawn') },
          ...(['smd', 'chance', 'trained', 'evaluated', 'missing'] as const).map((key) => ({
            key,
            title: t(`shift.${key}`),
            numeric: true,
          })),
          t('shift.note'),
        ]}
        rows={shown.map((one) => ({
          key: `${one.kind} ${one.name}`,
          cells: [
            one.kind === 'image' ? t('shift.intensity') : one.name,
            <Difference key="drawn" {...one} />,
            format.metric(one.smd),
            format.metric(one.chance),
            momentsOf(one.trained, t, format),
            momentsOf(one.evaluated, t, format),
            `${one.missing_trained === null ? NONE : format.percent(one.missing_trained)} → ${format.percent(one.missing)}`,
            noteOf(one, t, textOf),
          ],
        }))}
      />
      {more}
      {shift.outcome && <Outcome outcome={shift.outcome} />}
    </>
  )
}

const [WIDTH, HEIGHT] = [140, 20]

/** Size of a difference, up to 1, and the size expected by chance. The numbers are in the same row. */
function Difference({ smd, chance }: Pick<Input, 'smd' | 'chance'>) {
  if (smd === null) return null
  const x = (value: number) => 4 + Math.min(1, value) * (WIDTH - 8)
  return (
    <svg className={styles.whisker} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.scale} d={`M${x(0)} ${HEIGHT / 2}H${x(1)}`} />
      <path className={styles.size} d={`M${x(0)} ${HEIGHT / 2}H${x(smd)}`} />
      {chance !== null && <path className={styles.all} d={`M${x(chance)} 2V${HEIGHT - 2}`} />}
    </svg>
  )
}

function Outcome({ outcome }: { readonly outcome: NonNullable<Shift['outcome']> }) {
  const t = useText(text)
  const format = useFormatters()
  const { smd, classes, trained, evaluated } = outcome
  const { shown, more } = useShowMore(classes ?? [])
  const rows = classes
    ? shown.map((one) => ({
        key: one.name,
        cells: [one.name, format.percent(one.trained), format.percent(one.evaluated)],
      }))
    : [
        {
          key: 'mean',
          cells: [t('shift.mean'), momentsOf(trained, t, format), momentsOf(evaluated, t, format)],
        },
      ]
  return (
    <>
      <h3>{t('shift.outcome')}</h3>
      <PlainTable
        label={t('shift.outcome')}
        head={[
          t('class'),
          { key: 'trained', title: t('shift.trained'), numeric: true },
          { key: 'evaluated', title: t('shift.evaluated'), numeric: true },
        ]}
        rows={rows}
      />
      {more}
      <p className={styles.soft}>{t('shift.outcomeNote', { smd: format.metric(smd) })}</p>
    </>
  )
}

function momentsOf(moments: Moments, t: Translate<(typeof text)['en']>, format: Formatters): string {
  if (!moments) return format.metric(null)
  return t('shift.moments', { mean: format.metric(moments.mean), sd: format.metric(moments.sd) })
}

function noteOf(
  { reason, reason_phrases, unseen, missing }: Input,
  t: Translate<(typeof text)['en']>,
  textOf: ReturnType<typeof useServiceText>,
): string {
  if (missing === 1) return t('shift.noValue')
  if (reason !== null) return textOf(reason, reason_phrases)
  return unseen ? t('shift.unseen', { count: unseen }) : ''
}
