export * from './catalog.js'
export * from './format.js'
export * from './phrase.js'
export * from './text.js'
