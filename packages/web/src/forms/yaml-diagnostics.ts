import { isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'

/** Text range with its error or warning. */
export interface YamlDiagnostic {
  readonly from: number
  readonly to: number
  readonly message: string
  readonly isWarning: boolean
}

interface TextRange {
  readonly from: number
  readonly to: number
}

/** Text range of a dotted path; of a missing path the range of its nearest parent, otherwise the start of the text. */
export function rangeOfPath(text: string, path: string): TextRange {
  let node: unknown = parseDocument(text).contents
  let range: TextRange = { from: 0, to: 0 }
  let steps = path === '' ? [] : path.split('.')
  while (steps.length > 0) {
    const match = isSeq(node) ? itemOf(node.items, steps) : keyOf(node, steps)
    if (!match) break
    node = match.node
    range = match.range ?? range
    steps = steps.slice(match.steps)
  }
  return range
}

interface Match {
  readonly node: unknown
  /** null: the node has no source text. */
  readonly range: TextRange | null
  /** Number of path segments that were matched. */
  readonly steps: number
}

function itemOf(items: readonly unknown[], [step]: readonly string[]): Match | null {
  const node = items[Number(step)]
  if (!isNode(node)) return null
  return { node, range: node.range ? { from: node.range[0], to: node.range[1] } : null, steps: 1 }
}

/** A key may contain dots, such as those of a search space. */
function keyOf(node: unknown, steps: readonly string[]): Match | null {
  if (!isMap(node)) return null
  for (let count = 1; count <= steps.length; count++) {
    const name = steps.slice(0, count).join('.')
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (!pair || !isScalar(pair.key)) continue
    const { range } = pair.key
    const value = isScalar(pair.value) ? pair.value.range : null
    return {
      node: pair.value,
      range: range ? { from: range[0], to: value?.[1] ?? range[1] } : null,
      steps: count,
    }
  }
  return null
}
