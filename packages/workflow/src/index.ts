export * from './cache/cache-key.js'
export * from './cache/canonical.js'
export * from './cache/memory-cache.js'
export * from './cache/result-cache.js'
export * from './cache/sha256.js'
export * from './cooperative-steps.js'
export * from './graph/cycles.js'
export * from './graph/graph.js'
export * from './infer/infer.js'
export {
  forceOfResume,
  type PlanKnowledge,
  type Planned,
  type PlanRequest,
  plan,
  planning,
  type Scope,
  scopeOf,
} from './plan/plan.js'
export * from './run/cancellation.js'
export * from './run/clock.js'
export { CalledOff, InvalidOutput } from './run/compute-node.js'
export * from './run/executor.js'
export * from './run/resource-semaphore.js'
export * from './run/run.js'
export { PENDING_NODE, PROGRESS_INTERVAL, type RunEvent } from './run/run-state.js'
export { Flights } from './run/single-flight.js'
export * from './validate/validate.js'
export * from './values.js'
