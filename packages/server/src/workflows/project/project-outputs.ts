import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type NodeContent,
  type NodeState,
  type RunStatus,
  type Workflow,
  withoutSmallSubgroups,
} from '@medloom/contracts'
import type { Outputs } from '@medloom/workflow'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { forEachLimit } from '../../concurrency/for-each-limit.js'
import { writeJsonAtomically, writeTextAtomically } from '../../storage/files.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import { type ProjectFolder, safeName } from './project-folder.js'

export interface RunOutcome {
  readonly run: { readonly run_id: string; readonly created_at: string; readonly workflow: Workflow }
  readonly status: RunStatus
  readonly reason: string | null
  readonly nodes: ReadonlyMap<string, NodeState>
  readonly outputs: ReadonlyMap<string, Outputs>
  /** Nodes whose result differs from that of the previous run. */
  readonly renewed: readonly { readonly node: string; readonly key: string }[]
}

const MAX_CONCURRENT_FILES = 8

/** Writes metrics, summary and the descriptions of all results into the project folder, next to the files of the nodes. */
export async function keepOutputs(
  project: ProjectFolder,
  store: ArtifactStore,
  outcome: RunOutcome,
): Promise<void> {
  await project.create()
  const contents = [...outcome.outputs].flatMap(([node, values]) =>
    Object.values(values).map(({ content }) => ({ node, content: content as NodeContent })),
  )
  await keepMetrics(project, store, contents)
  // Copies for reading, possibly thousands: an fsync for each would be too slow.
  await forEachLimit(MAX_CONCURRENT_FILES, outcome.renewed, async ({ node, key }) => {
    const values = outcome.outputs.get(node) ?? {}
    const outputs = Object.fromEntries(
      Object.entries(values).map(([port, { type, digest, summary }]) => [port, { type, digest, summary }]),
    )
    await writeFile(
      join(project.path, 'cache', `${safeName(node)}.json`),
      `${JSON.stringify({ node, key, outputs }, null, 2)}\n`,
    )
  })
  await keepSummary(project, outcome, contents)
}

/** metrics/metrics.json: the epochs of each training; metrics/validation.json: the numbers of each evaluation. */
async function keepMetrics(
  project: ProjectFolder,
  store: ArtifactStore,
  contents: readonly { node: string; content: NodeContent }[],
): Promise<void> {
  for (const [sort, file] of [
    ['history', 'metrics.json'],
    ['evaluation', 'validation.json'],
  ] as const) {
    const documents: Record<string, unknown> = {}
    for (const { node, content } of contents)
      if (content.content === sort)
        documents[node] = withoutSmallSubgroups(
          JSON.parse(await readFile(await store.open(content.document), 'utf8')),
        )
    if (Object.keys(documents).length > 0)
      await writeJsonAtomically(join(project.path, 'metrics', file), { nodes: documents })
  }
}

/** reports/summary.json and reports/report.md: the nodes that ran, their status, and the resulting metrics. */
async function keepSummary(
  project: ProjectFolder,
  { run, status, reason, nodes }: RunOutcome,
  contents: readonly { node: string; content: NodeContent }[],
): Promise<void> {
  const metrics = Object.fromEntries(
    contents.flatMap(({ node, content }) => ('metrics' in content ? [[node, content.metrics]] : [])),
  )
  const summary = {
    run_id: run.run_id,
    started_at: run.created_at,
    status,
    reason,
    nodes: Object.fromEntries(
      [...nodes].map(([id, { status, reason, duration, error, outputs, warnings = [] }]) => [
        id,
        {
          status,
          reason,
          duration,
          error: error && { type: error.type, message: error.message },
          outputs,
          warnings,
        },
      ]),
    ),
    metrics,
  }
  const report = await markdown(run, status, reason, nodes, metrics)
  await Promise.all([
    writeJsonAtomically(join(project.path, 'reports', 'summary.json'), summary),
    writeTextAtomically(join(project.path, 'reports', 'report.md'), report),
  ])
}

async function markdown(
  run: RunOutcome['run'],
  status: RunStatus,
  reason: string | null,
  nodes: RunOutcome['nodes'],
  metrics: Readonly<Record<string, Readonly<Record<string, number | null>>>>,
): Promise<string> {
  const types = new Map(run.workflow.nodes.map(({ id, type }) => [id, type]))
  const cell = (text: string) => text.replaceAll(/[\\|<>[\]`*_]/g, '\\$&').replaceAll(/\s+/g, ' ')
  const rows: string[] = []
  const warned: string[] = []
  for (const [id, { status, duration, outputs, error, reason, warnings = [] }] of nodes) {
    await yieldIfDue()
    warned.push(...warnings.map(({ code, message }) => `- ${cell(id)}: ${cell(message)} [${code}]`))
    const remark =
      error?.message ??
      (Object.values(outputs)
        .map(({ summary }) => summary)
        .join('; ') ||
        (reason ?? ''))
    const time = duration === null ? '–' : `${duration.toFixed(1)} s`
    rows.push(`| ${cell(id)} | ${cell(types.get(id) ?? '')} | ${status} | ${time} | ${cell(remark)} |`)
  }
  const numbers = Object.entries(metrics).map(
    ([node, values]) =>
      `## ${cell(node)}\n\n| metric | value |\n|---|---|\n${Object.entries(values)
        .map(([name, value]) => `| ${cell(name)} | ${value === null ? '–' : value} |`)
        .join('\n')}\n`,
  )
  return `# ${cell(run.workflow.metadata.name || 'Workflow')}

Run ${run.run_id} of ${run.created_at}: ${status}${reason === null ? '' : ` (${cell(reason)})`}.

| node | type | status | time | result |
|---|---|---|---|---|
${rows.join('\n')}

${warned.length === 0 ? '' : `## Warnings\n\n${warned.join('\n')}\n\n`}${numbers.join('\n')}`
}
