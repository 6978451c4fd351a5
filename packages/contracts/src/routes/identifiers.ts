/** The parts of a request that say whether its response identifies patients. */
export interface IdentifyingRequest {
  readonly query: Readonly<Record<string, unknown>>
  /** The end of the address where a route names a file by it. */
  readonly path: string
}

/** Whether the response to a request has values that identify patients. */
export type Identifies = (request: IdentifyingRequest) => boolean

/** The query asks for them. */
export const whereRequested: Identifies = ({ query }) =>
  query.identifiers !== undefined && query.identifiers !== 'false'

/** Tables of predictions name the patient of each case; nothing else that a run directory shows does. */
export const inTablesOfRun: Identifies = ({ path }) => /\.csv$/i.test(path)

/** Tables that a node wrote. The file of an exported table may have any ending. */
export const inTablesOfNode: Identifies = ({ query, path }) =>
  query.port === 'export_path' || /\.(csv|json|xlsx)$/i.test(path)
