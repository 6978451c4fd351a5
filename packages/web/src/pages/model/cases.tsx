import { usePages } from '../../app/pages'
import { Broken } from '../../components/boundary'
import { Button } from '../../components/button'
import { Cards } from '../../components/cards'
import { Empty } from '../../components/panel'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CaseCard } from './case-card'
import { type Case, placeOf, useDatasetOf, useThumbnails } from './case-images'
import type { Document, Evidence } from './evidence'
import { ImagesNotice } from './images-notice'
import styles from './model-page.module.css'
import { ALL_CASES, CASE_ORDERS, type CaseOrder, isFiltered, type ModelSearch } from './search'

const PAGE = 24

/** Cases selected in the charts, as images and numbers: the highest loss first. */
export function Cases(evidence: Evidence) {
  const { document, search, change } = evidence
  const t = useText(text)
  const figures = useFigures()
  const orders = ordersOf(document)
  const by = search.by && orders.includes(search.by) ? search.by : (orders[0] ?? 'row')
  const query = useCases(document, search, by)
  const total = query.first?.total
  return (
    <>
      <div className={styles.bar}>
        <Chosen task={document.result.task} search={search} onChange={change} />
        <Select
          label={t('cases.order')}
          choices={orders.map((value) => ({ value, label: t(`order.${value}`) }))}
          value={by}
          onChange={(value) => change({ by: value })}
        />
      </div>
      <p role="status">
        {total === undefined ? '\u00a0' : t('cases.total', { total: figures.count(total), count: total })}
      </p>
      <ImagesNotice document={document} />
      {query.isError && <Broken error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={20} />}
      {total === 0 && <Nothing search={search} onChange={change} />}
      {query.pages.map((page) => (
        <CasePage key={page.cases.map(placeOf).join()} document={document} cases={page.cases} />
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

interface Changing {
  readonly search: ModelSearch
  readonly onChange: (changes: Partial<ModelSearch>) => void
}

/** Active filters of the cases; each can be removed. */
function Chosen({ task, search, onChange }: Changing & { readonly task: Document['result']['task'] }) {
  const t = useText(text)
  const figures = useFigures()
  const { truth, predicted, correct, group, from, to } = search
  const chosen: [string, Partial<ModelSearch>][] = []
  if (truth !== undefined) chosen.push([t('filter.truth', { name: truth }), { truth: undefined }])
  if (predicted !== undefined)
    chosen.push([t('filter.predicted', { name: predicted }), { predicted: undefined }])
  if (correct !== undefined) chosen.push([t(`filter.${correct}`), { correct: undefined }])
  if (group !== undefined) chosen.push([group, { group: undefined }])
  if (from !== undefined && to !== undefined)
    chosen.push([
      t('filter.range', { from: figures.metric(from), to: figures.metric(to) }),
      { from: undefined, to: undefined },
    ])
  return (
    <div className={styles.chosen}>
      {chosen.map(([name, without]) => (
        <Button key={name} icon="close" onPress={() => onChange(without)}>
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

function Nothing({ search, onChange }: Changing) {
  const t = useText(text)
  return (
    <Empty title={t(isFiltered(search) ? 'cases.filtered' : 'cases.empty')}>
      {isFiltered(search) && <Button onPress={() => onChange(ALL_CASES)}>{t('cases.all')}</Button>}
    </Empty>
  )
}

function CasePage({ document, cases }: { readonly document: Document; readonly cases: readonly Case[] }) {
  const dataset = useDatasetOf(document)
  const { data: images } = useThumbnails(dataset, cases)
  return (
    <Cards>
      {cases.map((one) => (
        <CaseCard key={placeOf(one)} document={document} one={one} thumbnail={images?.get(placeOf(one))} />
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
