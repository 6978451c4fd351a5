import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addBackbones } from './backbones.js'
import { addModelCard } from './card.js'
import { addCheckpoints } from './checkpoints.js'
import { addCompare } from './compare.js'
import { addComparison } from './comparison.js'
import { addEnsemble } from './ensemble.js'
import { addEvaluate } from './evaluate.js'
import { addEvaluationShow, addEvaluations } from './evaluations.js'
import { addExport } from './export.js'
import { addModelInputs } from './inputs.js'
import { addModelList } from './list.js'
import { addPackage } from './package.js'
import { addPredict } from './predict.js'
import { addModelRemove } from './remove.js'
import { addEvaluationReport } from './report.js'
import { addModelShow } from './show.js'

export function addModels(program: MedloomCommand, context: CommandContext): void {
  const models = addGroup(
    program,
    'models',
    'list, show, apply, evaluate, report, compare, combine, export or remove the registered models',
    'ls',
  )
  const commands = [
    ...[
      addModelList,
      addModelShow,
      addCheckpoints,
      addModelInputs,
      addPredict,
      addEvaluate,
      addEvaluations,
      addEvaluationShow,
    ],
    ...[addCompare, addComparison, addEnsemble, addExport, addPackage],
    ...[addEvaluationReport, addModelCard, addModelRemove, addBackbones],
  ]
  for (const add of commands) add(models, context)
}
