import { counted, type Ensemble, type RouteResponse } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { headline } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { fineTunedFrom } from '../jobs/status.js'
import { checkpointTable, unreadableCheckpoints } from './checkpoints.js'

export const addModelShow: AddCommand = (parent) =>
  parent
    .add('show')
    .description('show one model with its first checkpoints')
    .argument('<model>', 'model id')
    .example('medloom models show resnet18_gated_001')
    .action(async (modelId: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getModel({ model_id: modelId }), modelPage)
    })

/** Validation cases on which the threshold and temperature of an ensemble were fitted. */
function validationOf({ fitted_on_validation }: Ensemble): string {
  const { cases = null, reason = null } = fitted_on_validation ?? {}
  return cases === null
    ? `none: ${reason ?? 'its members share no validation cases'}`
    : `threshold and temperature are fitted to ${counted(cases, 'case')} that are validation cases of every member`
}

function membersOf({ members, trained_on_every_fold }: Ensemble): string[] {
  return [
    `members     ${members.map(({ model_id }) => model_id).join(', ')}`,
    ...(trained_on_every_fold
      ? ['trained on  every fold: only test data or external data can evaluate this ensemble']
      : []),
  ]
}

export function modelPage(model: RouteResponse<'getModel'>): string {
  const { model_id, checkpoints, num_checkpoints, unreadable } = model
  const origin = fineTunedFrom(model)
  return [
    `model       ${model.model_id}`,
    `task        ${model.task}${model.classes ? `: ${model.classes.join(', ')}` : ''}`,
    `parameters  ${model.parameters.toLocaleString('en')}`,
    `validation  ${model.ensemble ? validationOf(model.ensemble) : headline(model.metrics)}`,
    `job         ${model.job_id} (${model.job_name})`,
    ...(origin ? [`fine-tunes  ${origin}`] : []),
    ...(model.ensemble ? membersOf(model.ensemble) : []),
    `evaluated   ${counted(model.evaluations, 'time')} on a test split`,
    '',
    unreadable ? unreadableCheckpoints(model) : checkpointTable(checkpoints),
    ...(num_checkpoints > checkpoints.length
      ? [`${checkpoints.length} of ${num_checkpoints}; all: medloom models checkpoints ${model_id}`]
      : []),
  ].join('\n')
}
