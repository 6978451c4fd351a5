import {
  check,
  NO_EFFECT,
  type NodeDefinition,
  TrainingConfig,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'
import type { Arriving, Setting } from './infer.js'

/**
 * At a node that trains, everything that nodes above have set meets. Checked here: the rules that span several keys (they are those of
 * TrainingConfig, not a copy), and facets that the model reads but the data lack.
 */
export function checkTraining(
  node: WorkflowNode,
  definition: NodeDefinition,
  arriving: Arriving,
  own: Readonly<Record<string, Setting>>,
): WorkflowIssue[] {
  if (definition.runs !== 'job' || !arriving.model) return []
  const settings: Record<string, Setting> = { ...own }
  for (const value of Object.values(arriving))
    for (const [key, setting] of Object.entries(value.settings ?? {})) settings[key] ??= setting
  return [...crossKeyIssues(node, settings), ...missingFacets(node, arriving, settings)]
}

function crossKeyIssues(node: WorkflowNode, settings: Readonly<Record<string, Setting>>): WorkflowIssue[] {
  const document: Record<string, Record<string, unknown>> = {
    data: { train_csv: '-' },
    model: {},
    training: {},
  }
  for (const [key, { value }] of Object.entries(settings)) {
    const [section = '', name = ''] = key.split('.')
    document[section] = { ...document[section], [name]: value }
  }
  const checked = check(TrainingConfig, document)
  if (checked.ok) return []
  return checked.issues.flatMap(({ path, ...issue }) => {
    const setting = settings[path.split('.').slice(0, 2).join('.')]
    if (!setting) return []
    return [
      {
        // A form keeps the fields of the strategy that was chosen before; they do no harm.
        severity: issue.code === NO_EFFECT ? ('warning' as const) : ('error' as const),
        path: `nodes.${setting.node}.config.${setting.field}`,
        ...issue,
        message: `${issue.message} (trained by "${node.id}")`,
        node: setting.node,
        field: setting.field,
      },
    ]
  })
}

function missingFacets(
  node: WorkflowNode,
  arriving: Arriving,
  settings: Readonly<Record<string, Setting>>,
): WorkflowIssue[] {
  const readsImages = settings['model.vision_backbone']?.value !== 'none'
  const readsTable = settings['model.fusion_type']?.value !== 'none'
  const lacking = (port: string, what: string, hint: string): WorkflowIssue => ({
    severity: 'error',
    path: `nodes.${node.id}.inputs.${port}`,
    code: 'FACET_MISSING',
    message: `the data that arrive at "${port}" have no ${what}`,
    hint,
    node: node.id,
    port,
  })
  return Object.entries(arriving).flatMap(([port, data]) => {
    if (data.type === 'model' || data.type === 'config') return []
    return [
      ...(readsImages && data.images === false
        ? [
            lacking(
              port,
              'images, which the backbone reads',
              'Connect images too, or set the backbone to "none".',
            ),
          ]
        : []),
      ...(readsTable && data.table === false
        ? [
            lacking(
              port,
              'table, which the fusion reads',
              'Connect a table too, or set the fusion strategy to "none".',
            ),
          ]
        : []),
      ...(data.labels === false
        ? [lacking(port, 'labels to learn from', 'Connect a table or a data set that has a label column.')]
        : []),
    ]
  })
}
