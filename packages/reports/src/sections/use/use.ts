import type { EvaluationResult } from '@medloom/contracts'
import type { Section } from '../../document/document.js'
import { decisionCurveBlocks } from './decision-curve.js'
import { disagreementBlocks } from './disagreement.js'
import { operatingPointBlocks } from './operating-points.js'
import { predictionSetBlocks } from './prediction-sets.js'
import { temperatureBlocks } from './temperature.js'

/** Clinical usefulness of the predictions; null for results of older versions, which lack it. `prefix` starts the names of files. */
export function useSection(result: EvaluationResult, prefix: string): Section | null {
  const { temperature, operating_points, decision_curve, conformal, disagreement } = result
  const fittedHere = result.warnings.some(({ code }) => code === 'CHOSEN_ON_THIS_SPLIT')
  const blocks = [
    ...(temperature ? temperatureBlocks(temperature, fittedHere) : []),
    ...(operating_points ? operatingPointBlocks(operating_points, result) : []),
    ...(decision_curve ? decisionCurveBlocks(decision_curve, result, prefix) : []),
    ...(conformal ? predictionSetBlocks(conformal, result, fittedHere) : []),
    ...(disagreement ? disagreementBlocks(disagreement, prefix) : []),
  ]
  return blocks.length === 0 ? null : { id: 'use', title: 'Reliability and use of the predictions', blocks }
}
