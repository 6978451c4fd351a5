import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import { service } from '../../app/service'
import type { Document } from '../core/document'

/** A workflow as the service stores it: the revision, and the draft on top of it. */
export interface StoredVersion extends Pick<RouteResponse<'getWorkflow'>, 'workflow' | 'revision'> {
  readonly draft: Pick<RouteResponse<'getDraft'>, 'workflow' | 'updated_at'> | null
}

export async function readStoredVersion(workflow_id: string, signal?: AbortSignal): Promise<StoredVersion> {
  const options = signal ? { signal } : {}
  const { workflow, revision, draft_updated_at } = await service.getWorkflow({ workflow_id }, options)
  if (draft_updated_at === null) return { workflow, revision, draft: null }
  try {
    return { workflow, revision, draft: await service.getDraft({ workflow_id }, options) }
  } catch (error) {
    // The draft was saved or discarded between the two requests.
    if (error instanceof MedloomError && error.code === 'DRAFT_NOT_FOUND')
      return readStoredVersion(workflow_id, signal)
    throw error
  }
}

/** Document for the editor. A draft contains no execution history, so that of the workflow is used. */
export function documentOf({ workflow, draft }: StoredVersion): Document {
  return draft ? { ...draft.workflow, execution_history: workflow.execution_history } : workflow
}
