import type { WorkflowTemplate } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { Skeleton } from '../../components/skeleton'
import { Tags } from '../../components/tags'
import { WorkflowThumbnail } from '../../editor/workflow-thumbnail'
import { DatasetSelect, useDatasets } from '../../files/dataset-select'
import { useContractText } from '../../text/contracts'
import { useText } from '../../text/use-text'
import { workflows as text } from '../../text/workflows'
import { templatesQuery } from './queries'
import { TemplateCompatibility } from './template-compatibility'
import styles from './workflows-page.module.css'

const route = getRouteApi('/workflows')

/** Templates for new workflows: each as a thumbnail of its nodes, with its example data or a selected dataset. */
export function Templates({ onUse }: { readonly onUse: (workflow: object) => void }) {
  const list = useQuery({
    ...routeQuery('listTemplates', templatesQuery(route.useSearch())),
    // The thumbnails stay while another dataset is checked.
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <DatasetChoice />
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={20} />}
      <ul className={styles.templates} aria-busy={list.isPlaceholderData}>
        {list.data?.templates.map((template) => (
          <Template key={template.template_id} template={template} onUse={onUse} />
        ))}
      </ul>
    </>
  )
}

function Template({
  template,
  onUse,
}: {
  readonly template: WorkflowTemplate
  readonly onUse: (workflow: object) => void
}) {
  const t = useText(text)
  const { workflow, fit } = template
  const { name, description, tags } = useContractText().template(template.template_id) ?? template
  return (
    <li className={styles.template}>
      <WorkflowThumbnail document={workflow} label={t('drawing', { name, count: workflow.nodes.length })} />
      <h3>{name}</h3>
      <p className={styles.soft}>{description}</p>
      <Tags tags={tags} />
      {fit && <TemplateCompatibility fit={fit} />}
      <div>
        <Button aria-label={t('use', { name })} onPress={() => onUse(fit?.workflow ?? workflow)}>
          {t('use.short')}
        </Button>
      </div>
    </li>
  )
}

/** Renders nothing if there are no datasets. */
function DatasetChoice() {
  const t = useText(text)
  const { dataset } = route.useSearch()
  const navigate = route.useNavigate()
  const datasets = useDatasets()
  const named = useQuery({
    ...routeQuery('getDataset', { dataset_id: dataset ?? '' }),
    enabled: dataset !== undefined,
  })
  const shown =
    named.data && !datasets.some(({ dataset_id }) => dataset_id === dataset)
      ? [named.data, ...datasets]
      : datasets
  return (
    <DatasetSelect
      label={t('fit.dataset')}
      none={t('fit.none')}
      datasets={shown}
      chosen={dataset ?? ''}
      onChoose={(id) => void navigate({ search: id === '' ? {} : { dataset: id }, resetScroll: false })}
    />
  )
}
