import { CARD_FORMATS } from '@medloom/contracts/plain'
import { urlOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Model } from './use-evaluations'

/** Download of the model card in each form. */
export function CardDialog({
  model: { model_id },
  onClose,
}: {
  readonly model: Model
  readonly onClose: () => void
}) {
  const t = useText(text)
  return (
    <Dialog title={t('card')} isOpen onClose={onClose}>
      <p>{t('card.content')}</p>
      <ul className={styles.files}>
        {CARD_FORMATS.map((format) => (
          <li key={format}>
            <FileLink href={urlOf('getModelCard', { model_id, format })}>{t(`card.${format}`)}</FileLink>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
