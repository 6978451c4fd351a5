import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addDatasetList } from './list.js'
import { addDatasetInspect, addDatasetRegister } from './register.js'
import { addDatasetRemove } from './remove.js'
import { addDatasetShow } from './show.js'

export function addDatasets(program: MedloomCommand, context: CommandContext): void {
  const datasets = addGroup(program, 'datasets', 'list, register, show, inspect or remove data sets', 'ls')
  for (const add of [addDatasetList, addDatasetRegister, addDatasetShow, addDatasetInspect, addDatasetRemove])
    add(datasets, context)
}
