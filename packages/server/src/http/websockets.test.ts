/** @module-tag service */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Place, startTrainingService } from '../../testing/training/training-service.js'

it('at shutdown the sockets of jobs and workflows are closed with 1001, after the last message', async () => {
  const place = new Place()
  const service = await startTrainingService(place)
  const jobId = await service.start('long', place.config({ epochs: 1000 }))
  const { body } = await service.send<{ workflow_id: string }>('POST', '/api/workflow/create', {
    name: 'followed',
  })
  const job = service.follow(jobId, '?since=0')
  const workflow = new WebSocket(`${service.url.replace('http', 'ws')}/ws/workflow/${body.workflow_id}`)
  await Promise.all([once(job.socket, 'message'), once(workflow, 'message')])

  const closed = Promise.all([once(job.socket, 'close'), once(workflow, 'close')])
  await service.close()
  expect((await closed).map(([code]) => code)).toEqual([1001, 1001])
  expect(job.messages.map(({ seq }) => seq)).toEqual(job.messages.map((_, index) => index + 1))

  const again = await startTrainingService(place)
  await again.stop(jobId)
  await again.close()
  place.remove()
})

it('a client that does not reply to the close does not delay the shutdown', async () => {
  const place = new Place()
  const service = await startTrainingService(place)
  const jobId = await service.start('long', place.config({ epochs: 1000 }))
  const { hostname, port } = new URL(service.url)
  const silent = connect(Number(port), hostname)
  silent.write(
    `GET /ws/training/${jobId} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await once(silent, 'data')
  silent.on('error', () => undefined)
  // A close that waits for it would never end.
  await service.close()
  silent.destroy()

  const again = await startTrainingService(place)
  await again.stop(jobId)
  await again.close()
  place.remove()
})
