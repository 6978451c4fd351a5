import { join } from 'node:path'
import type { Study, StudyResponse } from '@medloom/contracts'
import { PATIENCE } from '../../../../scripts/testing/patience.mjs'
import { eventually } from '../eventually.js'
import { Place, startTrainingService } from './training-service.js'

type Service = Awaited<ReturnType<typeof startTrainingService>>

/** A service with a separate data folder, whose small trainer runs studies. */
export class StudiesService {
  place!: Place
  service!: Service

  begin = async () => {
    this.place = new Place()
    await this.open()
  }

  /** Start the service, again after it was closed. */
  open = async () => {
    const python = join(import.meta.dirname, 'study-python.mjs')
    this.service = await startTrainingService(this.place, { python })
  }

  end = async () => {
    await this.service.close()
    this.place.remove()
  }

  /** @returns the study's id */
  start = async (study: object): Promise<string> => {
    const { status, body } = await this.service.send<StudyResponse>('POST', '/api/studies', study)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.study_id
  }

  get = async (id: string): Promise<Study> =>
    (await this.service.send<Study>('GET', `/api/studies/${id}`)).body

  until = (id: string, reached: (study: Study) => boolean): Promise<Study> =>
    eventually(() => this.get(id), reached, { every: 40, within: 2 * PATIENCE.poll })

  ended = (id: string) => this.until(id, ({ status }) => status !== 'running')

  /** A request to the study: cancel, resume, report, … */
  post = <Body = StudyResponse & { code?: string }>(id: string, what: string, body?: object) =>
    this.service.send<Body>('POST', `/api/studies/${id}/${what}`, body)
}
