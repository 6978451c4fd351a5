/** @module-tag service */
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { Place } from '../../testing/training/training-service.js'
import { until } from '../../testing/training/until.js'
import { draw, startWorkflowService, statusesOf } from '../../testing/workflows.js'
import { CacheRepository } from './cache/cache.repository.js'

afterEach(() => vi.restoreAllMocks())

//  collection: reads what results refer to ──────────────────────────► removes what none refers to
//  run:                                    finds the file, keeps its result
it('a file that a run finds during a cleanup is kept, although no result referred to it before', async () => {
  const place = new Place()
  const service = await startWorkflowService(place)
  const artifacts = join(place.dataDir, 'artifacts')
  const files = () =>
    readdirSync(artifacts, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  const id = await service.create(draw({ save: ['SaveWorkflow'] }, []))
  await service.run(id)
  const old = new Date(Date.now() - 3_600_000)
  const [file = ''] = files()
  utimesSync(file, old, old)

  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const read = CacheRepository.prototype.filesStartingWith
  const reading = vi.spyOn(CacheRepository.prototype, 'filesStartingWith').mockImplementation(async function (
    this: CacheRepository,
    prefix,
  ) {
    const referred = await read.call(this, prefix)
    await gate
    return referred
  })
  try {
    await service.send('DELETE', `/api/workflow/${id}/cache`)
    await until(() => reading.mock.calls.length === 1)
    expect(statusesOf(await service.run(id))).toEqual({ save: 'success' })
    open()
    // Collections run one after the other: when the next one reads, this one has ended.
    await service.send(
      'DELETE',
      `/api/workflow/${await service.create(draw({ save: ['SaveWorkflow'] }, []))}/cache`,
    )
    await until(() => reading.mock.calls.length >= 2 || files().length === 0)
    expect(files()).toEqual([file])
    expect(statusesOf(await service.run(id))).toEqual({ save: 'cached' })
  } finally {
    open()
    await service.close()
    place.remove()
  }
})
