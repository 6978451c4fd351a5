import type { DatasetSummary, ServiceState, ServiceUsage } from '@medloom/contracts'
import { afterEach, expect, it } from 'vitest'
import { ServiceEvents } from './service-events.js'
import { ServiceFeed } from './service-feed.js'

let feed: ServiceFeed
afterEach(() => feed.close())

/** A feed of a service that contains only these datasets. */
function feedOf(datasets: readonly DatasetSummary[]) {
  const events = new ServiceEvents()
  const none = { newest: async () => [], find: async () => [] }
  const dataset = {
    newest: async () => [...datasets],
    find: async (ids: readonly string[]) => datasets.filter(({ dataset_id }) => ids.includes(dataset_id)),
  }
  feed = new ServiceFeed({
    events,
    sources: { job: none, run: none, study: none, model: none, dataset },
    usage: { read: async () => ({}) as ServiceUsage },
    log: { warn: (problem: unknown) => expect(problem).toBeUndefined() },
  })
  feed.follow()
  const snapshot = () =>
    feed.snapshotSent({
      jobs: [],
      runs: [],
      studies: [],
      models: [],
      datasets: [...datasets],
    } as unknown as ServiceState)
  const messages = () => (events.since(0) ?? []).map(({ type }) => type).filter((type) => type !== 'usage')
  return { snapshot, messages }
}

const dataset = { dataset_id: 'new', name: 'new' } as DatasetSummary

it('sends a new item to all, even if a snapshot in between contained it', async () => {
  const { snapshot, messages } = feedOf([dataset])
  feed.written('datasets', 'new')
  snapshot()
  await expect.poll(messages).toEqual(['dataset'])
})

it('sends an item once as long as it does not change', async () => {
  const { snapshot, messages } = feedOf([dataset, { ...dataset, dataset_id: 'other' }])
  snapshot()
  feed.written('datasets', 'new')
  await expect.poll(messages).toEqual(['dataset'])
  feed.written('datasets', 'new')
  feed.written('datasets', 'other')
  await expect.poll(messages).toEqual(['dataset', 'dataset'])
})
