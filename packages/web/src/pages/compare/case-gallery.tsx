import { useQuery } from '@tanstack/react-query'
import { usePages } from '../../app/pages'
import { routeQuery, type service } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { Card, Cards } from '../../components/cards'
import { Icon } from '../../components/icon'
import { EmptyState } from '../../components/panel'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { compare as text } from '../../text/compare'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { caseKey, type TableSource, useDatasetOfTable, useThumbnails } from '../model/case-images'
import { ImagesNotice } from '../model/images-notice'
import styles from './compare.module.css'
import { agreementName, type ComparisonDocument, type Pair } from './pair'
import type { CasesSearch, CompareViewProps } from './view-props'

const PAGE = 24
type ComparedCase = Awaited<ReturnType<typeof service.listComparedCases>>['cases'][number]

/** Cases of a comparison as images with their rows: the truth and the prediction of each model. */
export function CaseGallery({
  document,
  pair,
  search: { agreement, order },
  onChange,
}: Pick<CompareViewProps, 'onChange'> & {
  readonly search: CasesSearch
  readonly document: ComparisonDocument
  readonly pair: Pair
}) {
  const t = useText(text)
  const { comparison_id } = document
  const query = useCases(comparison_id, agreement, order)
  const total = query.first?.total ?? 0
  const table = { result: { source: { csv: document.result.csv } } }
  const job = useQuery({
    ...routeQuery('getJobStatus', { job_id: document.models[0]?.job_id ?? '' }),
    enabled: document.models.length > 0,
  })
  return (
    <section className={styles.page} aria-label={t('gallery.title')}>
      <div className={styles.bar}>
        <h3>{agreement === undefined ? t('agreement.all') : agreementName(agreement, pair, t)}</h3>
        <Select
          label={t('gallery.order')}
          hideLabel
          choices={(['row', 'asc', 'desc'] as const).map((value) => ({
            value,
            label: t(`gallery.order.${value}`),
          }))}
          value={order ?? 'row'}
          onChange={(value) => onChange({ order: value === 'row' ? undefined : value })}
        />
        {query.isSuccess && (
          <span className={styles.soft} role="status">
            {t('gallery.total', { shown: query.items.length, total })}
          </span>
        )}
      </div>
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={16} />}
      {query.isSuccess && total === 0 && <EmptyState title={t('gallery.none')} />}
      {job.data && <ImagesNotice document={{ ...table, config: job.data.config, job_id: job.data.job_id }} />}
      {query.pages.map((page) => (
        <GalleryPage key={page.cases[0]?.row ?? 0} table={table} cases={page.cases} pair={pair} />
      ))}
      {query.hasNextPage && (
        <div>
          <Button isDisabled={query.isFetching} onPress={query.more}>
            {t('gallery.more')}
          </Button>
        </div>
      )}
    </section>
  )
}

/** One page of cases, as many as one request for images allows. */
function GalleryPage({
  table,
  cases,
  pair,
}: {
  readonly table: TableSource
  readonly cases: readonly ComparedCase[]
  readonly pair: Pair
}) {
  const { data: images } = useThumbnails(useDatasetOfTable(table), cases)
  return (
    <Cards>
      {cases.map((one) => (
        <Card key={caseKey(one)}>
          <CaseImage address={images?.get(caseKey(one))} row={one.row} />
          <CaseFacts one={one} pair={pair} />
        </Card>
      ))}
    </Cards>
  )
}

function CaseImage({ address, row }: { readonly address: string | undefined; readonly row: number }) {
  const t = useText(text)
  if (address === undefined) return null
  return <img className={styles.picture} src={address} alt={t('gallery.row', { row })} loading="lazy" />
}

function CaseFacts({ one, pair }: { readonly one: ComparedCase; readonly pair: Pair }) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t('gallery.row', { row: one.row })}</dt>
        <dd>
          {t('gallery.truth')}: <strong>{one.truth}</strong>
        </dd>
      </div>
      {(['first', 'second'] as const).map((which) => (
        <div key={which}>
          <dt>{t('gallery.says', { name: pair[which] })}</dt>
          <dd>
            <Prediction judgment={one[which]} format={format} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Prediction({
  judgment: { predicted, correct, confidence, risk },
  format,
}: {
  readonly judgment: ComparedCase['first']
  readonly format: Formatters
}) {
  const t = useText(text)
  return (
    <>
      {correct !== null && (
        <span className={styles.mark} data-correct={correct}>
          <Icon name={correct ? 'good' : 'close'} />
          <span className="visually-hidden">{t(correct ? 'gallery.right' : 'gallery.wrong')} </span>
        </span>
      )}
      {predicted ?? (risk === null ? NONE : format.metric(risk))}
      {confidence !== null && ` ${format.percent(confidence)}`}
    </>
  )
}

function useCases(comparison_id: string, agreement: CasesSearch['agreement'], order: CasesSearch['order']) {
  const input = {
    comparison_id,
    agreement,
    ...(order === undefined ? {} : { order_by: 'difference' as const, order }),
    page_size: PAGE,
  }
  return usePages('listComparedCases', 'cases', input, { staleTime: Number.POSITIVE_INFINITY })
}
