import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addPreparedImages } from './cache.js'
import { addSystemInfo } from './info.js'

export function addSystem(program: MedloomCommand, context: CommandContext): void {
  const system = addGroup(
    program,
    'system',
    'show the machine of the service, and show or clear its prepared images',
    'info',
  )
  for (const add of [addSystemInfo, addPreparedImages]) add(system, context)
}
