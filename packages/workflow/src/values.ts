import type { ValueType, Warning } from '@medloom/contracts'

/** What a port carries while a run goes on. The engine looks at the digest alone; `content` is the executor's own reference. */
export interface Value {
  readonly type: ValueType
  /** Digest of the content: equal bytes, equal digest. */
  readonly digest: string
  /** One line for people: "1,384 cases, 23 columns". */
  readonly summary: string
  readonly content: unknown
  /** What the node that made it warned of; kept with it, so that a cached result says so too. No part of the digest. */
  readonly warnings?: readonly Warning[]
  /** The job that made it; kept with it too. */
  readonly job?: string
}

/** Output port → value. */
export type Outputs = Readonly<Record<string, Value>>

/** Output port → full paths of the files that were put in their places. */
export type PlacedPaths = Readonly<Record<string, readonly string[]>>
