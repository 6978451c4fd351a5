import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addBackbones } from './backbones.js'
import { addCompare } from './compare.js'
import { addEnsemble } from './ensemble.js'
import { addEvaluate } from './evaluate.js'
import { addExport } from './export.js'
import { addModelList } from './list.js'
import { addModelRemove } from './remove.js'
import { addModelShow } from './show.js'

export function addModels(program: MedloomCommand, context: CommandContext): void {
  const models = addGroup(
    program,
    'models',
    'list, show, evaluate, compare, combine, export or remove the registered models',
    'ls',
  )
  const commands = [
    ...[addModelList, addModelShow, addEvaluate, addCompare, addEnsemble, addExport],
    ...[addModelRemove, addBackbones],
  ]
  for (const add of commands) add(models, context)
}
