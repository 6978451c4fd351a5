import { randomUUID } from 'node:crypto'
import type { WorkflowResponse } from '@medloom/contracts'
import type { Caller } from '../../testing/http.js'
import type { Promises } from '../promises.js'

const KEPT = 'what was acknowledged is there'

/** Workflows that a service has acknowledged, each with the state that a later service must return. */
export class Acknowledged {
  /** Name by identifier; null: deleted. Absent while the response to a change is awaited: then both states are correct. */
  readonly #names = new Map<string, string | null>()

  constructor(readonly promises: Promises) {}

  /** Creates, renames and deletes workflows one after the other until the service does not respond any more. */
  async writeUntilGone(caller: Caller): Promise<void> {
    for (let count = 0; ; count++)
      try {
        const id = await this.create(caller)
        if (id && count % 2 === 1) await this.#rename(caller, id)
        if (id && count % 5 === 4) await this.#remove(caller, id)
      } catch {
        return
      }
  }

  /** @returns null if the service refused, which acknowledges nothing. */
  async create(caller: Caller): Promise<string | null> {
    const name = randomUUID()
    const { status, body } = await caller.post<WorkflowResponse & { code?: string }>('/api/workflow/create', {
      name,
    })
    if (status !== 200) {
      this.promises.check('a full disk is told as DISK_FULL', body.code === 'DISK_FULL', JSON.stringify(body))
      return null
    }
    this.#names.set(body.workflow_id, name)
    return body.workflow_id
  }

  async #rename(caller: Caller, id: string): Promise<void> {
    const name = randomUUID()
    const { body } = await caller.get<WorkflowResponse>(`/api/workflow/${id}`)
    this.#names.delete(id)
    const { status } = await caller.put(`/api/workflow/${id}`, {
      ...body.workflow,
      metadata: { ...body.workflow.metadata, name },
    })
    if (status === 200) this.#names.set(id, name)
  }

  async #remove(caller: Caller, id: string): Promise<void> {
    this.#names.delete(id)
    const { status } = await caller.delete(`/api/workflow/${id}`)
    if (status === 200) this.#names.set(id, null)
  }

  /** @throws Error at the first workflow that differs from its acknowledged state. */
  async check(caller: Caller): Promise<void> {
    for (const [id, name] of this.#names) {
      const { status, body } = await caller.get<WorkflowResponse>(`/api/workflow/${id}`)
      const found = status === 200 ? body.workflow.metadata.name : null
      this.promises.check(KEPT, found === name, `workflow ${id} is ${found}, not ${name}`)
    }
  }
}
