/** Parts of a request that determine whether its response identifies patients. */
export interface IdentifyingRequest {
  readonly query: Readonly<Record<string, unknown>>
  /** Last part of the address, if the route names a file there. */
  readonly path: string
}

/** Reports whether the response to a request contains values that identify patients. */
export type Identifies = (request: IdentifyingRequest) => boolean

/** The query requests identifiers. */
export const whereRequested: Identifies = ({ query }) =>
  query.identifiers !== undefined && query.identifiers !== 'false'

/** Prediction tables name the patient of each case; no other visible file of a run directory does. */
export const inTablesOfRun: Identifies = ({ path }) => /\.csv$/i.test(path)

/** Tables that a node wrote. The file of an exported table may have any extension. */
export const inTablesOfNode: Identifies = ({ query, path }) =>
  query.port === 'export_path' || /\.(csv|json|xlsx)$/i.test(path)
