import { usePages } from '../../app/pages'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { Cards } from '../../components/cards'
import { EmptyState } from '../../components/panel'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CaseCard } from './case-card'
import { type Case, caseKey, useDatasetOfTable, useThumbnails } from './case-images'
import { ImagesNotice } from './images-notice'
import styles from './model-page.module.css'
import { ALL_CASES, CASE_ORDERS, type CaseOrder, isFiltered, type ModelSearch } from './search'
import type { Document, EvaluationViewProps } from './view-props'

const PAGE = 24

/** Cases selected in the charts, as images and numbers: the highest loss first. */
export function Cases(props: EvaluationViewProps) {
  const { document, search, change } = props
  const t = useText(text)
  const format = useFormatters()
  const orders = ordersOf(document)
  const by = search.by && orders.includes(search.by) ? search.by : (orders[0] ?? 'row')
  const query = useCases(document, search, by)
  const total = query.first?.total
  return (
    <>
      <div className={styles.bar}>
        <ActiveFilters task={document.result.task} search={search} onChange={change} />
        <Select
          label={t('cases.order')}
          choices={orders.map((value) => ({ value, label: t(`order.${value}`) }))}
          value={by}
          onChange={(value) => change({ by: value })}
        />
      </div>
      <p role="status">
        {total === undefined ? '\u00a0' : t('cases.total', { total: format.count(total), count: total })}
      </p>
      <ImagesNotice document={document} />
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={20} />}
      {total === 0 && <NoCases search={search} onChange={change} />}
      {query.pages.map((page) => (
        <CasePage key={page.cases.map(caseKey).join()} document={document} cases={page.cases} />
      ))}
      {query.hasNextPage && (
        <div>
          <Button onPress={query.more} isDisabled={query.isFetchingNextPage}>
            {t('cases.more')}
          </Button>
        </div>
      )}
    </>
  )
}

interface FilterProps {
  readonly search: ModelSearch
  readonly onChange: (changes: Partial<ModelSearch>) => void
}

/** Active filters of the cases; each can be removed. */
function ActiveFilters({
  task,
  search,
  onChange,
}: FilterProps & { readonly task: Document['result']['task'] }) {
  const t = useText(text)
  const format = useFormatters()
  const { truth, predicted, correct, group, from, to } = search
  const filters: [string, Partial<ModelSearch>][] = []
  if (truth !== undefined) filters.push([t('filter.truth', { name: truth }), { truth: undefined }])
  if (predicted !== undefined)
    filters.push([t('filter.predicted', { name: predicted }), { predicted: undefined }])
  if (correct !== undefined) filters.push([t(`filter.${correct}`), { correct: undefined }])
  if (group !== undefined) filters.push([group, { group: undefined }])
  if (from !== undefined && to !== undefined)
    filters.push([
      t('filter.range', { from: format.metric(from), to: format.metric(to) }),
      { from: undefined, to: undefined },
    ])
  return (
    <div className={styles.chosen}>
      {filters.map(([name, change]) => (
        <Button key={name} icon="close" onPress={() => onChange(change)}>
          {name}
        </Button>
      ))}
      {correct === undefined && (task === 'classification' || task === 'multilabel') && (
        <Button kind="quiet" onPress={() => onChange({ correct: 'false' })}>
          {t('filter.onlyWrong')}
        </Button>
      )}
    </div>
  )
}

function NoCases({ search, onChange }: FilterProps) {
  const t = useText(text)
  return (
    <EmptyState title={t(isFiltered(search) ? 'cases.filtered' : 'cases.empty')}>
      {isFiltered(search) && <Button onPress={() => onChange(ALL_CASES)}>{t('cases.all')}</Button>}
    </EmptyState>
  )
}

function CasePage({ document, cases }: { readonly document: Document; readonly cases: readonly Case[] }) {
  const dataset = useDatasetOfTable(document)
  const { data: images } = useThumbnails(dataset, cases)
  return (
    <Cards>
      {cases.map((one) => (
        <CaseCard key={caseKey(one)} document={document} one={one} thumbnail={images?.get(caseKey(one))} />
      ))}
    </Cards>
  )
}

/** Sort orders of the cases for this task, the most informative first. */
function ordersOf({ result }: Document): CaseOrder[] {
  const known: Record<CaseOrder, boolean> = {
    loss: result.task !== 'survival',
    confidence: result.task === 'classification',
    probability: result.positive_class !== null,
    disagreement: result.disagreement !== undefined,
    risk: result.task === 'survival',
    row: true,
  }
  return CASE_ORDERS.filter((order) => known[order])
}

function useCases({ evaluation_id, result }: Document, search: ModelSearch, by: CaseOrder) {
  const { truth, predicted, correct, group, from, to, threshold, order } = search
  // With more than two classes, a bin contains predictions of any class, by the probability of the predicted class.
  const byConfidence = result.task === 'classification' && result.positive_class === null
  const range = byConfidence
    ? { confidence_min: from, confidence_max: to }
    : { probability_min: from, probability_max: to }
  const input = {
    evaluation_id,
    ...{ truth, predicted, correct, subgroup: group, ...range },
    ...(result.task === 'multilabel' && search.class !== undefined ? { class: search.class } : {}),
    ...(result.positive_class === null ? {} : { threshold }),
    order_by: by,
    order: order ?? (by === 'row' || by === 'confidence' ? ('asc' as const) : ('desc' as const)),
    page_size: PAGE,
  }
  return usePages('listEvaluationCases', 'cases', input)
}
