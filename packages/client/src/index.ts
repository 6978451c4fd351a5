export type { ClientErrorCode } from '@medloom/contracts'
export type { BytesRoute, CallArguments, CallInput, CallOptions, Download } from './call.js'
export { composeRequest } from './call.js'
export { type ClientOptions, MedloomClient } from './client.js'
export { MedloomError } from './errors.js'
export type { RouteMethods } from './methods.js'
export type { ReconnectOptions } from './reconnect.js'
export {
  fetchTransport,
  type OpenSocket,
  type Socket,
  type StreamResponse,
  type StreamTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js'
export type { UploadOptions } from './upload.js'
export type { WatchOptions } from './watch.js'
export type { WatchWorkflowOptions } from './watch-workflow.js'
