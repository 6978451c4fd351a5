import { basename, dirname } from 'node:path'
import {
  type Dataset,
  hintOf,
  messageOf,
  type Phrase,
  phrase,
  type TemplateFit,
  type Workflow,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'
import { type CheckContext, checkWorkflow } from './check-workflow.js'

const PARTS = ['train', 'val', 'test']

/** The template with the dataset in place of its example, and the problems found by an inference of the whole graph. */
export async function fitOf(
  template: Workflow,
  dataset: Dataset,
  checkContext: CheckContext,
): Promise<TemplateFit> {
  const example = template.nodes.map(exampleOf).find((path) => path !== undefined)
  const missing: WorkflowIssue[] = []
  const replaced = new Set<string>()
  const nodes = template.nodes.map((node) => {
    const path = exampleOf(node)
    if (path === undefined || example === undefined) return node
    replaced.add(node.id)
    if (dirname(path) !== dirname(example)) {
      missing.push(issue(node, 'DATASET_NOT_FOUND', phrase('second_dataset'), phrase('another_dataset')))
      return node
    }
    const part = basename(path, '.csv')
    return withData(node, part, template.nodes.filter(exampleOf).length > 1, dataset, missing)
  })
  const workflow = { ...template, nodes }
  const { issues } = await checkWorkflow(workflow, checkContext)
  const second = new Set(missing.map(({ node }) => node))
  const found = issues.filter(({ severity, node }) => severity === 'error' && !second.has(node))
  return { fits: missing.length + found.length === 0, missing: [...missing, ...found], workflow }
}

/** The path of the example dataset that a node of a template loads. */
function exampleOf({ type, config }: WorkflowNode): string | undefined {
  const path = type === 'LoadDataset' ? config.dataset_id : type === 'LoadTabular' ? config.path : undefined
  return typeof path === 'string' ? path : undefined
}

function withData(
  node: WorkflowNode,
  part: string,
  inParts: boolean,
  { dataset_id, path, kind, columns, splits }: Dataset,
  missing: WorkflowIssue[],
): WorkflowNode {
  const hasFeatures = columns.some(({ role }) => role === 'numeric' || role === 'categorical')
  if (node.type === 'LoadTabular') {
    if (kind === 'image' || !hasFeatures)
      missing.push(issue(node, 'FACET_MISSING', phrase('no_table_with_inputs'), phrase('dataset_with_table')))
    return { ...node, config: { ...node.config, path } }
  }
  const named = PARTS.filter((one) => splits[one])
  if (inParts && !named.includes(part))
    missing.push(
      issue(node, 'DATASET_INVALID', phrase('dataset_lacks_split', { split: part }), phrase('connect_split')),
    )
  const split = inParts && named.includes(part) ? part : 'all'
  return { ...node, config: { ...node.config, dataset_id, split } }
}

function issue(
  node: WorkflowNode,
  code: WorkflowIssue['code'],
  message: Phrase,
  hint: Phrase,
): WorkflowIssue {
  return {
    severity: 'error',
    path: `nodes.${node.id}`,
    code,
    ...messageOf(message),
    ...hintOf(hint),
    node: node.id,
  }
}
