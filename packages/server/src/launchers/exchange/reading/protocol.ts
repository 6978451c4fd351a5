/** Requests of the service to the thread that reads the files of runs. */
export type Request = { readonly id: number } & Read

export type Read =
  /** The complete lines after `offset`: about `limit` bytes, or one longer line, up to `longest`. */
  | {
      readonly kind: 'lines'
      readonly path: string
      readonly offset: number
      readonly limit: number
      readonly longest: number
    }
  /** The content of a small file; '' when it cannot be read. */
  | { readonly kind: 'text'; readonly path: string }
  /** The first of these that does not exist. */
  | { readonly kind: 'absent'; readonly paths: readonly string[] }

/** Lines without the last line break; `more`: the file continues after them. */
export interface Lines {
  readonly end: number
  readonly text: string
  readonly more: boolean
}

export type Response =
  | { readonly id: number; readonly result: Lines | string | null }
  | { readonly id: number; readonly failure: { readonly message: string; readonly code?: string } }
