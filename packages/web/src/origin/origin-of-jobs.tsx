import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../app/service'
import { Problem } from '../components/problem'
import { Skeleton } from '../components/skeleton'
import { origin as text } from '../text/origin'
import { useText } from '../text/use-text'
import { type Origin, OriginFacts, WhereFrom } from './origin'

type Job = RouteResponse<'getJobStatus'>

/** A list may contain hundreds of trainings; each is read only when the user opens the section. */
const MOST = 12

/** Provenance of the results of these trainings. */
export function WhereFromJobs({ ids }: { readonly ids: readonly string[] }) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  return (
    <WhereFrom onOpen={() => setOpen(true)}>
      {isOpen && ids.slice(0, MOST).map((id) => <OfJob key={id} id={id} />)}
      {ids.length === 0 && <p>{t('none')}</p>}
      {ids.length > MOST && <p>{t('more', { count: ids.length - MOST })}</p>}
    </WhereFrom>
  )
}

function OfJob({ id }: { readonly id: string }) {
  const job = useQuery(read('getJobStatus', { job_id: id }))
  // A killed training may have left a model without an evaluation; an ensemble has no evaluation of its own.
  const hasMeasured = job.data?.status === 'completed' && !job.data.ensemble
  const measured = useQuery({
    ...read('getEvaluation', { evaluation_id: `validation-${id}` }),
    enabled: hasMeasured,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const origin = useOriginOfJob()
  if (job.error) return <Problem error={job.error} />
  if (!job.data || (hasMeasured && measured.isPending)) return <Skeleton height={10} />
  return (
    <OriginFacts
      origin={origin(job.data, hasMeasured ? (measured.data?.result.software ?? null) : undefined)}
    />
  )
}

/** Provenance of a training; `software` is the software that evaluated its cases. */
function useOriginOfJob(): (job: Job, software: Origin['software']) => Origin {
  const t = useText(text)
  return ({ job_id, job_name, config, prepared }, software) => {
    const digests = prepared ? Object.entries(prepared.data_digests) : [['train', null] as const]
    return {
      key: job_id,
      source: [
        t('training'),
        <Link key="job" to="/runs/$jobId" params={{ jobId: job_id }}>
          {job_name}
        </Link>,
      ],
      data: digests.map(([part, digest]) => ({ part, digest, name: tableOf(config, part) })),
      configuration: (
        <Link to="/runs/$jobId" params={{ jobId: job_id }} search={{ tab: 'configuration' }}>
          {t('open')}
        </Link>
      ),
      seed: config.training.seed,
      ...(software === undefined ? {} : { software }),
    }
  }
}

/** A split without its own table is part of the first table. */
function tableOf({ data }: Job['config'], split: string): string {
  const tables: Readonly<Record<string, string | null>> = { val: data.val_csv, test: data.test_csv }
  return tables[split] ?? data.train_csv
}
