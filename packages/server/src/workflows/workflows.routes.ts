import { type HandlersOf, JsonText } from '../http/bind.js'
import type { DiskCache } from './cache/disk-cache.js'
import type { NodeRoutes } from './nodes.routes.js'
import type { PreviewsService } from './preview/previews.service.js'
import type { RunsService } from './runs/runs.service.js'
import { readTemplates } from './templates.js'
import type { WorkflowsService } from './workflows.service.js'

export type WorkflowRoutes = Omit<HandlersOf<'workflows'>, keyof NodeRoutes>

export function workflowsRoutes(
  workflows: WorkflowsService,
  runs: RunsService,
  cache: DiskCache,
  previews: PreviewsService,
): WorkflowRoutes {
  return {
    createWorkflow: ({ body, remember }) => workflows.create(body, remember),
    importWorkflow: ({ body, remember }) => workflows.create(body, remember),
    listWorkflows: async ({ query }) => {
      const { items, next_page_token } = await workflows.list(query.page_size, query.page_token)
      return { workflows: items, next_page_token }
    },
    listTemplates: async () => ({ templates: await readTemplates() }),
    getCache: () => cache.state(),
    clearCache: async () => ({ cleared: await workflows.clearCache() }),
    getWorkflow: ({ params }) => workflows.get(params.workflow_id),
    updateWorkflow: ({ params, body }) => workflows.update(params.workflow_id, body),
    deleteWorkflow: async ({ params }) => {
      await workflows.remove(params.workflow_id)
      return { workflow_id: params.workflow_id }
    },
    executeWorkflow: ({ params, body: { dry_run, ...request }, remember }) =>
      dry_run
        ? runs.plan(params.workflow_id, request)
        : runs.execute(params.workflow_id, { ...request, dry_run }, remember),
    planWorkflow: ({ params, body }) => runs.plan(params.workflow_id, body),
    getWorkflowStatus: ({ params, query }) => runs.status(params.workflow_id, query.run_id),
    previewNode: ({ params, query, signal }) => previews.preview(params.workflow_id, query, signal),
    listWorkflowRuns: async ({ params, query }) => {
      const { items, next_page_token } = await runs.list(
        params.workflow_id,
        query.page_size,
        query.page_token,
      )
      return { runs: items, next_page_token }
    },
    cancelWorkflow: ({ params }) => runs.cancel(params.workflow_id),
    exportWorkflow: async ({ params }) => new JsonText(await workflows.export(params.workflow_id)),
    clearWorkflowCache: async ({ params, query }) => ({
      cleared: await workflows.clearCache(params.workflow_id, query.node),
    }),
  }
}
