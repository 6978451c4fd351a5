import { MedloomError } from '@medloom/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { PageHeader, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { Actions } from './actions'
import { AliasBar } from './alias-bar'
import { Members } from './ensemble'
import { EvaluationChoice } from './evaluation-choice'
import { FollowUps } from './follow-up/follow-ups'
import styles from './model-page.module.css'
import { Panels } from './panels'
import { ALL_CASES, type ModelSearch } from './search'
import { Tasks, useTasks } from './tasks'
import { type Model, useEvaluations } from './use-evaluations'
import type { EvaluationViewProps } from './view-props'

const route = getRouteApi('/models/$id')

/** Page of one model: its results, their cases, and the available actions. */
export function ModelPage() {
  const t = useText(text)
  const { id } = route.useParams()
  const model = useQuery(routeQuery('getModel', { model_id: id }))
  if (model.isError)
    return (
      <Problem error={model.error}>
        <div>
          <LinkButton to="/models" icon="left">
            {t('all')}
          </LinkButton>
        </div>
      </Problem>
    )
  if (!model.data) return <Skeleton height={40} />
  return <ModelView model={model.data} />
}

function ModelView({ model }: { readonly model: Model }) {
  const t = useText(text)
  const format = useFormatters()
  const evaluations = useEvaluations(model)
  const tasks = useTasks(model.model_id)
  const { architecture, fusion_type, task, parameters, created_at, unreadable } = model
  return (
    <>
      <PageHeader
        title={model.model_id}
        lead={t('lead', {
          kind: `${architecture} · ${fusion_type} · ${task}`,
          parameters: format.count(parameters),
          created: format.moment(created_at),
        })}
      >
        <Actions model={model} document={evaluations.document.data} onBegun={tasks.add} />
      </PageHeader>
      <div className={styles.page}>
        {unreadable && <Problem error={new MedloomError(unreadable.error, { http: 0, ...unreadable })} />}
        <AliasBar model={model} />
        <Tasks {...tasks} />
        <Evaluations model={model} {...evaluations} />
        <FollowUps model={model} />
      </div>
    </>
  )
}

/** An ensemble without an evaluation: its members, and a notice that nothing was measured. */
function Unevaluated({ model }: { readonly model: Model }) {
  const t = useText(text)
  return (
    <>
      <p>{t('ensemble.unevaluated')}</p>
      {model.ensemble && (
        <Panel title={t('ensemble.members')}>
          <Members ensemble={model.ensemble} />
        </Panel>
      )}
    </>
  )
}

function Evaluations({
  model,
  list,
  id,
  document,
}: ReturnType<typeof useEvaluations> & { readonly model: Model }) {
  const navigate = route.useNavigate()
  const search = route.useSearch()
  const change = useCallback(
    (changes: Partial<ModelSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  )
  const choose = (evaluation: string) =>
    void navigate({ search: { ...ALL_CASES, evaluation, class: search.class }, resetScroll: false })
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Skeleton height={40} />
  if (id === null) return <Unevaluated model={model} />
  const props: EvaluationViewProps | null = document.data ? { document: document.data, search, change } : null
  return (
    <>
      <EvaluationChoice
        model={model}
        known={list.data}
        chosen={id}
        document={document.data}
        onChoose={choose}
      />
      {document.isError && <ErrorNotice error={document.error} onRetry={() => void document.refetch()} />}
      {document.isPending && <Skeleton height={40} />}
      {props && <Panels model={model} {...props} />}
    </>
  )
}
