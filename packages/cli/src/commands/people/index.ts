import type { MedloomCommand } from '../../command.js'
import { addAudit } from './audit.js'
import { addTokens } from './tokens.js'
import { addUsers } from './users.js'
import { addWhoami } from './whoami.js'

export function addPeople(program: MedloomCommand): void {
  for (const add of [addTokens, addUsers, addAudit, addWhoami]) add(program)
}
