import { useMutation } from '@tanstack/react-query'
import { changed } from '../../app/service'
import { Button } from '../../components/button'
import { Problem } from '../../components/problem'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { type OfTable, useDatasetOf } from './case-images'
import type { Document } from './evidence'
import styles from './model-page.module.css'
import { registerAsTrained } from './register-as-trained'

/** Source of the images: the current registered table. An unregistered table can be registered here. */
export function ImagesNotice({
  document,
}: {
  readonly document: OfTable & Pick<Document, 'config' | 'job_id'>
}) {
  const t = useText(text)
  const dataset = useDatasetOf(document)
  const register = useMutation({
    mutationFn: () => registerAsTrained(document.result.source.csv, document.job_id),
    onSuccess: () => changed('listDatasets'),
  })
  if (dataset === undefined || document.config.model.vision_backbone === 'none') return null
  if (dataset) return <p className={styles.soft}>{t('images.now')}</p>
  return (
    <div className={styles.notice}>
      <span>{t('images.unregistered')}</span>
      <Button icon="image" isPending={register.isPending} onPress={() => register.mutate()}>
        {t(register.isPending ? 'images.registering' : 'images.register')}
      </Button>
      {register.isError && <Problem error={register.error} />}
    </div>
  )
}
