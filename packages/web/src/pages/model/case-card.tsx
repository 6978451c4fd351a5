import { Card } from '../../components/cards'
import { Icon } from '../../components/icon'
import { Status } from '../../components/status'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { type Case, type CaseImage, failureImages } from './case-images'
import styles from './model-page.module.css'
import type { Document } from './view-props'

const MAX_CLASSES = 3

/** One case: image, truth, and prediction with its probability. */
export function CaseCard({
  document,
  one,
  thumbnail,
}: {
  readonly document: Document
  readonly one: Case
  readonly thumbnail: string | undefined
}) {
  const t = useText(text)
  const images = failureImages(document.evaluation_id, one)
  const shown: CaseImage[] = thumbnail ? [{ address: thumbnail, kind: 'image' }, ...images] : images
  return (
    <Card>
      <div className={styles.images}>
        {shown.length === 0 && document.config.model.vision_backbone !== 'none' && (
          <span className={styles.noImage}>
            <Icon name="image" />
            <span className="visually-hidden">{t('case.noImage')}</span>
          </span>
        )}
        {shown.map(({ address, kind }) => (
          <img key={address} src={address} alt={t(`case.${kind}`, { row: one.row })} loading="lazy" />
        ))}
      </div>
      <PredictionSummary one={one} asNumber={document.result.task === 'regression'} />
      <Probabilities one={one} />
      <Details one={one} asNumber={document.result.task === 'regression'} />
    </Card>
  )
}

function PredictionSummary({
  one: { truth, predicted, correct },
  asNumber,
}: {
  readonly one: Case
  readonly asNumber: boolean
}) {
  const t = useText(text)
  const format = useFormatters()
  const shown = (value: string) => (asNumber ? format.metric(Number(value)) : value || '–')
  return (
    <div className={styles.prediction}>
      {correct !== null && (
        <Status tone={correct ? 'good' : 'bad'}>{t(correct ? 'case.right' : 'case.wrong')}</Status>
      )}
      <dl className={styles.pairs}>
        <dt>{t('confusion.truth')}</dt>
        <dd>{shown(truth)}</dd>
        {predicted !== null && (
          <>
            <dt>{t('confusion.predicted')}</dt>
            <dd>{shown(predicted)}</dd>
          </>
        )}
      </dl>
    </div>
  )
}

function Probabilities({ one: { probabilities } }: { readonly one: Case }) {
  const format = useFormatters()
  const sorted = Object.entries(probabilities).sort(([, a], [, b]) => b - a)
  if (sorted.length === 0) return null
  return (
    <ul className={styles.bars}>
      {sorted.slice(0, MAX_CLASSES).map(([name, value]) => (
        <li key={name}>
          <span className={styles.className}>{name}</span>
          <progress className={styles.share} value={value} max={1} aria-hidden="true" />
          <span>{format.metric(value)}</span>
        </li>
      ))}
    </ul>
  )
}

function Details({ one, asNumber }: { readonly one: Case; readonly asNumber: boolean }) {
  const t = useText(text)
  const format = useFormatters()
  const facts = [
    t('case.row', { row: one.row }),
    one.loss === null ? null : `${t(asNumber ? 'case.squared' : 'order.loss')} ${format.metric(one.loss)}`,
    one.risk === null ? null : `${t('order.risk')} ${format.metric(one.risk)}`,
    one.disagreement === null ? null : `${t('order.disagreement')} ${format.metric(one.disagreement)}`,
    one.missing_views?.length ? t('case.missing', { views: one.missing_views.join(', ') }) : null,
  ]
  return <p className={styles.soft}>{facts.filter((part) => part !== null).join(' · ')}</p>
}
