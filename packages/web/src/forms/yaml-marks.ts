import { isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'

/** Text range with its error or warning. */
export interface Mark {
  readonly from: number
  readonly to: number
  readonly message: string
  readonly isWarning: boolean
}

interface Place {
  readonly from: number
  readonly to: number
}

/** Text range of a dotted path; of a missing path the range of its nearest parent, otherwise the start of the text. */
export function placeOf(text: string, path: string): Place {
  let node: unknown = parseDocument(text).contents
  let place: Place = { from: 0, to: 0 }
  let steps = path === '' ? [] : path.split('.')
  while (steps.length > 0) {
    const found = isSeq(node) ? itemOf(node.items, steps) : keyOf(node, steps)
    if (!found) break
    node = found.node
    place = found.place ?? place
    steps = steps.slice(found.steps)
  }
  return place
}

interface Found {
  readonly node: unknown
  /** null: the node has no source text. */
  readonly place: Place | null
  /** Number of path segments that were matched. */
  readonly steps: number
}

function itemOf(items: readonly unknown[], [step]: readonly string[]): Found | null {
  const node = items[Number(step)]
  if (!isNode(node)) return null
  return { node, place: node.range ? { from: node.range[0], to: node.range[1] } : null, steps: 1 }
}

/** A key may contain dots, such as those of a search space. */
function keyOf(node: unknown, steps: readonly string[]): Found | null {
  if (!isMap(node)) return null
  for (let count = 1; count <= steps.length; count++) {
    const name = steps.slice(0, count).join('.')
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (!pair || !isScalar(pair.key)) continue
    const { range } = pair.key
    const value = isScalar(pair.value) ? pair.value.range : null
    return {
      node: pair.value,
      place: range ? { from: range[0], to: value?.[1] ?? range[1] } : null,
      steps: count,
    }
  }
  return null
}
