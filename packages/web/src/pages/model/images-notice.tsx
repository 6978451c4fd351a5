import { useMutation } from '@tanstack/react-query'
import { invalidate } from '../../app/service'
import { Button } from '../../components/button'
import { Problem } from '../../components/problem'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { type TableSource, useDatasetOfTable } from './case-images'
import styles from './model-page.module.css'
import { registerEvaluatedTable } from './register-evaluated-table'
import type { Document } from './view-props'

/** Source of the images: the current registered table. An unregistered table can be registered here. */
export function ImagesNotice({
  document,
}: {
  readonly document: TableSource & Pick<Document, 'config' | 'job_id'>
}) {
  const t = useText(text)
  const dataset = useDatasetOfTable(document)
  const register = useMutation({
    mutationFn: () => registerEvaluatedTable(document.result.source.csv, document.job_id),
    onSuccess: () => invalidate('listDatasets'),
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
