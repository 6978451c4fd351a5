import { type ServiceState, SOCKETS } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { bindSnapshotSocket } from '../live/snapshot-socket.js'
import { ModelsRepository } from '../models/models.repository.js'
import { StudiesRepository } from '../studies/studies.repository.js'
import { StudyReader } from '../studies/study-reader.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import type { Training } from '../training/index.js'
import { MEDLOOM_VERSION } from '../version.js'
import { RunsRepository } from '../workflows/runs/runs.repository.js'
import { CountsRepository } from './counts.repository.js'
import { itemSources } from './item-sources.js'
import { ServiceEvents } from './service-events.js'
import { ServiceFeed } from './service-feed.js'
import { UsageReader } from './usage.js'

export interface Overview {
  state(): Promise<ServiceState>
  registerSockets(app: FastifyInstance): void
  close(): void
}

/** Overview of the service: its newest items and resource usage, and all their changes on /ws/service. */
export function createOverview(
  context: Pick<ServiceContext, 'database' | 'folder' | 'roots' | 'log'>,
  training: Pick<Training, 'reader' | 'capacity' | 'pause'>,
): Overview {
  const { database, folder, roots, log } = context
  const sources = itemSources({
    jobs: training.reader,
    runs: new RunsRepository(database),
    studies: new StudyReader(new StudiesRepository(database, new StoredPaths(roots.named)), folder),
    models: new ModelsRepository(database),
    datasets: new DatasetsRepository(database),
  })
  const counts = new CountsRepository(database)
  const { capacity, pause } = training
  const usage = new UsageReader({ counts, capacity, pause, folder: folder.path })
  const events = new ServiceEvents()
  const feed = new ServiceFeed({ events, sources, usage, log })
  const stopListening = database.written.listen(feed.written)

  async function state(): Promise<ServiceState> {
    return {
      version: MEDLOOM_VERSION,
      usage: await usage.read(),
      jobs: await sources.job.newest(),
      runs: await sources.run.newest(),
      studies: await sources.study.newest(),
      models: await sources.model.newest(),
      datasets: await sources.dataset.newest(),
    }
  }

  return {
    state,
    registerSockets: (app) =>
      bindSnapshotSocket(app, {
        socket: SOCKETS.service,
        events,
        async admit() {
          feed.follow()
        },
        missed: ({ stream, since }) => (stream === events.stream ? events.since(since) : null),
        async snapshot() {
          const now = await state()
          feed.snapshotSent(now)
          return { first: { type: 'snapshot', stream: events.stream, state: now } }
        },
      }),
    close() {
      stopListening()
      feed.close()
    },
  }
}
