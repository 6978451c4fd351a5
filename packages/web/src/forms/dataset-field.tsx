import type { ComponentProps } from 'react'
import { DatasetSelect, useDatasets } from '../files/dataset-select'
import { FilePicker } from '../files/file-picker'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import styles from './field-view.module.css'

/** A dataset: a registered one by its name, or the path of its table. */
export function DatasetField(field: Omit<ComponentProps<typeof FilePicker>, 'accepts'>) {
  const t = useText(forms)
  return (
    <div className={styles.dataset}>
      <DatasetSelect
        label={t('dataset')}
        none={t('dataset.none')}
        datasets={useDatasets()}
        chosen={field.value}
        onChoose={field.onChange}
      />
      <FilePicker {...field} accepts="table" />
    </div>
  )
}
