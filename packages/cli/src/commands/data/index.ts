import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addAdopt } from './adopt.js'

export function addData(program: MedloomCommand, context: CommandContext): void {
  addAdopt(addGroup(program, 'data', 'read tables and images as they are', 'adopt'), context)
}
