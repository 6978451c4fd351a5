import type { ValueType } from '@medloom/contracts'

/** What a port carries while a run goes on. The engine looks at the digest alone; `content` is the executor's own reference. */
export interface Value {
  readonly type: ValueType
  /** Digest of the content: equal bytes, equal digest. */
  readonly digest: string
  /** One line for people: "1,384 cases, 23 columns". */
  readonly summary: string
  readonly content: unknown
}

/** Output port → value. */
export type Outputs = Readonly<Record<string, Value>>
