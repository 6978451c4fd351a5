import { useMemo } from 'react'
import { Button } from '../components/button'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import { valueAt } from './draft'
import { type FieldState, FieldView, titleOf } from './field-view'
import { type Problems, problemAt } from './problems'
import { type Row, rowsOf } from './rows'
import styles from './rows-view.module.css'
import { type Field, pathOf } from './schema'

/** A list of objects with the same keys, each with its fields. */
export function RowsView({
  field,
  value,
  onChange,
  problems,
}: { readonly field: Field; readonly problems: Problems } & Omit<FieldState, 'error'>) {
  const t = useText(forms)
  const name = titleOf(field)
  const rows = rowsOf(field, value)
  // The fields stay the same while the number of rows is the same: a replaced field would lose text that is not a valid value yet.
  const rowFields = useMemo(
    () => Array.from({ length: rows.length }, (_, index) => fieldsOfRow(field, index)),
    [field, rows.length],
  )
  const set = (next: readonly Row[]) => onChange(next.length === 0 ? undefined : next)
  const error = problems.get(pathOf(field))
  return (
    <div className={styles.rows}>
      <p className={styles.help}>{field.help}</p>
      {error && <ErrorText>{error}</ErrorText>}
      {rowFields.map(({ path, fields }, index) => (
        <fieldset key={path} className={styles.row}>
          <legend>{t('row', { name, number: index + 1 })}</legend>
          {problems.has(path) && <ErrorText>{problems.get(path)}</ErrorText>}
          {fields.map((inside) => (
            <FieldView
              key={pathOf(inside)}
              field={inside}
              value={valueAt(rows[index], inside.path.slice(-1))}
              onChange={(next) =>
                set(rows.with(index, changeRow(rows[index], inside.path.at(-1) ?? '', next)))
              }
              error={problemAt(problems, inside)}
            />
          ))}
          <div>
            <Button
              kind="quiet"
              icon="delete"
              aria-label={t('row.remove', { name, number: index + 1 })}
              onPress={() => set(rows.toSpliced(index, 1))}
            >
              {t('row.remove.short')}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button icon="train" onPress={() => set([...rows, {}])}>
          {t('row.add', { name })}
        </Button>
      </div>
    </div>
  )
}

function ErrorText({ children }: { readonly children: string | undefined }) {
  return (
    <p role="alert" className={styles.error}>
      {children}
    </p>
  )
}

/** Fields of a row with their paths in the whole document. */
function fieldsOfRow({ path, fields }: Field, index: number) {
  const rowPath = [...path, String(index)]
  const inRow = (field: Field): Field => ({ ...field, path: [...rowPath, ...field.path.slice(path.length)] })
  return { path: rowPath.join('.'), fields: fields.map(inRow) }
}

/** A row that is not an object in the text becomes one. */
function changeRow(row: unknown, key: string, value: unknown): Row {
  const { [key]: _, ...rest } = (typeof row === 'object' ? row : {}) as Row
  return value === undefined ? rest : { ...rest, [key]: value }
}
