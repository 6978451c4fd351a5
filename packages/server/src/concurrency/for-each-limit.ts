import { yieldIfDue } from './event-loop.js'

/** Runs `work` for every item, at most `limit` at a time. Throws the first failure after all work that has started has ended. */
export async function forEachLimit<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed = false
  const lane = async () => {
    while (next < items.length && !failed) {
      const item = items[next++] as Item
      await yieldIfDue()
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
