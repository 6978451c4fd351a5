import { NO_EFFECT } from '../../configuration/index.js'
import { hintOf, messageOf, phrase } from '../../phrases/index.js'
import type { InferOutputs, InferredIssue, PlacedSetting } from '../inference.js'
import { missingFacets } from './training-checks.js'

/** Exactly one model, and cases with everything that it reads except labels. */
export const checkPrediction: InferOutputs = ({ config, inputs: { model, cases } }) => {
  const registered = config.model_id !== null
  if (registered && model) return { issues: [twoModels()] }
  return {
    issues: [
      ...(registered || model ? [] : [noModel()]),
      ...(registered ? withoutEffect(cases?.settings) : []),
      ...(model && cases ? missingFacets({ cases }, model.settings, false) : []),
    ],
  }
}

function noModel(): InferredIssue {
  return {
    severity: 'error',
    code: 'MISSING_INPUT',
    ...messageOf(phrase('no_model_to_predict')),
    ...hintOf(phrase('connect_or_name_model')),
    port: 'model',
  }
}

function twoModels(): InferredIssue {
  return {
    severity: 'error',
    code: 'INVALID_VALUE',
    ...messageOf(phrase('two_models_to_predict')),
    ...hintOf(phrase('leave_one_model')),
    field: 'model_id',
  }
}

/** A registered model prepares the cases as in its training, which no node of this workflow can change. */
function withoutEffect(settings: Readonly<Record<string, PlacedSetting>> = {}): InferredIssue[] {
  return Object.entries(settings).flatMap(([key, { node, field, value, default: unset, fit_only }]) =>
    fit_only || JSON.stringify(value) === JSON.stringify(unset)
      ? []
      : [
          {
            severity: 'warning',
            code: NO_EFFECT,
            ...messageOf(phrase('prepared_by_model', { setter: node, key })),
            ...hintOf(phrase('connect_loaded_cases')),
            node,
            field,
          },
        ],
  )
}
