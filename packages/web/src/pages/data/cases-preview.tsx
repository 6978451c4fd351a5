import type { CasesPreview as Preview } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { useServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { data as text } from '../../text/data'
import { NONE } from '../../text/formatters'
import { useText } from '../../text/use-text'
import styles from './cases-preview.module.css'
import type { InspectRequest } from './inspect-request'

/** Some cases as a training would read them, with their images, beside the rows of the source from which a recipe makes them. */
export function CasesPreview({
  request,
  task,
}: {
  readonly request: InspectRequest
  /** The completed inspection of the request. */
  readonly task: string
}) {
  const t = useText(text)
  const preview = useQuery({
    ...routeQuery('previewCases', { ...request, inspection: task }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Panel title={t('preview.title')}>
      {preview.isPending && <Skeleton height={24} />}
      {preview.isError && <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.data && <Tables preview={preview.data} />}
    </Panel>
  )
}

function Tables({ preview }: { readonly preview: Preview }) {
  const t = useText(text)
  const { cases, columns, source } = preview
  const places = cases.map(({ file, line }) => t('preview.row', { file, line }))
  const images = columns.filter(({ role }) => role === 'image').slice(0, cases[0]?.pictures.length ?? 0)
  const values = columns.flatMap(({ name, role }, index) => (role === 'image' ? [] : [{ name, index }]))
  return (
    <>
      <p>{t('preview.lead', { count: cases.length, total: preview.num_cases })}</p>
      <div className={styles.tables}>
        {source && (
          <section className={styles.part} data-images={images.length > 0}>
            <h3>{t('preview.source', { name: source.name })}</h3>
            <PlainTable
              label={t('preview.source', { name: source.name })}
              head={[t('preview.place'), ...source.columns.map(({ name }) => titled(name))]}
              rows={source.rows.map((row, place) => ({
                key: String(place),
                cells: [places[place], ...row.map((cell) => cell ?? NONE)],
              }))}
            />
          </section>
        )}
        <section className={styles.part} data-images={images.length > 0}>
          <h3>{t('preview.cases')}</h3>
          <PlainTable
            label={t('preview.cases')}
            head={[
              t('preview.place'),
              ...images.map(({ name }) => titled(name)),
              ...values.map(({ name }) => titled(name)),
            ]}
            rows={cases.map((one, place) => ({
              key: String(one.row),
              cells: [
                places[place],
                ...images.map(({ name }, index) => (
                  <CaseImage
                    key={name}
                    one={one.pictures[index]}
                    label={t('preview.image', { place: places[place] ?? '', column: name })}
                  />
                )),
                ...values.map(({ index }) => one.values[index] ?? NONE),
              ],
            }))}
          />
        </section>
      </div>
      {preview.num_columns > columns.length && (
        <p>{t('preview.columns', { shown: columns.length, total: preview.num_columns })}</p>
      )}
    </>
  )
}

/** Names of columns may read from right to left, and may repeat the title of another column. */
const titled = (name: string): { readonly key: string; readonly title: ReactNode } => ({
  key: `column ${name}`,
  title: <bdi>{name}</bdi>,
})

function CaseImage({
  one,
  label,
}: {
  readonly one: Preview['cases'][number]['pictures'][number] | undefined
  readonly label: string
}) {
  const words = useServiceText()
  if (one?.picture)
    return (
      <img
        className={styles.image}
        src={`data:${one.picture.media_type};base64,${one.picture.data}`}
        alt={label}
      />
    )
  return one?.problem ? words(one.problem.message, one.problem.message_phrases) : NONE
}
