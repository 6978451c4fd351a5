import { inEnglish, NODES, phrase } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { draw } from '../../testing/draw.js'
import { type CheckContext, checkWorkflow } from './check-workflow.js'
import { configurationOfDocument } from './configuration/configuration.service.js'
import { checkDocument } from './document-check.js'
import { RunPlanner } from './runs/run-planner.js'
import { workflowOf } from './workflow-of.js'
import { WorkflowsService } from './workflows.service.js'

const workflow = draw({ fusion: ['SelectFusion'] }, [], 'one')
const checkContext = {
  custom: { known: async () => ({ catalog: NODES, problems: [] }) },
} as unknown as CheckContext
const stored = { workflow_id: 'a', revision: 1, digest: '', workflow, owner: null }
const changes: string[] = []
const workflows = new WorkflowsService({
  checkContext,
  repository: {
    find: async () => stored,
    revisions: { draftTime: async () => undefined },
    database: { transaction: () => void changes.push('transaction') },
  },
} as unknown as ConstructorParameters<typeof WorkflowsService>[0])
const planner = new RunPlanner({ checkContext } as unknown as ConstructorParameters<typeof RunPlanner>[0])
const remember = async () => undefined
const body = { ...workflow }

test.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
  ['reading a document', (signal) => workflowOf(body, signal)],
  ['creating a workflow', (signal) => workflows.create(body, null, remember, signal)],
  ['replacing a workflow', (signal) => workflows.update('a', body, signal)],
  ['getting a workflow', (signal) => workflows.get('a', signal)],
  ['planning a run', (signal) => planner.plan('a', workflow, {}, signal)],
  [
    'converting to a configuration',
    (signal) => configurationOfDocument({ workflow: body }, checkContext, signal),
  ],
  [
    'checking a document',
    (signal) =>
      checkDocument(
        { workflow: body },
        { planner, workflows: { has: async () => true }, checkContext, signal },
      ),
  ],
])('%s ends with its caller, at the next step', async (_, work) => {
  const message = inEnglish([phrase('caller_disconnected')])
  await expect(work(AbortSignal.abort())).rejects.toThrow(message)
  expect(changes).toEqual([])
})

test('planning ends with its caller also after the check', async () => {
  const checked = await checkWorkflow(workflow, checkContext)
  const parts = {
    checkContext,
    cache: { preload: async () => undefined, peekMany: async () => new Map() },
    sources: { ofMany: () => async () => '' },
    software: { get: async () => ({}) },
    implicitInput: async () => undefined,
  }
  const own = new RunPlanner(parts as unknown as ConstructorParameters<typeof RunPlanner>[0])
  await expect(own.planOf(checked, {}, { signal: AbortSignal.abort() })).rejects.toThrow(
    inEnglish([phrase('caller_disconnected')]),
  )
})
