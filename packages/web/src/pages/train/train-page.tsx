import configuration from '@medloom/contracts/training-config.schema.json'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { stringify } from 'yaml'
import { invalidate, queryClient, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { PageHeader, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { DATASETS } from '../../files/queries'
import { ConfigForm } from '../../forms/config-form'
import { parseDraft } from '../../forms/draft'
import { humanize } from '../../forms/field-view'
import { type Field, fieldsOf, type Schema } from '../../forms/schema'
import { useContractText } from '../../text/contracts'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { FirstSteps } from '../home/first-steps'
import { CheckSummary } from './check-summary'
import { COMMON_SETTINGS } from './common-settings'
import { DatasetChoice } from './dataset-choice'
import { EMPTY_DRAFT, setTrainingDraft, useTrainingDraft } from './draft-store'
import { StartConfirmation } from './start-confirmation'
import styles from './train-page.module.css'
import { checkNow, issuesOf, useCheck } from './use-check'
import { applyToDraft, useInitialDataset } from './use-initial-dataset'
import { useProblems } from './use-problems'
import { YamlPanel } from './yaml-panel'

const FIELDS = fieldsOf(configuration as Schema)
/** Fields are grouped by section; keys of the root form their own topic. */
const TOPICS = { topicOf: ({ path }: Field) => path[0] ?? '', open: [] }
const route = getRouteApi('/train')

/** Setup of a training, as a form and as YAML at the same time; the service checks it meanwhile and returns estimates. */
export function TrainPage() {
  const t = useText(train)
  const contract = useContractText()
  const fields = useMemo(() => contract.settings(FIELDS), [contract])
  const { name, draft } = useTrainingDraft()
  useConfigurationOf(route.useSearch().from)
  useInitialDataset()
  const checked = useCheck(draft)
  const start = useStart()
  const issues = useMemo(() => issuesOf(checked.check, start.refusal), [checked.check, start.refusal])
  const problems = useProblems(issues, start.wasTried)
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')}>
        <Button icon="delete" onPress={() => setTrainingDraft(EMPTY_DRAFT)}>
          {t('empty')}
        </Button>
        <Button
          kind="primary"
          icon="running"
          isDisabled={start.isPending || draft.error !== null}
          onPress={start.ask}
        >
          {t('start')}
        </Button>
      </PageHeader>
      <div className={styles.notices}>
        {start.refusal && <Problem error={start.refusal} />}
        <GettingStarted isEmpty={draft.text.trim() === ''} />
        <CheckSummary checked={checked} issues={problems.listed} isEmpty={draft.text.trim() === ''} />
      </div>
      <div className={styles.page}>
        <div className={styles.form}>
          <TextField
            label={t('name')}
            value={name}
            onChange={(next) => setTrainingDraft({ name: next })}
            placeholder="training"
          />
          <DatasetChoice config={draft.value} onTake={applyToDraft} />
          <ConfigForm
            fields={fields}
            first={COMMON_SETTINGS}
            topics={{ ...TOPICS, title: (name) => contract.topic(name) ?? humanize(name) }}
            draft={draft}
            onChange={(next) => setTrainingDraft({ draft: next })}
            problems={problems.atFields}
          />
        </div>
        <YamlPanel issues={problems.listed} />
      </div>
      {start.unconfirmed && (
        <StartConfirmation check={start.unconfirmed} onClose={start.forget} onStart={start.anyway} />
      )}
    </>
  )
}

/** Instructions for the first dataset. */
function GettingStarted({ isEmpty }: { readonly isEmpty: boolean }) {
  const t = useText(train)
  const { data } = useQuery(routeQuery('listDatasets', DATASETS))
  if (!isEmpty || !data || data.datasets.length > 0) return null
  return (
    <Panel title={t('first')}>
      <FirstSteps />
    </Panel>
  )
}

/** Starts the training; asks for confirmation if the check predicts a failure. */
function useStart() {
  const { name, draft } = useTrainingDraft()
  const navigate = useNavigate()
  const [wasTried, setTried] = useState(false)
  const started = useMutation({
    mutationFn: () =>
      service.startTraining({
        config: draft.value as never,
        ...(name.trim() === '' ? {} : { job_name: name.trim() }),
      }),
    onSuccess: async ({ job_id }) => {
      await invalidate('listJobs')
      await navigate({ to: '/runs/$jobId', params: { jobId: job_id } })
    },
  })
  const checked = useMutation({
    mutationFn: () => checkNow(draft),
    onSuccess: (check) => {
      setTried(true)
      if (check.ok) started.mutate()
    },
  })
  const unconfirmed = checked.data && !checked.data.ok && started.isIdle ? checked.data : null
  return {
    ask: () => {
      started.reset()
      checked.mutate()
    },
    anyway: () => {
      checked.reset()
      started.mutate()
    },
    forget: () => checked.reset(),
    unconfirmed,
    wasTried,
    isPending: checked.isPending || started.isPending,
    refusal: started.error ?? checked.error,
  }
}

/** Loads the configuration of another training, once per address. */
function useConfigurationOf(jobId: string | undefined): void {
  const navigate = route.useNavigate()
  useEffect(() => {
    if (jobId === undefined) return
    void queryClient.fetchQuery(routeQuery('getJobStatus', { job_id: jobId }) as never).then((job) => {
      const { config, job_name } = job as { config: unknown; job_name: string }
      setTrainingDraft({ name: job_name, draft: parseDraft(stringify(config)) })
      return navigate({ search: {}, replace: true })
    })
  }, [jobId, navigate])
}
