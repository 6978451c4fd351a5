import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addDatasetList } from './list.js'
import { addDatasetInspect, addDatasetRegister } from './register.js'
import { addDatasetShow } from './show.js'

export function addDatasets(program: MedloomCommand, context: CommandContext): void {
  const datasets = addGroup(program, 'datasets', 'list, register, show or inspect data sets', 'ls')
  for (const add of [addDatasetList, addDatasetRegister, addDatasetShow, addDatasetInspect])
    add(datasets, context)
}
