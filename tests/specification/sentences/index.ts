import { SERVICE } from './1-service.js'
import { RESOURCES } from './2-resources.js'
import { WORKFLOWS } from './2-workflows.js'
import { STATES } from './3-states.js'
import { ENDPOINTS } from './4-endpoints.js'
import { CONDUCT } from './5-conduct.js'
import type { Sections } from './declaration.js'

const DECLARED = { ...SERVICE, ...RESOURCES, ...WORKFLOWS, ...STATES, ...ENDPOINTS, ...CONDUCT }

/** All sentences of the specification, in order. */
export const SECTIONS: Sections = DECLARED

type IdsOf<Section> = Section extends unknown
  ? {
      [Id in keyof Section]: Section[Id] extends { parts: infer Parts } ? keyof Parts : Id
    }[keyof Section]
  : never
export type PromiseId = IdsOf<(typeof DECLARED)[keyof typeof DECLARED]> & string

declare module 'vitest' {
  interface TaskMeta {
    /** Promises of the specification that the test verifies. */
    shows?: readonly PromiseId[]
  }
}

/** Options of a test: `it('reports that it is healthy', shows('2.6/status'), …)` adds it to the rows of its promises. */
export function shows(...promises: PromiseId[]): { meta: { shows: PromiseId[] } } {
  return { meta: { shows: promises } }
}
