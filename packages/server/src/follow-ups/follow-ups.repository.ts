import type { FollowUp } from '@medloom/contracts'
import type { Kysely, Selectable } from 'kysely'
import type { FollowUpRow, Tables } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

/** Follow-ups; their cases and outcomes are files. */
export class FollowUpsRepository {
  constructor(private readonly database: Kysely<Tables>) {}

  async add(followUp: FollowUp): Promise<void> {
    const row = { ...followUp, silent: Number(followUp.silent) }
    await this.database.insertInto('follow_ups').values(row).execute()
  }

  async find(followUpId: string): Promise<FollowUp | undefined> {
    const row = await this.database
      .selectFrom('follow_ups')
      .selectAll()
      .where('follow_up_id', '=', followUpId)
      .executeTakeFirst()
    return row && toFollowUp(row)
  }

  /** Newest first. */
  async list(size: number, token: string | undefined, modelId: string | undefined): Promise<Page<FollowUp>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('follow_ups')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (modelId !== undefined) query = query.where('model_id', '=', modelId)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(toFollowUp) }
  }

  /** The follow-ups that collect predictions of a model. */
  async open(modelId: string): Promise<FollowUp[]> {
    const rows = await this.database
      .selectFrom('follow_ups')
      .selectAll()
      .where('model_id', '=', modelId)
      .where('closed_at', 'is', null)
      .execute()
    return rows.map(toFollowUp)
  }

  /** Whether a silent follow-up of the model is open. */
  async hides(modelId: string): Promise<boolean> {
    return (await this.open(modelId)).some(({ silent }) => silent)
  }

  async close(followUpId: string, closed_at: string): Promise<void> {
    await this.database
      .updateTable('follow_ups')
      .set({ closed_at })
      .where('follow_up_id', '=', followUpId)
      .where('closed_at', 'is', null)
      .execute()
  }

  /** Close the follow-ups of a model that is removed. */
  async closeAll(modelId: string, closed_at: string): Promise<void> {
    await this.database
      .updateTable('follow_ups')
      .set({ closed_at })
      .where('model_id', '=', modelId)
      .where('closed_at', 'is', null)
      .execute()
  }

  /** Count an evaluation. @returns their number, including this one. */
  async countEvaluation(followUpId: string): Promise<number> {
    const counted = this.database.updateTable('follow_ups').set((row) => ({
      evaluations: row('evaluations', '+', 1),
    }))
    const row = await counted
      .where('follow_up_id', '=', followUpId)
      .returning('evaluations')
      .executeTakeFirstOrThrow()
    return row.evaluations
  }

  async remove(followUpId: string): Promise<void> {
    await this.database.deleteFrom('follow_ups').where('follow_up_id', '=', followUpId).execute()
  }
}

function toFollowUp(row: Selectable<FollowUpRow>): FollowUp {
  const { number: _, silent, ...fields } = row
  return { ...fields, silent: silent === 1 }
}
