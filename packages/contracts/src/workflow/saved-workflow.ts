import { z } from 'zod'
import type { ErrorIssue } from '../codes/index.js'
import { hintOf, messageOf, PHRASES, phrase } from '../phrases/index.js'
import { Timestamp } from '../timestamp.js'
import { type Checked, check } from '../validation/check.js'
import { checkSteps } from '../validation/check-steps.js'
import { NO_CONTROL_CHARACTERS } from '../validation/no-control-characters.js'
import { EarlierDefault } from './earlier-defaults.js'
import { MARK_COLORS, NODE_MODES } from './marks.js'
import { migrateWorkflow, WORKFLOW_VERSION } from './migrations.js'

/**
 * The saved workflow. Objects are loose: an unknown field survives reading and writing (except "__proto__", which a JavaScript object cannot
 * hold safely). An unknown node type is stored with its config and connections; the engine treats it as a placeholder.
 */

export const WORKFLOW_LIMITS = {
  workflow_nodes: 20_000,
  workflow_connections: 100_000,
  workflow_bytes: 16 * 1024 * 1024,
  workflow_depth: 32,
  /** Values in a body with a workflow: see body_values. */
  workflow_values: 2_000_000,
  /** Keys in the config of one node. */
  workflow_config_keys: 1000,
  /** Maximum number of groups, and of notes. */
  workflow_marks: 1000,
  /** Executions in the file, the latest ones; the service stores all. */
  workflow_executions: 100,
} as const

const id = z.string().min(1).max(200).regex(NO_CONTROL_CHARACTERS, { error: PHRASES.control_characters })
const name = z.string().min(1).max(200)
const position = z.looseObject({ x: z.number(), y: z.number() })

const color = z
  .enum(MARK_COLORS)
  .optional()
  .meta({ description: 'Color for display; not part of the cache key' })

export const WorkflowNode = z
  .looseObject({
    id: id.meta({ description: 'Unique within the workflow' }),
    type: name.meta({ description: 'Node type in the catalog' }),
    position: position.default({ x: 0, y: 0 }),
    config: z.record(z.string(), z.unknown()).default({}),
    mode: z.enum(NODE_MODES).optional().meta({
      description:
        'muted: the node and nodes that depend only on it do not run. bypassed: the node does not run, and each output returns the value of an input of the same type. Absent: the node runs',
    }),
    color,
  })
  .meta({ id: 'WorkflowNode' })
export type WorkflowNode = z.infer<typeof WorkflowNode>

export const WorkflowConnection = z
  .looseObject({
    id: id.meta({ description: 'Unique within the workflow' }),
    source: id.meta({ description: 'Source node' }),
    source_port: name,
    target: id.meta({ description: 'Target node' }),
    target_port: name,
  })
  .meta({ id: 'WorkflowConnection' })
export type WorkflowConnection = z.infer<typeof WorkflowConnection>

/** A frame around nodes. */
export const WorkflowGroup = z
  .looseObject({
    id: id.meta({ description: 'Unique among the groups' }),
    title: z.string().max(200).default(''),
    nodes: z.array(id).max(WORKFLOW_LIMITS.workflow_nodes).meta({
      description: 'Ids of the nodes in the group; unknown ids are ignored',
    }),
    color,
  })
  .meta({ id: 'WorkflowGroup' })
export type WorkflowGroup = z.infer<typeof WorkflowGroup>

/** A text next to the nodes. */
export const WorkflowNote = z
  .looseObject({
    id: id.meta({ description: 'Unique among the notes' }),
    text: z.string().max(10_000),
    position,
    size: z.looseObject({ width: z.number().min(0), height: z.number().min(0) }).optional(),
    color,
  })
  .meta({ id: 'WorkflowNote' })
export type WorkflowNote = z.infer<typeof WorkflowNote>

export const WorkflowMetadata = z
  .looseObject({
    name: z.string().max(200).default(''),
    description: z.string().max(100_000).default(''),
    author: z.string().max(1000).default(''),
    created_at: Timestamp.optional(),
    tags: z.array(z.string().max(200)).max(1000).default([]),
  })
  .meta({ id: 'WorkflowMetadata' })

export const WorkflowExecution = z
  .looseObject({
    timestamp: Timestamp,
    status: z.string(),
    duration: z.number().meta({ description: 'Seconds' }),
    metrics: z.record(z.string(), z.number().nullable()).default({}),
  })
  .meta({ id: 'WorkflowExecution' })

