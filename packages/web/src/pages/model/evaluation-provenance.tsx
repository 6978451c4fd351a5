import { Link } from '@tanstack/react-router'
import { urlOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { ProvenanceFacts, ProvenanceSection } from '../../provenance/provenance'
import { useFormatters } from '../../text/formatters'
import { provenance as text } from '../../text/provenance'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Document } from './view-props'

/** Provenance of every number of this evaluation: training, data, configuration, versions, and the files themselves. */
export function EvaluationProvenance({ document }: { readonly document: Document }) {
  const t = useText(text)
  const format = useFormatters()
  const { job_id, job_name, result, evaluation_id, created_at, kind, config } = document
  const jobId = { jobId: job_id }
  const { source, software, split } = result
  return (
    <ProvenanceSection>
      <ProvenanceFacts
        provenance={{
          key: evaluation_id,
          source: [
            t('training'),
            <Link key="job" to="/runs/$jobId" params={jobId}>
              {job_name}
            </Link>,
          ],
          data: [{ part: split, name: source.csv, digest: source.digest }],
          configuration: (
            <Link to="/runs/$jobId" params={jobId} search={{ tab: 'configuration' }}>
              {t('open')}
            </Link>
          ),
          seed: config.training.seed,
          software,
          more: [
            [t('evaluation'), <code key="id">{evaluation_id}</code>],
            [t('measured'), format.moment(created_at)],
            [
              t('checkpoint'),
              <code key="checkpoint">{`${source.checkpoint} · ${source.checkpoint_digest}`}</code>,
            ],
          ],
        }}
      />
      <div className={styles.chosen}>
        {filesOf(kind, evaluation_id, result.predictions).map((path) => (
          <FileLink key={path} href={urlOf('getJobFile', { job_id, path })}>
            {path.slice(path.lastIndexOf('/') + 1)}
          </FileLink>
        ))}
      </div>
    </ProvenanceSection>
  )
}

/** The document, and the table of predictions next to it. */
function filesOf(kind: Document['kind'], evaluationId: string, predictions: string): string[] {
  if (kind === 'evaluation')
    return ['evaluation.json', predictions].map((name) => `evaluations/${evaluationId}/${name}`)
  return [`metrics/${kind}.json`, `metrics/${predictions}`]
}
