import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { routeQuery } from '../app/service'
import { Problem } from '../components/problem'
import { Skeleton } from '../components/skeleton'
import { provenance as text } from '../text/provenance'
import { useText } from '../text/use-text'
import { type Provenance, ProvenanceFacts, ProvenanceSection } from './provenance'

type Job = RouteResponse<'getJobStatus'>

/** A list may contain hundreds of trainings; each is read only when the user opens the section. */
const MAX_JOBS = 12

/** Provenance of the results of these trainings. */
export function JobsProvenance({ ids }: { readonly ids: readonly string[] }) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  return (
    <ProvenanceSection onOpen={() => setOpen(true)}>
      {isOpen && ids.slice(0, MAX_JOBS).map((id) => <JobProvenance key={id} id={id} />)}
      {ids.length === 0 && <p>{t('none')}</p>}
      {ids.length > MAX_JOBS && <p>{t('more', { count: ids.length - MAX_JOBS })}</p>}
    </ProvenanceSection>
  )
}

function JobProvenance({ id }: { readonly id: string }) {
  const job = useQuery(routeQuery('getJobStatus', { job_id: id }))
  // A killed training may have left a model without an evaluation; an ensemble has no evaluation of its own.
  const hasEvaluation = job.data?.status === 'completed' && !job.data.ensemble
  const evaluation = useQuery({
    ...routeQuery('getEvaluation', { evaluation_id: `validation-${id}` }),
    enabled: hasEvaluation,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const provenanceOf = useJobProvenance()
  if (job.error) return <Problem error={job.error} />
  if (!job.data || (hasEvaluation && evaluation.isPending)) return <Skeleton height={10} />
  return (
    <ProvenanceFacts
      provenance={provenanceOf(
        job.data,
        hasEvaluation ? (evaluation.data?.result.software ?? null) : undefined,
      )}
    />
  )
}

/** Provenance of a training; `software` is the software that evaluated its cases. */
function useJobProvenance(): (job: Job, software: Provenance['software']) => Provenance {
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
