export * from './cache.js'
export * from './cache-key.js'
export * from './cancellation.js'
export * from './canonical.js'
export * from './clock.js'
export { CalledOff, InvalidOutput } from './compute-node.js'
export * from './cycles.js'
export * from './executor.js'
export { Flights } from './flights.js'
export * from './graph.js'
export * from './infer.js'
export * from './memory-cache.js'
export {
  forceOfResume,
  type PlanKnowledge,
  type Planned,
  type PlanRequest,
  plan,
  planning,
  type Scope,
  scopeOf,
} from './plan.js'
export * from './run.js'
export { PENDING_NODE, PROGRESS_INTERVAL, type RunEvent } from './run-state.js'
export * from './sha256.js'
export * from './slices.js'
export * from './tokens.js'
export * from './validate.js'
export * from './values.js'
