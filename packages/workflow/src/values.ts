import type { Phrase, ValueType, Warning } from '@medloom/contracts'

/** Value of a port during a run. The engine reads only the digest; `content` is the executor's own reference. */
export interface Value {
  readonly type: ValueType
  /** Digest of the content: equal bytes, equal digest. */
  readonly digest: string
  /** One-line summary for people: "1,384 cases, 23 columns". */
  readonly summary: string
  /** The phrases of the summary, for other languages. */
  readonly summary_phrases?: readonly Phrase[] | undefined
  readonly content: unknown
  /** Warnings of the node that computed it; stored with it, so that a cached result has the same warnings. Not part of the digest. */
  readonly warnings?: readonly Warning[]
  /** The job that computed it; stored with it as well. */
  readonly job?: string
}

/** Output port → value. */
export type Outputs = Readonly<Record<string, Value>>

/** Output port → full paths of the files that were copied to their destinations. */
export type PlacedPaths = Readonly<Record<string, readonly string[]>>
