import type { Inspection } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { data as text } from '../../text/data'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { CasesPreview } from './cases-preview'
import { CheckList } from './check-list'
import type { InspectRequest } from './inspect-request'
import { JoinedPairs } from './joined-pairs'
import styles from './new-page.module.css'
import { PositiveClass } from './positive-class'
import { recipeYaml } from './proposal/proposal'
import { RecipeText } from './proposal/recipe-text'
import { ReadinessBadge } from './readiness-badge'
import { RoleTable } from './role-table'

/** Result of an inspection: editable roles, checks, and the registration. */
export function InspectionResult({
  found,
  request,
  task,
  onInspect,
}: {
  readonly found: Inspection
  readonly request: InspectRequest
  /** Task of the inspection; the registration reuses its result. */
  readonly task: string
  readonly onInspect: (request: InspectRequest) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const [roles, setRoles] = useState(request.roles ?? {})
  const [positive, setPositive] = useState(request.positive_class ?? null)
  const changes = changedRoles(request, roles, positive)
  const changedRequest = { ...request, roles, positive_class: positive ?? undefined }
  return (
    <>
      <Panel title={t('new.register')}>
        <Register
          request={request}
          task={task}
          isStale={changes > 0}
          isBlocked={found.readiness.status === 'blocked'}
        />
        {request.recipe && (
          <>
            <p>{t('recipe.used')}</p>
            <RecipeText yaml={recipeYaml({ path: request.path, recipe: request.recipe })} />
          </>
        )}
      </Panel>
      <Panel title={t('checks.title')} actions={<ReadinessBadge status={found.readiness.status} />}>
        <CheckList checks={found.readiness.checks} />
      </Panel>
      <JoinedPairs readiness={found.readiness} />
      {found.columns.length > 0 && (
        <Panel title={t('roles.title')}>
          <p>
            {t('roles.lead')} {t('cases.count', { total: found.num_cases, all: found.num_cases })}
            {found.classes &&
              ` · ${found.classes.map(({ name, count }) => `${name} ${format.count(count)}`).join(', ')}`}
          </p>
          <div className={styles.choices}>
            <PositiveClass found={found} chosen={positive} onChange={setPositive} />
            <Button
              kind={changes > 0 ? 'primary' : 'plain'}
              isDisabled={changes === 0}
              onPress={() => onInspect(changedRequest)}
            >
              {t('roles.apply')}
            </Button>
            {changes > 0 && <span role="status">{t('roles.changed', { count: changes })}</span>}
          </div>
          <RoleTable found={found} roles={roles} onChange={setRoles} />
        </Panel>
      )}
      {found.num_cases > 0 && <CasesPreview request={request} task={task} />}
    </>
  )
}

function changedRoles(
  request: InspectRequest,
  roles: NonNullable<InspectRequest['roles']>,
  positive: string | null,
): number {
  const before = request.roles ?? {}
  const names = new Set([...Object.keys(before), ...Object.keys(roles)])
  const changed = [...names].filter((name) => before[name] !== roles[name]).length
  return changed + Number((request.positive_class ?? null) !== positive)
}

function Register({
  request,
  task,
  isStale,
  isBlocked,
}: {
  readonly request: InspectRequest
  readonly task: string
  readonly isStale: boolean
  readonly isBlocked: boolean
}) {
  const t = useText(text)
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const register = useMutation({
    mutationFn: () =>
      service.registerDataset({
        ...{ ...request, inspection: task },
        ...(name.trim() === '' ? {} : { name: name.trim() }),
      }),
    onSuccess: async ({ dataset_id }) => {
      await invalidate('listDatasets', 'getDataset')
      await navigate({ to: '/data/$datasetId', params: { datasetId: dataset_id } })
    },
  })
  return (
    <>
      {isBlocked && <p>{t('new.blocked')}</p>}
      <div className={styles.register}>
        <TextField label={t('new.name')} hint={t('new.name.hint')} value={name} onChange={setName} />
        <Button
          kind={isStale ? 'plain' : 'primary'}
          isDisabled={isStale || register.isPending}
          onPress={() => register.mutate()}
        >
          {t('new.register')}
        </Button>
      </div>
      {register.error && <Problem error={register.error} />}
    </>
  )
}
