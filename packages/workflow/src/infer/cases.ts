/** Cases in a value, as far as the graph determines them. */
export interface Cases {
  /** Whole sets and parts of them: "table.csv", "table.csv › split.train_dataset". For a model: its training cases. */
  readonly parts: readonly string[]
  /** False: only an unknown subset of these cases. */
  readonly certain: boolean
  /** The upstream node whose output was fitted on them. */
  readonly fitted: Fitted | undefined
  /** For a model: the field that permits an evaluation on its training cases. */
  readonly leak?: LeakField | undefined
}

export interface LeakField {
  readonly node: string
  readonly field: string
  readonly allowed: boolean
}

export interface Fitted {
  readonly node: string
  readonly output: string
}

/** No statement is made about more parts than this. */
const MAX_PARTS = 64
const WITHIN = ' › '

export function wholeSet(name: string): Cases {
  return { parts: [name], certain: true, fitted: undefined }
}

export function partOf(cases: Cases, part: string): Cases {
  return { ...cases, parts: cases.parts.map((set) => `${set}${WITHIN}${part}`) }
}

export function unionOf(cases: Iterable<Cases>): Cases | undefined {
  let union: Cases | undefined
  for (const some of cases) union = union ? join(union, some) : some
  return union
}

/** A part of `tested` that equals, contains, or lies within a part of `trained`, if both are known. */
export function overlap(tested: Cases | undefined, trained: Cases | undefined): string | undefined {
  if (!tested?.certain || !trained?.certain) return undefined
  return tested.parts.find((a) =>
    trained.parts.some((b) => a === b || a.startsWith(b + WITHIN) || b.startsWith(a + WITHIN)),
  )
}

/** Reports whether both contain the same sets and parts. */
export function sameParts(a: Cases, b: Cases): boolean {
  return a.parts.length === b.parts.length && a.parts.every((part) => b.parts.includes(part))
}

function join(a: Cases, b: Cases): Cases {
  const parts = [...new Set([...a.parts, ...b.parts])]
  const bounded = parts.length <= MAX_PARTS
  return {
    parts: bounded ? parts : [],
    certain: bounded && a.certain && b.certain,
    fitted: a.fitted ?? b.fitted,
    leak: a.leak ?? b.leak,
  }
}
