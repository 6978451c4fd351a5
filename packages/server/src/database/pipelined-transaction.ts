import {
  type DatabaseConnection,
  type Driver,
  type KyselyProps,
  type QueryExecutor,
  Transaction,
  TransactionBuilder,
} from 'kysely'

/**
 * Transactions that send each query without waiting for the response to the previous one. With kysely's own implementation, forty queries
 * need forty round trips to the database, for which everything else waits.
 */
export class PipelinedTransactionBuilder<Tables> extends TransactionBuilder<Tables> {
  readonly #props: KyselyProps

  constructor(props: KyselyProps) {
    super(props)
    this.#props = props
  }

  override execute<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { driver, executor } = this.#props
    return executor.provideConnection(async (connection) => {
      const open = new OpenTransaction(connection, driver, executor)
      const transaction = new Transaction<Tables>({ ...this.#props, executor: open.executor })
      await driver.beginTransaction(connection, {})
      try {
        const result = await work(transaction)
        await open.end('commitTransaction')
        return result
      } catch (error) {
        await open.end('rollbackTransaction')
        throw error
      }
    })
  }
}

class OpenTransaction {
  readonly executor: QueryExecutor
  #hasEnded = false

  constructor(
    private readonly connection: DatabaseConnection,
    private readonly driver: Driver,
    executor: QueryExecutor,
  ) {
    this.executor = executor.withConnectionProvider({
      provideConnection: async (consumer) => {
        if (this.#hasEnded) throw new Error('the transaction has ended')
        return consumer(connection)
      },
    })
  }

  /** No statement is executed after this call; after a failed commit, nothing remains to be rolled back. */
  end(how: 'commitTransaction' | 'rollbackTransaction'): Promise<void> {
    this.#hasEnded = true
    return this.driver[how](this.connection)
  }
}
