import type {
  KyselyPlugin,
  OperationNode,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely'

/** Called for a written row of a table; id null: it can be any row. */
export type RowWritten = (table: string, id: string | null) => void

/**
 * Reports which rows are written, before they are: a later read of the row sees the result of the transaction, since a transaction excludes
 * all others. Unchanged rows and rolled back writes are reported too.
 *
 */
export class WrittenRows implements KyselyPlugin {
  readonly #listeners = new Set<RowWritten>()
  readonly #listenersHere = new Set<RowWritten>()

  /** @param keys table → the column that identifies its rows; other tables are ignored. */
  constructor(private readonly keys: Readonly<Record<string, string>>) {}

  get tables(): readonly string[] {
    return Object.keys(this.keys)
  }

  /** Rows that any process writes. */
  listen(listener: RowWritten): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Rows that this process writes. */
  listenHere(listener: RowWritten): () => void {
    this.#listenersHere.add(listener)
    return () => this.#listenersHere.delete(listener)
  }

  /** Another process has written a row. */
  readonly writtenElsewhere: RowWritten = (table, id) => {
    for (const listener of this.#listeners) listener(table, id)
  }

  /** Reports a row written by a compiled query, which is not visible to this plugin. */
  notify(table: string, id: string | null): void {
    for (const listener of [...this.#listeners, ...this.#listenersHere]) listener(table, id)
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    const isHeard = this.#listeners.size > 0 || this.#listenersHere.size > 0
    const table = isHeard ? tableOf(node) : undefined
    const key = table === undefined ? undefined : this.keys[table]
    if (table !== undefined && key !== undefined) for (const id of idsIn(node, key)) this.notify(table, id)
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

function tableOf(node: RootOperationNode): string | undefined {
  const table =
    node.kind === 'InsertQueryNode'
      ? node.into
      : node.kind === 'UpdateQueryNode'
        ? node.table
        : node.kind === 'DeleteQueryNode'
          ? node.from.froms[0]
          : undefined
  return table && 'table' in table ? (table as TableLike).table.identifier.name : undefined
}

interface TableLike {
  readonly table: { readonly identifier: { readonly name: string } }
}

/** The ids that a statement names; null if it selects its rows otherwise. */
function idsIn(node: RootOperationNode, key: string): (string | null)[] {
  if (node.kind === 'InsertQueryNode') {
    const index = node.columns?.findIndex(({ column }) => column.name === key) ?? -1
    const rows = (node.values as { values?: readonly { values: readonly unknown[] }[] } | undefined)?.values
    return rows?.map(({ values }) => plain(values[index])) ?? [null]
  }
  const where = 'where' in node ? node.where?.where : undefined
  return [(where && idOf(where, key)) ?? null]
}

/** From a condition `key = id`, either as the only one or combined by AND with others. */
function idOf(condition: OperationNode, key: string): string | null {
  const { kind, left, right, node } = condition as Condition
  if (kind === 'ParensNode' && node) return idOf(node, key)
  if (kind === 'AndNode' && left && right) return idOf(left, key) ?? idOf(right, key)
  const { leftOperand, operator, rightOperand } = condition as Comparison
  const column = leftOperand?.column?.column?.name
  return column === key && operator?.operator === '=' ? plain(rightOperand) : null
}

function plain(value: unknown): string | null {
  const inner = typeof value === 'object' && value !== null && 'value' in value ? value.value : value
  return typeof inner === 'string' ? inner : null
}

interface Condition {
  readonly kind: string
  readonly left?: OperationNode
  readonly right?: OperationNode
  readonly node?: OperationNode
}

interface Comparison {
  readonly leftOperand?: { readonly column?: { readonly column?: { readonly name?: string } } }
  readonly operator?: { readonly operator?: string }
  readonly rightOperand?: unknown
}
