import type { ReactNode } from 'react'
import styles from './plain-table.module.css'
import { ScrollRegion } from './scroll-region'

/** A column whose title is more than text, or whose numbers are aligned at the end of the cells. */
export interface PlainColumn {
  readonly key: string
  readonly title: ReactNode
  readonly numeric?: boolean
}

/** A short table: every row is in the document. */
export function PlainTable({
  label,
  head,
  rows,
}: {
  readonly label: string
  readonly head: readonly (string | PlainColumn)[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}) {
  const columns = head.map((column) =>
    typeof column === 'string' ? { key: column, title: column, numeric: false } : column,
  )
  return (
    <ScrollRegion className={styles.frame} label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ key, title, numeric }) => (
              <th key={key} scope="col" data-numeric={numeric}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={columns[index]?.key} data-numeric={columns[index]?.numeric}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
