import type { WorkflowIssue, WorkflowNode } from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Validated } from '../validate/validate.js'

/**
 * What can be said of leaks before anything runs, by following cases through the graph: a model that is evaluated on cases it was
 * trained on, and statistics that are fitted above a split. The contents decide when it runs; this is the part that a drawing shows.
 */
export function* checkLineage({
  graph,
  order,
  definitions,
  configs,
}: Validated): CooperativeSteps<WorkflowIssue[]> {
  const known = new Map<string, Lineage>()
  const issues: WorkflowIssue[] = []
  for (const number of order) {
    yield
    const node = graph.nodes[number]
    const definition = definitions[number]
    const config = configs[number]
    if (!node || !definition || !config) continue
    const arriving = new Map<string, Lineage>()
    for (const { connection } of graph.incoming[number] ?? []) {
      const lineage = known.get(`${connection.source}\n${connection.source_port}`)
      if (lineage) arriving.set(connection.target_port, join(arriving.get(connection.target_port), lineage))
    }
    if (node.type === 'EvaluateModel') issues.push(...testedOnSeen(node, arriving))
    if (node.type === 'DataSplit') issues.push(...fittedAbove(node, arriving.get('dataset')))
    for (const port of definition.outputs) {
      const lineage = lineageOf(node, port.name, config, arriving)
      if (lineage) known.set(`${node.id}\n${port.name}`, lineage)
    }
  }
  return issues
}

interface Lineage {
  /** Whole sets and parts of them: "table.csv", "table.csv › split.train_dataset". Of a model: what it was trained on. */
  readonly parts: readonly string[]
  /** False: only some of those cases, and which is not known. */
  readonly certain: boolean
  /** The node above that has fitted something. */
  readonly fitted: string | undefined
}

/** Beyond this many parts nothing is said. */
const MOST_PARTS = 64
const WITHIN = ' › '

function lineageOf(
  node: WorkflowNode,
  port: string,
  config: Readonly<Record<string, unknown>>,
  arriving: ReadonlyMap<string, Lineage>,
): Lineage | undefined {
  const whole = (name: string): Lineage => ({ parts: [name], certain: true, fitted: undefined })
  switch (node.type) {
    case 'LoadDataset':
      return whole(`${config.dataset_id}${config.split === 'all' ? '' : `${WITHIN}split ${config.split}`}`)
    case 'LoadTabular':
      return whole(String(config.path))
    case 'DataSplit': {
      const all = arriving.get('dataset')
      return all && { ...all, parts: all.parts.map((part) => `${part}${WITHIN}${node.id}.${port}`) }
    }
    case 'FilterData': {
      const all = arriving.get('dataset')
      return all && { ...all, certain: false }
    }
    case 'TabularPreprocess': {
      const all = arriving.get('dataframe')
      return all && { ...all, fitted: node.id }
    }
    case 'MergeDatasets':
    case 'TrainModel':
    case 'ResumeTraining':
      return [...arriving.values()].reduce<Lineage | undefined>((all, one) => join(all, one), undefined)
    case 'ImagePreprocess':
    case 'DataAugmentation':
      return arriving.get('images')
    default:
      return undefined
  }
}

/** Images alone say nothing of cases: what is joined is known by its table. */
function join(a: Lineage | undefined, b: Lineage): Lineage {
  if (!a) return b
  const parts = [...new Set([...a.parts, ...b.parts])]
  const bounded = parts.length <= MOST_PARTS
  return {
    parts: bounded ? parts : [],
    certain: bounded && a.certain && b.certain,
    fitted: a.fitted ?? b.fitted,
  }
}

function testedOnSeen(node: WorkflowNode, arriving: ReadonlyMap<string, Lineage>): WorkflowIssue[] {
  const model = arriving.get('model')
  const test = arriving.get('test_dataset')
  if (!model?.certain || !test?.certain) return []
  const seen = test.parts.find((part) => model.parts.some((trained) => overlap(part, trained)))
  if (seen === undefined) return []
  return [
    {
      severity: 'error',
      path: `nodes.${node.id}.inputs.test_dataset`,
      code: 'DATASET_LEAK',
      message: `the model was trained on cases that it is tested on (${seen})`,
      hint: 'Split the data, and connect a part here that TrainModel has not seen, validation included.',
      node: node.id,
      port: 'test_dataset',
    },
  ]
}

function fittedAbove(node: WorkflowNode, lineage: Lineage | undefined): WorkflowIssue[] {
  if (lineage?.fitted === undefined) return []
  return [
    {
      severity: 'warning',
      path: `nodes.${lineage.fitted}`,
      code: 'FITTED_ABOVE_SPLIT',
      message: `"${lineage.fitted}" stands above the split "${node.id}": its output "scaler" is fitted on the test part too`,
      hint: 'Split first. The training itself fits anew, on its training part alone.',
      node: lineage.fitted,
    },
  ]
}

/** The same part, or one within the other. */
function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(b + WITHIN) || b.startsWith(a + WITHIN)
}
