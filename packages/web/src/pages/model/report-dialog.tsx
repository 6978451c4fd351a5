import type { ReportFormat } from '@medloom/contracts/plain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { invalidate, routeQuery, service, urlOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ReportWriter } from '../../components/report-writer'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Document } from './view-props'

/** Report of the current evaluation: as a page immediately, in other formats on request. */
export function ReportDialog({
  document: { evaluation_id, job_id, kind },
  onClose,
}: {
  readonly document: Document
  readonly onClose: () => void
}) {
  const t = useText(text)
  const folder = kind === 'evaluation' ? `evaluations/${evaluation_id}` : 'reports'
  const write = useMutation({
    mutationFn: (format: ReportFormat) => service.reportEvaluation({ evaluation_id, formats: [format] }),
    onSuccess: () => invalidate('listJobFiles'),
  })
  return (
    <Dialog title={t('report.title')} isOpen onClose={onClose}>
      <ReportFiles jobId={job_id} under={folder} />
      <ReportWriter first="pdf" isWriting={write.isPending} onWrite={write.mutate} />
      {write.isError && <Problem error={write.error} />}
    </Dialog>
  )
}

function ReportFiles({ jobId, under }: { readonly jobId: string; readonly under: string }) {
  const t = useText(text)
  const format = useFormatters()
  const files = useQuery(routeQuery('listJobFiles', { job_id: jobId, under, page_size: 1000 }))
  if (files.isError) return <Problem error={files.error} />
  if (!files.data) return <Skeleton height={4} />
  const reports = files.data.files.filter(({ path }) => path.startsWith(`${under}/report.`))
  if (reports.length === 0) return <p>{t('report.none')}</p>
  return (
    <ul className={styles.files}>
      {reports.map(({ path, size_bytes, changed_at }) => (
        <li key={path}>
          <FileLink
            href={urlOf('getJobFile', { job_id: jobId, path })}
            icon={path.endsWith('.html') ? 'external' : 'download'}
          >
            {path.slice(under.length + 1)}
          </FileLink>
          <span className={styles.soft}>
            {format.bytes(size_bytes)} · {format.moment(changed_at)}
          </span>
        </li>
      ))}
    </ul>
  )
}
