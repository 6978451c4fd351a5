import configuration from '@medloom/contracts/training-config.schema.json'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { stringify } from 'yaml'
import { changed, queries, read, service } from '../../app/service'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { PageHead, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { DATASETS } from '../../files/queries'
import { ConfigForm } from '../../forms/config-form'
import { draftOf } from '../../forms/document'
import { words } from '../../forms/field-view'
import { type Field, fieldsOf, type Schema } from '../../forms/schema'
import { useContractText } from '../../text/contracts'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { FirstSteps } from '../home/first-steps'
import { DatasetChoice } from './dataset-choice'
import { EMPTY, setSetup, useSetup } from './draft-store'
import { FIRST } from './first'
import { Outlook } from './outlook'
import { StartConfirmation } from './start-confirmation'
import styles from './train-page.module.css'
import { checkNow, issuesOf, useCheck } from './use-check'
import { take, useFirstDataset } from './use-first-dataset'
import { useProblems } from './use-problems'
import { Written } from './written'

const FIELDS = fieldsOf(configuration as Schema)
/** Fields are grouped by section; keys of the root form their own topic. */
const TOPICS = { of: ({ path }: Field) => path[0] ?? '', open: [] }
const route = getRouteApi('/train')

/** Setup of a training, as a form and as YAML at the same time; the service checks it meanwhile and returns estimates. */
export function TrainPage() {
  const t = useText(train)
  const contract = useContractText()
  const fields = useMemo(() => contract.settings(FIELDS), [contract])
  const { name, draft } = useSetup()
  useOther(route.useSearch().from)
  useFirstDataset()
  const checked = useCheck(draft)
  const start = useStart()
  const issues = useMemo(() => issuesOf(checked.check, start.refusal), [checked.check, start.refusal])
  const places = useProblems(issues, start.wasTried)
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        <Button icon="delete" onPress={() => setSetup(EMPTY)}>
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
      </PageHead>
      <div className={styles.notices}>
        {start.refusal && <Problem error={start.refusal} />}
        <Beginning isEmpty={draft.text.trim() === ''} />
        <Outlook checked={checked} issues={places.listed} isEmpty={draft.text.trim() === ''} />
      </div>
      <div className={styles.page}>
        <div className={styles.form}>
          <TextField
            label={t('name')}
            value={name}
            onChange={(next) => setSetup({ name: next })}
            placeholder="training"
          />
          <DatasetChoice config={draft.value} onTake={take} />
          <ConfigForm
            fields={fields}
            first={FIRST}
            topics={{ ...TOPICS, title: (name) => contract.topic(name) ?? words(name) }}
            draft={draft}
            onChange={(next) => setSetup({ draft: next })}
            problems={places.atFields}
          />
        </div>
        <Written issues={places.listed} />
      </div>
      {start.unconfirmed && (
        <StartConfirmation check={start.unconfirmed} onClose={start.forget} onStart={start.anyway} />
      )}
    </>
  )
}

/** Instructions for the first dataset. */
function Beginning({ isEmpty }: { readonly isEmpty: boolean }) {
  const t = useText(train)
  const { data } = useQuery(read('listDatasets', DATASETS))
  if (!isEmpty || !data || data.datasets.length > 0) return null
  return (
    <Panel title={t('first')}>
      <FirstSteps />
    </Panel>
  )
}

/** Starts the training; asks for confirmation if the check predicts a failure. */
function useStart() {
  const { name, draft } = useSetup()
  const navigate = useNavigate()
  const [wasTried, setTried] = useState(false)
  const started = useMutation({
    mutationFn: () =>
      service.startTraining({
        config: draft.value as never,
        ...(name.trim() === '' ? {} : { job_name: name.trim() }),
      }),
    onSuccess: async ({ job_id }) => {
      await changed('listJobs')
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
function useOther(jobId: string | undefined): void {
  const navigate = route.useNavigate()
  useEffect(() => {
    if (jobId === undefined) return
    void queries.fetchQuery(read('getJobStatus', { job_id: jobId }) as never).then((job) => {
      const { config, job_name } = job as { config: unknown; job_name: string }
      setSetup({ name: job_name, draft: draftOf(stringify(config)) })
      return navigate({ search: {}, replace: true })
    })
  }, [jobId, navigate])
}
