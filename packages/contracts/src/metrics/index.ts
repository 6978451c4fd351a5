export * from './catalogue.js'
export * from './epoch-metrics.js'
export * from './metric.js'
export * from './task-metrics.js'
