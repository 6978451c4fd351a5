import { MedloomError } from '@medloom/client'
import configuration from '@medloom/contracts/training-config.schema.json'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { stringify } from 'yaml'
import { changed, queries, read, service } from '../../app/service'
import { Button } from '../../components/button'
import { CopyButton } from '../../components/copy-button'
import { TextField } from '../../components/field'
import { PageHead } from '../../components/panel'
import { Problem } from '../../components/problem'
import { ConfigForm } from '../../forms/config-form'
import { draftOf } from '../../forms/document'
import { fieldsOf, type Schema } from '../../forms/schema'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { trainCommand } from './command'
import { EMPTY, setSetup, useSetup } from './draft-store'
import styles from './train-page.module.css'

const FIELDS = fieldsOf(configuration as Schema)
/** What everyone sets; the rest has defaults. */
const FIRST = [
  'data.train_csv',
  'model.vision_backbone',
  'model.fusion_type',
  'training.epochs',
  'training.batch_size',
  'training.learning_rate',
]
const route = getRouteApi('/train')

/** Sets up a training, as a form and as YAML at once. */
export function TrainPage() {
  const t = useText(train)
  const { name, draft } = useSetup()
  const navigate = useNavigate()
  useOther(route.useSearch().from)
  const start = useMutation({
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
  const problems = useMemo(() => problemsOf(start.error), [start.error])
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
          onPress={() => start.mutate()}
        >
          {t('start')}
        </Button>
      </PageHead>
      {start.isError && <Problem error={start.error} />}
      <div className={styles.page}>
        <div className={styles.form}>
          <TextField
            label={t('name')}
            value={name}
            onChange={(next) => setSetup({ name: next })}
            placeholder="training"
          />
          <ConfigForm
            fields={FIELDS}
            first={FIRST}
            draft={draft}
            onChange={(next) => setSetup({ draft: next })}
            problems={problems}
          />
        </div>
        <Yaml />
      </div>
    </>
  )
}

/** The same as text. While it is no YAML the form waits. */
function Yaml() {
  const t = useText(train)
  const { name, draft } = useSetup()
  const broken =
    draft.error && t('yaml.broken', { line: String(draft.error.line ?? '?'), message: draft.error.message })
  return (
    <aside className={styles.yaml}>
      <TextField
        label={t('yaml')}
        hint={t('yaml.hint')}
        lines={24}
        value={draft.text}
        onChange={(text) => setSetup({ draft: draftOf(text) })}
        error={broken ?? undefined}
      />
      <div className={styles.copies}>
        <CopyButton text={draft.text}>{t('copy.yaml')}</CopyButton>
        <CopyButton text={trainCommand(draft.text, name)}>{t('copy.command')}</CopyButton>
      </div>
    </aside>
  )
}

/** Begins with the configuration of another training, once per address. */
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

/** Dotted path → what the service says about it. */
function problemsOf(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof MedloomError)) return new Map()
  return new Map(
    error.issues.map(({ path, message, hint }) => [
      path.replace(/^config\./, ''),
      hint ? `${message}. ${hint}` : message,
    ]),
  )
}