export const Workflow = z
  .looseObject({
    version: z.string().meta({
      description: `Format version, currently ${WORKFLOW_VERSION}. It also determines the defaults of the nodes: a file of an earlier version runs with the defaults of that version.`,
    }),
    metadata: WorkflowMetadata.prefault({}),
    nodes: z.array(WorkflowNode).max(WORKFLOW_LIMITS.workflow_nodes),
    connections: z.array(WorkflowConnection).max(WORKFLOW_LIMITS.workflow_connections),
    groups: z.array(WorkflowGroup).max(WORKFLOW_LIMITS.workflow_marks).optional(),
    notes: z.array(WorkflowNote).max(WORKFLOW_LIMITS.workflow_marks).optional(),
    earlier_defaults: z.array(EarlierDefault).max(WORKFLOW_LIMITS.workflow_nodes).optional().meta({
      description:
        'Settings that were written into an older file because their default has changed; POST /api/workflow/upgrade uses the current defaults',
    }),
    execution_history: z
      .array(WorkflowExecution)
      .default([])
      .meta({
        description: `One entry per run, latest last. A saved file contains the newest ${WORKFLOW_LIMITS.workflow_executions} entries.`,
      }),
  })
  .meta({ id: 'Workflow', title: 'Saved workflow' })
export type Workflow = z.infer<typeof Workflow>

/** Reads a saved workflow of any known version. It checks the structure; the engine decides whether the workflow can run. */
export function readWorkflow(input: unknown, place = ''): Checked<Workflow> {
  const steps = readWorkflowSteps(input, place)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same in short steps, so that its caller can do other work in between. */
export function* readWorkflowSteps(input: unknown, place = ''): Generator<void, Checked<Workflow>, void> {
  if (!isObject(input)) return check(Workflow, input, place)
  const tooMuch = yield* beyondLimits(input, place)
  if (tooMuch.length > 0) return { ok: false, issues: tooMuch }
  const migrated = migrateWorkflow(input, place)
  yield
  return migrated.ok ? yield* checkSteps(Workflow, migrated.value.document, place) : migrated
}

/** File of a workflow, with identical bytes for identical content: sorted keys, two spaces, one line feed at the end. */
export function writeWorkflow(workflow: Workflow): string {
  return `${JSON.stringify(workflow, sortKeys, 2)}\n`
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function* beyondLimits(input: Record<string, unknown>, place: string): Generator<void, ErrorIssue[], void> {
  const counts = [
    ['nodes', input.nodes, 'too_many_nodes', WORKFLOW_LIMITS.workflow_nodes],
    ['connections', input.connections, 'too_many_connections', WORKFLOW_LIMITS.workflow_connections],
    ...nodesOfGroups(input.groups),
  ] as const
  const issues = counts.flatMap(([key, items, code, most]): ErrorIssue[] => {
    if (!Array.isArray(items) || items.length <= most) return []
    return [
      {
        path: place ? `${place}.${key}` : key,
        code: 'WORKFLOW_TOO_LARGE',
        ...messageOf(phrase(code, { count: String(items.length), most: String(most) })),
        ...hintOf(phrase('divide_workflow')),
      },
    ]
  })
  if (issues.length === 0 && (yield* deeperThan(input, WORKFLOW_LIMITS.workflow_depth)))
    issues.push({
      path: place,
      code: 'WORKFLOW_TOO_DEEP',
      ...messageOf(phrase('workflow_too_deep', { most: String(WORKFLOW_LIMITS.workflow_depth) })),
      ...hintOf(phrase('reduce_nesting')),
    })
  return issues.length > 0 ? issues : oversizedConfig(input.nodes, place ? `${place}.nodes` : 'nodes')
}

function nodesOfGroups(groups: unknown) {
  if (!Array.isArray(groups)) return []
  return groups.slice(0, WORKFLOW_LIMITS.workflow_marks).map((group, number) => {
    const nodes: unknown = isObject(group) ? group.nodes : undefined
    return [`groups.${number}.nodes`, nodes, 'too_many_nodes', WORKFLOW_LIMITS.workflow_nodes] as const
  })
}

/** Every key of a config is compared with those of its node type. */
function oversizedConfig(nodes: unknown, place: string): ErrorIssue[] {
  if (!Array.isArray(nodes)) return []
  const keysOf = (node: unknown) =>
    isObject(node) && isObject(node.config) ? Object.keys(node.config).length : 0
  const number = nodes.findIndex((node) => keysOf(node) > WORKFLOW_LIMITS.workflow_config_keys)
  if (number === -1) return []
  return [
    {
      path: `${place}.${number}.config`,
      code: 'WORKFLOW_TOO_LARGE',
      ...messageOf(
        phrase('too_many_settings', {
          count: String(keysOf(nodes[number])),
          most: String(WORKFLOW_LIMITS.workflow_config_keys),
        }),
      ),
      ...hintOf(phrase('remove_unknown_keys')),
    },
  ]
}

/** Breadth-first, so that a hostile depth does not exhaust the stack. */
function* deeperThan(input: object, most: number): Generator<void, boolean, void> {
  let level: object[] = [input]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    const next: object[] = []
    for (const value of level) {
      for (const inner of Object.values(value))
        if (inner !== null && typeof inner === 'object') next.push(inner)
      yield
    }
    level = next
  }
  return false
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
