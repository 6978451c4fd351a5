import type { ReactNode } from 'react'
import { ComboField } from '../../../components/combo-field'
import { TextField } from '../../../components/field'
import { Icon } from '../../../components/icon'
import { Select } from '../../../components/select'
import { useFormatters } from '../../../text/formatters'
import { model as text } from '../../../text/model'
import { useText } from '../../../text/use-text'
import styles from './case-form.module.css'
import { type InputColumn, type Inputs, isChosen, noticeOf, placeFiles, type Values } from './case-values'
import { ImageSlot } from './image-slot'
import type { CaseImages } from './use-case-images'

/** Not a possible key of a category, each of which begins with a space. */
const UNKNOWN = 'unknown'
const keyOf = (category: string) => ` ${category}`

/** A place for each image and a field for each column that the model reads. */
export function CaseForm({
  inputs: { columns, images },
  values,
  onChange,
  chosen,
  onFile,
  onRemove,
}: {
  readonly inputs: Inputs
  readonly values: Values
  readonly onChange: (column: string, value: string) => void
  readonly chosen: CaseImages
  readonly onFile: (column: string, file: File) => void
  readonly onRemove: (column: string) => void
}) {
  const t = useText(text)
  return (
    <fieldset className={styles.case}>
      <legend>{t('predict.case')}</legend>
      {images.columns.map((column) => (
        <ImageSlot
          key={column}
          column={column}
          required={images.required}
          image={chosen[column]}
          onFiles={(files) => {
            const placed = placeFiles(images.columns, Object.keys(chosen), column, files)
            for (const [place, file] of placed) onFile(place, file)
          }}
          onRemove={() => onRemove(column)}
        />
      ))}
      <div className={styles.cells}>
        {columns.map((column) => (
          <ColumnField
            key={column.name}
            column={column}
            value={values[column.name] ?? ''}
            onChange={(value) => onChange(column.name, value)}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface FieldProps {
  readonly column: InputColumn
  readonly value: string
  readonly onChange: (value: string) => void
}

function ColumnField({ column, value, onChange }: FieldProps) {
  const t = useText(text)
  const { name, kind, unit, categories } = column
  const field = {
    label: unit === null ? name : `${name} (${unit})`,
    hint: <Hint column={column} value={value} />,
  }
  if (kind === 'numeric')
    return (
      <TextField
        {...field}
        value={value}
        onChange={onChange}
        inputMode="decimal"
        placeholder={t('predict.unknown')}
      />
    )
  if (!isChosen(column))
    return (
      <ComboField
        {...field}
        value={value}
        onChange={onChange}
        options={categories ?? []}
        placeholder={t('predict.unknown')}
      />
    )
  return (
    <Select
      {...field}
      choices={[
        { value: UNKNOWN, label: t('predict.unknown') },
        ...(categories ?? []).map((category) => ({ value: keyOf(category), label: category })),
      ]}
      value={value === '' ? UNKNOWN : keyOf(value)}
      onChange={(key) => onChange(key === UNKNOWN ? '' : key.slice(1))}
    />
  )
}

/** The training values, and below them what is notable about the value. The lines are always there, so that nothing moves. */
function Hint({ column, value }: Omit<FieldProps, 'onChange'>) {
  const t = useText(text)
  const format = useFormatters()
  const { range, kind, more_categories } = column
  return (
    <span className={styles.hint}>
      {kind === 'numeric' && (
        <span>
          {range
            ? t('predict.range', { low: format.tick(range.low), high: format.tick(range.high) })
            : t('predict.noRange')}
        </span>
      )}
      {more_categories && <span>{t('predict.moreCategories')}</span>}
      <span className={styles.notice} role="status">
        <Judged column={column} value={value} />
      </span>
    </span>
  )
}

function Judged({ column, value }: Omit<FieldProps, 'onChange'>): ReactNode {
  const t = useText(text)
  const format = useFormatters()
  const notice = noticeOf(column, value)
  if (notice)
    return (
      <>
        <Icon name="bad" /> {t(`predict.${notice}`)}
      </>
    )
  if (value.trim() !== '') return null
  const { read_as, value: filled, seen } = column.missing
  if (read_as === 'refused') return t('predict.required')
  if (read_as === 'gap') return t(seen ? 'predict.gap' : 'predict.newGap')
  const statistic = t(`predict.${read_as}`)
  return typeof filled === 'number'
    ? t('predict.filledWith', { statistic, value: format.short(filled) })
    : t('predict.filled', { value: filled ?? statistic })
}
