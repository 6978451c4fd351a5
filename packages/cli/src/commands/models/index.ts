import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addBackbones } from './backbones.js'
import { addCompare } from './compare.js'
import { addEvaluate } from './evaluate.js'
import { addModelList } from './list.js'
import { addModelRemove } from './remove.js'
import { addModelShow } from './show.js'

export function addModels(program: MedloomCommand, context: CommandContext): void {
  const models = addGroup(
    program,
    'models',
    'list, show, evaluate, compare or remove the registered models',
    'ls',
  )
  for (const add of [addModelList, addModelShow, addEvaluate, addCompare, addModelRemove, addBackbones])
    add(models, context)
}
