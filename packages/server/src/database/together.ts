/**
 * Queries of one transaction that are asked together, so that they travel together. One that fails fails the transaction after all
 * have been answered: what were asked after its end would be carried out without it.
 */
export async function together(queries: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(queries)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
