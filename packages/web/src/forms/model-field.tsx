import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { routeQuery } from '../app/service'
import { TextField } from '../components/field'
import { Select } from '../components/select'
import { useFormatters } from '../text/formatters'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import styles from './field-view.module.css'

/** Models that the list offers; the text field accepts any. */
const OFFERED = 100

/** A registered model: from the list of aliases and newest models, or as the text of its ID or alias. */
export function ModelField(field: ComponentProps<typeof TextField>) {
  const t = useText(forms)
  const { moment } = useFormatters()
  const models = useQuery(routeQuery('listModels', { page_size: OFFERED })).data?.models ?? []
  const choices = models.flatMap(({ model_id, aliases, job_name, created_at }) => [
    ...aliases.map((alias) => ({ value: alias, label: `${alias} (${job_name})` })),
    { value: model_id, label: `${job_name}, ${moment(created_at)}` },
  ])
  return (
    <div className={styles.dataset}>
      {models.length > 0 && (
        <Select
          label={t('model')}
          value={choices.some(({ value }) => value === field.value) ? field.value : ''}
          onChange={field.onChange}
          choices={[{ value: '', label: t('model.none') }, ...choices]}
        />
      )}
      <TextField {...field} />
    </div>
  )
}
