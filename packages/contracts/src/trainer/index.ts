/**
 * Data exchanged between the service and the trainer. Training jobs use files in the run directory, because files outlive both processes;
 * short tasks (inspect, evaluate, probe, node) use JSON lines over pipes, because they end with the service. The Python side reads these
 * contracts as emitted JSON.
 */
export * from './comparison-result.js'
export * from './evaluation/disagreement.js'
export * from './evaluation/importance.js'
export * from './evaluation/input-shift.js'
export * from './evaluation/small-cells.js'
export * from './evaluation/subgroups.js'
export * from './evaluation/threshold-chosen.js'
export * from './evaluation/verdicts.js'
export * from './evaluation-result.js'
export * from './events.js'
export * from './failure-images.js'
export * from './gateway.js'
export * from './prewarmed.js'
export * from './run-directory.js'
export * from './run-files.js'
export * from './spec.js'
export * from './tasks.js'
export * from './training-outlook.js'
