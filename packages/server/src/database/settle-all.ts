/**
 * Queries of one transaction that are sent together. If one fails, the transaction fails after all have been answered: queries sent after
 * its end would be executed outside the transaction.
 */
export async function settleAll(queries: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(queries)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
