/** Which cases a value holds, as far as the graph says it. */
export interface Cases {
  /** Whole sets and parts of them: "table.csv", "table.csv › split.train_dataset". Of a model: what it was fitted on. */
  readonly parts: readonly string[]
  /** False: only some of those cases, and which is not known. */
  readonly certain: boolean
  /** The node above whose output was fitted on them. */
  readonly fitted: Fitted | undefined
  /** Of a model: the field that allows to evaluate it on what it was fitted on. */
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

/** Beyond this many parts nothing is said. */
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

/** A part of `tested` that is, holds, or lies within one of `trained`, where both are known. */
export function overlap(tested: Cases | undefined, trained: Cases | undefined): string | undefined {
  if (!tested?.certain || !trained?.certain) return undefined
  return tested.parts.find((a) =>
    trained.parts.some((b) => a === b || a.startsWith(b + WITHIN) || b.startsWith(a + WITHIN)),
  )
}

/** Whether both hold the same sets and parts. */
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
