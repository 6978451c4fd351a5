import type { RouteResponse } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { useServiceText } from '../../components/service-text'
import { ProvenanceFacts, ProvenanceSection } from '../../provenance/provenance'
import { editor } from '../../text/editor'
import { provenance as text } from '../../text/provenance'
import { useText } from '../../text/use-text'

type Run = RouteResponse<'getWorkflowRun'>

/** Provenance of the values of a run: the document as it ran, and the results of its nodes. */
export function RunProvenance({ run }: { readonly run: Run }) {
  const t = useText(text)
  const words = useText(editor)
  const textOf = useServiceText()
  const { workflow_id: workflowId, run_id, workflow, nodes } = run
  const link = (
    <Link to="/workflows/$workflowId" params={{ workflowId }}>
      {workflow.metadata.name || words('untitled')}
    </Link>
  )
  const jobs = Object.entries(nodes).flatMap(([node, { job_id }]) =>
    job_id ? [[node, job_id] as const] : [],
  )
  return (
    <ProvenanceSection>
      <ProvenanceFacts
        provenance={{
          key: run_id,
          source: [t('workflow'), link],
          data: Object.entries(nodes).flatMap(([node, { outputs }]) =>
            Object.entries(outputs).map(([port, { summary, summary_phrases, digest }]) => ({
              part: `${node} · ${port}`,
              name: textOf(summary, summary_phrases),
              digest,
            })),
          ),
          more: [
            [t('run'), run_id],
            ...jobs.map(
              ([node, jobId]) =>
                [
                  `${t('training')} · ${node}`,
                  <Link key={jobId} to="/runs/$jobId" params={{ jobId }}>
                    {jobId}
                  </Link>,
                ] as const,
            ),
          ],
        }}
      />
    </ProvenanceSection>
  )
}
