import type { EvaluationResult, Job } from '@medloom/contracts'
import type { Flow, FlowStep } from '../../document/document.js'
import { countOf } from '../../document/numbers.js'

type Step = EvaluationResult['flow'][number]

/** Selection of the cases of an evaluation from its table: one chain, or a fork if one table contains several splits. */
export function evaluationFlow({ flow, split }: EvaluationResult): Flow[] {
  return flow.length === 0 ? [] : [fork(`Selection of the ${split} cases`, flow)]
}

/**
 * Selection of the splits of a training from its tables, one flow chart per table. The steps of all tables arrive in one list: first
 * `rows of <file>` for the training, validation and test table, if present, then steps that start with their split.
 */
export function trainingFlow(result: EvaluationResult, { config, prepared }: Job): Flow[] {
  const { flow, split } = result
  const tables = flow.filter(isTable)
  if (tables.length === 0) return evaluationFlow(result)
  // A fold pools training and validation rows; jobs of older versions have no such key.
  const pooled = Boolean(config.data.fold)
  const owners = (pooled ? ['train', 'test'] : ['train', 'val', 'test']).filter(
    (name) => name === 'train' || config.data[`${name as 'val' | 'test'}_csv`] !== null,
  )
  // The list refers to other tables: nothing can be assigned, so nothing is subtracted.
  if (tables.length > 1 && tables.length !== owners.length)
    return [
      {
        kind: 'flow',
        caption: `Selection of the ${split} cases`,
        steps: [],
        lanes: flow.map((row) => [box(row)]),
      },
    ]
  // Rows are dropped before the validation cases are taken from the training table.
  const divided = pooled || (!owners.includes('val') && (prepared?.split_column ?? null) === null)
  const later = flow.filter((row) => !isTable(row) && recipeOf(row) === null)
  return tables.map((table, index) => {
    const recipe = flow.filter((row) => recipeOf(row) === (owners[index] ?? 'train'))
    const mine = later.filter((row) => {
      const name = splitOf(row)
      return index === 0
        ? name === null || name === 'train' || !owners.includes(name)
        : name === owners[index]
    })
    return fork(
      `Selection of cases from ${shortened(table.step.slice('rows of '.length))}`,
      [...recipe, table, ...mine],
      divided,
    )
  })
}

/** Steps without a split, or of the only split, form a chain; several splits are lanes below it. */
function fork(caption: string, flow: readonly Step[], divided = false): Flow {
  const general = (row: Step) => splitOf(row) === null || (divided && !row.step.endsWith(' split'))
  const names = [...new Set(flow.filter((row) => !general(row)).map(splitOf))]
  if (names.length < 2) return { kind: 'flow', caption, steps: chain(flow), lanes: [] }
  const trunk = flow.filter(general)
  const branches = names.map((name) => flow.filter((row) => !general(row) && splitOf(row) === name))
  const taken = branches.reduce((sum, [first]) => sum + (first?.cases ?? 0), 0)
  const rest = (trunk.at(-1)?.cases ?? taken) - taken
  return {
    kind: 'flow',
    caption,
    steps: chain(trunk),
    lanes: [
      ...branches.map(chain),
      ...(rest > 0 ? [[{ label: `not in ${names.join(' or ')}`, counts: counts(rest, null) }]] : []),
    ],
  }
}

function chain(rows: readonly Step[]): FlowStep[] {
  return rows.map((row, index) => {
    const lost = (rows[index - 1]?.cases ?? row.cases) - row.cases
    return { ...box(row), ...(lost > 0 ? { left_out: `${countOf(lost, 'case')} excluded` } : {}) }
  })
}

function box({ step, cases, patients }: Step): FlowStep {
  return { label: shortened(step), counts: counts(cases, patients) }
}

/** A table of the artifact store is named by its digest, of which the first characters are sufficient. */
function shortened(name: string): string {
  return name.replace(/\b([0-9a-f]{16})[0-9a-f]{48}\b/g, '$1…')
}

export function counts(cases: number, patients: number | null): string {
  return `${countOf(cases, 'case')}${patients === null ? '' : `, ${countOf(patients, 'patient')}`}`
}

function isTable({ step }: Step): boolean {
  return step.startsWith('rows of ')
}

/** The split whose table a step of a recipe made; null for another step. */
function recipeOf({ step }: Step): string | null {
  const found = /^recipe(?: of (val|test))?: /.exec(step)
  return found ? (found[1] ?? 'train') : null
}

function splitOf({ step }: Step): string | null {
  return /^(train|val|held-out|test) (?:split$|rows )/.exec(step)?.[1] ?? null
}
