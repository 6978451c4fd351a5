import { earlierDefaults, upgradedWorkflow, workflowOfTraining } from '@medloom/contracts'
import { type HandlersOf, JsonText } from '../http/bind.js'
import type { RouteOfAny } from '../http/route-processes.js'
import { resolveOwner } from '../people/resolve-owner.js'
import type { DiskCache } from './cache/disk-cache.js'
import type { NodeRoutes } from './nodes.routes.js'
import type { PreviewsService } from './preview/previews.service.js'
import type { RevisionsService } from './revisions/revisions.service.js'
import type { RunsService } from './runs/runs.service.js'
import { workflowOf } from './workflow-of.js'
import type { WorkflowReader } from './workflow-reader.js'
import type { WorkflowsService } from './workflows.service.js'

export type WorkflowRoutes = Omit<HandlersOf<'workflows'>, keyof NodeRoutes>
export type WorkflowReadRoutes = Pick<WorkflowRoutes, RouteOfAny & keyof WorkflowRoutes>

/** Routes of every process: it reads rows, and stores drafts. */
export function workflowReadRoutes(reader: WorkflowReader, revisions: RevisionsService): WorkflowReadRoutes {
  return {
    workflowOfTraining: ({ body }) => workflowOfTraining(body.config, body.name),
    upgradeWorkflow: async ({ body, signal }) => {
      const workflow = await workflowOf(body.workflow, signal)
      return { changes: earlierDefaults(workflow), workflow: upgradedWorkflow(workflow) }
    },
    listWorkflows: async ({ query, actor }) => {
      const { owner } = resolveOwner(actor, query)
      const { items, next_page_token } = await reader.list(query.page_size, query.page_token, owner)
      return { workflows: items, next_page_token }
    },
    listWorkflowRuns: async ({ params, query, actor }) => {
      const { items, next_page_token } = await reader.listRuns(
        params.workflow_id,
        query.page_size,
        query.page_token,
        resolveOwner(actor, query).owner,
      )
      return { runs: items, next_page_token }
    },
    listWorkflowRevisions: async ({ params, query }) => {
      const { items, next_page_token } = await revisions.list(
        params.workflow_id,
        query.page_size,
        query.page_token,
      )
      return { revisions: items, next_page_token }
    },
    getWorkflowRevision: ({ params }) => revisions.get(params.workflow_id, params.revision),
    getWorkflowDifference: ({ params, query }) => revisions.difference(params.workflow_id, query),
    getDraft: ({ params }) => revisions.draft(params.workflow_id),
    saveDraft: ({ params, body }) => revisions.saveDraft(params.workflow_id, body),
    deleteDraft: ({ params }) => revisions.removeDraft(params.workflow_id),
    exportWorkflow: async ({ params }) => new JsonText(await reader.export(params.workflow_id)),
  }
}

/** Routes of the process that runs workflows. */
export function workflowControlRoutes(
  workflows: WorkflowsService,
  runs: RunsService,
  cache: DiskCache,
  previews: PreviewsService,
): Omit<WorkflowRoutes, keyof WorkflowReadRoutes> {
  return {
    createWorkflow: ({ body, actor, remember, signal }) =>
      workflows.create(body, actor.user, remember, signal),
    importWorkflow: ({ body, actor, remember, signal }) =>
      workflows.create(body, actor.user, remember, signal),
    checkWorkflow: ({ body, signal }) => runs.checkDocument(body, signal),
    configurationOfWorkflow: ({ body, signal }) => workflows.configurationOf(body, signal),
    listTemplates: async ({ query }) => ({ templates: await workflows.templatesFor(query.dataset_id) }),
    getCache: () => cache.state(),
    clearCache: async () => ({ cleared: await workflows.clearCache() }),
    getWorkflow: ({ params, signal }) => workflows.get(params.workflow_id, signal),
    updateWorkflow: ({ params, body, signal }) => workflows.update(params.workflow_id, body, signal),
    deleteWorkflow: async ({ params }) => {
      await workflows.remove(params.workflow_id)
      return { workflow_id: params.workflow_id }
    },
    executeWorkflow: ({ params, body: { dry_run, ...request }, actor, remember, signal }) =>
      dry_run
        ? runs.plan(params.workflow_id, request, signal)
        : runs.execute(params.workflow_id, { ...request, dry_run, owner: actor.user }, remember),
    planWorkflow: ({ params, body, signal }) => runs.plan(params.workflow_id, body, signal),
    getWorkflowStatus: ({ params, query }) => runs.status(params.workflow_id, query.run_id),
    previewNode: ({ params, query, signal }) => previews.preview(params.workflow_id, query, signal),
    getPortValue: ({ params, query }) => previews.value(params.workflow_id, query),
    getPortFile: ({ params, query }) => previews.file(params.workflow_id, params.path, query),
    getWorkflowRun: ({ params }) => runs.get(params.workflow_id, params.run_id),
    getWorkflowRunLog: ({ params, query }) => runs.log(params.workflow_id, params.run_id, query.limit),
    cancelWorkflow: ({ params }) => runs.cancel(params.workflow_id),
    clearWorkflowCache: async ({ params, query }) => ({
      cleared: await workflows.clearCache(params.workflow_id, query.node),
    }),
  }
}
