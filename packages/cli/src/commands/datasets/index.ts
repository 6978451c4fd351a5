import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addDatasetCases } from './cases.js'
import { addDatasetDistribution } from './distribution.js'
import { addDatasetEdit } from './edit.js'
import { addDatasetLeaks } from './leaks.js'
import { addDatasetList } from './list.js'
import { addDatasetExample, addDatasetInspect, addDatasetRegister } from './register.js'
import { addDatasetRemove } from './remove.js'
import { addDatasetShow } from './show.js'

export function addDatasets(program: MedloomCommand, context: CommandContext): void {
  const datasets = addGroup(program, 'datasets', 'list, register, view, change or remove datasets', 'ls')
  for (const add of [
    addDatasetList,
    addDatasetRegister,
    addDatasetExample,
    addDatasetShow,
    addDatasetInspect,
    addDatasetCases,
    addDatasetDistribution,
    addDatasetLeaks,
    addDatasetEdit,
    addDatasetRemove,
  ])
    add(datasets, context)
}
