import { MedloomError } from '@medloom/client'
import type { RouteResponse } from '@medloom/contracts'
import { service } from '../../app/service'
import type { Document } from '../core/document'

/** A workflow as the service has it: the revision, and the draft that changes it. */
export interface Version extends Pick<RouteResponse<'getWorkflow'>, 'workflow' | 'revision'> {
  readonly draft: Pick<RouteResponse<'getDraft'>, 'workflow' | 'updated_at'> | null
}

export async function readVersion(workflow_id: string, signal?: AbortSignal): Promise<Version> {
  const options = signal ? { signal } : {}
  const { workflow, revision, draft_updated_at } = await service.getWorkflow({ workflow_id }, options)
  if (draft_updated_at === null) return { workflow, revision, draft: null }
  try {
    return { workflow, revision, draft: await service.getDraft({ workflow_id }, options) }
  } catch (error) {
    // Saved or dropped between the two questions.
    if (error instanceof MedloomError && error.code === 'DRAFT_NOT_FOUND')
      return readVersion(workflow_id, signal)
    throw error
  }
}

/** What an editor shows of it. A draft holds no executions; those of the workflow stay. */
export function documentOf({ workflow, draft }: Version): Document {
  return draft ? { ...draft.workflow, execution_history: workflow.execution_history } : workflow
}
