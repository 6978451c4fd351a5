export * from './catalogue.js'
export * from './metric.js'
export * from './of-epoch.js'
export * from './of-task.js'
